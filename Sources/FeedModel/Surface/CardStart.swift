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
}
