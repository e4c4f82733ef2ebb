import AudienceModel
import CachePolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Caches in tiers, edges first, and the origin behind them: asked with a request, it answers with
/// what and when. Of several providers each has caches of its own, a block of nodes after another.
///
/// Included: a store and an order of eviction for each cache, freshness and revalidation, requests
/// for one object that wait for each other (``CollapsingMachine``), round trips and connections
/// between tiers, the origin's limits and outages, purges, and what a long run before time zero and
/// viewers who are not simulated have left in the caches. Left out: bandwidth between tiers.
///
/// It keeps no clock and no events: what is to happen later it says by ``CacheCommand``s, which are
/// to be performed in their order, and it is told of it when its time has come.
public struct CacheHierarchy: ~Copyable {
  private let byAddress = ByAddress()
  /// Of each provider the edges, then the regional caches, then the shield.
  let nodes: UnsafeMutableBufferPointer<CacheNode>
  var origin: Origin
  /// By provider; empty where nothing was left. As memory, since an element of an array is copied
  /// whole for each call.
  let contents: UnsafeMutableBufferPointer<StationaryContents>
  /// Of each provider the place of its first node.
  let firstNodes: [Int]
  var audience: BackgroundAudience?
  let numbers: TitleNumbers
  let streams: RandomStreams
  /// What of the run this part has.
  let domain: FeedDomain
  let said: OriginDirectives
  let start: CacheStart
  let edges: Int
  private(set) var purges: [CachePurge]
  private var hasPurges: Bool
  /// Whether there are viewers who are not simulated.
  let hasLaw: Bool
  let headerBytes: Int64
  /// The region of the shield; nil where it has none.
  let shieldRegion: Int?
  private let regions: Int?
  var machineCommands: [CollapsingMachine.Command] = []
  /// What the origin has been asked for and did.
  public internal(set) var originCounters = OriginCounters()
  /// Requests that reached the shield from another region.
  public internal(set) var shieldCrossings: Int64 = 0

  // Entities of events and draws.
  static let shieldEntity: UInt32 = 1
  public static func edgeEntity(_ edge: Int) -> UInt32 { 2 + UInt32(edge) }
  static func regionalEntity(_ region: Int) -> UInt32 { edgeEntity(maximumEdges + region) }
  static let originEntity = edgeEntity(maximumEdges + RegionalConfiguration.maximumCount)
  /// The shield of the first provider is ``shieldEntity``.
  static func shieldEntity(ofProvider provider: Int) -> UInt32 {
    provider == 0 ? shieldEntity : originEntity + UInt32(provider)
  }
  /// Entities below this are the caches', but for number 0.
  public static let entityLimit = originEntity + UInt32(CDNProvider.maximumCount)
  /// Largest number of edges, of all providers together.
  public static let maximumEdges = 1000

  /// - Parameters:
  ///   - headerBytes: of an answer without a body.
  ///   - untouched: what leaves tiers that are smaller than the catalogue; nil for tiers that hold
  ///     all of it.
  ///   - stationary: what a long run has left; nil only when the caches start otherwise.
  ///   - further: the same two of each provider but the first.
  ///   - others: viewers who are not simulated; nil for nobody.
  ///   - numbers: of titles and their versions.
  ///   - domain: which of the caches these are.
  public init(
    _ cdn: CDNConfiguration, headerBytes: Int64, numbers: TitleNumbers, streams: RandomStreams,
    untouched: TierContents = TierContents(), stationary: StationaryContents? = nil,
    further: [ProviderContents] = [], others: BackgroundAudience? = nil,
    domain: FeedDomain = .whole
  ) {
    precondition(cdn.providerCount <= CDNProvider.maximumCount)
    precondition(cdn.edges * cdn.providerCount <= CacheHierarchy.maximumEdges)
    precondition(further.count == cdn.providerCount - 1, "contents for each provider")
    precondition(
      cdn.providers.isEmpty || others == nil, "the law knows of one provider")
    precondition(
      cdn.start != .stationary
        || stationary != nil && further.allSatisfy { $0.stationary != nil },
      "a stationary start needs the contents")
    let left = stationary.map { [$0] + further.compactMap { $0.stationary } } ?? []
    contents = .allocate(capacity: left.count)
    _ = contents.initialize(from: left)
    audience = others
    hasLaw = others != nil
    self.numbers = numbers
    said = OriginDirectives(cdn)
    self.streams = streams
    self.domain = domain
    self.headerBytes = headerBytes
    origin = Origin(cdn.origin)
    start = cdn.start
    edges = cdn.edges
    purges = cdn.purges
    hasPurges = !cdn.purges.isEmpty
    shieldRegion = cdn.shieldRegion
    regions = cdn.regional?.count
    firstNodes = CacheHierarchy.firstNodes(cdn)
    let caches = CacheHierarchy.nodes(cdn, untouched: [untouched] + further.map { $0.untouched })
    nodes = .allocate(capacity: caches.count)
    _ = nodes.initialize(from: caches)
  }

