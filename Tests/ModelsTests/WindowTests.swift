import CachePolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel
import Testing

@Suite struct WindowTests {
  static let tiles =
    "windows=[{name: a, from: 0 s, to: 20 s}, {name: b, from: 20 s, to: 1 min}, "
    + "{name: c, from: 1 min, to: 70 min}, {name: inner, from: 10 s, to: 30 s}]"

  private func outcomes(_ counters: TierCounters) -> [Int64] {
    AssetClass.allCases.flatMap { asset in
      CacheOutcome.allCases.flatMap {
        [counters.requests(asset, $0), counters.bytes(asset, $0)]
      }
    }
  }

  @Test(arguments: ["0 s", "30 s"])
  func `windows that tile the run add up to the whole`(_ warmUp: String) throws {
    let measures = try run(
      scenario([WindowTests.tiles, "audience.warmUp=\(warmUp)", "audience.drain=60 min"])
    ).measures
    let tiles = measures.windows.prefix(3)
    for (part, whole) in [
      (\WindowMeasures.client, measures.client), (\.edge, measures.edge),
      (\.shield, measures.shield),
    ] {
      let sums = tiles.map { outcomes($0[keyPath: part]) }.reduce(
        [Int64](repeating: 0, count: outcomes(whole).count)
      ) { zip($0, $1).map { $0 + $1 } }
      #expect(sums == outcomes(whole))
      #expect(tiles.allSatisfy { outcomes($0[keyPath: part]).allSatisfy { $0 >= 0 } })
    }
    for (part, whole) in [
      (\WindowMeasures.requests, measures.counts.requests),
      (\.originRequests, measures.counts.originRequests),
      (\.originBytes, measures.counts.originBytes),
      (\.deliveredBytes, measures.counts.deliveredBytes),
    ] {
      #expect(tiles.reduce(0) { $0 + $1[keyPath: part] } == whole)
    }
    #expect(tiles.allSatisfy { $0.requests > 0 && $0.deliveredBytes > 0 })
    #expect(measures.windows[3].requests > 0)
    #expect(
      measures.windows[3].requests < measures.windows[0].requests + measures.windows[1].requests)
  }

  @Test func `looking at a part of the run changes nothing in it`() throws {
    let plain = try run(scenario())
    let cut = try run(scenario([WindowTests.tiles]))
    #expect(plain.measures.views.map(\.ttff) == cut.measures.views.map(\.ttff))
    #expect(plain.measures.views.map(\.session) == cut.measures.views.map(\.session))
    #expect(plain.measures.windows.isEmpty)
  }
}
