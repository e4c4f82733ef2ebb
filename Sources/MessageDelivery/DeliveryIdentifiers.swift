import MediaUnits

/// One client of the message service: a device that sends and receives.
public struct ClientID: DenseIdentifier {
  public var index: UInt32
  @inlinable
  public init(_ index: UInt32) { self.index = index }
}

/// The unique name of one sent video, 128 bits that its sender draws (TBM-056).
///
/// It names the object in the store as well as the status. Long enough that nobody meets another's
/// by chance or by guessing; the host draws it, nothing here depends on how.
public struct VideoID: Hashable, Comparable, Sendable {
  public var high, low: UInt64

  @inlinable
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  @inlinable
  public static func < (a: VideoID, b: VideoID) -> Bool {
    a.high != b.high ? a.high < b.high : a.low < b.low
  }
}
