import MediaUnits

/// How a list that was flung slows down: where it is at any time, and where it comes to rest.
///
/// Lengths are in points (UIKit) or density-independent pixels (Android), velocities in those per
/// second. Closed forms, so that nobody has to step through frames. Left out: bouncing at the ends
/// of the content and snapping to pages.
///
/// Source: `parameters.md` section 15; UIKit's `decelerationRate` (velocity is multiplied by it
/// every millisecond); AOSP's `OverScroller.SplineOverScroller` with the friction of
/// `ViewConfiguration`.
public enum DecelerationLaw: Sendable, Equatable {
  /// Velocity times this number every millisecond, 0 < rate < 1.
  case exponential(perMillisecond: Double)
  /// Android's spline with this friction.
  case spline(friction: Double)

  /// `UIScrollView.DecelerationRate.normal`.
  public static let uikitNormal = DecelerationLaw.exponential(perMillisecond: 0.998)
  /// `UIScrollView.DecelerationRate.fast` (SIG-035).
  public static let uikitFast = DecelerationLaw.exponential(perMillisecond: 0.99)
  /// `ViewConfiguration.getScrollFriction()`.
  public static let android = DecelerationLaw.spline(friction: 0.015)

  /// Rest of the way at which an exponential law stands still: half a point (assumed; the law by
  /// itself never ends).
  static let standstill = 0.5
  /// ln 0.78 / ln 0.9 of `OverScroller`.
  static let splineRate = 2.358_201_815_252_438_6
  /// `INFLEXION`: where the tension lines cross.
  static let inflexion = 0.35
  /// Gravity in m/s² x inches per metre x 160 dp per inch x 0.84 ("look and feel tuning").
  static let physicalCoefficient = 9.806_65 * 39.37 * 160 * 0.84

  /// The way from now to rest, with the sign of the velocity.
  public func travel(from velocity: Double) -> Double {
    switch self {
    case .exponential(let rate): return velocity * Self.timeConstant(rate)
    case .spline(let friction):
      let exponent = Self.splineRate / (Self.splineRate - 1)
      let logarithm = Self.splineLogarithm(velocity, friction)
      let length = friction * Self.physicalCoefficient * PortableMath.exp(exponent * logarithm)
      return velocity < 0 ? -length : velocity > 0 ? length : 0
    }
  }

  /// The time from now to rest.
  public func duration(from velocity: Double) -> TimeSpan {
    let speed = abs(velocity)
    if speed == 0 { return .zero }
    switch self {
    case .exponential(let rate):
      let constant = Self.timeConstant(rate)
      let ratio = speed * constant / Self.standstill
      return ratio <= 1 ? .zero : TimeSpan(seconds: constant * PortableMath.log(ratio))
    case .spline(let friction):
      let logarithm = Self.splineLogarithm(velocity, friction)
      return TimeSpan(seconds: PortableMath.exp(logarithm / (Self.splineRate - 1)))
    }
  }

  /// The way since the beginning of the fling; ``travel(from:)`` from ``duration(from:)`` on.
  public func position(at time: TimeSpan, from velocity: Double) -> Double {
    let whole = travel(from: velocity)
    let length = duration(from: velocity)
    if time >= length { return whole }
    switch self {
    case .exponential(let rate):
      return whole * (1 - PortableMath.exp(-time.seconds / Self.timeConstant(rate)))
    case .spline:
      let x = Self.splineParameter(at: time.seconds / length.seconds)
      return whole * Self.cubic(x, 0.5, 1)
    }
  }

  /// The velocity at a time since the beginning of the fling; 0 at rest.
  public func velocity(at time: TimeSpan, from velocity: Double) -> Double {
    let length = duration(from: velocity)
    if time >= length { return 0 }
    switch self {
    case .exponential(let rate):
      return velocity * PortableMath.exp(-time.seconds / Self.timeConstant(rate))
    case .spline:
      let x = Self.splineParameter(at: time.seconds / length.seconds)
      let slope = Self.slope(x, 0.5, 1) / Self.slope(x, Self.timeFirst, Self.timeSecond)
      return travel(from: velocity) / length.seconds * slope
    }
  }

  /// Seconds in which the velocity falls by e.
  private static func timeConstant(_ rate: Double) -> Double {
    -0.001 / PortableMath.log(rate)
  }

  private static func splineLogarithm(_ velocity: Double, _ friction: Double) -> Double {
    let speed = abs(velocity)
    return PortableMath.log(
      inflexion * (speed > 1e-9 ? speed : 1e-9) / (friction * physicalCoefficient))
  }

  /// Control values of the time: start tension x inflexion, 1 - end tension x (1 - inflexion).
  private static let timeFirst = 0.5 * inflexion
  private static let timeSecond = 1 - 1 * (1 - inflexion)

  /// A cubic from 0 to 1 with two control values.
  private static func cubic(_ x: Double, _ a: Double, _ b: Double) -> Double {
    3 * x * (1 - x) * ((1 - x) * a + x * b) + x * x * x
  }

  private static func slope(_ x: Double, _ a: Double, _ b: Double) -> Double {
    3 * (1 - x) * (1 - x) * a + 6 * x * (1 - x) * (b - a) + 3 * x * x * (1 - b)
  }

  /// Where on the spline a part of the time has passed; the time ascends, so halving finds it.
  private static func splineParameter(at share: Double) -> Double {
    if share <= 0 { return 0 }
    var low = 0.0
    var high = 1.0
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if cubic(middle, timeFirst, timeSecond) < share { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
