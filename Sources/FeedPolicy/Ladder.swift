import MediaUnits

/// The bit rates of one item's renditions, lowest first.
public struct Ladder: Sendable, Equatable {
  /// The bit rates in strictly ascending order; at least one.
  public let rates: [BitRate]
  /// ln(rate / lowest rate) of every rung: the utility of Spiteri et al. (see ``BolaRule``).
  public let utilities: [Double]

  /// - Precondition: `rates` is not empty, positive and strictly ascending.
  public init(_ rates: [BitRate]) {
    precondition(!rates.isEmpty, "a ladder has at least one rung, got none")
    precondition(
      rates[0] > .zero, "a bit rate is positive, got \(rates[0].bitsPerSecond) for the first rung")
    for index in 1..<max(1, rates.count) {
      precondition(
        rates[index - 1] < rates[index],
        "a ladder ascends, got \(rates[index].bitsPerSecond) at rung \(index)")
    }
    self.rates = rates
    let lowest = Double(rates[0].bitsPerSecond)
    var utilities: [Double] = []
    utilities.reserveCapacity(rates.count)
    for rate in rates { utilities.append(PortableMath.log(Double(rate.bitsPerSecond) / lowest)) }
    self.utilities = utilities
  }

  /// 300, 600, 1100 and 2500 kbps: 240p, 360p, 480p and 720p of SIG-043.
  public static var feedDefault: Ladder {
    Ladder([.kilobits(300), .kilobits(600), .kilobits(1_100), .kilobits(2_500)])
  }

  /// The number of rungs, at least 1.
  @inlinable
  public var count: Int { rates.count }

  /// The highest rung.
  @inlinable
  public var top: RungIndex { RungIndex(UInt32(rates.count - 1)) }

  /// - Precondition: the rung is on the ladder.
  @inlinable
  public subscript(rung: RungIndex) -> BitRate { rates[Int(rung.index)] }

  /// The highest rung whose rate is at most `limit`; the lowest rung when none is.
  /// - Complexity: O(count).
  @inlinable
  public func highest(notAbove limit: BitRate) -> RungIndex {
    var rung = rates.count - 1
    while rung > 0 && rates[rung] > limit { rung -= 1 }
    return RungIndex(UInt32(rung))
  }
}
