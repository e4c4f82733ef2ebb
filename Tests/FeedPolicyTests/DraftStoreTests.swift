import FeedPolicy
import MediaUnits
import PolicyTesting
import Testing

private func item(_ index: UInt32) -> ItemID { ItemID(index) }

struct `Draft store` {
  typealias Command = DraftStore.Command

  /// Covers: REEL-026.
  @Test func `a draft is there again when its item gets another bar`() {
    var store = DraftStore()
    #expect(commands(of: .edited(item(3), draft: 7), from: &store) == [])
    #expect(commands(of: .shown(item(4)), from: &store) == [])
    #expect(commands(of: .shown(item(3)), from: &store) == [.restore(item(3), draft: 7)])
    #expect(commands(of: .edited(item(3), draft: 8), from: &store) == [.forget(draft: 7)])
    #expect(commands(of: .cleared(item(3)), from: &store) == [.forget(draft: 8)])
    #expect(commands(of: .shown(item(3)), from: &store) == [])
    #expect(commands(of: .cleared(item(3)), from: &store) == [])
    #expect(store.restored == 1 && store.ignored == 1 && store.count == 0)
  }

  @Test func `the draft that was edited longest ago makes room`() {
    var store = DraftStore(.init(limit: 2))
    _ = commands(of: .edited(item(0), draft: 1), from: &store)
    _ = commands(of: .edited(item(1), draft: 2), from: &store)
    _ = commands(of: .edited(item(0), draft: 3), from: &store)
    #expect(commands(of: .edited(item(2), draft: 4), from: &store) == [.forget(draft: 2)])
    #expect(commands(of: .shown(item(0)), from: &store) == [.restore(item(0), draft: 3)])
    #expect(store.evicted == 1)
  }

  /// 40 · 2500 = 100,000 steps. Covers: REEL-026.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `every text is either kept or forgotten, once`(seed: UInt64) {
    var generator = SeededGenerator(seed)
    var store = DraftStore(.init(limit: 5))
    var kept: [ItemID: UInt64] = [:]
    for step in 0..<2_500 {
      let which = item(UInt32(generator.below(12)))
      let event: DraftStore.Event
      switch generator.below(4) {
      case 0:
        // Some reports come twice.
        let number = generator.once(in: 5) ? kept[which] ?? UInt64(step) : UInt64(step)
        event = .edited(which, draft: number)
      case 1: event = .cleared(which)
      default: event = .shown(which)
      }
      let list = commands(of: event, at: Int64(step), from: &store)
      for command in list {
        switch command {
        case .restore(let found, let number):
          #expect(found == which && kept[found] == number, "seed \(seed)")
        case .forget(let number):
          let owner = kept.first { $0.value == number }?.key
          #expect(owner != nil, "seed \(seed): forgotten twice")
          if let owner { kept[owner] = nil }
        }
      }
      if case .shown = event { #expect(list.isEmpty == (kept[which] == nil), "seed \(seed)") }
      if case .edited(_, let number) = event { kept[which] = number }
      #expect(store.count == kept.count && store.count <= 5, "seed \(seed)")
    }
    #expect(store.evicted > 50 && store.restored > 50 && store.ignored > 50)
  }
}
