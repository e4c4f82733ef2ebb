import MediaUnits
import SimulationKernel
import Testing

@testable import FeedModel

/// The order of a run's views.
@Suite struct ViewOrderTests {
  private func view(_ at: Int64, _ session: UInt32, _ item: UInt32) -> ViewRecord {
    ViewRecord(
      session: session, item: item, title: 0, network: 0, device: 0, flags: [], firstRung: 0,
      settledAt: Instant(nanoseconds: at), ttff: .zero, ttffPlay: .zero, played: .zero,
      stalled: .zero, stalls: 0, parts: StartupParts())
  }

  @Test(arguments: [0, 1, 2, 3, 50, 1000])
  func `views stand in the order of their clocks, however they came`(_ count: Int) {
    var state: UInt64 = 7
    func random(_ below: Int) -> Int {
      state &+= SplitMix.step
      return Int(SplitMix.finalized(state) >> 33) % below
    }
    var measures = FeedMeasures(networks: 1, devices: 1)
    for item in 0..<count {
      measures.views.append(view(Int64(random(20)), UInt32(random(1000)), UInt32(item)))
    }
    let before = measures.views
    measures.sortViews()
    let pairs = zip(measures.views, measures.views.dropFirst())
    #expect(
      pairs.allSatisfy {
        ($0.settledAt.nanoseconds, $0.session) <= ($1.settledAt.nanoseconds, $1.session)
      })
    // None is lost and none is there twice.
    #expect(Set(measures.views.map(\.item)) == Set(0..<UInt32(count)))
    for view in measures.views {
      #expect(before[Int(view.item)].settledAt == view.settledAt)
      #expect(before[Int(view.item)].session == view.session)
    }
  }
}
