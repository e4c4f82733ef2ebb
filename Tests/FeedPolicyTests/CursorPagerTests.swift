import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private func item(_ index: UInt32) -> ItemID { ItemID(index) }

/// A server whose newest items come first and which publishes while the viewer pages.
private struct PagingServer {
  enum Cursor { case position, key }
  var cursor: Cursor
  /// Keys, the newest first; a newer one is larger.
  var items: [UInt64]

  mutating func publish() { items.insert(items[0] + 1, at: 0) }

  func page(_ cursor: UInt64?, size: Int) -> CursorPager.Page {
    let begin: Int
    switch (self.cursor, cursor) {
    case (_, nil): begin = 0
    case (.position, let place?): begin = Int(place)
    case (.key, let last?): begin = items.firstIndex { $0 < last } ?? items.count
    }
    let keys = Array(items[min(begin, items.count)...].prefix(size))
    let end = begin + keys.count
    if end >= items.count { return .init(keys: keys, next: nil) }
    return .init(keys: keys, next: self.cursor == .key ? keys.last! : UInt64(end))
  }
}

struct `Cursor pager` {
  /// Covers: SIG-046, SIG-047.
  @Test func `pages follow each other by their cursors, one at a time`() {
    var pager = CursorPager()
    #expect(commands(of: .opened, from: &pager) == [.request(1, cursor: nil)])
    #expect(commands(of: .moved(to: item(0)), from: &pager) == [])
    #expect(
      commands(of: .pageArrived(request: 1, .init(keys: Array(0..<10), next: 77)), from: &pager)
        == [.append(from: item(0), keys: Array(0..<10))])
    #expect(commands(of: .moved(to: item(4)), from: &pager) == [])
    #expect(commands(of: .moved(to: item(5)), from: &pager) == [.request(2, cursor: 77)])
    #expect(
      commands(of: .pageArrived(request: 1, .init(keys: [99], next: 5)), from: &pager) == [])
    #expect(commands(of: .pageFailed(request: 2), from: &pager) == [])
    #expect(commands(of: .moved(to: item(6)), from: &pager) == [.request(3, cursor: 77)])
    #expect(
      commands(of: .pageArrived(request: 3, .init(keys: [9, 10, 10], next: nil)), from: &pager)
        == [.append(from: item(10), keys: [10])])
    #expect(pager.isAtEnd && pager.count == 11 && pager.duplicates == 2 && pager.ignored == 1)
    #expect(commands(of: .moved(to: item(10)), from: &pager) == [])
  }

  @Test func `a server that repeats itself is asked a bounded number of times`() {
    var pager = CursorPager(.init(emptyPages: 3))
    _ = commands(of: .opened, from: &pager)
    var request: UInt32 = 1
    var list = commands(of: .pageArrived(request: 1, .init(keys: [1], next: 1)), from: &pager)
    var asked = 0
    while case .request(let number, _)? = list.last {
      request = number
      asked += 1
      list = commands(of: .pageArrived(request: request, .init(keys: [1], next: 1)), from: &pager)
    }
    #expect(asked == 4)
    #expect(!pager.isAtEnd)
    #expect(commands(of: .moved(to: item(0)), from: &pager).count == 1)
  }

  /// 40 · 2500 = 100,000 steps, with late, repeated and lost answers. Covers: SIG-046.
  @Test(arguments: Array(0..<40 as Range<UInt64>))
  func `no item is shown twice, and by keys none is missing while others are published`(
    seed: UInt64
  ) {
    var generator = SeededGenerator(seed)
    let kind: PagingServer.Cursor = seed % 2 == 0 ? .key : .position
    var server = PagingServer(cursor: kind, items: (0..<3000).reversed())
    let atOpening = server.items
    var pager = CursorPager(.init(memory: 4000))
    var shown: [UInt64] = []
    var open: [(UInt32, UInt64?)] = []
    var answers: [(UInt32, CursorPager.Page)] = []
    var position = 0
    func perform(_ list: [CursorPager.Command]) {
      for command in list {
        switch command {
        case .request(let number, let cursor): open.append((number, cursor))
        case .append(let first, let keys):
          #expect(Int(first.index) == shown.count, "seed \(seed)")
          shown += keys
        }
      }
    }
    perform(commands(of: .opened, from: &pager))
    for _ in 0..<2500 {
      switch generator.below(8) {
      case 0: server.publish()
      case 1...3:
        position = min(max(0, shown.count - 1), position + generator.below(4))
        perform(commands(of: .moved(to: item(UInt32(position))), from: &pager))
      case 4...5:
        if let (number, cursor) = open.last {
          answers.append((number, server.page(cursor, size: 10)))
          perform(
            commands(of: .pageArrived(request: number, answers.last!.1), from: &pager))
        }
      case 6:
        if !answers.isEmpty {
          let (number, page) = answers[generator.below(answers.count)]
          perform(commands(of: .pageArrived(request: number, page), from: &pager))
        }
      default:
        let number = UInt32(generator.below(open.count + 2))
        perform(commands(of: .pageFailed(request: number), from: &pager))
      }
      #expect(Int(pager.count) == shown.count, "seed \(seed)")
    }
    #expect(Set(shown).count == shown.count, "seed \(seed): an item twice")
    if kind == .key {
      #expect(shown == Array(server.items.drop { $0 > shown[0] }.prefix(shown.count)))
      #expect(shown.allSatisfy { $0 <= shown[0] } && atOpening.contains(shown.last!))
      #expect(pager.duplicates == 0)
    } else {
      #expect(pager.duplicates > 0)
    }
    #expect(shown.count > 300 && pager.ignored > 50)
  }
}
