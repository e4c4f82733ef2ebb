import MediaUnits

/// A viewer's request that has reached its edge, for whoever wants to ask other caches the same.
public struct EdgeRequest: Sendable {
  public var at: Instant
  /// What the edge knows the object by: the object, and the value of its key above 32 bits.
  public var key: UInt64
  /// Of the whole object.
  public var bytes: Int64
  public var edge: UInt32
}
