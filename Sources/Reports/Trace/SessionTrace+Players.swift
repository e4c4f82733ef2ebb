import MediaUnits
import Models
import Scenario

/// Players, prefetch commands and counters.
extension SessionTrace {
  // MARK: Players

  mutating func addPlayers() {
    for player in 0..<UInt32(session.scenario.configuration.policy.pool.size) {
      let track = Track.players + Int(player)
      let changes = recording.changes.filter { $0.kind.player == player }
      if changes.isEmpty { continue }
      tracks.append(Track(number: track, name: "player \(player + 1)"))
      for piece in recording.pieces(ofPlayer: player) { add(piece, ofPlayer: track) }
      var isHeld = false
      for change in changes {
        switch change.kind {
        case .assigned: isHeld = true
        case .released:
          isHeld = false
          add(Mark(track: track, name: "released", at: change.at))
        case .ready: if isHeld { add(Mark(track: track, name: "ready", at: change.at)) }
        default: break
        }
      }
    }
  }

  private mutating func add(_ piece: SessionPiece, ofPlayer track: Int) {
    let isFirst = piece.work == .player(.holdsFirst)
    if !isFirst && piece.work != .player(.holds) { return add(piece, "player", track: track) }
    add(
      Slice(
        track: track, name: SessionTrace.item(piece.item), category: "player", begin: piece.from,
        end: piece.until, arguments: [.init("created", .boolean(isFirst))]))
  }

  static func item(_ item: UInt32?) -> String { item.map { "item \($0)" } ?? "no item" }

  // MARK: Prefetch

  mutating func addPrefetches() {
    tracks.append(Track(number: Track.prefetch, name: "prefetch policy"))
    for change in recording.changes {
      guard let text = SessionTrace.prefetchText(change) else { continue }
      add(
        Mark(
          track: Track.prefetch, name: text, at: change.at,
          arguments: change.item.map { [.init("item", .integer(Int64($0)))] } ?? []))
    }
  }

  /// What the prefetch policy said; nil when a change is of something else.
  static func prefetchText(_ change: SessionChange) -> String? {
    guard let event = SessionEvent(change.kind), event.source == "prefetch" else { return nil }
    let text = event.words(of: item(change.item))
    guard case .prefetchStarted(let length) = change.kind else { return text }
    return text + (length == .max ? ", all of it" : ", \(Figures.decimal(length.seconds, 1)) s")
  }

  // MARK: Counters

  /// Between two samples of a buffer that is being played.
  private static let drainStep = TimeSpan.milliseconds(500)

  mutating func addCounters() {
    for change in recording.changes {
      if case .linkRate(let rate) = change.kind {
        samples.append(
          Sample(counter: Counter.link, series: "Mbit/s", at: change.at, value: rate * 1e-6))
      }
    }
    for view in recording.views { addBuffer(of: view) }
  }

  /// The buffer as it was reported, draining while the item plays, empty after the view.
  private mutating func addBuffer(of view: SessionRecording.View) {
    var held = TimeSpan.zero
    var since = view.record.settledAt
    var isPlaying = false
    func left(at time: Instant) -> TimeSpan {
      let left = isPlaying ? held - (time - since) : held
      return left > .zero ? left : .zero
    }
    func sample(_ value: TimeSpan, at time: Instant) -> Sample {
      Sample(counter: Counter.buffer, series: "s", at: time, value: value.seconds)
    }
    let (first, last) = (view.record.settledAt, view.endedAt)
    for change in recording.changes where change.at >= first && change.at <= last {
      var next = left(at: change.at)
      let state = ScreenState(change.kind)
      if case .buffer(let ahead) = change.kind { next = ahead } else if state == nil { continue }
      samples += drain(from: since, to: change.at, isPlaying ? held : .zero)
      samples.append(sample(next, at: change.at))
      if let state { isPlaying = state == .playing }
      (held, since) = (next, change.at)
    }
    samples += drain(from: since, to: view.endedAt, isPlaying ? held : .zero)
    samples.append(sample(.zero, at: view.endedAt))
  }

  private func drain(from since: Instant, to end: Instant, _ held: TimeSpan) -> [Sample] {
    var samples: [Sample] = []
    var left = held
    while left > .zero {
      left = left > SessionTrace.drainStep ? left - SessionTrace.drainStep : .zero
      let time = since + (held - left)
      if time >= end { break }
      samples.append(
        Sample(counter: Counter.buffer, series: "s", at: time, value: left.seconds))
    }
    return samples
  }
}
