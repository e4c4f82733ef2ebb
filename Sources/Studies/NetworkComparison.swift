import Models
import Scenario
import Statistics

/// One metric under our network and under a peer's, on the same replications.
public struct NetworkDifference: Sendable {
  public var metric: MetricReference
  public var network: String
  /// Means over the pairs; nil without a replication that has data on both sides.
  public var ours: Double?
  public var peer: Double?
  /// Replications that have data on both sides.
  public var pairs: Int
  /// In some replication so many views never started that the percentile lies above the value.
  public var isOursLowerBound: Bool
  public var isPeerLowerBound: Bool
  /// Peer minus ours, paired by replication; nil with fewer than two pairs, or a lower bound.
  public var difference: Estimate?
}

/// What the simulator of a published program would have predicted for the same scenario: its
/// network model in place of ours, everything else the same.
public struct NetworkComparison: Sendable {
  public var model: NetworkModel
  public var replications: Int
  public var differences: [NetworkDifference]
  /// Views that started, of all that were not cut: ours and the peer's.
  public var ourStarts: Double
  public var peerStarts: Double
  /// Mean time of a started view in each ``StartupPart``, nanoseconds: ours and the peer's.
  public var ourParts: [Double]
  public var peerParts: [Double]
}

extension NetworkModel {
  /// The word of scenario files.
  public var word: String {
    switch self {
    case .firstFrame: "firstframe"
    case .pensieve: "pensieve"
    case .sabre: "sabre"
    case .mm22: "mm22"
    }
  }
}

extension NetworkComparison {
  /// The metrics that are compared, for each network.
  static let compared = [
    "ttff_cold_ms{}.p50", "ttff_ms{}.p95", "not_started_ratio{}.ratio", "rebuffer_ratio{}.ratio",
  ]

  static func metrics(_ scenario: StudyScenario) -> [(MetricReference, String)] {
    scenario.networks.flatMap { network in
      compared.map { name in
        let text = name.replacing("{}", with: "{network=\(network)}")
        guard case .success(let reference) = MetricReference.parse(text) else {
          preconditionFailure("\(text) is a metric")
        }
        return (reference, network)
      }
    }
  }

  init(
    _ model: NetworkModel, metrics: [(MetricReference, String)], ours: [ReplicationDigest],
    peer: [ReplicationDigest]
  ) throws {
    self.model = model
    replications = peer.count
    differences = []
    let first = ours[0].samples.count - metrics.count
    for (index, (metric, network)) in metrics.enumerated() {
      var pairs: [(Double, Double)] = []
      for (a, b) in zip(ours, peer) {
        guard let left = a.samples[first + index].value, let right = b.samples[index].value
        else { continue }
        pairs.append((left, right))
      }
      let count = Double(pairs.count)
      var row = NetworkDifference(
        metric: metric, network: network,
        ours: pairs.isEmpty ? nil : pairs.reduce(0) { $0 + $1.0 } / count,
        peer: pairs.isEmpty ? nil : pairs.reduce(0) { $0 + $1.1 } / count, pairs: pairs.count,
        isOursLowerBound: ours.contains { $0.samples[first + index].isLowerBound },
        isPeerLowerBound: peer.contains { $0.samples[index].isLowerBound })
      if pairs.count >= 2 && !row.isOursLowerBound && !row.isPeerLowerBound {
        row.difference = try Estimates.pairedDifference(
          candidate: pairs.map(\.1), baseline: pairs.map(\.0)
        ).difference
      }
      differences.append(row)
    }
    (ourParts, ourStarts) = NetworkComparison.parts(ours)
    (peerParts, peerStarts) = NetworkComparison.parts(peer)
  }

  /// Mean nanoseconds of a started view by part, and the share of views that started; views that
  /// were ready count with zero.
  private static func parts(_ digests: [ReplicationDigest]) -> ([Double], Double) {
    var sums = [Int64](repeating: 0, count: StartupPart.allCases.count)
    var started: Int64 = 0
    var left: Int64 = 0
    for digest in digests {
      for part in 0..<sums.count { sums[part] += digest.waitedBand.parts[part] }
      for clocks in digest.histograms {
        started += clocks[ReplicationDigest.Clock.all.rawValue].started.total
      }
      left += digest.cohorts.reduce(0) { $0 + $1.notStarted }
    }
    let all = started + left
    return (
      sums.map { started > 0 ? Double($0) / Double(started) : 0 },
      all > 0 ? Double(started) / Double(all) : 0
    )
  }
}
