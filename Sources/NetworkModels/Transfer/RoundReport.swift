/// What a sender released in one round trip, and when it was through the link.
public struct RoundReport: Sendable {
  /// When the sender released the first packet.
  public var start: Int64
  /// When the first and the last packet were through the link.
  public var first: Int64
  public var last: Int64
  /// Packets released; `retransmitted` of them, from position `retransmitsAt` on, were sent before.
  public var packets: Int64
  public var retransmitsAt: Int64
  public var retransmitted: Int64
  public var lost: Int64
  public var window: Double
  public var phase: TransferRound.Phase
  /// Time before and in the round during which the link had nothing of this sender, nanoseconds.
  public var idle: Int64
}

/// Sees rounds and losses go by.
protocol RoundObserver {
  /// The packet at `position` of the round that is reported next was lost. In order of position.
  mutating func lost(at position: Int64)
  mutating func sent(_ report: RoundReport)
}

/// Sees nothing; compiled away.
struct NoObserver: RoundObserver {
  @inline(__always) mutating func lost(at position: Int64) {}
  @inline(__always) mutating func sent(_ report: RoundReport) {}
}
