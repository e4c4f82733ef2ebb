/// Which rule chooses the object that leaves a full cache.
///
/// This file is the registry: a new policy is a file in `Policies`, and here its case, its row and
/// its line in ``open(_:_:)``. Words, keys, reports and command lines follow from the row.
public enum EvictionKind: Hashable, Sendable {
  /// Least recently used.
  case lru
  /// In order of arrival.
  case fifo
  /// Second chance: a counter of `bits` bits, 1 to 8, spares an object once per hit.
  case clock(bits: Int)
  /// SIEVE (Zhang et al., NSDI 2024).
  case sieve
  /// S3-FIFO (Yang et al., SOSP 2023).
  case s3FIFO(S3FIFODrain)
  /// Least frequently used, first in first out within a frequency.
  case lfu
  /// Adaptive replacement (Megiddo and Modha, FAST 2003).
  case arc
  /// 2Q (Johnson and Shasha, VLDB 1994).
  case twoQ
  /// Segmented LRU of `segments` equal segments, 1 to 64 (Karedla et al., 1994).
  case slru(segments: Int)
  /// Greedy dual, size and frequency (Cherkasova, 1998).
  case gdsf
  /// Window TinyLFU (Einziger, Friedman and Manes, 2017), as libCacheSim has it.
  case wTinyLFU
  /// The same, but its sketch is large enough at any capacity, and its window never empty.
  case wTinyLFUWide
  /// Least recently used, but objects of the next `window` requests, 0 to 2^31 - 1, stay.
  case lookahead(window: Int)
  /// Clairvoyant: the object whose next request is furthest away leaves (Belady, 1966).
  case belady
  /// Nothing leaves; the capacity is ignored.
  case infinite
  /// Whom a rule of somebody else's names; it has no row.
  case foreign(ForeignEviction)
}

extension EvictionKind {
  /// A row for each policy, in the order of the tables that list them.
  public static let rows: [EvictionRow] = [
    EvictionRow("lru", "Evicts what was used least recently", .lru),
    EvictionRow("fifo", "Evicts what came first", .fifo),
    EvictionRow(
      "clock", "Evicts what came first, unless it was used since",
      EvictionNumber(
        key: "bits", placeholder: "BITS", range: 1...8, preset: 1,
        summary: "Bits of the counter of uses", usual: [1, 2], kind: { .clock(bits: $0) },
        value: { if case .clock(let bits) = $0 { bits } else { nil } })),
    EvictionRow("sieve", "SIEVE (NSDI 2024)", .sieve),
    EvictionRow(
      "s3-fifo", "S3-FIFO (SOSP 2023)",
      EvictionChoice(
        key: "drain",
        values: [
          .init(
            word: "paper", summary: "from the small queue only while it is over its share",
            kind: .s3FIFO(.paper)),
          .init(
            word: "libcachesim", summary: "from the main queue only while it is over its share",
            kind: .s3FIFO(.libCacheSim)),
          .init(
            word: "filling",
            summary: "as libcachesim, but what is new fills the main queue, too, at the beginning",
            kind: .s3FIFO(.filling)),
        ], summary: "Which queue the victim comes from", source: "the article's algorithm 1"),
      replays: [
        .init("", .s3FIFO(.libCacheSim)), .init("paper", .s3FIFO(.paper)),
        .init("filling", .s3FIFO(.filling)),
      ]),
    EvictionRow("lfu", "Evicts what was used least often", .lfu),
    EvictionRow("arc", "Adaptive replacement (FAST 2003)", .arc),
    EvictionRow("2q", "2Q (VLDB 1994)", .twoQ),
    EvictionRow(
      "slru", "Segmented LRU",
      EvictionNumber(
        key: "segments", placeholder: "N", range: 1...64, preset: 4,
        summary: "Segments of equal size", usual: [4], kind: { .slru(segments: $0) },
        value: { if case .slru(let segments) = $0 { segments } else { nil } })),
    EvictionRow("gdsf", "Greedy dual, size and frequency", .gdsf),
    // A live cache takes the sketch that is large enough; a replay is held against libCacheSim.
    EvictionRow(
      "w-tinylfu", "Window TinyLFU (2017)", .wTinyLFUWide,
      replays: [.init("", .wTinyLFU), .init("wide", .wTinyLFUWide)], traits: .hashesObjects),
    EvictionRow(
      "lookahead", "LRU, but what the next requests ask for stays",
      EvictionNumber(
        key: "requests", placeholder: "REQUESTS", range: 0...Int(Int32.max), preset: 1_000,
        summary: "Requests that are known ahead of time", usual: [1_000],
        kind: { .lookahead(window: $0) },
        value: { if case .lookahead(let window) = $0 { window } else { nil } }),
      traits: .clairvoyant),
    EvictionRow(
      "belady", "Evicts what is asked for last (Belady, 1966)", .belady, traits: .clairvoyant),
    EvictionRow(
      "infinite", "Evicts nothing, whatever the capacity", .infinite, traits: .ignoresCapacity),
  ]

  /// One of each kind with the parameters it is usually run with.
  public static let all: [EvictionKind] = rows.flatMap { $0.samples }

  /// The policy's row.
  ///
  /// - Precondition: it is not somebody else's.
  public var row: EvictionRow {
    for row in EvictionKind.rows where row.holds(self) { return row }
    preconditionFailure("every shipped kind of eviction has a row")
  }

  private var traits: EvictionTraits {
    if case .foreign = self { return [] }
    return row.traits
  }

  /// Whether the policy has to know the requests to come.
  public var isClairvoyant: Bool { traits.contains(.clairvoyant) }

  /// Whether the policy makes hashes of the objects.
  var hashesObjects: Bool { traits.contains(.hashesObjects) }

  /// The capacity a cache of this kind really has.
  func effectiveCapacity(_ capacity: Int64) -> Int64 {
    traits.contains(.ignoresCapacity)
      ? ResidentObjects.largestCapacity : min(capacity, ResidentObjects.largestCapacity)
  }

  /// What the caller should know about this kind at this capacity.
  public func limit(at capacity: Int64) -> EvictionLimit? {
    self == .wTinyLFU ? WTinyLFUPolicy.limit(at: capacity) : nil
  }
}

/// What is done with a policy of whichever kind.
protocol EvictionVisitor {
  associatedtype Result
  mutating func visit<Policy: EvictionPolicy>(_ policy: Policy) -> Result
}

extension EvictionKind {
  /// Builds the policy and hands it over.
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
    case .foreign(let rule): visitor.visit(ForeignEvictionPolicy(setup, rule))
    }
  }
}
