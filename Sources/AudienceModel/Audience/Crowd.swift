import MediaUnits

/// A flash crowd: sessions that come on top of the others, and perhaps one title they come for.
///
/// The extra sessions are a Poisson process of their own. Its sum with the others' is Poisson with
/// the sum of the rates, and no other session's draws change because of the crowd.
public struct Crowd: Sendable {
  /// Start from the beginning of the measured window, and length.
  public var from, length: TimeSpan
  /// Rate of the extra sessions over the audience's mean rate, by seconds from the beginning of the
  /// measured window.
  public var extra: RateProfile
  /// Probability that an item of a feed is the crowd's new title while the crowd lasts, once in a
  /// session; zero when there is no such title. It is uploaded when the crowd begins.
  public var newTitleShare: Double

  public init(from: TimeSpan, length: TimeSpan, extra: RateProfile, newTitleShare: Double) {
    precondition(from >= .zero && length > .zero, "a crowd lies in the measured window")
    precondition(newTitleShare >= 0 && newTitleShare <= 1)
    self.from = from
    self.length = length
    self.extra = extra
    self.newTitleShare = newTitleShare
  }

  /// Whether the crowd is there at a time from the beginning of the measured window.
  public func isThere(at time: TimeSpan) -> Bool { time >= from && time < from + length }

  /// Most crowds of a scenario.
  public static let maximumCount = 16

  /// A profile of extra sessions: `factor` - 1 times the audience's own rate, rising in a straight
  /// line over `ramp` at the start and falling so at the end.
  ///
  /// - Parameters:
  ///   - day: what the audience's rate does in the meantime; nil when it is constant.
  ///   - ramp: at most half of `length`.
  public static func extra(
    factor: Double, from: TimeSpan, length: TimeSpan, ramp: TimeSpan, day: DailyShape?
  ) -> RateProfile {
    precondition(factor >= 1 && ramp >= .zero && ramp <= length / 2)
    let (begin, end, rise) = (from.seconds, (from + length).seconds, ramp.seconds)
    var points = [(time: begin, rate: 1.0), (time: end, rate: 1.0)]
    if let day { points = day.points(from: begin, until: end) }
    if rise > 0 {
      for time in [begin + rise, end - rise] {
        var place = 0
        while points[place].time < time { place += 1 }
        if points[place].time > time {
          points.insert((time: time, rate: day?.rate(at: time) ?? 1), at: place)
        }
      }
    }
    for index in 0..<points.count {
      let time = points[index].time
      let edge = time - begin < end - time ? time - begin : end - time
      points[index].rate *= (factor - 1) * (edge < rise ? edge / rise : 1)
    }
    return RateProfile(points)
  }
}
