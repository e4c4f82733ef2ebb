import MediaUnits
import SimulationKernel

/// How often the audience asks over time, over the long-run mean.
///
/// Requests follow the sessions under way: arrivals a(u), a session of length s. The rate over the
/// mean is the integral of a(u)·P(s > t - u) over u up to t, divided by E(s). A run begins with no
/// session and ends with those that are left, so the rate rises from zero and falls back to it.
/// Before the run it is the mean. Time that is stretched by this rate makes a Poisson process even:
/// what was drawn for a constant rate is read off there.
///
/// Left out: that a session asks more at its beginning than later.
public struct DemandClock: Sendable {
  /// Cells of equal length in which the rate is constant.
  static let cells = 1024
  /// Seconds of a cell.
  let step: Double
  /// Stretched time at the corners.
  private let works: [Double]

  /// - Parameters:
  ///   - span: of the run, warm-up included.
  ///   - arrivals: rate of the arrivals at a time since the start of the run, over the mean.
  ///   - sessionLength: seconds.
  public init(span: Double, sessionLength: QuantileTable, arrivals: (Double) -> Double) {
    let count = DemandClock.cells
    step = span / Double(count)
    // Integral of the survival function at multiples of half a cell.
    let half = step / 2
    var staying = [0.0]
    var before = 1.0
    for index in 1...(2 * count) {
      let after = DemandClock.survival(sessionLength, Double(index) * half)
      staying.append(staying[index - 1] + half * (before + after) / 2)
      before = after
    }
    let mean = sessionLength.mean.isFinite ? sessionLength.mean : staying[2 * count]
    var coming: [Double] = []
    for cell in 0..<count { coming.append(arrivals((Double(cell) + 0.5) * step)) }
    var works = [0.0]
    for cell in 0..<count {
      var present = coming[cell] * staying[1]
      for earlier in 0..<cell where coming[earlier] > 0 {
        let lag = 2 * (cell - earlier)
        present += coming[earlier] * (staying[lag + 1] - staying[lag - 1])
      }
      works.append(works[cell] + present / mean * step)
    }
    self.works = works
  }

  /// The rate is the mean all the time.
  init(constantUntil span: Double) {
    step = span
    works = [0, span]
  }

  /// Stretched time at a time of the run, seconds; negative before it.
  public func work(at time: Double) -> Double {
    if time <= 0 { return time }
    let place = time / step
    if place >= Double(works.count - 1) { return works[works.count - 1] }
    let cell = Int(place)
    return works[cell] + (works[cell + 1] - works[cell]) * (place - Double(cell))
  }

  /// When the stretched time is reached; infinity for never.
  public func time(ofWork work: Double) -> Double {
    if work <= 0 { return work }
    if work >= works[works.count - 1] { return .infinity }
    var (low, high) = (0, works.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if works[middle] <= work { low = middle } else { high = middle }
    }
    return (Double(low) + (work - works[low]) / (works[high] - works[low])) * step
  }

  /// P(length > x), by bisection of the quantiles.
  private static func survival(_ length: QuantileTable, _ x: Double) -> Double {
    var (low, high) = (0x1p-50, 1 - 0x1p-50)
    if length.quantile(low) > x { return 1 }
    if length.quantile(high) <= x { return 0 }
    for _ in 0..<36 {
      let middle = (low + high) / 2
      if length.quantile(middle) <= x { low = middle } else { high = middle }
    }
    return 1 - low
  }
}
