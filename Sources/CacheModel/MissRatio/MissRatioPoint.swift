/// What a cache of one capacity would miss.
public struct MissRatioPoint: Equatable, Sendable {
  /// Bytes, or objects where sizes are ignored.
  public var capacity: Int64
  /// Missed requests; an estimate, scaled to the whole trace, where the curve is sampled.
  public var misses: Int64
  /// Bytes of the missed requests, likewise.
  public var missedBytes: Int64

  public init(capacity: Int64, misses: Int64, missedBytes: Int64) {
    self.capacity = capacity
    self.misses = misses
    self.missedBytes = missedBytes
  }
}
