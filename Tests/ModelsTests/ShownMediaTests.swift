import MediaUnits
import Models
import Scenario
import Testing

/// The rungs of what viewers saw.
@Suite struct ShownMediaTests {
  private func shown(_ set: [String]) throws -> (ShownMedia, FeedRunResult) {
    let result = try run(scenario(set))
    var sum = ShownMedia()
    for cell in result.measures.shown { sum.add(cell) }
    return (sum, result)
  }

  @Test(arguments: [(0, 300.0), (1, 600), (3, 2500)])
  func `a fixed rung is all that is shown`(_ rung: Int, _ kilobits: Double) throws {
    let (sum, result) = try shown([
      "policy.abr={kind: fixed, rung: \(rung)}", "policy.startupCap.rate=none",
    ])
    let rate = Double(sum.bits) / (Double(sum.media) / 1e9)
    #expect(abs(rate - kilobits * 1000) < 0.001 * kilobits * 1000)
    #expect(sum.switchedItems == 0)
    #expect(sum.topMedia == (rung == 3 ? sum.media : 0))
    // Loops play media again and a swipe back shows an item again; neither is counted twice.
    let started = result.measures.views.filter(\.hasStarted)
    let played = started.reduce(0) { $0 + $1.played.nanoseconds }
    #expect(sum.items > 0 && sum.items <= Int64(started.count))
    #expect(sum.media > played / 2 && sum.media <= played)
  }

  // SIG-026 to SIG-028
  @Test func `a lower cap at the start shows lower rates, and no cap the highest`() throws {
    let rates = try ["300 kbps", "600 kbps", "1100 kbps", "none"].map { cap in
      let (sum, _) = try shown(["policy.startupCap.rate=\(cap)"])
      #expect(sum.topMedia <= sum.media && sum.switchedItems <= sum.items)
      return Double(sum.bits) / Double(sum.media)
    }
    #expect(rates == rates.sorted(), "\(rates)")
    #expect(rates[0] < 0.8 * rates[3], "\(rates)")
  }
}