  deinit {
    nodes.deinitialize()
    nodes.deallocate()
    contents.deinitialize()
    contents.deallocate()
  }

  /// Goes on under other faults, which have made no difference until now
  /// (``CDNFaults/firstDifference(from:origin:)``).
  public mutating func goOn(under faults: CDNFaults) {
    purges = faults.purges
    hasPurges = !faults.purges.isEmpty
    origin.goOn(under: faults.outages)
    audience?.goOn(under: faults.outages)
  }

  // MARK: Viewers

  /// What an edge takes to answer.
  ///
  /// - Parameter u: uniform on 0 ..< 1.
  public func serviceTime(atEdge edge: Int, u: Double) -> TimeSpan {
    TimeSpan(seconds: nodes[edge].configuration.serviceTime.quantile(u))
  }

  /// A viewer's request has arrived at its edge.
  ///
  /// - Parameter service: what the edge takes to answer, or to ask the next tier.
  public mutating func ask(
    _ request: EdgeRequest, by asker: EdgeAsker, service: TimeSpan,
    into out: inout [CacheCommand]
  ) -> EdgeReply {
    let (edge, asset, now) = (Int(request.edge), request.asset, request.at)
    if start == .everything {
      nodes[edge].counters.count(asset, .hit, bytes: request.bytes)
      return .everything(stated: said.usualLifetimes[Int(asset.rawValue)])
    }
    var others: OthersFetch?
    let handle = find(
      edge, request.key, asset, bytes: request.bytes, for: AskingNode(), at: now, &others)
    if let others { begin(others, at: now, &out) }
    if let age = nodes[edge].freshAge(handle, at: now) {
      nodes[edge].counters.count(asset, .hit, bytes: request.bytes)
      return .fresh(age: age, stated: nodes[edge].entries[Int(handle)].stated)
    }
    let reason = reason(edge, handle)
    let number = nodes[edge].add(
      NodeRequest(
        child: -1, slot: asker.slot, index: asker.request, asset: asset, bytes: request.bytes,
        service: service))
    ask(edge, handle, number, at: now, &out)
    return .waits(number: number, reason: reason)
  }

  /// Why an edge cannot serve an object at once, as it looks on arrival.
  private func reason(_ edge: Int, _ handle: UInt32) -> MissReason {
    switch nodes[edge].entries[Int(handle)].fate {
    case .resident: .expired
    case .never: .cold
    case .evicted: .evicted
    case .purged: .purged
    }
  }

  /// A viewer gives up a request that waits at its edge: nobody is to be answered any more, and it
  /// counts as what it waited for.
  ///
  /// - Parameter number: as ``EdgeReply/waits(number:reason:)`` says.
  public mutating func cancel(
    _ number: UInt32, atEdge edge: Int, key: UInt64, at now: Instant
  ) {
    let waiting = nodes[edge].take(number)
    let outcome: CacheOutcome =
      !waiting.isFetching ? .collapsed : waiting.isFetchConditional ? .revalidated : .miss
    nodes[edge].counters.count(waiting.asset, outcome, bytes: waiting.bytes)
    let handle = nodes[edge].handle(of: key, waiting.asset).handle
    let machine = Int(nodes[edge].entries[Int(handle)].machine)
    precondition(machine >= 0, "a request waits at a machine")
    // This event has no commands.
    var commands: [CollapsingMachine.Command] = []
    nodes[edge].machines[machine].handle(
      .cancelled(RequestNumber(number)), at: now, into: &commands)
  }

  /// Counts a request that a real edge has answered.
  public mutating func countOutside(
    edge: Int, _ asset: AssetClass, _ outcome: CacheOutcome, bytes: Int64
  ) {
    nodes[edge].counters.count(asset, outcome, bytes: bytes)
    if outcome == .miss || outcome == .revalidated || outcome == .bypass {
      nodes[edge].fetched[asset].requests += 1
      nodes[edge].fetched[asset].bytes += bytes
    }
  }

  // MARK: Later

  /// What was to happen has happened.
  public mutating func handle(
    _ event: CacheEvent, at now: Instant, into out: inout [CacheCommand]
  ) {
    switch event {
    case .requestAtNode(let node, let from, let fetch):
      receiveAtNode(Int(node), from: Int(from), Int(fetch), at: now, &out)
    case .answerAtNode(let node, let fetch): receiveAnswer(Int(node), Int(fetch), at: now, &out)
    case .requestAtOrigin(let from, let fetch):
      receiveAtOrigin(Int(from), Int(fetch), at: now, &out)
    case .originDone(let from, let fetch): leaveOrigin(Int(from), Int(fetch), at: now, &out)
    }
  }

  /// A timer's time has come.
  public mutating func handle(
    _ timer: CacheTimer, at now: Instant, into out: inout [CacheCommand]
  ) {
    switch timer {
    case .fetchExpired(let node, let fetch): expire(Int(node), Int(fetch), at: now, &out)
    case .machine(let node, let machine):
      tell(Int(node), Int(machine), .timerFired, .timer, at: now, &out)
    }
  }

