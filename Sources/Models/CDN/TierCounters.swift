import CachePolicy

/// Requests and bytes of one tier by class and outcome. Bytes are those of the answers: of a 304 or
/// an error between tiers the header alone.
public struct TierCounters: Sendable {
  static let outcomes = 7
  static let places = 9 * outcomes
  public private(set) var requests: [Int64]
  public private(set) var bytes: [Int64]

  public init() {
    precondition(
      AssetClass.allCases.count * CacheOutcome.allCases.count == TierCounters.places)
    requests = [Int64](repeating: 0, count: TierCounters.places)
    bytes = requests
  }

  @inline(__always)
  mutating func count(_ asset: AssetClass, _ outcome: CacheOutcome, bytes size: Int64) {
    let place = Int(asset.rawValue) * TierCounters.outcomes + Int(outcome.rawValue)
    requests[place] += 1
    bytes[place] += size
  }

  mutating func add(
    _ asset: AssetClass, _ outcome: CacheOutcome, requests count: Int64, bytes size: Int64
  ) {
    let place = Int(asset.rawValue) * TierCounters.outcomes + Int(outcome.rawValue)
    requests[place] += count
    bytes[place] += size
  }

  /// Requests of a class with an outcome.
  public func requests(_ asset: AssetClass, _ outcome: CacheOutcome) -> Int64 {
    requests[Int(asset.rawValue) * TierCounters.outcomes + Int(outcome.rawValue)]
  }

  /// Bytes of a class with an outcome.
  public func bytes(_ asset: AssetClass, _ outcome: CacheOutcome) -> Int64 {
    bytes[Int(asset.rawValue) * TierCounters.outcomes + Int(outcome.rawValue)]
  }
}

extension TierCounters {
  /// Adds another node's counts.
  mutating func add(_ other: TierCounters) {
    for asset in AssetClass.allCases {
      for outcome in CacheOutcome.allCases {
        add(
          asset, outcome, requests: other.requests(asset, outcome),
          bytes: other.bytes(asset, outcome))
      }
    }
  }

  /// Requests of all classes with all outcomes.
  public var totalRequests: Int64 { requests.reduce(0, +) }

  /// Bytes of all classes with all outcomes.
  public var totalBytes: Int64 { bytes.reduce(0, +) }
}
