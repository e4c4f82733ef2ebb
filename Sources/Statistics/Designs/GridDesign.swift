/// Every combination of the levels of all factors, numbered in mixed radix.
///
/// The last factor changes fastest. A point is computed from its number, so that a large grid needs
/// no memory and a sweep can be cut into shards by number.
public struct GridDesign: Sendable, Equatable {
  /// How many levels each factor has.
  public let sizes: [Int]
  /// How many points there are: the product of the sizes.
  public let count: Int

  /// - Throws: `statistics.no-data` without factors; `statistics.parameter` for a size under 1 and
  ///   for more points than an `Int` counts.
  public init(sizes: [Int]) throws(StatisticsError) {
    if sizes.isEmpty { throw .noData("at least 1 factor", got: 0) }
    var count = 1
    for size in sizes {
      if size < 1 { throw .parameter("at least 1 level for each factor", got: "\(size)") }
      let (product, isOverflow) = count.multipliedReportingOverflow(by: size)
      if isOverflow { throw .parameter("at most \(Int.max) points", got: "more") }
      count = product
    }
    self.sizes = sizes
    self.count = count
  }

  /// The level of each factor at a point.
  ///
  /// - Precondition: `point` is in 0..<``count``.
  public func levels(of point: Int) -> [Int] {
    precondition(point >= 0 && point < count, "expected a point in 0..<\(count), got \(point)")
    var levels = [Int](repeating: 0, count: sizes.count)
    var rest = point
    for factor in sizes.indices.reversed() {
      levels[factor] = rest % sizes[factor]
      rest /= sizes[factor]
    }
    return levels
  }

  /// The number of the point with these levels: the inverse of ``levels(of:)``.
  ///
  /// - Precondition: one level for each factor, in 0..<its size.
  public func point(_ levels: [Int]) -> Int {
    precondition(
      levels.count == sizes.count, "expected \(sizes.count) levels, got \(levels.count)")
    var point = 0
    for (level, size) in zip(levels, sizes) {
      precondition(level >= 0 && level < size, "expected a level in 0..<\(size), got \(level)")
      point = point * size + level
    }
    return point
  }
}
