import MediaUnits

/// Turns what happens on the screen into telemetry events, so that every view start has exactly one
/// view end (SIG-050, SIG-051).
///
/// A view begins when an item becomes the one on the screen and ends when it is not any more, or
/// the app is closed; a view that begins while another is open ends that one first. Whatever else
/// is reported outside a view, twice, or of a stall that is not open, is counted and emits nothing.
/// An open stall is closed by the end of its view; one `rebuffer` event sums up a view's stalls.
///
/// Every event names its item: what a player says late of an item whose view is over is counted and
/// emits nothing, also when another view is open by then. Two views of one item that follow each
/// other directly cannot be told apart so; the generations of ``PlayerPool`` do that.
public struct ViewLog: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    public init() {}
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// The item is on the screen; its media lasts `duration`.
    case viewBegan(ItemID, duration: TimeSpan)
    case firstFrameRendered(ItemID)
    case stallBegan(ItemID)
    case stallEnded(ItemID)
    case bitrateSelected(ItemID, BitRate)
    case tapped(ItemID, plays: Bool)
    case scrubBegan(ItemID)
    case scrubCommitted(ItemID, position: TimeSpan)
    case playbackFailed(ItemID, code: Int64)
    /// The item is not on the screen any more; so much of its media was played, loops included.
    case viewEnded(ItemID, played: TimeSpan)

    /// The item that it is about.
    public var item: ItemID {
      switch self {
      case .viewBegan(let item, _), .firstFrameRendered(let item), .stallBegan(let item),
        .stallEnded(let item), .bitrateSelected(let item, _), .tapped(let item, _),
        .scrubBegan(let item), .scrubCommitted(let item, _), .playbackFailed(let item, _),
        .viewEnded(let item, _):
        item
      }
    }
  }

  /// What the host hands to the batcher.
  public enum Command: Sendable, Equatable {
    case emit(TelemetryEvent)
  }

  /// The view that is open.
  struct Open: Sendable {
    var item: ItemID
    var duration: TimeSpan
    var began: Instant
    var hasFrame = false
    var stalls: Int64 = 0
    var stalled = TimeSpan.zero
    var stallBegan: Instant?
  }

  public let configuration: Configuration
  var open: Open?

  /// Views begun; the next view's number.
  public private(set) var views: UInt32 = 0
  /// Views ended; as many as were begun, less the open one.
  public private(set) var ended: UInt32 = 0
  /// Views ended without a frame.
  public private(set) var withoutFrame: UInt32 = 0
  /// Events that emitted nothing because their item's view was not open, or twice.
  public private(set) var ignored = 0

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// Whether a view is open.
  public var isOpen: Bool { open != nil }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    if case .viewBegan(let item, let duration) = event {
      if open != nil { end(played: .zero, at: now, into: &commands) }
      open = Open(item: item, duration: duration, began: now)
      views += 1
      emit(.viewStart, at: now, into: &commands)
      return
    }
    guard open?.item == event.item else {
      ignored += 1
      return
    }
    handleInView(event, at: now, into: &commands)
  }

  private mutating func handleInView(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .viewBegan: break
    case .firstFrameRendered:
      if open!.hasFrame {
        ignored += 1
        return
      }
      open!.hasFrame = true
      let wait = now.elapsed(saturatingSince: open!.began)
      emit(.timeToFirstFrame, milliseconds(wait), at: now, into: &commands)
    case .stallBegan:
      if open!.stallBegan != nil || !open!.hasFrame {
        ignored += 1
        return
      }
      open!.stallBegan = now
      open!.stalls += 1
    case .stallEnded:
      if open!.stallBegan == nil {
        ignored += 1
        return
      }
      closeStall(at: now)
    case .bitrateSelected(_, let rate):
      emit(.selectedBitrate, rate.bitsPerSecond / 1000, at: now, into: &commands)
    case .tapped(_, let plays): emit(.tapPlayPause, plays ? 1 : 0, at: now, into: &commands)
    case .scrubBegan: emit(.previewScrubStart, at: now, into: &commands)
    case .scrubCommitted(_, let position):
      emit(.previewScrubCommit, milliseconds(position), at: now, into: &commands)
    case .playbackFailed(_, let code): emit(.playbackError, code, at: now, into: &commands)
    case .viewEnded(_, let played): end(played: played, at: now, into: &commands)
    }
  }

  private mutating func closeStall(at now: Instant) {
    guard let began = open!.stallBegan else { return }
    if now > began {
      let stall = now.elapsed(saturatingSince: began)
      open!.stalled = open!.stalled.adding(saturating: stall)
    }
    open!.stallBegan = nil
  }

  private mutating func end(
    played: TimeSpan, at now: Instant, into commands: inout [Command]
  ) {
    closeStall(at: now)
    let view = open!
    if view.stalls > 0 {
      emit(.rebuffer, view.stalls, milliseconds(view.stalled), at: now, into: &commands)
    }
    let share = PlaybackEnd.loop.completion(of: view.duration, played: played).share
    let length = now.elapsed(saturatingSince: view.began)
    emit(.viewEnd, milliseconds(length), Int64(share * 10_000), at: now, into: &commands)
    open = nil
    ended += 1
    if !view.hasFrame { withoutFrame += 1 }
  }

  private func milliseconds(_ span: TimeSpan) -> Int64 {
    span > .zero ? span.nanoseconds / 1_000_000 : 0
  }

  private func emit(
    _ name: TelemetryName, _ value: Int64 = 0, _ second: Int64 = 0, at now: Instant,
    into commands: inout [Command]
  ) {
    commands.append(
      .emit(
        TelemetryEvent(
          name: name, view: views - 1, item: open!.item, at: now, value: value, second: second)))
  }
}
