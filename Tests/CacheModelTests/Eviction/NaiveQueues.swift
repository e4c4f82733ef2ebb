@testable import CacheModel

/// The naive forms of the policies with several lists.
final class NaiveS3FIFO: NaiveCache {
  private let drain: S3FIFODrain
  private let smallShare: Int64
  private let ghostShare: Int64
  private var small: [Entry] = []
  private var main: [Entry] = []
  private var ghost: [Entry] = []
  private var isFilling = true

  init(_ capacity: Int64, _ drain: S3FIFODrain) {
    self.drain = drain
    smallShare = Int64(Double(capacity) * 0.1)
    ghostShare = Int64(Double(capacity) * 0.9)
    super.init(capacity)
  }

  override func get(_ id: UInt32, _ size: Int64, next: Int) -> Bool {
    if let at = place(id, in: small) {
      small[at].count += 1
      return true
    }
    var wasGhost = false
    if let at = place(id, in: ghost) {
      ghost.remove(at: at)
      wasGhost = true
    }
    if let at = place(id, in: main) {
      main[at].count += 1
      return true
    }
    if size > (drain == .paper ? capacity : smallShare) { return false }
    while bytes(small) + bytes(main) + size > capacity {
      isFilling = false
      let fromMain: Bool
      if drain != .paper {
        fromMain = bytes(main) > capacity - smallShare || small.isEmpty
      } else {
        fromMain = (bytes(small) < smallShare && !main.isEmpty) || small.isEmpty
      }
      if fromMain { stepMain() } else { stepSmall() }
    }
    if wasGhost {
      main.append(Entry(id: id, size: size))
    } else if drain == .filling && isFilling && size != smallShare && bytes(small) >= smallShare {
      main.append(Entry(id: id, size: size))
    } else if drain == .paper || size != smallShare {
      small.append(Entry(id: id, size: size))
    }
    return false
  }

  private func stepSmall() {
    while !small.isEmpty {
      var entry = small.removeFirst()
      if entry.count >= 2 {
        entry.count = 0
        main.append(entry)
        while drain == .paper && bytes(main) > capacity - smallShare { stepMain() }
      } else {
        if entry.size > ghostShare { return }
        while bytes(ghost) + entry.size > ghostShare { ghost.removeFirst() }
        ghost.append(entry)
        return
      }
    }
  }

  private func stepMain() {
    while !main.isEmpty {
      var entry = main.removeFirst()
      if entry.count == 0 { return }
      entry.count = min(entry.count, 3) - 1
      main.append(entry)
    }
  }
}

final class NaiveARC: NaiveCache {
  private var t1: [Entry] = []
  private var b1: [Entry] = []
  private var t2: [Entry] = []
  private var b2: [Entry] = []
  private var p = 0.0

  override func get(_ id: UInt32, _ size: Int64, next: Int) -> Bool {
    if let at = place(id, in: t1) {
      t2.append(t1.remove(at: at))
      return true
    }
    if let at = place(id, in: t2) {
      t2.append(t2.remove(at: at))
      return true
    }
    var inB1 = false
    var inB2 = false
    if let at = place(id, in: b1) {
      p = min(p + max(Double(bytes(b2)) / Double(bytes(b1)), 1), Double(capacity))
      b1.remove(at: at)
      inB1 = true
    } else if let at = place(id, in: b2) {
      p = max(p - max(Double(bytes(b1)) / Double(bytes(b2)), 1), 0)
      b2.remove(at: at)
      inB2 = true
    }
    if size > capacity { return false }
    while bytes(t1) + bytes(t2) + size > capacity {
      if inB1 || inB2 {
        replace(inB2)
      } else if bytes(t1) + bytes(b1) + size > capacity {
        if b1.isEmpty {
          t1.removeFirst()
        } else {
          b1.removeFirst()
          replace(inB2)
        }
      } else {
        let all = bytes(t1) + bytes(b1) + bytes(t2) + bytes(b2)
        if all >= 2 * capacity && !b2.isEmpty { b2.removeFirst() }
        replace(inB2)
      }
    }
    let entry = Entry(id: id, size: size)
    if inB1 || inB2 { t2.append(entry) } else { t1.append(entry) }
    return false
  }

  private func replace(_ inB2: Bool) {
    let first = Double(bytes(t1))
    if (first > 0 && (first > p || (first == p && inB2))) || t2.isEmpty {
      b1.append(t1.removeFirst())
    } else {
      b2.append(t2.removeFirst())
    }
  }
}

final class NaiveTwoQ: NaiveCache {
  private var recent: [Entry] = []
  private var ghosts: [Entry] = []
  private var frequent: [Entry] = []

