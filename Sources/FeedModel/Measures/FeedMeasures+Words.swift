import CacheModel
import CachePolicy
import ModelBasics

// What a replication measured, without its views, as words.

extension FeedMeasures: HeldInWords {
  /// - Precondition: the views are not kept.
  public func write(to writer: inout WordWriter) {
    precondition(views.isEmpty && extraColdStarts.isEmpty, "views are not held in words")
    writer.add(Int64(deviceCount))
    writer.add(each: balances)
    writer.add(each: shown)
    writer.add(counts)
    outside.write(to: &writer)
    for tier in [client, edge, regional, shield] { tier.write(to: &writer) }
    writer.add(each: fetched) { $0.write(to: &$1) }
    origin.write(to: &writer)
    staleness.write(to: &writer)
    writer.add(Int64(peakSessions))
    writer.add(each: contention)
    offsets.write(to: &writer)
    republish.write(to: &writer)
    writer.add(surface)
    writer.add(clientSide)
    writer.add(each: swipes)
    writer.add(each: swipeWaits) { $0.write(to: &$1) }
    eventDelays.write(to: &writer)
    writer.add(each: windows) { $0.write(to: &$1) }
    providers.write(to: &writer)
    writer.add(viewerBytes)
  }

  public init?(_ reader: inout WordReader) {
    self.init(networks: 0, devices: 0)
    guard let deviceCount = reader.integer(), deviceCount >= 0,
      readViewers(&reader), readTiers(&reader), readRest(&reader)
    else { return nil }
    self.deviceCount = Int(deviceCount)
  }

  private mutating func readViewers(_ reader: inout WordReader) -> Bool {
    guard let balances = reader.each(of: ByteBalance.self),
      let shown = reader.each(of: ShownMedia.self), shown.count == balances.count,
      let counts = reader.counters(FeedCounts.self), let outside = OutsideCounters(&reader)
    else { return false }
    self.balances = balances
    self.shown = shown
    self.counts = counts
    self.outside = outside
    return true
  }

  private mutating func readTiers(_ reader: inout WordReader) -> Bool {
    guard let client = TierCounters(&reader), let edge = TierCounters(&reader),
      let regional = TierCounters(&reader), let shield = TierCounters(&reader),
      let fetched = reader.each({ FetchCounters(&$0) }), fetched.count == self.fetched.count,
      let origin = OriginCounters(&reader), let staleness = StalenessCounters(&reader)
    else { return false }
    self.client = client
    self.edge = edge
    self.regional = regional
    self.shield = shield
    self.fetched = fetched
    self.origin = origin
    self.staleness = staleness
    return true
  }

  private mutating func readRest(_ reader: inout WordReader) -> Bool {
    guard let peakSessions = reader.integer(), let contention = reader.each(of: ContentionSum.self),
      let offsets = OffsetCounts(&reader), let republish = RepublishMeasures(&reader),
      let surface = reader.counters(SurfaceMeasures.self),
      let clientSide = reader.counters(ClientMeasures.self),
      let swipes = reader.each(of: SwipeSums.self),
      let swipeWaits = reader.each({ DelayHistogram(&$0) }),
      swipes.count == balances.count, swipeWaits.count == balances.count,
      let eventDelays = DelayHistogram(&reader),
      let windows = reader.each({ WindowMeasures(&$0) }),
      let providers = ProvidersMeasures(&reader), let viewerBytes = reader.integer()
    else { return false }
    self.peakSessions = Int(peakSessions)
    self.contention = contention
    self.offsets = offsets
    self.republish = republish
    self.surface = surface
    self.clientSide = clientSide
    self.swipes = swipes
    self.swipeWaits = swipeWaits
    self.eventDelays = eventDelays
    self.windows = windows
    self.providers = providers
    self.viewerBytes = viewerBytes
    return true
  }
}

extension OutsideCounters: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(late)
    writer.add(lateBytes)
    writer.add(each: unanswered) { $1.add($0) }
  }

  public init?(_ reader: inout WordReader) {
    guard let late = reader.integer(), let lateBytes = reader.integer(),
      let unanswered = reader.each({ $0.integer() }),
      unanswered.count == AssetClass.allCases.count
    else { return nil }
    self.late = late
    self.lateBytes = lateBytes
    self.unanswered = unanswered
  }
}

extension RepublishMeasures: HeldInWords {
  public func write(to writer: inout WordWriter) {
    for number in [views, oldViews, manifests, staleManifests, staleness, largestStaleness] {
      writer.add(number)
    }
  }

  public init?(_ reader: inout WordReader) {
    guard let views = reader.integer(), let oldViews = reader.integer(),
      let manifests = reader.integer(), let staleManifests = reader.integer(),
      let staleness = reader.integer(), let largestStaleness = reader.integer()
    else { return nil }
    self.views = views
    self.oldViews = oldViews
    self.manifests = manifests
    self.staleManifests = staleManifests
    self.staleness = staleness
    self.largestStaleness = largestStaleness
  }
}

extension WindowMeasures: HeldInWords {
  public func write(to writer: inout WordWriter) {
    for tier in [client, edge, regional, shield] { tier.write(to: &writer) }
    for number in [requests, originRequests, originBytes, deliveredBytes] { writer.add(number) }
  }

  public init?(_ reader: inout WordReader) {
    guard let client = TierCounters(&reader), let edge = TierCounters(&reader),
      let regional = TierCounters(&reader), let shield = TierCounters(&reader),
      let requests = reader.integer(), let originRequests = reader.integer(),
      let originBytes = reader.integer(), let deliveredBytes = reader.integer()
    else { return nil }
    self.client = client
    self.edge = edge
    self.regional = regional
    self.shield = shield
    self.requests = requests
    self.originRequests = originRequests
    self.originBytes = originBytes
    self.deliveredBytes = deliveredBytes
  }
}

extension ProvidersMeasures: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(switching)
    writer.add(each: each) { provider, writer in
      writer.add(provider.counts)
      provider.edge.write(to: &writer)
    }
  }

  public init?(_ reader: inout WordReader) {
    guard let switching = reader.counters(Switching.self),
      let each = reader.each({ reader -> ProviderMeasures? in
        guard let counts = reader.counters(ProviderMeasures.Counts.self),
          let edge = TierCounters(&reader)
        else { return nil }
        var provider = ProviderMeasures()
        provider.counts = counts
        provider.edge = edge
        return provider
      })
    else { return nil }
    self.switching = switching
    self.each = each
  }
}

extension CohortSums: HeldInWords {
  public func write(to writer: inout WordWriter) {
    for number in [
      views, started, ready, notStarted, played, stalled, startup, stalls, viewsWithStall, waited,
    ] { writer.add(number) }
    for part in StartupPart.allCases { writer.add(parts[part]) }
  }

  public init?(_ reader: inout WordReader) {
    self.init()
    guard let views = reader.integer(), let started = reader.integer(),
      let ready = reader.integer(), let notStarted = reader.integer(),
      let played = reader.integer(), let stalled = reader.integer(),
      let startup = reader.integer(), let stalls = reader.integer(),
      let viewsWithStall = reader.integer(), let waited = reader.integer()
    else { return nil }
    self.views = views
    self.started = started
    self.ready = ready
    self.notStarted = notStarted
    self.played = played
    self.stalled = stalled
    self.startup = startup
    self.stalls = stalls
    self.viewsWithStall = viewsWithStall
    self.waited = waited
    for part in StartupPart.allCases {
      guard let time = reader.integer() else { return nil }
      parts[part] = time
    }
  }
}
