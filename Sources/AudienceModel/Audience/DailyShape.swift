/// How the rate of arrivals changes with the time of day: a cosine with a mean of 1, as a polygon
/// with a corner every 24th of the period.
///
/// Source of the ratio: peak over trough of 3 to 5 (caches.md section 7). Only square roots are
/// needed, so that every platform gets the same bits.
public struct DailyShape: Sendable {
  /// Corners in a period.
  public static let corners = 24
  /// Seconds.
  public let period: Double
  /// A time of the peak, seconds from the start of the measured window.
  public let peakAt: Double
  /// Rate at the corners, over the mean; the peak is the first.
  let rates: [Double]

  /// - Parameter peakToTrough: largest rate over the smallest, at least 1.
  public init(peakToTrough: Double, period: Double, peakAt: Double) {
    precondition(peakToTrough >= 1 && period > 0)
    self.period = period
    self.peakAt = peakAt
    let swing = (peakToTrough - 1) / (peakToTrough + 1)
    let (two, three, six) = (2.0.squareRoot(), 3.0.squareRoot(), 6.0.squareRoot())
    // The cosine at multiples of 15 degrees, from 0 to 90.
    let quarter = [1, (six + two) / 4, three / 2, two / 2, 0.5, (six - two) / 4, 0]
    var rates: [Double] = []
    for corner in 0..<DailyShape.corners {
      let place = corner <= 12 ? corner : DailyShape.corners - corner
      let cosine = place <= 6 ? quarter[place] : -quarter[12 - place]
      rates.append(1 + swing * cosine)
    }
    self.rates = rates
  }

  /// The corners in [`from`, `until`] and the two ends, ascending, with the rate at each.
  public func points(from: Double, until: Double) -> [(time: Double, rate: Double)] {
    let step = period / Double(DailyShape.corners)
    var points = [(time: from, rate: rate(at: from))]
    var corner = DailyShape.floor((from - peakAt) / step) + 1
    var time = peakAt + Double(corner) * step
    while time < until {
      if time > from { points.append((time: time, rate: rates[DailyShape.place(corner)])) }
      corner += 1
      time = peakAt + Double(corner) * step
    }
    points.append((time: until, rate: rate(at: until)))
    return points
  }

  /// The rate at a time, over the mean.
  public func rate(at time: Double) -> Double {
    let steps = (time - peakAt) / period * Double(DailyShape.corners)
    let corner = DailyShape.floor(steps)
    let (before, after) = (DailyShape.place(corner), DailyShape.place(corner + 1))
    return rates[before] + (rates[after] - rates[before]) * (steps - Double(corner))
  }

  private static func floor(_ value: Double) -> Int64 {
    let whole = Int64(value)
    return Double(whole) > value ? whole - 1 : whole
  }

  private static func place(_ corner: Int64) -> Int {
    let rest = Int(corner % Int64(corners))
    return rest < 0 ? rest + corners : rest
  }
}
