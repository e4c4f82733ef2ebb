import MediaUnits
import SimulationKernel

/// What goes wrong with a CDN at its time, and does nothing before: the origin's outages, and the
/// purges of all tiers.
public struct CDNFaults: Sendable, Equatable {
  /// In order of time, apart from each other.
  public var outages: [OriginOutage]
  /// In order of time.
  public var purges: [CachePurge]

  public init(outages: [OriginOutage] = [], purges: [CachePurge] = []) {
    self.outages = outages
    self.purges = purges
  }

  /// Those who are not simulated meet outages at times that were stretched and stretched back,
  /// which is exact to far less than this.
  private static let slack = TimeSpan.milliseconds(1)

  /// The first instant at which caches under these faults can do anything else than the same caches
  /// under others; nil: never.
  ///
  /// It is when the first of them begins that is not one of both. Purges are looked at when their
  /// time has come. Whether the origin answers with an error is looked at for when its first byte
  /// leaves, and that is decided when the request arrives: an outage can be seen as long before it
  /// begins as a first byte takes at most.
  public func firstDifference(
    from other: CDNFaults, origin: OriginConfiguration
  ) -> Instant? {
    let purge = CDNFaults.first(purges, other.purges) { $0.at }
    guard let outage = CDNFaults.first(outages, other.outages, begin: { $0.begin }) else {
      return purge
    }
    let longest = TimeSpan(seconds: origin.firstByte.largest)
    let seen =
      outage.advanced(saturatingBy: -longest).advanced(saturatingBy: -CDNFaults.slack)
    return purge.map { $0 < seen ? $0 : seen } ?? seen
  }

  /// When the first entry begins that follows on those that both begin with.
  private static func first<Entry: Equatable>(
    _ a: [Entry], _ b: [Entry], begin: (Entry) -> Instant
  ) -> Instant? {
    var same = 0
    while same < a.count && same < b.count && a[same] == b[same] { same += 1 }
    var first: Instant?
    for entry in a[same...] { first = min(first ?? begin(entry), begin(entry)) }
    for entry in b[same...] { first = min(first ?? begin(entry), begin(entry)) }
    return first
  }
}

extension CDNConfiguration {
  /// What of it does nothing before its time.
  public var faults: CDNFaults {
    get { CDNFaults(outages: origin.outages, purges: purges) }
    set {
      origin.outages = newValue.outages
      purges = newValue.purges
    }
  }
}
