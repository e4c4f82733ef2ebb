import Foundation
import Models
import Scenario
import Synchronization
import Testing

@testable import Studies

@Suite struct ReplayStudyTests {
  /// 600 requests of 39 objects, with sizes, times, lifetimes and three nodes.
  private static let text: String = {
    var text = "time,id,size,ttl,node\n"
    var state: UInt64 = 7
    for index in 0..<600 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let object = (state >> 33) % (1 + (state >> 50) % 40)
      text += "\(index),o\(object),\(100 + object * 7),\(object % 2 * 30),n\(index % 3)\n"
    }
    return text
  }()

  private static func trace(_ text: String = text) throws -> CacheTrace {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent(UUID().uuidString + ".csv").path
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    return try CacheTraceRequest(files: [file], format: .csv).load { _ in }.trace
  }

  private static func capacity(_ value: Int64) -> ReplayPlan.Capacity {
    ReplayPlan.Capacity(text: "\(value)", value: .units(value))
  }

  private static func run(_ trace: CacheTrace, _ plan: ReplayPlan, threads: Int = 2) async
    -> ReplayResult
  {
    await ReplayStudy(trace, plan: plan, threads: threads).run()
  }

  /// Worked by hand: capacity 2 in objects; a b a c b a.
  @Test func `a small trace gives the counts worked by hand`() async throws {
    let plan = ReplayPlan(
      kinds: [.lru, .fifo, .belady],
      capacities: [ReplayPlan.Capacity(text: "2", value: .units(2))], unitSizes: true)
    let result = await Self.run(try Self.trace("id,size\na,5\nb,6\na,5\nc,7\nb,6\na,5\n"), plan)
    // LRU: a b hit c(out b) b(out a) a: 5. FIFO: a b hit c(out a) hit a: 4. Belady: a b hit c(out
    // a) hit a: 4.
    #expect(result.rows.map(\.counts.misses) == [5, 4, 4])
    #expect(result.rows.map(\.counts.objectsAtEnd) == [2, 2, 2])
    #expect(result.summary.bytes == 6)
  }

  @Test func `any number of threads finds the same, and tells of every replay`() async throws {
    let plan = ReplayPlan(capacities: [2_000, 4_000].map { Self.capacity($0) }, hasCurves: true)
    let trace = try Self.trace()
    var found: [[Int64]] = []
    for threads in [1, 2, 7] {
      let told = Mutex<[[Int]]>([])
      let result = await ReplayStudy(trace, plan: plan, threads: threads).run { finished, jobs in
        told.withLock { $0.append([finished, jobs]) }
      }
      found.append(result.rows.map(\.counts.misses))
      let steps = told.withLock { $0 }
      #expect(steps.map { $0[0] } == Array(1...steps.count))
      #expect(steps.allSatisfy { $0[1] == steps.count })
    }
    #expect(found[0].count == 8 && found.allSatisfy { $0 == found[0] })
  }

  /// Every point of the one-pass curve is what a replay of that capacity says, also where the
  /// largest object does not fit.
  @Test func `the curve of LRU agrees with replays at its capacities`() async throws {
    let trace = try Self.trace()
    let curves = await Self.run(trace, ReplayPlan(kinds: [.lru], hasCurves: true)).curves
    let points = try #require(curves.first?.points)
    #expect(curves.map(\.method) == [.exact] && points.count > 15)
    let plan = ReplayPlan(kinds: [.lru], capacities: points.map { Self.capacity($0.capacity) })
    let rows = await Self.run(trace, plan).rows
    #expect(rows.count == points.count)
    for (point, row) in zip(points, rows) {
      #expect((point.missRatio - Double(row.counts.misses) / 600).magnitude < 1e-12)
    }
    // With room for everything only the first requests miss.
    #expect((points[points.count - 1].missRatio - 39.0 / 600).magnitude < 1e-12)
    #expect(points[0].missRatio > 0.9)
  }

  @Test func `SHARDS stands beside the exact curve and is what a sampled one is made of`()
    async throws
  {
    let trace = try Self.trace()
    let beside = await Self.run(trace, ReplayPlan(kinds: [.lru], hasCurves: true, shards: 0.01))
    #expect(beside.curves.map(\.method) == [.exact, .shards])
    // All 39 objects are in the sample: the estimate is exact, and knows what does not fit.
    let (exact, estimate) = (beside.curves[0].points, beside.curves[1].points)
    #expect(exact.count > 5 && exact.count == estimate.count)
    for (a, b) in zip(exact, estimate) {
      #expect(a.capacity == b.capacity && abs(a.missRatio - b.missRatio) < 1e-9)
      #expect(abs(a.byteMissRatio - b.byteMissRatio) < 1e-9)
    }
    let sampled = await Self.run(trace, ReplayPlan(kinds: [.lru], rate: 0.5, hasCurves: true))
    #expect(sampled.curves.map(\.method) == [.shards])
    let error = try #require(sampled.sample?.lruError)
    #expect((0..<1).contains(error) && sampled.rows.allSatisfy { $0.counts.requests == 600 })
  }

  @Test func `what edges miss is what the shield is asked for`() async throws {
    let trace = try Self.trace()
    var misses: [[Int64]] = []
    for age in [CacheReplay.Age.inherited, .fresh] {
      var plan = ReplayPlan(expiry: .rfc9111)
      plan.tiers = ReplayPlan.Tiers(
        edge: ReplayPlan.Tier(kind: .lru, capacity: Self.capacity(1_000)),
        shield: ReplayPlan.Tier(
          kind: .s3FIFO(.paper), capacity: ReplayPlan.Capacity(text: "50%", value: .share(0.5))),
        age: age)
      let study = ReplayStudy(trace, plan: plan, threads: 1)
      #expect(study.remarks.isEmpty)
      let rows = await study.run().rows
      #expect(rows.map(\.tier) == ["edge", "shield"])
      #expect(rows[0].counts.misses == rows[1].counts.requests)
      #expect(rows[0].counts.missedBytes == rows[1].counts.bytes)
      misses.append(rows.map(\.counts.misses))
    }
    // What expires earlier is asked for more often.
    #expect(misses[0][0] > misses[1][0])
  }

  @Test(arguments: [
    (Int64(99), "w-tinylfu at 99 stores nothing"),
    (3_000_000_000, "w-tinylfu at 3000000000 counts next to nothing"), (100, ""),
    (2_000_000_000, ""), (5_000_000_000, ""),
  ]) func `capacities that libCacheSim's W-TinyLFU does badly at are told`(
    _ capacity: Int64, _ note: String
  ) throws {
    let trace = try Self.trace()
    func remarks(_ kind: EvictionKind) -> [String] {
      let plan = ReplayPlan(kinds: [kind], capacities: [Self.capacity(capacity)])
      return ReplayStudy(trace, plan: plan, threads: 1).remarks
    }
    let narrow = remarks(.wTinyLFU)
    #expect(narrow.isEmpty == note.isEmpty && narrow.allSatisfy { $0.hasPrefix(note) })
    #expect(remarks(.wTinyLFUWide).isEmpty)
  }

  @Test func `what a trace lacks is told`() throws {
    let bare = try Self.trace("id\na\nb\na\n")
    var plan = ReplayPlan(expiry: .reference)
    plan.tiers = ReplayPlan.Tiers(
      edge: ReplayPlan.Tier(kind: .lru, capacity: Self.capacity(10)),
      shield: ReplayPlan.Tier(kind: .lru, capacity: Self.capacity(10)), age: .fresh)
    #expect(
      ReplayStudy(bare, plan: plan, threads: 1).remarks == [
        "the trace has no lifetimes: nothing expires",
        "the trace has no nodes, or one: all requests go to one edge",
        "the trace has no sizes: every object is one byte",
      ])
    #expect(ReplayStudy(bare, plan: ReplayPlan(unitSizes: true), threads: 1).remarks.isEmpty)
  }
}
