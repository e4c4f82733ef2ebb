import MediaUnits
import ServicePolicy
import SimulationKernel
import Testing

@testable import ServiceModel

private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

@Suite struct ServiceCacheTests {
  private func cache() -> ServiceCache {
    ServiceCache(titles: 3, users: 2, lifetime: .seconds(10), coldAfter: .seconds(100))
  }

  @Test func `metadata is missing after its lifetime, however often it was shown meanwhile`() {
    var cache = cache()
    #expect(cache.show(0, at: at(10)) == .init(isMissing: false, isCold: false))
    #expect(cache.show(0, at: at(11)) == .init(isMissing: true, isCold: false))
    #expect(cache.show(0, at: at(12)) == .init(isMissing: false, isCold: false))
    #expect(cache.show(1, at: at(101)) == .init(isMissing: true, isCold: true))
    cache.age(2, to: at(-5))
    #expect(cache.show(2, at: at(6)) == .init(isMissing: true, isCold: false))
  }

  /// Covers: SIG-074.
  @Test func `emptied, it has no title and no user's features, and has been so since then`() {
    var cache = cache()
    #expect(cache.knew(user: 1) == true)
    #expect(cache.secondsSinceEmptied(at: at(2)) == nil)
    cache.empty(at: at(5))
    #expect(cache.show(0, at: at(5)) == .init(isMissing: true, isCold: false))
    #expect(!cache.knew(user: 1) && cache.knew(user: 1) && !cache.knew(user: 0))
    #expect(cache.secondsSinceEmptied(at: at(7) + .milliseconds(999)) == 2)
  }
}

@Suite struct EntryListTests {
  private func list(_ change: (inout ContentSettings) -> Void = { _ in }) throws -> EntryList {
    let (shares, alias) = try popularity(4)
    var content = ContentSettings(shares: shares, popularity: alias)
    change(&content)
    return EntryList(content, streams: RandomStreams(seed: 1, replication: 0))
  }

  private let first = EntryList.firstKey

  /// Covers: SIG-046.
  @Test func `pages by key go on where the one before ended, whatever was published`() throws {
    var list = try list()
    list.publish(at: at(1), indexedAfter: .zero)
    let top = list.page(of: 2, after: nil, at: at(2))
    #expect(top == .init(keys: [first, first - 1], lowest: first - 1))
    list.publish(at: at(3), indexedAfter: .zero)
    #expect(list.page(of: 2, after: top.lowest, at: at(3)).keys == [first - 2, first - 3])
  }

  @Test func `pages by offset count from the newest, so that a new entry shifts them`() throws {
    var list = try list { $0.cut = .offset }
    #expect(list.page(of: 2, after: 2, at: at(1)).keys == [first - 3, first - 4])
    list.publish(at: at(2), indexedAfter: .zero)
    #expect(list.page(of: 2, after: 2, at: at(2)).keys == [first - 2, first - 3])
  }

  @Test func `an entry is in no page before the index has it`() throws {
    var list = try list()
    list.publish(at: at(1), indexedAfter: .seconds(4))
    #expect(list.page(of: 1, after: nil, at: at(4)).keys == [first - 1])
    #expect(list.page(of: 1, after: nil, at: at(5)).keys == [first])
    #expect(list.visible(after: first - 2, before: first + 1, at: at(4)) == 1)
    #expect(list.visible(after: first - 2, before: first + 1, at: at(5)) == 2)
    #expect(list.visible(after: first, before: first, at: at(5)) == 0)
  }

  /// Covers: SIG-061.
  @Test func `what has expired is left out or counted, as the reader filters or does not`() throws {
    let pages = try [true, false].map { filters in
      let list = try list {
        $0.ephemeralShare = 0.5
        $0.life = .seconds(3)
        $0.publishRate = 0.5
        $0.filtersExpired = filters
      }
      // The entry before the run's first is two seconds old when the run begins.
      let all = list.page(of: 40, after: first, at: at(5))
      let fresh = list.visible(after: first - 41, before: first, at: at(5))
      return (all: all, fresh: fresh)
    }
    let (filtered, whole) = (pages[0], pages[1])
    #expect(whole.all.keys == (1...40).map { first - $0 })
    #expect(whole.all.expired > 5 && whole.all.expired < 35 && filtered.all.expired == 0)
    #expect(whole.fresh == 40 - whole.all.expired && filtered.fresh == whole.fresh)
    let kept = filtered.all.keys.prefix(whole.fresh)
    #expect(kept.allSatisfy { whole.all.keys.contains($0) })
    #expect(filtered.all.keys.count == 40 && filtered.all.lowest < whole.all.lowest)
  }

  @Test func `an entry expires after its life, and not with it`() throws {
    var list = try list {
      $0.ephemeralShare = 1
      $0.life = .seconds(3)
      $0.filtersExpired = false
    }
    list.publish(at: at(1), indexedAfter: .zero)
    #expect(list.page(of: 1, after: nil, at: at(4)).expired == 0)
    #expect(list.page(of: 1, after: nil, at: at(5)).expired == 1)
  }
}

@Suite struct PartitionedTableTests {
  /// Covers: SIG-059.
  @Test func `each partition has a limit of its own and keeps what it did not use for a while`() {
    var table = PartitionedTable(partitions: 2, rate: 2, burst: 2)
    for _ in 0..<4 { #expect(table.take(0, at: .zero) == true) }
    #expect(!table.take(0, at: .zero) && table.take(1, at: .zero))
    #expect(table.take(0, at: .zero + .milliseconds(500)) == true)
    #expect(table.take(0, at: .zero + .milliseconds(500)) == false)
  }

  @Test func `a limit below one request in a burst lets one through`() {
    var table = PartitionedTable(partitions: 1, rate: 0.1, burst: 1)
    #expect(table.take(0, at: .zero) && !table.take(0, at: at(9)) && table.take(0, at: at(10)))
  }

  @Test func `rows and random bits spread over the partitions`() {
    let table = PartitionedTable(partitions: 4, rate: 1, burst: 1)
    #expect([0, 3, 4, 9].map { table.partition(of: $0) } == [0, 3, 0, 1])
    #expect([0, .max / 2, .max].map { table.partition(for: $0) } == [0, 1, 3])
  }
}

@Suite struct RankerBreakerTests {
  @Test func `without a breaker every call passes, whatever became of others`() {
    var breaker = RankerBreaker(nil)
    for page in 0..<100 as Range<UInt32> {
      #expect(breaker.admits(page: page, at: at(0)) == true)
      breaker.note(page: page, isInTime: false, at: at(0))
    }
  }

  @Test func `calls that are late open it, and after a while one passes`() {
    var breaker = RankerBreaker(.init(window: 4, failures: 2, openFor: .seconds(2), probes: 1))
    for page in 0..<2 as Range<UInt32> {
      #expect(breaker.admits(page: page, at: at(0)) == true)
      breaker.note(page: page, isInTime: false, at: at(0))
    }
    #expect(breaker.admits(page: 2, at: at(1)) == false)
    #expect(breaker.admits(page: 3, at: at(2)) == true)
    breaker.note(page: 3, isInTime: true, at: at(2))
    #expect(breaker.admits(page: 4, at: at(2)) == true)
  }
}