  /// An edge's fetch has come from another part of the run, or the answer to one of ours; its event
  /// is to happen when it arrives.
  public mutating func accept(_ message: CacheMessage) {
    let (edge, fetch) = (Int(message.edge), Int(message.fetch))
    switch message.kind {
    case .request(let record): nodes[edge].mirror(record, at: fetch)
    case .answer(let answer):
      nodes[edge].fetches[fetch].answer = answer
      nodes[edge].fetches[fetch].state = .down
    }
  }

  /// How many caches there are.
  public var nodeCount: Int { nodes.count }

  /// Who handles a message's event.
  public func target(of message: CacheMessage) -> UInt32 { nodes[Int(message.node)].entity }

  // MARK: Objects

  /// The handle of an object at a node, its copy in the state that it has by now.
  ///
  /// - Parameter others: a fetch under way that somebody who is not simulated began.
  @inline(__always)
  mutating func find(
    _ node: Int, _ key: UInt64, _ asset: AssetClass, bytes: Int64, for asker: AskingNode,
    at now: Instant, _ others: inout OthersFetch?
  ) -> UInt32 {
    let (handle, isNew) = nodes[node].handle(of: key, asset)
    if nodes[node].entries[Int(handle)].fate != .resident {
      nodes[node].entries[Int(handle)].bytes = bytes
    }
    if isNew || hasPurges || hasLaw || nodes[node].tier != .edge {
      refresh(node, handle, isNew: isNew, for: asker, at: now, &others)
    }
    return handle
  }

  /// What happened to a copy since the object was last asked for.
  private mutating func refresh(
    _ node: Int, _ handle: UInt32, isNew: Bool, for asker: AskingNode, at now: Instant,
    _ others: inout OthersFetch?
  ) {
    let isStationary = start == .stationary
    if hasLaw && (isNew || nodes[node].entries[Int(handle)].isLawful) {
      others =
        audience?.passLaw(
          AskedCaches(nodes: nodes, edges: edges, asker: asker), node, handle, isNew: isNew,
          purges: purges, at: now) ?? nil
      if nodes[node].entries[Int(handle)].isLawful { return }
    }
    let provider = provider(of: node)
    if isNew && isStationary { contents[provider].drawResident(nodes, node, handle, at: now) }
    let index = Int(handle)
    for purge in purges where purge.at <= now {
      let entry = nodes[node].entries[index]
      if entry.stored.storedAt < purge.at && purge.covers(entry.asset) {
        nodes[node].discard(handle, .purged, at: purge.at, now: now)
      }
    }
    if isStationary && nodes[node].tier != .edge {
      contents[provider].refreshByOthers(
        nodes, node, handle, outages: origin.configuration, at: now)
    }
  }

  /// For asking for memory in advance: where an object's handle at an edge is found, and what is
  /// known of it. Nil where there is nothing.
  @inline(__always)
  public func address(of key: UInt64, atEdge edge: Int) -> UnsafeRawPointer? {
    nodes[edge].address(of: key)
  }

  @inline(__always)
  public func entry(of key: UInt64, atEdge edge: Int) -> UnsafeRawPointer? {
    nodes[edge].entry(of: key)
  }

  // MARK: Counting

  /// Forgets what was counted so far; what is under way goes on.
  public mutating func resetCounters() {
    for node in 0..<nodes.count {
      nodes[node].counters = TierCounters()
      nodes[node].fetched = FetchCounters()
      nodes[node].fetched.before = underWay(node)
    }
    originCounters = OriginCounters()
    shieldCrossings = 0
  }

  /// Of each node: its tier, what it has answered, and what it has fetched, with what is under way.
  public mutating func forEachNode(
    _ body: (CacheTier, TierCounters, FetchCounters) -> Void
  ) {
    for node in 0..<nodes.count {
      nodes[node].fetched.after = underWay(node)
      body(nodes[node].tier, nodes[node].counters, nodes[node].fetched)
    }
  }

  /// What the edges of a provider have answered.
  public func edgeCounters(ofProvider provider: Int) -> TierCounters {
    var sum = TierCounters()
    let first = firstNodes[provider]
    for node in first..<first + edges { sum.add(nodes[node].counters) }
    return sum
  }

  /// Of each node: its tier, and what it has answered.
  public func forEachTier(_ body: (CacheTier, TierCounters) -> Void) {
    for node in 0..<nodes.count { body(nodes[node].tier, nodes[node].counters) }
  }

  /// Fetches of a node that have not ended. What an edge takes for being on its way may wait behind
  /// it already; the part behind the edges knows, and has the difference.
  private func underWay(_ node: Int) -> FetchCounters.UnderWay {
    var sum = nodes[node].underWay
    if domain == .behind && nodes[node].tier == .edge {
      sum.up = -sum.waiting
      sum.down = 0
      sum.downBytes = 0
    }
    return sum
  }

  /// Whether a node's requests reach the shield from another region than the shield's own.
  func isCrossing(_ child: Int) -> Bool {
    guard let shieldRegion, let regions else { return true }
    return nodes[child].tier != .edge || place(child) % regions != shieldRegion
  }
}
