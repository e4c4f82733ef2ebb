import FeedPolicy
import MediaUnits

/// How a viewer's list moves.
struct SurfaceMotion {
  enum Kind: UInt8 { case rest, drag, fling, tremble, sideways }

  private(set) var kind = Kind.rest
  private(set) var since = Instant.zero
  private(set) var length = TimeSpan.zero
  /// Where it began and how fast, points.
  private(set) var origin = 0.0
  private(set) var velocity = 0.0
  /// The Carousel that is pushed.
  private(set) var widget = 0
  /// Number of the motion.
  private(set) var number: UInt32 = 0

  /// A finger throws or draws the list, so that it is on its way elsewhere.
  var isBurst: Bool { kind == .fling || kind == .drag }

  /// How fast the column moves, points per second; 0 at rest and sideways.
  func speed(at now: Instant, under law: DecelerationLaw) -> Double {
    switch kind {
    case .rest, .tremble, .sideways: 0
    case .drag: abs(velocity)
    case .fling: abs(law.velocity(at: now - since, from: velocity))
    }
  }

  mutating func begin(
    _ kind: Kind, at now: Instant, length: TimeSpan, origin: Double, velocity: Double,
    widget: Int? = nil
  ) {
    self.kind = kind
    since = now
    self.length = length
    self.origin = origin
    self.velocity = velocity
    if let widget { self.widget = widget }
    number += 1
  }

  mutating func stop() { kind = .rest }
}

/// What a viewer has done so far, and whether he looks elsewhere.
struct SurfaceHabit {
  /// Numbers of gestures and of rests, which their draws are keyed by.
  private var gestures: UInt32 = 0
  private(set) var rests: UInt32 = 0
  private(set) var isAway = false

  mutating func nextGesture() -> UInt32 {
    gestures += 1
    return gestures - 1
  }

  mutating func nextRest() -> UInt32 {
    rests += 1
    return rests - 1
  }

  mutating func leave() { isAway = true }
  mutating func comeBack() { isAway = false }
}
