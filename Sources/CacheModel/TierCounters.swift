import CachePolicy
import ModelBasics

/// Requests and bytes of one tier by class and outcome. Bytes are those of the answers: of a 304 or
/// an error between tiers the header alone.
public struct TierCounters: Sendable {
  static let outcomes = 7
  static let places = 9 * outcomes
  private struct Count: Sendable {
    var requests: Int64 = 0
    var bytes: Int64 = 0
  }

  private var counts: [Count]

  public init() {
    precondition(
      AssetClass.allCases.count * CacheOutcome.allCases.count == TierCounters.places)
    counts = [Count](repeating: Count(), count: TierCounters.places)
  }

  @inline(__always)
  public mutating func count(_ asset: AssetClass, _ outcome: CacheOutcome, bytes size: Int64) {
    add(asset, outcome, requests: 1, bytes: size)
  }

  @inline(__always)
  public mutating func add(
    _ asset: AssetClass, _ outcome: CacheOutcome, requests count: Int64, bytes size: Int64
  ) {
    let place = Int(asset.rawValue) * TierCounters.outcomes + Int(outcome.rawValue)
    var sum = counts[place]
    sum.requests += count
    sum.bytes += size
    counts[place] = sum
  }

  /// Requests of a class with an outcome.
  public func requests(_ asset: AssetClass, _ outcome: CacheOutcome) -> Int64 {
    counts[Int(asset.rawValue) * TierCounters.outcomes + Int(outcome.rawValue)].requests
  }

  /// Bytes of a class with an outcome.
  public func bytes(_ asset: AssetClass, _ outcome: CacheOutcome) -> Int64 {
    counts[Int(asset.rawValue) * TierCounters.outcomes + Int(outcome.rawValue)].bytes
  }
}

extension TierCounters {
  /// Adds another node's counts.
  public mutating func add(_ other: TierCounters) {
    for asset in AssetClass.allCases {
      for outcome in CacheOutcome.allCases {
        add(
          asset, outcome, requests: other.requests(asset, outcome),
          bytes: other.bytes(asset, outcome))
      }
    }
  }

  /// Requests of all classes with all outcomes.
  public var totalRequests: Int64 { counts.reduce(0) { $0 + $1.requests } }

  /// Bytes of all classes with all outcomes.
  public var totalBytes: Int64 { counts.reduce(0) { $0 + $1.bytes } }
}

extension TierCounters: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(sparse: counts.map { $0.requests })
    writer.add(sparse: counts.map { $0.bytes })
  }

  public init?(_ reader: inout WordReader) {
    guard let requests = reader.integers(count: TierCounters.places),
      let bytes = reader.integers(count: TierCounters.places),
      requests.count == TierCounters.places, bytes.count == requests.count
    else { return nil }
    counts = zip(requests, bytes).map { Count(requests: $0, bytes: $1) }
  }
}
