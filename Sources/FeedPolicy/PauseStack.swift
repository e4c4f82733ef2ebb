import MediaUnits

/// Says when the item on the screen plays, whatever pauses it and in whatever order.
///
/// Temporary reasons to pause may overlap: a scrub, typing, the background, an interruption, a
/// device that is too slow. Playback goes on when the last of them has ended, and only if the item
/// was playing before the first began. A pause by the viewer's tap is not temporary: it sticks to
/// the item, also when the viewer comes back to it (SIG-036). A tap while a temporary reason holds
/// changes what happens when it ends.
///
/// A scrub and typing belong to the item on the screen and end with it; the others do not. Begins
/// of a reason that holds and ends of one that does not are counted and change nothing.
///
/// Source: requirements X-004, SIG-033, SIG-036, SIG-037, REEL-024.
public struct PauseStack: PolicyMachine {
  /// A temporary reason to pause.
  public enum Reason: UInt8, Sendable, Equatable, CaseIterable {
    /// A finger moves over the storyboard (SIG-033).
    case scrub = 0
    /// The message field has the keyboard (REEL-024).
    case typing
    /// The app is not on the screen (SIG-037).
    case background
    /// A call, an alarm, another app's sound (SIG-037).
    case interruption
    /// The device cannot render now.
    case lowEnd
  }

  /// A set of reasons.
  public struct Reasons: OptionSet, Sendable, Equatable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public init(_ reason: Reason) { rawValue = 1 << reason.rawValue }

    public static let all = Reasons(rawValue: 0b11111)
  }

  public struct Configuration: Sendable, Equatable {
    /// Reasons after whose end playback goes on by itself; after the others the viewer has to tap.
    /// Default all of them: X-004.
    public var resuming: Reasons

    public init(resuming: Reasons = .all) { self.resuming = resuming }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// Another item is on the screen, and may be rendered. The same item again changes nothing.
    case itemChanged(ItemID)
    case began(Reason)
    case ended(Reason)
    /// The viewer tapped on the item.
    case tapped
  }

  /// What the host has to do.
  public enum Command: Sendable, Equatable {
    case play(ItemID)
    case pause(ItemID)
  }

  /// What the viewer wants of the item on the screen.
  enum Wish: Sendable, Equatable {
    /// No item yet. Can transition to: play, pause.
    case none
    /// It plays unless a reason holds. Can transition to: pause, play (another item).
    case play(ItemID)
    /// It stays paused. Can transition to: play.
    case pause(ItemID)
  }

  /// Items whose pause is remembered; more than a viewer swipes back over (assumed).
  static let memory = 16

  public let configuration: Configuration
  var wish = Wish.none
  /// Reasons that hold.
  public private(set) var reasons: Reasons = []
  /// Items that were left while paused by the viewer, the oldest first.
  var pausedItems: [ItemID] = []

  /// Events that changed nothing.
  public private(set) var ignored = 0

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    pausedItems.reserveCapacity(PauseStack.memory + 1)
  }

  /// The item that plays; nil when none does.
  public var playing: ItemID? {
    if case .play(let item) = wish, reasons.isEmpty { return item }
    return nil
  }

  /// The item on the screen; nil before the first.
  public var item: ItemID? {
    switch wish {
    case .none: nil
    case .play(let item), .pause(let item): item
    }
  }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    let before = playing
    switch event {
    case .itemChanged(let new): change(to: new)
    case .began(let reason):
      if reasons.contains(Reasons(reason)) || item == nil && isBoundToItem(reason) {
        ignored += 1
      } else {
        reasons.insert(Reasons(reason))
      }
    case .ended(let reason): end(reason)
    case .tapped:
      switch wish {
      case .none: ignored += 1
      case .play(let item): wish = .pause(item)
      case .pause(let item): wish = .play(item)
      }
    }
    let after = playing
    if before == after { return }
    if let before { commands.append(.pause(before)) }
    if let after { commands.append(.play(after)) }
  }

  private func isBoundToItem(_ reason: Reason) -> Bool {
    reason == .scrub || reason == .typing
  }

  private mutating func change(to new: ItemID) {
    if item == new {
      ignored += 1
      return
    }
    reasons.remove(Reasons(.scrub))
    reasons.remove(Reasons(.typing))
    let old = wish
    if let index = pausedItems.firstIndex(of: new) {
      pausedItems.remove(at: index)
      wish = .pause(new)
    } else {
      wish = .play(new)
    }
    // Last, so that the new item is not the one that is forgotten.
    if case .pause(let item) = old { remember(item) }
  }

  private mutating func end(_ reason: Reason) {
    guard reasons.contains(Reasons(reason)) else {
      ignored += 1
      return
    }
    reasons.remove(Reasons(reason))
    if !configuration.resuming.contains(Reasons(reason)), case .play(let item) = wish {
      wish = .pause(item)
    }
  }

  private mutating func remember(_ item: ItemID) {
    pausedItems.append(item)
    if pausedItems.count > PauseStack.memory { pausedItems.removeFirst() }
  }
}
