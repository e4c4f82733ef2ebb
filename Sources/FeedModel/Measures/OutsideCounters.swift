import CachePolicy

/// Of answers of real servers.
public struct OutsideCounters: Sendable, Equatable {
  /// Pieces of answers that nobody waited for any more, and their bytes.
  public var late: Int64 = 0
  public var lateBytes: Int64 = 0
  /// Requests by class that were given up after they had reached the edge and before it answered:
  /// their outcome is not known.
  public var unanswered = [Int64](repeating: 0, count: AssetClass.allCases.count)

  public init() {}

  mutating func add(_ other: OutsideCounters) {
    late += other.late
    lateBytes += other.lateBytes
    for index in unanswered.indices { unanswered[index] += other.unanswered[index] }
  }
}
