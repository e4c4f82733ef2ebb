import MediaUnits

/// One of the writes that make a video visible (SIG-019).
public enum PublishWrite: UInt8, Sendable, Equatable, CaseIterable {
  /// `media_manifest.json` in the object store.
  case manifest = 0
  /// The row in the table, by whose index feeds find it.
  case row
  /// The entry in the cache of feeds.
  case warm
}

/// In which order the writes of Publish are made (SIG-019, SIG-020).
public struct PublishOrder: Sendable, Equatable {
  public var first, second, third: PublishWrite
  /// All at once, without waiting for any.
  public var isConcurrent: Bool

  /// - Precondition: the three differ.
  public init(
    _ first: PublishWrite, _ second: PublishWrite, _ third: PublishWrite,
    isConcurrent: Bool = false
  ) {
    precondition(first != second && second != third && first != third, "each write is made once")
    self.first = first
    self.second = second
    self.third = third
    self.isConcurrent = isConcurrent
  }

  /// Manifest, row, cache: what lists a video comes after what it lists.
  public static var recommended: PublishOrder { PublishOrder(.manifest, .row, .warm) }
  /// The cache first. A negative control.
  public static var warmFirst: PublishOrder { PublishOrder(.warm, .row, .manifest) }
  /// All at once. A negative control.
  public static var concurrent: PublishOrder {
    PublishOrder(.manifest, .row, .warm, isConcurrent: true)
  }

  /// All orders one after the other, for a search.
  public static var all: [PublishOrder] {
    var orders: [PublishOrder] = []
    for first in PublishWrite.allCases {
      for second in PublishWrite.allCases where second != first {
        for third in PublishWrite.allCases where third != first && third != second {
          orders.append(PublishOrder(first, second, third))
        }
      }
    }
    return orders
  }

  /// Whether nothing that lists a video can be seen before its manifest.
  public var isSafe: Bool { first == .manifest && !isConcurrent }

  /// The write in this place, from 0.
  public func write(_ place: Int) -> PublishWrite {
    place == 0 ? first : place == 1 ? second : third
  }
}
