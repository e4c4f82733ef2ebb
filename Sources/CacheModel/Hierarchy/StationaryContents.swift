import AudienceModel
import CachePolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Copies that are there without anybody simulated having asked for them.
public struct StationaryContents {
  let demand: StationaryDemand
  let tierDemand: TierDemand
  let said: OriginDirectives
  /// Keys of one object at one edge; nil: no two sessions share one.
  let keyCopies: Double?
  private let catalogue: KeptCatalogue
  private let streams: RandomStreams

  /// - Parameters:
  ///   - untouched: the contents of tiers that are smaller than the catalogue; nil for tiers that
  ///     hold all of it.
  ///   - demand: how often each object is asked for.
  public init(
    _ cdn: CDNConfiguration, untouched: TierContents, demand: StationaryDemand,
    catalogue: CatalogueConfiguration, streams: RandomStreams
  ) {
    self.demand = demand
    tierDemand = TierDemand(cdn, untouched: { untouched[$0] })
    said = OriginDirectives(cdn)
    keyCopies = cdn.cacheKey.copies
    self.streams = streams
    self.catalogue = KeptCatalogue(catalogue)
  }

  /// Requests per second for a key at one edge; zero when no two sessions share it.
  func edgeRate(_ object: UInt32) -> Double {
    guard let copies = keyCopies else { return 0 }
    let segments = segmentCount(of: object / ObjectLayout.stride)
    return demand.rate(of: object, segments: segments) / copies
  }

  /// How many segments a title has.
  func segmentCount(of title: UInt32) -> Int {
    Title.segmentCount(of: TitleID(title), catalogue: catalogue.memory, streams: streams)
  }

  /// A copy as a long run would have left it at time zero.
  struct DrawnCopy {
    /// Seconds since it was made, and since it was asked for last.
    var age: Double
    var lastRequest: Double
  }

  /// Draws since when a node has had a copy at time zero; nil where nobody asks for it.
  ///
  /// TTL cache without renewal on hits: stale for the share of requests that
  /// ``TierDemand/expiredShare(_:_:_:)`` says, else fresh, its age then uniform. A stale copy waits
  /// for the next request. The age of the last request is at most the age of the copy. A pure
  /// function of node and key.
  ///
  /// - Parameter alone: requests per second at one edge.
  func drawnCopy(
    _ nodes: NodeMemory, _ node: Int, key: UInt64, _ asset: AssetClass, edgeRate alone: Double
  ) -> DrawnCopy? {
    let tier = nodes[node].tier
    let silence = tierDemand.silence(tier, alone, asset)
    let rate = silence.rate
    let lifetime = tierDemand.lifetime(tier, asset)
    if rate <= 0 || lifetime <= 0 { return nil }
    let entity =
      UInt64(nodes[node].entity) << 32 | UInt64(UInt32(truncatingIfNeeded: key))
    let pair = UInt32(truncatingIfNeeded: key >> 32) << 1
    let (u0, u1) = streams.uniformPair(.stationary, entity: entity, pair: pair)
    let (u2, u3) = streams.uniformPair(.stationary, entity: entity, pair: pair | 1)
    let renewal = tierDemand.renewalRate(tier, alone, asset)
    let gap = -PortableMath.log(u1)
    // Copies that expire together at multiples of a period have all expired at time zero.
    let isSynchronised = said.rules[Int(asset.rawValue)].synchronisedTo > .zero
    let fresh = 1 - tierDemand.expiredShare(tier, renewal, asset)
    if u0 < fresh && !isSynchronised {
      let age = u2 * lifetime
      let last = silence.window(gap)
      return DrawnCopy(age: age, lastRequest: last < age ? last : age)
    }
    // Stale and not asked for since: the wait so far is exponential, and the last request before
    // the copy expired lies another gap back, or at its fetch.
    let waited = gap / renewal
    let before = -PortableMath.log(u3) / rate
    return DrawnCopy(
      age: lifetime + waited, lastRequest: waited + (before < lifetime ? before : lifetime))
  }

  /// Draws whether and since when an object is resident, as a long run would have left it. Whether
  /// the copy survived eviction depends on its last request, for every kind of eviction as if it
  /// were LRU.
  func drawResident(_ nodes: NodeMemory, _ node: Int, _ handle: UInt32, at now: Instant) {
    let entry = nodes[node].entries[Int(handle)]
    guard
      let drawn = drawnCopy(
        nodes, node, key: entry.key, entry.asset, edgeRate: edgeRate(entry.object))
    else { return }
    let (age, lastRequest) = (drawn.age, drawn.lastRequest)
    let isResident: Bool
    if entry.isLawful {
      isResident = lastRequest <= nodes[node].law?.characteristicTime ?? .infinity
    } else {
      isResident = nodes[node].takeUntouched(age: lastRequest, size: entry.bytes)
    }
    guard let response = response(nodes, node, entry.asset, age: age) else { return }
    place(
      nodes, node, handle, response, stated: said.usualLifetimes[Int(entry.asset.rawValue)],
      isResident: isResident, at: now)
    if entry.isLawful {
      nodes[node].touch(
        handle, at: Instant.zero.advanced(saturatingBy: TimeSpan(seconds: -lastRequest)))
    }
  }

  /// What a node remembers of an answer that it got `age` seconds before time zero; nil when it may
  /// not store it.
  private func response(
    _ nodes: NodeMemory, _ node: Int, _ asset: AssetClass, age: Double
  ) -> StoredResponse? {
    nodes[node].configuration.ttl.store(
      said.directives[Int(asset.rawValue)],
      at: Instant.zero.advanced(saturatingBy: TimeSpan(seconds: -age)), initialAge: .zero)
  }

