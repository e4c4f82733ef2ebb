/// When S3-FIFO takes its victim from the small queue.
public enum S3FIFODrain: Hashable, Sendable {
  /// As libCacheSim does: from the small queue unless the main one is over its share.
  case libCacheSim
  /// As the article has it (Yang et al., SOSP 2023, algorithm 1): from the small queue only while
  /// that is at or over its share.
  case paper
  /// As ``libCacheSim``, and as its package 0.3.5 fills a cache: until something is evicted, new
  /// objects go to the main queue while the small one is full.
  case filling
}

/// S3-FIFO (Yang et al., SOSP 2023): a small queue for what is new, a main queue for what was asked
/// for again, and a ghost queue of what left the small one unused.
///
/// Shares in bytes: small 10 % of the capacity, main the rest, ghost 90 %. Hits are counted to 3.
/// An object of the small queue goes to the main one at two hits. The two rules for the drain
/// differ in when the small queue is taken from, and libCacheSim's stores no object above the small
/// queue's share, nor a new one of exactly that size.
struct S3FIFOPolicy: EvictionPolicy {
  private static var small: Int { 0 }
  private static var main: Int { 1 }
  private static var ghost: Int { 2 }
  private static var mostHits: UInt8 { 3 }
  private static var hitsToMain: UInt8 { 2 }

  private let drain: S3FIFODrain
  private let smallShare: Int64
  private let mainShare: Int64
  private let ghostShare: Int64
  private var queues: HandleQueues
  private var hits: [UInt8]
  private var isGhost: [Bool]
  private var isMain: [Bool]
  private var wasGhost = false
  private var hasEvicted = false

  init(_ setup: EvictionSetup, drain: S3FIFODrain) {
    self.drain = drain
    smallShare = setup.share(0.1)
    mainShare = setup.capacity - smallShare
    ghostShare = setup.share(0.9)
    queues = HandleQueues(objects: setup.objects, queues: 3)
    hits = [UInt8](repeating: 0, count: setup.objects)
    isGhost = [Bool](repeating: false, count: setup.objects)
    isMain = [Bool](repeating: false, count: setup.objects)
  }

  var largestObject: Int64 { drain == .paper ? .max : smallShare }

  @inline(__always)
  mutating func hit(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    let count = hits[Int(request.object)]
    if count < S3FIFOPolicy.mostHits { hits[Int(request.object)] = count + 1 }
  }

  @inline(__always)
  mutating func missed(_ request: CacheRequest, _ residents: inout ResidentObjects) {
    wasGhost = isGhost[Int(request.object)]
    if wasGhost { forgetGhost(request.object, residents) }
  }

  mutating func evict(for request: CacheRequest, _ residents: inout ResidentObjects) {
    hasEvicted = true
    let takesMain: Bool
    switch drain {
    case .libCacheSim, .filling:
      takesMain =
        queues.bytes[S3FIFOPolicy.main] > mainShare || queues.isEmpty(S3FIFOPolicy.small)
    case .paper:
      takesMain =
        queues.isEmpty(S3FIFOPolicy.small)
        || (queues.bytes[S3FIFOPolicy.small] < smallShare && !queues.isEmpty(S3FIFOPolicy.main))
    }
    if takesMain { evictMain(&residents) } else { evictSmall(&residents) }
  }

  @inline(__always)
  mutating func place(_ request: CacheRequest, _ residents: inout ResidentObjects) -> Bool {
    if !wasGhost && drain != .paper && request.size == smallShare { return false }
    let goesToMain = wasGhost || fillsMain
    hits[Int(request.object)] = 0
    isMain[Int(request.object)] = goesToMain
    queues.push(
      request.object, to: goesToMain ? S3FIFOPolicy.main : S3FIFOPolicy.small, bytes: request.size)
    return true
  }

  @inline(__always)
  private var fillsMain: Bool {
    drain == .filling && !hasEvicted && queues.bytes[S3FIFOPolicy.small] >= smallShare
  }

  mutating func remove(_ object: UInt32, _ residents: inout ResidentObjects) {
    let queue = isMain[Int(object)] ? S3FIFOPolicy.main : S3FIFOPolicy.small
    queues.unlink(object, from: queue, bytes: residents.size(object))
  }

  /// Moves the small queue's oldest to the main one while they were asked for, then sends one away.
  private mutating func evictSmall(_ residents: inout ResidentObjects) {
    while !queues.isEmpty(S3FIFOPolicy.small) {
      let object = queues.oldest(S3FIFOPolicy.small)
      let size = residents.size(object)
      queues.unlink(object, from: S3FIFOPolicy.small, bytes: size)
      if hits[Int(object)] < S3FIFOPolicy.hitsToMain {
        residents.evict(object)
        remember(object, size, residents)
        return
      }
      hits[Int(object)] = 0
      isMain[Int(object)] = true
      queues.push(object, to: S3FIFOPolicy.main, bytes: size)
      while drain == .paper && queues.bytes[S3FIFOPolicy.main] > mainShare {
        evictMain(&residents)
      }
    }
  }

  /// Renews the main queue's oldest while they were asked for, then sends one away.
  private mutating func evictMain(_ residents: inout ResidentObjects) {
    while !queues.isEmpty(S3FIFOPolicy.main) {
      let object = queues.oldest(S3FIFOPolicy.main)
      let count = hits[Int(object)]
      if count == 0 {
        queues.unlink(object, from: S3FIFOPolicy.main, bytes: residents.size(object))
        residents.evict(object)
        return
      }
      hits[Int(object)] = count - 1
      queues.renew(object, in: S3FIFOPolicy.main)
    }
  }

  private mutating func remember(
    _ object: UInt32, _ size: Int64, _ residents: ResidentObjects
  ) {
    if size > ghostShare { return }
    while queues.bytes[S3FIFOPolicy.ghost] > ghostShare - size {
      forgetGhost(queues.oldest(S3FIFOPolicy.ghost), residents)
    }
    isGhost[Int(object)] = true
    queues.push(object, to: S3FIFOPolicy.ghost, bytes: size)
  }

  private mutating func forgetGhost(_ object: UInt32, _ residents: ResidentObjects) {
    isGhost[Int(object)] = false
    queues.unlink(object, from: S3FIFOPolicy.ghost, bytes: residents.size(object))
  }

  mutating func grow(to objects: Int) {
    queues.grow(to: objects)
    let more = objects - hits.count
    hits.append(contentsOf: repeatElement(0, count: more))
    isGhost.append(contentsOf: repeatElement(false, count: more))
    isMain.append(contentsOf: repeatElement(false, count: more))
  }
}
