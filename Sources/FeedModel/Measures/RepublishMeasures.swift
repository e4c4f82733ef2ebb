import MediaUnits

/// What viewers saw of titles after they were published again (SIG-069).
public struct RepublishMeasures: Sendable, Equatable {
  /// Views of such titles that began afterwards with a manifest at hand, and those of them that
  /// played an older version.
  public var views: Int64 = 0
  public var oldViews: Int64 = 0
  /// Manifests of such titles that edges and disk caches answered afterwards, and those of them
  /// that named an older version.
  public var manifests: Int64 = 0
  public var staleManifests: Int64 = 0
  /// Time from the new version to the answer, over the stale ones: sum and largest, nanoseconds.
  public var staleness: Int64 = 0
  public var largestStaleness: Int64 = 0

  public init() {}

  /// Adds to the sum, which stays at the largest number when it would pass it.
  mutating func note(staleness nanoseconds: Int64) {
    let (sum, isOver) = staleness.addingReportingOverflow(nanoseconds)
    staleness = isOver ? .max : sum
  }

  mutating func add(_ other: RepublishMeasures) {
    views += other.views
    oldViews += other.oldViews
    manifests += other.manifests
    staleManifests += other.staleManifests
    note(staleness: other.staleness)
    if other.largestStaleness > largestStaleness { largestStaleness = other.largestStaleness }
  }
}
