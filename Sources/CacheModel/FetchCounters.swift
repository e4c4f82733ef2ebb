import CachePolicy
import ModelBasics

/// What one tier fetched from the next one.
///
/// Over a measured time, for every pair of tiers: requests sent + those under way up or waiting
/// before = requests of the next tier + those after; bytes received + those on their way down
/// after = bytes of the next tier + those before.
public struct FetchCounters: Sendable, Equatable {
  /// Fetches that have not ended.
  public struct UnderWay: Counters {
    /// On the way to the next tier, waiting there, and answered.
    public var up: Int64 = 0
    public var waiting: Int64 = 0
    public var down: Int64 = 0
    /// Bytes of the answers on their way.
    public var downBytes: Int64 = 0

    public init() {}
  }

  /// Of one class of objects.
  public struct Row: Counters {
    /// Requests sent, repetitions included.
    public var requests: Int64 = 0
    /// Bytes received.
    public var bytes: Int64 = 0
    /// Answers 304.
    public var notModified: Int64 = 0
    /// Requests sent on behalf of nobody: refreshes in the background.
    public var background: Int64 = 0
    /// Requests sent again after a timeout.
    public var retries: Int64 = 0
    /// Fetches that ended without an answer or with an error.
    public var failed: Int64 = 0

    public init() {}
  }

  @usableFromInline var rows = [Row](repeating: Row(), count: AssetClass.allCases.count)
  /// Connections opened to the next tier.
  public var connections: Int64 = 0
  public var before = UnderWay()
  public var after = UnderWay()

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

  /// Adds another's counts.
  public mutating func add(_ other: FetchCounters) {
    for index in rows.indices { rows[index].add(other.rows[index]) }
    connections += other.connections
    before.add(other.before)
    after.add(other.after)
  }
}

extension FetchCounters: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(each: rows)
    writer.add(connections)
    writer.add(before)
    writer.add(after)
  }

  public init?(_ reader: inout WordReader) {
    guard let rows = reader.each(of: Row.self), rows.count == AssetClass.allCases.count,
      let connections = reader.integer(), let before = reader.counters(UnderWay.self),
      let after = reader.counters(UnderWay.self)
    else { return nil }
    self.rows = rows
    self.connections = connections
    self.before = before
    self.after = after
  }
}
