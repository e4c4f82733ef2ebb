/// A typed dense identifier: an index that cannot be mixed up with another kind of index.
public protocol DenseIdentifier: Hashable, Comparable, Sendable {
  var index: UInt32 { get }
  init(_ index: UInt32)
}

extension DenseIdentifier {
  @inlinable
  public static func < (a: Self, b: Self) -> Bool { a.index < b.index }
}

/// The position of an item in one viewer's feed: 0 is the first item shown.
///
/// Neighbours in the feed have neighbouring numbers, so the distance between two items is a
/// subtraction.
public struct ItemID: DenseIdentifier {
  public var index: UInt32
  @inlinable
  public init(_ index: UInt32) { self.index = index }
}

/// One player of a pool, 0 ..< the pool's size.
public struct SlotID: DenseIdentifier {
  public var index: UInt32
  @inlinable
  public init(_ index: UInt32) { self.index = index }
}

/// One title of the catalogue; 0 is the most popular.
public struct TitleID: DenseIdentifier {
  public var index: UInt32
  @inlinable
  public init(_ index: UInt32) { self.index = index }
}

/// One rung of a ladder, 0 is the lowest bit rate.
public struct RungIndex: DenseIdentifier {
  public var index: UInt32
  @inlinable
  public init(_ index: UInt32) { self.index = index }
}
