import CachePolicy
import MediaUnits
import Scenario
import SimulationKernel
import Testing

@testable import AudienceModel
@testable import FeedModel

@Suite struct RepublishTests {
  static let changes = [
    "catalogue.titles=200", "catalogue.republish=[{at: 2 min, titles: 100}, {at: 3 min, share: 1}]",
  ]

  // SIG-069
  @Test func `no viewer mixes versions, and old ones are played on`() throws {
    let made = try scenario(RepublishTests.changes, window: "4 min")
    let plan = try FeedRun.plan(made.configuration, seed: 1)
    let world = FeedWorld(
      made.configuration, streams: RandomStreams(seed: 1, replication: 0),
      plan: plan)
    var simulation = Simulation(world)
    FeedWorld.start(&simulation)
    var versions: [UInt64: UInt32] = [:]
    var checked = (requests: 0, old: 0, new: 0)
    for step in 1...2400 {
      let now = Instant.zero + .milliseconds(100) * Int64(step)
      simulation.world.runAhead.bound(by: now)
      _ = try simulation.run(until: now, eventLimit: .max)
      for viewer in simulation.world.viewers where viewer.pointee.isActive {
        for place in 0..<viewer.pointee.items.count {
          let state = viewer.pointee.items[place]
          guard state.item != ItemState.nobody, state.known.contains(.manifest) else { continue }
          let key = UInt64(viewer.pointee.session) << 32 | UInt64(state.item)
          #expect(versions[key] ?? state.number == state.number)
          versions[key] = state.number
          let numbers = simulation.world.setting.pointee.numbers
          if numbers.replaced(state.title.id, number: state.number, by: now) != nil {
            checked.old += 1
          } else if state.number != state.title.id.index {
            checked.new += 1
          }
        }
        for index in 0..<viewer.pointee.requests.count
        where viewer.pointee.requests[index].isActive {
          let request = viewer.pointee.requests[index]
          if request.destination == .feed { continue }
          let state = viewer.pointee.items[Int(request.item) & (viewer.pointee.items.count - 1)]
          let number = request.object / ObjectLayout.stride
          if request.asset == .mediaManifest {
            #expect(number == state.title.id.index)
          } else if request.asset != .poster {
            #expect(number == state.number)
            checked.requests += 1
          }
        }
      }
    }
    #expect(checked.requests > 1000 && checked.old > 100 && checked.new > 1000)
  }

  // SIG-069: new manifest seen within TTL + SWR
  @Test(arguments: [(60, 60), (30, 0), (15, 300)] as [(Int64, Int64)])
  func `no manifest is staler than its lifetime and its stale time`(_ life: Int64, _ stale: Int64)
    throws
  {
    let made = try scenario(
      RepublishTests.changes + [
        "catalogue.republish=[{at: 2 min}]", "cdn.ttl.mediaManifest.maxAge=\(life) s",
        "cdn.ttl.mediaManifest.staleWhileRevalidate=\(stale) s", "catalogue.titles=2000",
        "audience.drain=0 s",
      ], window: "7 min")
    let seen = try run(made).measures.republish
    let bound = TimeSpan.seconds(life + stale).nanoseconds
    #expect(seen.largestStaleness <= bound)
    #expect(seen.largestStaleness > bound * 7 / 10)
    #expect(seen.staleManifests > 20 && seen.staleManifests < seen.manifests / 2)
    #expect(seen.staleness <= seen.largestStaleness * seen.staleManifests)
    #expect(seen.oldViews > 0 && seen.oldViews < seen.views / 2)
  }

  @Test func `where every cache holds a fresh manifest of any age, nobody sees an old version`()
    throws
  {
    let made = try scenario(
      RepublishTests.changes + ["cdn.start={kind: everything}", "policy.prefetch.headLength=0 s"],
      window: "4 min")
    let seen = try run(made).measures.republish
    // Copies of age zero are of the present: only what viewers hold already can be old.
    #expect(seen.manifests > 500)
    #expect(seen.oldViews * 20 < seen.views)
  }

  @Test func `a version's number leads back to nothing but its title`() throws {
    let made = try scenario(
      RepublishTests.changes + ["audience.warmUp=1 min", NewTitleTests.viral], window: "5 min")
    let numbers = TitleNumbers(made.configuration)
    #expect(TitleNumbers.count(made.configuration) == 200 + 1 + 100 + 200)
    func number(_ title: UInt32, _ seconds: Int64) -> UInt32 {
      numbers.number(of: TitleID(title), at: .zero + .seconds(seconds))
    }
    #expect(number(7, 179) == 7 && number(7, 180) == 208 && number(7, 240) == 308)
    #expect(number(150, 239) == 150 && number(150, 240) == 451)
    #expect(number(200, 500) == 200)
    var all: Set<UInt32> = [200]
    for title in 0..<UInt32(200) {
      all.formUnion([number(title, 0), number(title, 200), number(title, 300)])
    }
    #expect(all.count == 501 && all.max() == 500)
    #expect(numbers.replaced(TitleID(7), number: 7, by: .zero + .seconds(179)) == nil)
    #expect(
      numbers.replaced(TitleID(7), number: 7, by: .zero + .seconds(500))
        == .zero + .seconds(180))
    #expect(
      numbers.replaced(TitleID(7), number: 208, by: .zero + .seconds(500))
        == .zero + .seconds(240))
  }
}
