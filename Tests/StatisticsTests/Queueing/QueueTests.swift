import Foundation
import Testing

@testable import Statistics

@Suite struct QueueTests {
  /// Covers: OQ-20. The values are those of requirements.csv: 10 and 20 calls, 22 % relayed, 5
  /// ports.
  @Test func `Erlang's B gives the tabulated values`() {
    #expect(abs(QueueFormula.blocking(servers: 5, offered: 2.2) - 0.049) < 0.001)
    #expect(abs(QueueFormula.blocking(servers: 5, offered: 4.4) - 0.23) < 0.005)
    #expect(QueueFormula.blocking(servers: 1, offered: 1) == 0.5)
    let servers = QueueFormula.servers(offered: 100, blocking: 0.01)
    #expect(QueueFormula.blocking(servers: servers, offered: 100) <= 0.01)
    #expect(QueueFormula.blocking(servers: servers - 1, offered: 100) > 0.01)
  }

  @Test func `one server waits with the probability of its load`() {
    #expect(abs(QueueFormula.waiting(servers: 1, offered: 0.7) - 0.7) < 1e-12)
    #expect(QueueFormula.waiting(servers: 3, offered: 3) == 1)
  }

  @Test func `twice the load needs less than twice the servers, and more than once`() throws {
    let station = try StationFormula(.lognormal(median: 0.009, sigma: 0.35))
    var spare: [Double] = []
    for rate in [100.0, 400, 1_600, 6_400] {
      let once = try #require(station.servers(rate: rate, limit: 0.03, lateShare: 0.01))
      let twice = try #require(station.servers(rate: 2 * rate, limit: 0.03, lateShare: 0.01))
      #expect(twice > once && twice < 2 * once + 1)
      spare.append(Double(once) / (rate * station.mean))
    }
    // Larger stations need relatively less to spare.
    #expect(spare == spare.sorted(by: >))
  }

  @Test func `a service that is late by itself has no number of servers`() throws {
    let station = try StationFormula(.lognormal(median: 0.1, sigma: 0.3))
    #expect(station.servers(rate: 1, limit: 0.05, lateShare: 0.01) == nil)
  }
}
