import MediaUnits

/// One user name. The host keeps the names; numbers are given out in order.
public struct UserID: DenseIdentifier {
  public var index: UInt32
  @inlinable
  public init(_ index: UInt32) { self.index = index }
}

/// One WebSocket connection of the server. The host may give a closed one's number to another.
public struct ConnectionID: DenseIdentifier {
  public var index: UInt32
  @inlinable
  public init(_ index: UInt32) { self.index = index }
}

/// The unique name of a call, 128 bits that the server's host draws (ICC-032).
public struct CallID: Hashable, Sendable {
  public var high, low: UInt64

  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// What a user may do; fixed while the user is registered (ICC-003).
public enum Role: UInt8, Sendable, Equatable, CaseIterable {
  /// May ask for calls.
  case caller
  /// May accept and decline them.
  case interpreter
}