  /// Gives the entry of an object that a node was never asked for the copy that
  /// ``drawResident(_:_:_:at:)`` would draw for it; the node learns nothing of it.
  func imagineResident(_ entry: inout NodeEntry, _ nodes: NodeMemory, _ node: Int) {
    guard
      let drawn = drawnCopy(
        nodes, node, key: entry.key, entry.asset, edgeRate: edgeRate(entry.object)),
      let response = response(nodes, node, entry.asset, age: drawn.age)
    else { return }
    entry.stored = response
    entry.stated = said.usualLifetimes[Int(entry.asset.rawValue)]
    entry.source = .origin
    entry.fate =
      nodes[node].knownToBeUntouched(age: drawn.lastRequest) ? .resident : .evicted
  }

  /// Gives an entry the copy that ``refreshByOthers(_:_:_:outages:at:)`` would give it; the node
  /// learns nothing of it.
  func imagineRefreshed(
    _ entry: inout NodeEntry, _ nodes: NodeMemory, _ node: Int, outages: OriginConfiguration,
    at now: Instant
  ) {
    guard let renewed = renewal(nodes, node, entry, outages: outages, at: now)?.copy else { return }
    entry.stored = renewed.response
    entry.stated = renewed.stated
    entry.source = .origin
    entry.fate = .resident
  }

  /// Gives a node a copy that was not fetched, or says that it has left.
  private func place(
    _ nodes: NodeMemory, _ node: Int, _ handle: UInt32, _ response: StoredResponse,
    stated: TimeSpan,
    isResident: Bool, at now: Instant
  ) {
    let index = Int(handle)
    nodes[node].entries[index].stored = response
    nodes[node].entries[index].stated = stated
    nodes[node].entries[index].source = .origin
    if isResident {
      _ = nodes[node].keep(
        handle, bytes: nodes[node].entries[index].bytes, isAdmitted: true, at: now)
    } else {
      nodes[node].entries[index].fate = .evicted
    }
  }

  /// Lets the edges that are not simulated ask a shared tier for an object, as far as it matters.
  ///
  /// Their requests are Poisson, for a stale copy at the rate of all of them (``TierDemand``). The
  /// first after a copy has expired, or left, fetches a new one, and so on until now; only those
  /// fetches matter, so only they are drawn. Left out: the time that such a fetch takes, and what
  /// those requests do to the order of eviction.
  func refreshByOthers(
    _ nodes: NodeMemory, _ node: Int, _ handle: UInt32, outages: OriginConfiguration,
    at now: Instant
  ) {
    guard
      let renewal = renewal(
        nodes, node, nodes[node].entries[Int(handle)], outages: outages, at: now)
    else { return }
    nodes[node].entries[Int(handle)].otherDraws = renewal.draws
    if let copy = renewal.copy {
      place(nodes, node, handle, copy.response, stated: copy.stated, isResident: true, at: now)
    }
  }

  /// What the edges that are not simulated have fetched for a shared tier, by now: the copy of the
  /// last fetch, and how many draws that took.
  private struct Renewal {
    var draws: UInt32
    var copy: (response: StoredResponse, stated: TimeSpan)?
  }

  /// Draws it for an object as the tier has it; nil where they do not matter.
  private func renewal(
    _ nodes: NodeMemory, _ node: Int, _ entry: NodeEntry, outages: OriginConfiguration,
    at now: Instant
  ) -> Renewal? {
    if entry.fate == .never || entry.machine >= 0 { return nil }
    let isHere = entry.fate == .resident
    if isHere && entry.stored.lifetimeRemaining(at: now) > .zero { return nil }
    let tier = nodes[node].tier
    let alone = edgeRate(entry.object)
    let asked =
      isHere
      ? tierDemand.renewalRate(tier, alone, entry.asset)
      : tierDemand.rate(tier, alone, entry.asset)
    let rate = asked * tierDemand.othersShare(tier, simulated: nodes[node].edges)
    if rate <= 0 || tierDemand.lifetime(tier, entry.asset) <= 0 { return nil }
    let entity = UInt64(nodes[node].entity) << 32 | UInt64(entry.object)
    let first = UInt32(truncatingIfNeeded: entry.key >> 32) &* 0x9E37_79B1
    var renewal = Renewal(draws: entry.otherDraws)
    var time = entry.stored.storedAt
    if isHere { time += entry.stored.lifetime - entry.stored.initialAge }
    while true {
      let u = streams.uniform(.others, entity: entity, draw: first &+ renewal.draws)
      renewal.draws += 1
      time = time.advanced(saturatingBy: TimeSpan(seconds: -PortableMath.log(u) / rate))
      if time >= now { break }
      if let outage = outages.outage(at: time) {
        time = outage.end
        if time >= now { break }
      }
      // What expires together does so for the others, too.
      let stated = said.directives(
        for: entry.asset, lifetime: said.lifetime(entry.asset, at: max(time, .zero), u: 0.5))
      guard
        let response = nodes[node].configuration.ttl.store(stated, at: time, initialAge: .zero)
      else { break }
      renewal.copy = (response, stated.maxAge ?? .zero)
      time += response.lifetime
      if time > now || response.lifetime <= .zero { break }
    }
    return renewal
  }
}

/// A catalogue's settings where reading a field copies no more than the field.
private final class KeptCatalogue {
  let memory: UnsafeMutablePointer<CatalogueConfiguration>

  init(_ catalogue: CatalogueConfiguration) {
    memory = .allocate(capacity: 1)
    memory.initialize(to: catalogue)
  }

  deinit {
    memory.deinitialize(count: 1)
    memory.deallocate()
  }
}
