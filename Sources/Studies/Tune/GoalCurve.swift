import Statistics

/// What was measured of a metric along one key, and what that says of where it has a target.
///
/// The key's values are coordinates from 0, the least, to 1, the greatest. Between measured
/// coordinates the metric and the ends of its interval are taken to be straight lines.
struct GoalCurve: Sendable {
  /// A measured coordinate.
  struct Point: Sendable {
    var coordinate: Double
    /// The metric, and its replications for pairs.
    var series: MetricSeries
    /// Its 95 % interval.
    var interval: Interval
  }

  /// Where the metric has the target, in coordinates.
  struct Crossing: Sendable, Equatable {
    var at: Double
    /// The 95 % interval: between these the target lies in the metric's interval. Nil where that
    /// reaches an end of the range.
    var lower: Double?
    var upper: Double?
  }

  /// What the points say.
  enum Reading: Sendable, Equatable {
    case crossing(Crossing)
    /// No value reaches the target, and the interval of the nearest point is away from it.
    case outOfReach(nearest: Int)
    /// Between two points it surely rises and between two others it surely falls.
    case notMonotone(rise: Int, fall: Int)
    /// The replications cannot tell the ends of the range from each other.
    case flat
    /// No value reaches the target, but the interval of the nearest point does.
    case atEnd(nearest: Int)
  }

  /// A fall of less than this share of the whole span is no fall.
  private static let leastShare = 0.02

  let target: Double
  /// In ascending coordinates.
  private(set) var points: [Point] = []

  init(target: Double) { self.target = target }

  /// Adds a point; another one of the same coordinate is replaced.
  mutating func add(_ point: Point) {
    points.removeAll { $0.coordinate == point.coordinate }
    let place = points.firstIndex { $0.coordinate > point.coordinate } ?? points.count
    points.insert(point, at: place)
  }

  /// - Precondition: there are two points at least.
  func reading() throws(StatisticsError) -> Reading {
    precondition(points.count >= 2, "a curve of \(points.count) points says nothing")
    let steps = try sureSteps()
    let span = span
    let rise = steps.firstIndex { $0 > GoalCurve.leastShare * span }
    let fall = steps.firstIndex { $0 < -GoalCurve.leastShare * span }
    if let rise, let fall { return .notMonotone(rise: rise, fall: fall) }
    guard let at = crossing(of: \.series.value) else {
      if !points[nearest].interval.contains(target) { return .outOfReach(nearest: nearest) }
      return try isFlat() ? .flat : .atEnd(nearest: nearest)
    }
    if try isFlat() { return .flat }
    let isRising = points[points.count - 1].series.value > points[0].series.value
    let first = crossing(of: isRising ? \.interval.upper : \.interval.lower)
    let last = crossing(of: isRising ? \.interval.lower : \.interval.upper)
    return .crossing(
      Crossing(at: at, lower: first.map { min($0, at) }, upper: last.map { max($0, at) }))
  }

  /// The difference between the greatest and the least value.
  private var span: Double {
    let values = points.map(\.series.value)
    return (values.max() ?? 0) - (values.min() ?? 0)
  }

  /// Looks at a curve that grows, at most: each may find a false step.
  static let mostLooks = 14

  /// Of each step from a point to the next the change where it is sure, else 0; at most one false
  /// step in twenty searches, whatever comes of the looks (Bonferroni).
  private func sureSteps() throws(StatisticsError) -> [Double] {
    let level = 1 - 0.05 / Double((points.count - 1) * GoalCurve.mostLooks)
    var steps: [Double] = []
    for number in 1..<points.count {
      let change = try PairedComparison(
        candidate: points[number].series, baseline: points[number - 1].series, level: level
      ).difference
      steps.append(change.interval.contains(0) ? 0 : change.value)
    }
    return steps
  }

  /// Whether the two ends of the range are not told from each other.
  private func isFlat() throws(StatisticsError) -> Bool {
    try PairedComparison(
      candidate: points[points.count - 1].series, baseline: points[0].series
    ).difference.interval.contains(0)
  }

  /// Where a line through the points first has the target.
  private func crossing(of value: KeyPath<Point, Double>) -> Double? {
    for number in 1..<points.count {
      let (a, b) = (points[number - 1], points[number])
      let (low, high) = (a[keyPath: value] - target, b[keyPath: value] - target)
      if low == 0 { return a.coordinate }
      if low.sign != high.sign || high == 0 {
        return a.coordinate + (b.coordinate - a.coordinate) * low / (low - high)
      }
    }
    return nil
  }

  /// The measured coordinates around a place between them.
  func bracket(_ place: Double) -> (low: Double, high: Double) {
    let low = points.last { $0.coordinate <= place }?.coordinate ?? 0
    let high = points.first { $0.coordinate >= place }?.coordinate ?? 1
    return (low, high)
  }

  /// The measured point whose value is nearest to the target.
  var nearest: Int {
    points.indices.min {
      abs(points[$0].series.value - target) < abs(points[$1].series.value - target)
    } ?? 0
  }
}
