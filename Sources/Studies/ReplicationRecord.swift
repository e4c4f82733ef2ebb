import Foundation
import MediaUnits
import Models
import Scenario
import SimulationKernel

/// What one replication of one variant leaves for studies of many variants: its metrics, where its
/// startup time went, and its fingerprint. Small enough to be kept on disk by the thousand.
public struct ReplicationRecord: Sendable, Equatable, Codable {
  public var replication: Int
  /// Sixteen hexadecimal digits.
  public var fingerprint: String
  /// ``fingerprint`` as a number; zero for what are no such digits.
  var sum: Fingerprint { Fingerprint(value: UInt64(fingerprint, radix: 16) ?? 0) }
  public var events: UInt64
  /// Views of all cohorts, and those of them that started.
  public var views: Int64
  public var started: Int64
  /// Nanoseconds of all started views together, by ``StartupPart``.
  public var parts: [Int64]
  /// How views of one session go together; nil where nobody counted.
  public var sessions: SessionSpread?
  /// In the order of the metrics that the variants were run with.
  public var samples: [MetricSample]
  /// Times to the first frame of all networks together, where they were asked for; not kept on
  /// disk.
  public var times: ClockHistogram?

  private enum CodingKeys: String, CodingKey {
    case replication, fingerprint, events, views, started, parts, sessions, samples
  }

  /// Whether the numbers can be those of a replication.
  var isSound: Bool {
    parts.count == StartupPart.allCases.count && views >= 0 && started >= 0
      && samples.allSatisfy { sample in
        sample.numerator.isFinite && sample.denominator.isFinite && sample.denominator >= 0
          && (sample.value?.isFinite ?? true)
      }
  }

  /// - Parameter keepsTimes: whether ``times`` are wanted.
  init(_ digest: ReplicationDigest, keepsTimes: Bool = false) {
    replication = Int(digest.replication)
    fingerprint = digest.fingerprint.digits
    events = digest.events
    views = digest.cohorts.reduce(0) { $0 + $1.views }
    started = digest.histograms.reduce(0) {
      $0 + $1[ReplicationDigest.Clock.all.rawValue].started.total
    }
    parts = digest.startedParts
    sessions = digest.sessions
    samples = digest.samples
    for index in samples.indices { samples[index].times = nil }
    if keepsTimes {
      times = digest.histograms.reduce(into: ClockHistogram()) {
        $0.add($1[ReplicationDigest.Clock.all.rawValue])
      }
    }
  }
}

extension ReplicationRecord {
  /// The times to the first frame of several replications together.
  public static func times(of records: [ReplicationRecord]) -> ClockHistogram {
    records.compactMap(\.times).reduce(into: ClockHistogram()) { $0.add($1) }
  }
}

extension MetricSample: Codable {
  private enum CodingKeys: String, CodingKey {
    case value, isLowerBound, samples, numerator, denominator
  }

  /// Absent members are the defaults, so that records stay small.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    value = try container.decodeIfPresent(Double.self, forKey: .value)
    isLowerBound = try container.decodeIfPresent(Bool.self, forKey: .isLowerBound) ?? false
    samples = try container.decodeIfPresent(Int64.self, forKey: .samples) ?? 0
    numerator = try container.decodeIfPresent(Double.self, forKey: .numerator) ?? 0
    denominator = try container.decodeIfPresent(Double.self, forKey: .denominator) ?? 0
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(value, forKey: .value)
    if isLowerBound { try container.encode(true, forKey: .isLowerBound) }
    if samples != 0 { try container.encode(samples, forKey: .samples) }
    if numerator != 0 { try container.encode(numerator, forKey: .numerator) }
    if denominator != 0 { try container.encode(denominator, forKey: .denominator) }
  }
}