  override func get(_ id: UInt32, _ size: Int64, next: Int) -> Bool {
    let recentShare = capacity / 4
    if place(id, in: recent) != nil { return true }
    var wasGhost = false
    if let at = place(id, in: ghosts) {
      ghosts.remove(at: at)
      wasGhost = true
    }
    if let at = place(id, in: frequent) {
      frequent.append(frequent.remove(at: at))
      return true
    }
    if size > recentShare { return false }
    while bytes(recent) + bytes(frequent) + size > capacity {
      if bytes(recent) > recentShare {
        let entry = recent.removeFirst()
        if entry.size > capacity / 2 { continue }
        while bytes(ghosts) + entry.size > capacity / 2 { ghosts.removeFirst() }
        ghosts.append(entry)
      } else {
        frequent.removeFirst()
      }
    }
    if wasGhost {
      while bytes(frequent) + size > capacity - recentShare { frequent.removeFirst() }
      frequent.append(Entry(id: id, size: size))
    } else {
      recent.append(Entry(id: id, size: size))
    }
    return false
  }
}

/// Lists with shares, as SLRU and the main part of W-TinyLFU have them.
final class NaiveSLRU: NaiveCache {
  let limits: [Int64]
  private(set) var lists: [[Entry]]

  init(_ capacity: Int64, limits: [Int64]) {
    self.limits = limits
    lists = limits.map { _ in [] }
    super.init(capacity)
  }

  convenience init(_ capacity: Int64, _ segments: Int) {
    self.init(
      capacity, limits: [Int64](repeating: capacity / Int64(segments), count: segments))
  }

  var all: Int64 { lists.reduce(0) { $0 + bytes($1) } }
  var victim: Entry? { lists.first { !$0.isEmpty }?.first }

  override func get(_ id: UInt32, _ size: Int64, next: Int) -> Bool {
    if hit(id) { return true }
    if size > limits[0] { return false }
    while all + size > capacity { evict() }
    insert(Entry(id: id, size: size))
    return false
  }

  func hit(_ id: UInt32) -> Bool {
    for list in lists.indices {
      guard let at = place(id, in: lists[list]) else { continue }
      let entry = lists[list].remove(at: at)
      let to = min(list + 1, lists.count - 1)
      lists[to].append(entry)
      while to > list && bytes(lists[to]) > limits[to] { cool(to) }
      return true
    }
    return false
  }

  func insert(_ entry: Entry) {
    let free = lists.indices.first { bytes(lists[$0]) + entry.size <= limits[$0] }
    while free == nil && all + entry.size > capacity { evict() }
    lists[free ?? 0].append(entry)
  }

  func evict() {
    guard let list = lists.firstIndex(where: { !$0.isEmpty }) else { return }
    lists[list].removeFirst()
  }

  private func cool(_ list: Int) {
    if list == 0 {
      evict()
      return
    }
    lists[list - 1].append(lists[list].removeFirst())
    while bytes(lists[list - 1]) > limits[list - 1] { cool(list - 1) }
  }
}

/// Frequencies are those of the same sketch; the rest is written anew.
final class NaiveWTinyLFU: NaiveCache {
  private let main: NaiveSLRU
  private let windowShare: Int64
  private var window: [Entry] = []
  private var sketch: FrequencySketch
  private var hits: Int64 = 0

  /// - Parameter capacity: at most 1,000, which is what the sketch is sized for.
  init(_ capacity: Int64, isWide: Bool) {
    windowShare = max(Int64(Double(capacity) * 0.01), isWide ? min(1, capacity) : 0)
    let share = capacity - windowShare
    main = NaiveSLRU(share, limits: [share / 5, share * 4 / 5])
    sketch = FrequencySketch(entries: Int(share))
    super.init(capacity)
  }

  override func get(_ id: UInt32, _ size: Int64, next: Int) -> Bool {
    if let at = place(id, in: window) {
      window.append(window.remove(at: at))
      return true
    }
    if main.hit(id) {
      sketch.count(UInt64(id))
      hits += 1
      if hits >= 32 * main.capacity {
        hits = 0
        sketch.halve()
      }
      return true
    }
    if size > windowShare { return false }
    while bytes(window) + main.all + size > capacity { evictOne() }
    window.append(Entry(id: id, size: size))
    sketch.count(UInt64(id))
    return false
  }

  /// Candidates move on until one loses; when all have won the main part loses one.
  private func evictOne() {
    while !window.isEmpty {
      let candidate = window.removeFirst()
      defer { sketch.count(UInt64(candidate.id)) }
      if main.all + candidate.size > main.capacity {
        guard let victim = main.victim,
          sketch.estimate(UInt64(candidate.id)) > sketch.estimate(UInt64(victim.id))
        else { return }
        main.evict()
      }
      main.insert(candidate)
    }
    main.evict()
  }
}
