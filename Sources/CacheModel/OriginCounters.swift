import CachePolicy
import ModelBasics

/// What the origin was asked for and did.
public struct OriginCounters: Sendable, Equatable {
  /// Of one class of objects.
  public struct Row: Counters {
    /// Requests that arrived, and bytes sent.
    public var requests: Int64 = 0
    public var bytes: Int64 = 0
    /// Answers 304; 503 in an outage; 503 Slow Down.
    public var notModified: Int64 = 0
    public var errors: Int64 = 0
    public var slowDowns: Int64 = 0
    /// Requests that were never answered, and connections that did not open.
    public var unanswered: Int64 = 0
    public var unreachable: Int64 = 0

    public init() {}
  }

  @usableFromInline var rows = [Row](repeating: Row(), count: AssetClass.allCases.count)
  /// Requests that found all places taken.
  public var queued: Int64 = 0
  /// Most requests in one second of the clock, and for one object from one request on for as long
  /// as its lifetime (SIG-068).
  public var largestRate: Int64 = 0
  public var largestPerLifetime: Int64 = 0

  public init() {}

  public subscript(asset: AssetClass) -> Row {
    @inlinable get { rows[Int(asset.rawValue)] }
    @inlinable set { rows[Int(asset.rawValue)] = newValue }
    @inlinable _modify { yield &rows[Int(asset.rawValue)] }
  }

  /// All classes together.
  public var total: Row {
    var sum = Row()
    for row in rows { sum.add(row) }
    return sum
  }

  /// Adds another replication's counts; of the largest the larger.
  public mutating func add(_ other: OriginCounters) {
    for index in rows.indices { rows[index].add(other.rows[index]) }
    queued += other.queued
    largestRate = max(largestRate, other.largestRate)
    largestPerLifetime = max(largestPerLifetime, other.largestPerLifetime)
  }
}

extension OriginCounters: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(each: rows)
    for number in [queued, largestRate, largestPerLifetime] { writer.add(number) }
  }

  public init?(_ reader: inout WordReader) {
    guard let rows = reader.each(of: Row.self), rows.count == AssetClass.allCases.count,
      let queued = reader.integer(), let largestRate = reader.integer(),
      let largestPerLifetime = reader.integer()
    else { return nil }
    self.rows = rows
    self.queued = queued
    self.largestRate = largestRate
    self.largestPerLifetime = largestPerLifetime
  }
}
