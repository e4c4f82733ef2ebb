import CacheModel
import CachePolicy
import MediaUnits

/// The steps of a card's start and when each of them was reached.
struct SurfaceTimes {
  enum Step: Int {
    case asked, connected, manifest, playlists, initSegment, firstByte, data, decoder, decoded
    /// The frame began its way to the display.
    case presented
  }

  private var times = InlineArray<10, Instant>(repeating: .zero)

  /// Zero for what has not happened.
  subscript(step: Step) -> Instant { times[step.rawValue] }

  func has(_ step: Step) -> Bool { times[step.rawValue] != .zero }

  mutating func reach(_ step: Step, at time: Instant) { times[step.rawValue] = time }

  /// What had been reached is lost.
  mutating func undo(_ step: Step) { times[step.rawValue] = .zero }

  /// Cuts a wait into its parts: each step that ended within it takes the time since the one
  /// before; what was left when everything was ready is the wait for the policy.
  func parts(from begin: Instant, to end: Instant) -> StartupParts {
    var parts = StartupParts()
    var cursor = begin
    func take(_ part: StartupPart, _ time: Instant) {
      var until = time < end ? time : end
      // A step that has not happened takes the rest.
      if time == .zero { until = end }
      if until <= cursor { return }
      parts[part] += (until - cursor).nanoseconds
      cursor = until
    }
    take(.queue, self[.asked])
    take(.connect, self[.connected])
    take(.manifest, self[.manifest])
    take(.playlists, self[.playlists])
    take(.initSegment, self[.initSegment])
    take(.segmentWait, self[.firstByte])
    take(.transfer, self[.data])
    take(.decoder, self[.decoder])
    take(.firstDecode, self[.decoded])
    take(.queue, self[.presented])
    take(.presentation, end)
    return parts
  }
}

/// A time in which a request of a card's start waited for what the edge had to get elsewhere.
struct SurfaceWait {
  let asset: AssetClass
  let from: Instant
  fileprivate(set) var until: Instant
}

/// Waits behind the edge for what a card's start needs, one after the other.
struct SurfaceWaits {
  private(set) var list: [SurfaceWait] = []

  mutating func add(_ asset: AssetClass, from begin: Instant, until end: Instant) {
    list.append(SurfaceWait(asset: asset, from: begin, until: end))
  }

  /// The card does not wait for what its edge has to get any more.
  mutating func cut(at now: Instant) {
    guard let last = list.indices.last, list[last].until > now else { return }
    list[last].until = now
  }

  /// What a view saw of its card's waits behind the edge. Where every object has the same
  /// probability of a hit, nothing is known of a miss but that the edge does not have it.
  func note(from begin: Instant, to end: Instant, in record: inout ViewRecord) {
    for wait in list {
      let from = wait.from > begin ? wait.from : begin
      let until = wait.until < end ? wait.until : end
      if until <= from { continue }
      record.flags.insert(.edgeMiss)
      record.upstreamWait += until - from
      if (until - from).nanoseconds > record.answer.wait {
        record.answer = StartAnswer(
          asset: wait.asset, tier: wait.until <= end ? .origin : .none, reason: .cold,
          wait: (until - from).nanoseconds)
      }
    }
  }
}
