/// When S3-FIFO takes its victim from the small queue.
public enum S3FIFODrain: Hashable, Sendable {
  /// As libCacheSim does: from the small queue unless the main one is over its share.
  case libCacheSim
  /// As the article has it (Yang et al., SOSP 2023, algorithm 1): from the small queue only while
  /// that is at or over its share.
  case paper
}

/// Which rule chooses the object that leaves a full cache.
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

  /// One of each kind with the parameters it is usually run with.
  public static let all: [EvictionKind] = [
    .lru, .fifo, .clock(bits: 1), .clock(bits: 2), .sieve, .s3FIFO(.libCacheSim), .s3FIFO(.paper),
    .lfu, .arc, .twoQ, .slru(segments: 4), .gdsf, .wTinyLFU, .wTinyLFUWide,
    .lookahead(window: 1_000), .belady, .infinite,
  ]
}
