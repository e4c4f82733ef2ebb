/// What is done with a policy of whichever kind.
protocol EvictionVisitor {
  associatedtype Result
  mutating func visit<Policy: EvictionPolicy>(_ policy: Policy) -> Result
}

extension EvictionKind {
  /// Builds the policy and hands it over. A new kind needs its case and a line here.
  func open<Visitor: EvictionVisitor>(
    _ setup: EvictionSetup, _ visitor: inout Visitor
  ) -> Visitor.Result {
    switch self {
    case .lru: visitor.visit(LRUPolicy(setup))
    case .fifo: visitor.visit(FIFOPolicy(setup))
    case .clock(let bits): visitor.visit(ClockPolicy(setup, bits: bits))
    case .sieve: visitor.visit(SievePolicy(setup))
    case .s3FIFO(let drain): visitor.visit(S3FIFOPolicy(setup, drain: drain))
    case .lfu: visitor.visit(LFUPolicy(setup))
    case .arc: visitor.visit(ARCPolicy(setup))
    case .twoQ: visitor.visit(TwoQPolicy(setup))
    case .slru(let segments): visitor.visit(SLRUPolicy(setup, segments: segments))
    case .gdsf: visitor.visit(GDSFPolicy(setup))
    case .wTinyLFU: visitor.visit(WTinyLFUPolicy(setup, isWide: false))
    case .wTinyLFUWide: visitor.visit(WTinyLFUPolicy(setup, isWide: true))
    case .lookahead(let window): visitor.visit(LookaheadPolicy(setup, window: window))
    case .belady: visitor.visit(BeladyPolicy(setup))
    case .infinite: visitor.visit(InfinitePolicy())
    }
  }

  /// Whether the policy has to know the requests to come.
  public var isClairvoyant: Bool {
    switch self {
    case .belady, .lookahead: true
    default: false
    }
  }

  /// Whether the policy makes hashes of the objects.
  var hashesObjects: Bool { self == .wTinyLFU || self == .wTinyLFUWide }

  /// What the caller should know about this kind at this capacity.
  public func limit(at capacity: Int64) -> EvictionLimit? {
    if self != .wTinyLFU { return nil }
    if WTinyLFUPolicy.windowShare(capacity, isWide: false) == 0 { return .storesNothing }
    return WTinyLFUPolicy.hasNarrowSketch(capacity) ? .countsCoarsely : nil
  }

  /// The capacity a cache of this kind really has.
  func effectiveCapacity(_ capacity: Int64) -> Int64 {
    self == .infinite
      ? ResidentObjects.largestCapacity : min(capacity, ResidentObjects.largestCapacity)
  }
}
