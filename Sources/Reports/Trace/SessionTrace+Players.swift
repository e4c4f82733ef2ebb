import MediaUnits
import Models
import Scenario

/// Players, prefetch commands and counters.
extension SessionTrace {
  // MARK: Players

  mutating func addPlayers() {
    for player in 0..<UInt32(session.scenario.configuration.policy.pool.size) {
      let track = Track.players + Int(player)
      let changes = recording.changes.filter { SessionTrace.player(of: $0.kind) == player }
      if changes.isEmpty { continue }
      tracks.append(Track(number: track, name: "player \(player + 1)"))
      // From each assignment to the next change of hands.
      let hands = changes.indices.filter { SessionTrace.changesHands(changes[$0].kind) }
      for (order, first) in hands.enumerated() {
        guard case .assigned(_, let usableAt, let isCreated) = changes[first].kind else {
          add(Mark(track: track, name: "released", at: changes[first].at))
          continue
        }
        let last = order + 1 < hands.count ? hands[order + 1] : changes.count
        let until = last < changes.count ? changes[last].at : end
        add(
          Slice(
            track: track, name: SessionTrace.item(changes[first].item), category: "player",
            begin: changes[first].at, end: until,
            arguments: [.init("created", .boolean(isCreated))]))
        add(
          [("creates player", min(usableAt, until))], from: changes[first].at, track: track,
          category: "player")
        for change in changes[first..<last] { addSetup(change, track: track, until: until) }
      }
    }
  }

  private mutating func addSetup(_ change: SessionChange, track: Int, until: Instant) {
    switch change.kind {
    case .decoder(_, let from, let ready, let isReused):
      add(
        Slice(
          track: track, name: isReused ? "resets decoder" : "sets decoder up",
          category: "player", begin: from, end: min(ready, until)))
    case .ready: add(Mark(track: track, name: "ready", at: change.at))
    default: break
    }
  }

  static func item(_ item: UInt32?) -> String { item.map { "item \($0)" } ?? "no item" }

  /// The player that a change is about; nil for none.
  static func player(of kind: SessionChange.Kind) -> UInt32? {
    switch kind {
    case .assigned(let player, _, _), .decoder(let player, _, _, _), .ready(let player),
      .released(let player, _):
      player
    default: nil
    }
  }

  private static func changesHands(_ kind: SessionChange.Kind) -> Bool {
    switch kind {
    case .assigned, .released: true
    default: false
    }
  }

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
    let item = item(change.item)
    switch change.kind {
    case .prefetchStarted(let length):
      return length == .max
        ? "start \(item), all of it" : "start \(item), \(Figures.decimal(length.seconds, 1)) s"
    case .prefetchCancelled: return "cancel \(item)"
    case .prefetchReached: return "\(item) has what was wanted"
    default: return nil
    }
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
      let state = SessionTrace.screenState(change.kind)
      if case .buffer(let ahead) = change.kind { next = ahead } else if state == nil { continue }
      samples += drain(from: since, to: change.at, isPlaying ? held : .zero)
      samples.append(sample(next, at: change.at))
      if let state { isPlaying = state == "playing" }
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
