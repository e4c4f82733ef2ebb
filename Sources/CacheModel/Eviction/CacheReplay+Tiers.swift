extension CacheReplay {
  /// The kind and the capacity of a tier's cache; of each edge, where there are several.
  public struct Tier: Equatable, Sendable {
    public var kind: EvictionKind
    /// Bytes, or objects where sizes are ignored; not negative.
    public var capacity: Int64

    public init(kind: EvictionKind, capacity: Int64) {
      self.kind = kind
      self.capacity = capacity
    }
  }

  /// What an edge makes of the age of a copy that its shield had.
  public enum Age: Hashable, Sendable {
    /// The edge's copy is too old when the shield's is, as `Age` has it (RFC 9111, section 5.1).
    case inherited
    /// The edge's copy gets a full lifetime.
    case fresh
  }

  /// The counts of both tiers. The shield's requests are the edges' misses; its second half is that
  /// of the trace.
  public struct TierCounts: Equatable, Sendable {
    /// All edges together.
    public var edge: CacheReplayCounts
    public var shield: CacheReplayCounts
  }

  /// Replays a trace through one cold edge cache per node and, for what they miss, a cold shield.
  ///
  /// Both tiers store what they fetch. The parameters are those of ``run``; the admission rule
  /// holds at every cache by itself. A clairvoyant edge knows the next request at its own node; a
  /// clairvoyant shield only knows the next request at any node, a miss there or not.
  /// - Returns: nil when cancelled.
  public static func runTiers(
    _ trace: CacheTrace, edge: Tier, shield: Tier, age: Age = .inherited,
    admission: CacheAdmission = .all, expiry: CacheExpiry = .ignore, unitSizes: Bool = false,
    range: Range<Int>? = nil, seed: UInt64 = 1, progressEvery: Int = 1 << 20,
    progress: (Int) -> Bool = { _ in true }
  ) -> TierCounts? {
    let requests = TraceRequests(trace, unitSizes: unitSizes, expiry: expiry, range: range)
    let tiers = TierReplay(
      trace, requests, edge: edge, shield: shield, inheritsAge: age == .inherited,
      admission: admission, seed: seed)
    return withoutActuallyEscaping(progress) { progress in
      tiers.run(ReplayMeter(every: progressEvery, report: progress))
    }
  }
}

/// The replay through edges and a shield.
private struct TierReplay {
  private let requests: TraceRequests
  private let nodes: [UInt16]
  private let handles: EdgeHandles
  private let edges: [ReplayCache]
  private let shield: ReplayCache
  private let inheritsAge: Bool

  init(
    _ trace: CacheTrace, _ requests: TraceRequests, edge: CacheReplay.Tier,
    shield: CacheReplay.Tier, inheritsAge: Bool, admission: CacheAdmission, seed: UInt64
  ) {
    self.requests = requests
    self.inheritsAge = inheritsAge
    nodes = trace.nodes
    handles = EdgeHandles(trace, in: requests.range)

    func cache(
      _ tier: CacheReplay.Tier, _ number: UInt32, objects: Int, nextUse: [UInt32],
      identities: [UInt64]
    ) -> ReplayCache {
      let setup = EvictionSetup(
        capacity: tier.kind.effectiveCapacity(tier.capacity), objects: objects, nextUse: nextUse,
        identities: identities)
      var maker = ReplayCacheMaker(
        setup: setup,
        admission: AdmissionFilter(admission, objects: objects, seed: seed, tier: number),
        expires: requests.expires)
      return tier.kind.open(setup, &maker)
    }

    let atNode =
      edge.kind.isClairvoyant
      ? BeladyPolicy.nextUses(
        handles.pairs, count: Int(handles.starts[handles.nodeCount]), in: requests.range)
      : []
    let anywhere =
      shield.kind.isClairvoyant
      ? BeladyPolicy.nextUses(trace.objects, count: trace.objectCount, in: requests.range) : []
    var edges: [ReplayCache] = []
    for node in 0..<handles.nodeCount {
      let names = edge.kind.hashesObjects ? handles.identities(node, trace) : []
      edges.append(
        cache(edge, 0, objects: handles.objects(node), nextUse: atNode, identities: names))
    }
    self.edges = edges
    self.shield = cache(
      shield, 1, objects: trace.objectCount, nextUse: anywhere, identities: trace.identities)
  }

  func run(_ meter: ReplayMeter) -> CacheReplay.TierCounts? {
    var counts = CacheReplay.TierCounts(edge: CacheReplayCounts(), shield: CacheReplayCounts())
    let isDone = meter.walk(requests) { piece, isSecondHalf in
      let before = (counts.edge.misses, counts.shield.misses)
      for index in piece { replay(index, &counts) }
      if isSecondHalf {
        counts.edge.missesSecondHalf += counts.edge.misses - before.0
        counts.shield.missesSecondHalf += counts.shield.misses - before.1
      }
    }
    if !isDone { return nil }
    counts.edge.requests = Int64(requests.range.count)
    counts.shield.requests = counts.edge.misses
    counts.shield.bytes = counts.edge.missedBytes
    for edge in edges { counts.edge.addEnd(edge.residents) }
    counts.shield.addEnd(shield.residents)
    return counts
  }

  private func replay(_ index: Int, _ counts: inout CacheReplay.TierCounts) {
    let node = nodes.isEmpty ? 0 : Int(nodes[index])
    let edge = edges[node]
    let atShield = requests.request(index)
    var atEdge = atShield
    atEdge.object = handles.pairs[index] - handles.starts[node]
    counts.edge.bytes += atEdge.size
    if edge.lookup(atEdge) { return }
    counts.edge.misses += 1
    counts.edge.missedBytes += atEdge.size
    var deadline = requests.deadline(index, at: atEdge.time)
    if shield.lookup(atShield) {
      if inheritsAge { deadline = shield.deadline(atShield.object) }
    } else {
      counts.shield.misses += 1
      counts.shield.missedBytes += atShield.size
      shield.fill(atShield, deadline)
    }
    edge.fill(atEdge, deadline)
  }
}
