import CachePolicy
import MediaUnits
import SimulationKernel
import Testing

@testable import LoadHarness

struct `Faults of the stand-in` {
  @Test func `faults are read as they are written`() throws {
    func read(_ text: String) throws -> StandinFault { try StandinFault(parsing: text) }
    #expect(
      try read("latency:segment:200ms:0.1")
        == StandinFault(.latency(.milliseconds(200)), asset: .segment, probability: 0.1))
    #expect(
      try read("status:all:503:2%:10s-20s")
        == StandinFault(
          .status(503), probability: 0.02, from: .seconds(10), until: .seconds(20)))
    #expect(try read("reset:init:1").kind == .reset)
    #expect(try read("slow:poster:100 kbps:1").kind == .slow(.kilobits(100)))
    for (word, kind) in [
      ("wrong-length", StandinFault.Kind.wrongLength), ("endless", .endless),
      ("redirect-loop", .redirectLoop), ("malformed", .malformed),
    ] {
      #expect(try read("\(word):media_playlist:0.5").kind == kind)
    }
  }

  @Test func `what cannot be read is refused with what was expected`() {
    for text in [
      "", "latency", "latency:segment:0.1", "latency:segment:x:0.1", "latency:nothing:1ms:0.1",
      "nothing:all:1", "reset:all:2", "reset:all:-1", "reset:all:x", "status:all:200:1",
      "reset:all:1:5s", "reset:all:1:5s-5s", "reset:all:1:5s-9s:1", "slow:all:0:1",
    ] {
      #expect(throws: StandinFault.Malformed.self, "\(text)") {
        _ = try StandinFault(parsing: text)
      }
    }
  }

  @Test func `which request meets a fault follows from its number, at the stated frequency`() {
    var faults = StandinFaults(streams: RandomStreams(seed: 5, replication: 0))
    faults.list = [
      StandinFault(.reset, asset: .segment, probability: 0.25),
      StandinFault(.status(500), until: .seconds(1)),
    ]
    func met(_ request: UInt64, _ asset: AssetClass, _ seconds: Int64) -> [StandinFault.Kind] {
      faults.met(by: request, asset, at: .seconds(seconds))
    }
    let hits = (0..<10_000).filter { met($0, .segment, 2) == [.reset] }
    // Five standard errors of a binomial of 10,000 and 0.25 are 217.
    #expect((2_283...2_717).contains(hits.count))
    #expect(hits == (0..<10_000).filter { met($0, .segment, 2) == [.reset] })
    #expect(met(1, .poster, 0) == [.status(500)] && met(1, .poster, 1).isEmpty)
  }
}
