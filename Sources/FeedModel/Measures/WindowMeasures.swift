import CacheModel
import CachePolicy
import MediaUnits

/// A part of the measured time that is reported by itself: [`from`, `to`) from the beginning of the
/// measured window.
public struct MeasureWindow: Sendable, Equatable {
  public var from, to: TimeSpan

  public init(from: TimeSpan, to: TimeSpan) {
    precondition(from >= .zero && to > from, "a window begins before it ends")
    self.from = from
    self.to = to
  }
}

/// What happened in a ``MeasureWindow``: the counters at its end less those at its beginning.
///
/// Views are not kept here: a view belongs to the window in which its clock started, and one that
/// was under way when the warm-up ended to none.
public struct WindowMeasures: Sendable {
  /// Client disk cache; edges, regional caches and shield, each tier together.
  public var client = TierCounters()
  public var edge = TierCounters()
  public var regional = TierCounters()
  public var shield = TierCounters()
  public var requests: Int64 = 0
  public var originRequests: Int64 = 0
  public var originBytes: Int64 = 0
  public var deliveredBytes: Int64 = 0

  public init() {}

  /// Adds `sign` times the others' counts.
  mutating func add(_ other: WindowMeasures, sign: Int64 = 1) {
    client.add(other.client, sign: sign)
    edge.add(other.edge, sign: sign)
    regional.add(other.regional, sign: sign)
    shield.add(other.shield, sign: sign)
    requests += sign * other.requests
    originRequests += sign * other.originRequests
    originBytes += sign * other.originBytes
    deliveredBytes += sign * other.deliveredBytes
  }
}

extension TierCounters {
  fileprivate mutating func add(_ other: TierCounters, sign: Int64) {
    for asset in AssetClass.allCases {
      for outcome in CacheOutcome.allCases {
        add(
          asset, outcome, requests: sign * other.requests(asset, outcome),
          bytes: sign * other.bytes(asset, outcome))
      }
    }
  }
}
