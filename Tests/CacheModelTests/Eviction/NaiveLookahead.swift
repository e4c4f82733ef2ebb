@testable import CacheModel

/// LRU that passes over what is asked for within the next `window` requests; when that is all, the
/// furthest leaves.
final class NaiveLookahead: NaiveCache {
  private let window: Int
  private var list: [(entry: Entry, next: Int)] = []
  private var now = -1

  init(_ capacity: Int64, _ window: Int) {
    self.window = window
    super.init(capacity)
  }

  override func get(_ id: UInt32, _ size: Int64, next: Int) -> Bool {
    now += 1
    if let at = list.firstIndex(where: { $0.entry.id == id }) {
      list.append((list.remove(at: at).entry, next))
      return true
    }
    if size > capacity { return false }
    while bytes(list.map(\.entry)) + size > capacity {
      let free = list.firstIndex { $0.next > now + window }
      let last = list.indices.max { list[$0].next < list[$1].next }
      if let leaving = free ?? last { list.remove(at: leaving) }
    }
    list.append((Entry(id: id, size: size), next))
    return false
  }
}
