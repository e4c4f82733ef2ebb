import Scenario
import Statistics
import Testing

@testable import Studies

@Suite struct GoalCurveTests {
  /// A point whose replications lie around a value as `noise` says, the same way at each point.
  private static func point(
    _ coordinate: Double, _ value: Double, noise: Double = 0.01, own: Double = 0
  ) throws -> GoalCurve.Point {
    let shape = [-1.0, 1, -0.5, 0.5, -0.2, 0.2, 0.8, -0.8]
    // What is not common to the points: another order of the same deviations.
    let other = [0.5, -1, 1, 0.2, -0.5, -0.2, -0.8, 0.8]
    let parts = zip(shape, other).map { value + noise * $0 + own * $1 * (coordinate + 0.1) }
    let series = try MetricSeries.means(parts)
    return GoalCurve.Point(
      coordinate: coordinate, series: series, interval: try Estimates.mean(of: parts).interval)
  }

  private static func curve(
    _ values: [Double], target: Double, noise: Double = 0.01, own: Double = 0
  ) throws -> GoalCurve {
    var curve = GoalCurve(target: target)
    let last = Double(values.count - 1)
    for (number, value) in values.enumerated().reversed() {
      curve.add(try point(Double(number) / last, value, noise: noise, own: own))
    }
    return curve
  }

  @Test(arguments: [true, false]) func `a straight line is crossed where it should be`(
    isRising: Bool
  ) throws {
    let values = [0.1, 0.3, 0.5, 0.7, 0.9]
    let curve = try Self.curve(isRising ? values : values.reversed(), target: 0.6)
    guard case .crossing(let crossing) = try curve.reading() else {
      Issue.record("\(try curve.reading())")
      return
    }
    let wanted = isRising ? 0.625 : 0.375
    #expect(abs(crossing.at - wanted) < 1e-9)
    let half = curve.points[0].interval.halfWidth / 0.8
    let (lower, upper) = (try #require(crossing.lower), try #require(crossing.upper))
    #expect(abs(lower - (wanted - half)) < 1e-9 && abs(upper - (wanted + half)) < 1e-9)
  }

  @Test func `a target beyond all values is out of reach, or at the end within the interval`()
    throws
  {
    let far = try Self.curve([0.1, 0.2, 0.4], target: 0.9)
    #expect(try far.reading() == .outOfReach(nearest: 2))
    let near = try Self.curve([0.1, 0.2, 0.4], target: 0.403)
    #expect(try near.reading() == .atEnd(nearest: 2))
  }

  @Test func `a hill is not monotone, and a small dip within the noise is none`() throws {
    let hill = try Self.curve([0.1, 0.5, 0.9, 0.5], target: 0.6)
    #expect(try hill.reading() == .notMonotone(rise: 0, fall: 2))
    let dip = try Self.curve([0.1, 0.5, 0.495, 0.9], target: 0.6)
    guard case .crossing = try dip.reading() else {
      Issue.record("\(try dip.reading())")
      return
    }
  }

  @Test func `what the replications cannot tell apart is flat`() throws {
    let flat = try Self.curve([0.50, 0.52, 0.54], target: 0.53, noise: 0, own: 0.3)
    #expect(try flat.reading() == .flat)
    // The same values where the replications go together are told.
    guard case .crossing = try Self.curve([0.50, 0.52, 0.54], target: 0.53).reading() else {
      Issue.record("told apart")
      return
    }
  }

  @Test func `an interval that reaches the end of the range has no end there`() throws {
    let curve = try Self.curve([0.1, 0.3, 0.5], target: 0.45, noise: 0.1)
    guard case .crossing(let crossing) = try curve.reading() else {
      Issue.record("\(try curve.reading())")
      return
    }
    #expect(crossing.upper == nil && crossing.lower != nil)
  }

  @Test func `points of one coordinate replace each other, and a bracket is around a place`() throws
  {
    var curve = try Self.curve([0, 1, 2], target: 1)
    curve.add(try Self.point(0.5, 7))
    #expect(curve.points.map(\.coordinate) == [0, 0.5, 1])
    #expect(curve.points[1].series.value == 7)
    #expect(curve.bracket(0.7) == (low: 0.5, high: 1))
    #expect(curve.bracket(0.5) == (low: 0.5, high: 0.5))
  }

  @Test(arguments: [
    ("hit_ratio{tier=edge,by=requests} = 45 %", 0.45), ("ttff_ms.p75=1.2 s", 1200.0),
    ("ttff_ms_p95 = 300 ms", 300.0), ("wasted_ratio = 0.3", 0.3),
  ]) func `a target is a metric and a value of its unit`(text: String, value: Double) throws {
    let target = try TuningTarget.parse(text).get()
    #expect(abs(target.value - value) < 1e-12 && target.text == text)
  }

  @Test(arguments: [
    ("hit_ratio", "a metric, = and a value"), ("hit_ratio = many", "a ratio"),
    ("ttff_ms.p75 = 3", "a time"), ("nothing = 3", "a metric"), ("hit_ratio{tier=edge}", "="),
  ]) func `a target that is none says what was expected`(text: String, expected: String) {
    guard case .failure(let fault) = TuningTarget.parse(text) else {
      Issue.record("\(text) was taken")
      return
    }
    #expect(fault.expected.contains(expected), "\(fault.expected)")
  }
}
