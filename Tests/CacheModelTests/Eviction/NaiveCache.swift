@testable import CacheModel

/// Cache policies written down as their definitions read, on plain arrays and with no thought of
/// speed: the other side of the comparison for the fast ones. First = oldest, last = newest.
class NaiveCache {
  struct Entry {
    var id: UInt32
    var size: Int64
    var count = 0
  }

  let capacity: Int64

  init(_ capacity: Int64) { self.capacity = capacity }

  /// Whether a request is a hit; a miss is stored by the rules of the kind.
  func get(_ id: UInt32, _ size: Int64, next: Int) -> Bool { preconditionFailure("abstract") }

  func bytes(_ list: [Entry]) -> Int64 { list.reduce(0) { $0 + $1.size } }

  func place(_ id: UInt32, in list: [Entry]) -> Int? { list.firstIndex { $0.id == id } }

  static func make(_ kind: EvictionKind, _ capacity: Int64) -> NaiveCache? {
    switch kind {
    case .lru: NaiveRecency(capacity, renews: true)
    case .fifo: NaiveRecency(capacity, renews: false)
    case .clock(let bits): NaiveClock(capacity, bits)
    case .sieve: NaiveSieve(capacity)
    case .s3FIFO(let drain): NaiveS3FIFO(capacity, drain)
    case .lfu: NaiveRanked(capacity, .frequency)
    case .gdsf: NaiveRanked(capacity, .worth)
    case .belady: NaiveRanked(capacity, .nextUse)
    case .arc: NaiveARC(capacity)
    case .twoQ: NaiveTwoQ(capacity)
    case .slru(let segments): NaiveSLRU(capacity, segments)
    case .wTinyLFU: NaiveWTinyLFU(capacity, isWide: false)
    case .wTinyLFUWide: NaiveWTinyLFU(capacity, isWide: true)
    case .lookahead(let window): NaiveLookahead(capacity, window)
    case .infinite: NaiveRecency(.max, renews: false)
    case .foreign: nil
    }
  }
}

final class NaiveRecency: NaiveCache {
  private let renews: Bool
  private var list: [Entry] = []

  init(_ capacity: Int64, renews: Bool) {
    self.renews = renews
    super.init(capacity)
  }

  override func get(_ id: UInt32, _ size: Int64, next: Int) -> Bool {
    if let at = place(id, in: list) {
      if renews { list.append(list.remove(at: at)) }
      return true
    }
    if size > capacity { return false }
    while bytes(list) > capacity - size { list.removeFirst() }
    list.append(Entry(id: id, size: size))
    return false
  }
}

final class NaiveClock: NaiveCache {
  private let most: Int
  private var list: [Entry] = []

  init(_ capacity: Int64, _ bits: Int) {
    most = 1 << bits - 1
    super.init(capacity)
  }

  override func get(_ id: UInt32, _ size: Int64, next: Int) -> Bool {
    if let at = place(id, in: list) {
      list[at].count = min(list[at].count + 1, most)
      return true
    }
    if size > capacity { return false }
    while bytes(list) + size > capacity {
      while list[0].count >= 1 {
        list[0].count -= 1
        list.append(list.removeFirst())
      }
      list.removeFirst()
    }
    list.append(Entry(id: id, size: size))
    return false
  }
}

final class NaiveSieve: NaiveCache {
  private var list: [Entry] = []
  private var hand: UInt32?

  override func get(_ id: UInt32, _ size: Int64, next: Int) -> Bool {
    if let at = place(id, in: list) {
      list[at].count = 1
      return true
    }
    if size > capacity { return false }
    while bytes(list) + size > capacity {
      var at = hand.flatMap { place($0, in: list) } ?? 0
      while list[at].count == 1 {
        list[at].count = 0
        at = (at + 1) % list.count
      }
      hand = at + 1 < list.count ? list[at + 1].id : nil
      list.remove(at: at)
    }
    list.append(Entry(id: id, size: size))
    return false
  }
}

/// The object of the lowest rank leaves.
final class NaiveRanked: NaiveCache {
  enum Rank { case frequency, worth, nextUse }

  private struct Ranked {
    var entry: Entry
    var rank: Double
    var since: Int
  }

  private let kind: Rank
  private var list: [Ranked] = []
  private var base = 0.0
  private var clock = 0

  init(_ capacity: Int64, _ kind: Rank) {
    self.kind = kind
    super.init(capacity)
  }

  private func ranked(_ entry: Entry, next: Int) -> Ranked {
    let rank: Double
    switch kind {
    case .frequency: rank = Double(entry.count)
    case .worth: rank = base + Double(entry.count) * 1e6 / Double(entry.size)
    case .nextUse: rank = -Double(next)
    }
    return Ranked(entry: entry, rank: rank, since: clock)
  }

  override func get(_ id: UInt32, _ size: Int64, next: Int) -> Bool {
    clock += 1
    if let at = list.firstIndex(where: { $0.entry.id == id }) {
      var entry = list.remove(at: at).entry
      entry.count += 1
      list.append(ranked(entry, next: next))
      return true
    }
    if size > capacity { return false }
    while list.reduce(0, { $0 + $1.entry.size }) + size > capacity {
      var least = 0
      for other in list.indices {
        if (list[other].rank, list[other].since) < (list[least].rank, list[least].since) {
          least = other
        }
      }
      base = list[least].rank
      list.remove(at: least)
    }
    list.append(ranked(Entry(id: id, size: size, count: 1), next: next))
    return false
  }
}
