import Models
import Testing

@testable import Scenario

@Suite struct CacheWordsTests {
  @Test func `every kind of policy has a word that is read back`() throws {
    for kind in EvictionKind.all {
      #expect(!CacheWords.text(kind).isEmpty)
      #expect(try CacheWords.policy(CacheWords.text(kind)) == kind)
    }
    #expect(try CacheWords.policy("clock:2") == .clock(bits: 2))
    #expect(try CacheWords.policy("slru:4") == .slru(segments: 4))
    #expect(try CacheWords.policy("lookahead:0") == .lookahead(window: 0))
    #expect(try CacheWords.policy("w-tinylfu:wide") == .wTinyLFUWide)
  }

  @Test(
    arguments: ["", "LRU", "clock", "clock:0", "clock:9", "slru:x", "s3-fifo:", "lru:1"]
      + ["lookahead", "lookahead:-1", "lookahead:2147483648", "w-tinylfu:"])
  func `other words are refused`(_ text: String) {
    #expect(throws: QuantityFault.self) { try CacheWords.policy(text) }
  }

  @Test func `a slip gets a hint`() throws {
    let fault = #expect(throws: QuantityFault.self) { try CacheWords.policy("seive") }
    #expect(fault?.suggestion == "sieve")
  }

  @Test(
    arguments: [
      ("10 GiB", 10 << 30), ("500MB", 500_000_000), ("1000000", 1_000_000), ("10%", 300),
      ("0.1 %", 3), ("0.001%", 1), ("33.34 %", 1_000), ("200%", 6_000),
    ] as [(String, Int64)])
  func `capacities are bytes with or without unit, or shares of the working set`(
    _ text: String, _ expected: Int64
  ) throws {
    #expect(try CacheCapacity(text, unitSizes: false).value(workingSet: 3_000) == expected)
  }

  @Test(arguments: ["", "0", "-1", "1.5", "ten", "0%", "-5%", "10 Mbps", "1e30", "%"])
  func `other capacities are refused`(_ text: String) {
    #expect(throws: QuantityFault.self) { try CacheCapacity(text, unitSizes: false) }
    #expect(throws: QuantityFault.self) { try CacheCapacity(text, unitSizes: true) }
  }

  @Test func `with unit sizes a capacity counts objects`() throws {
    #expect(try CacheCapacity("1000", unitSizes: true) == .units(1_000))
    #expect(throws: QuantityFault.self) { try CacheCapacity("1 kB", unitSizes: true) }
  }

  @Test func `admission rules`() throws {
    #expect(try CacheWords.admission("all") == .all)
    #expect(try CacheWords.admission("bloom") == .bloom)
    #expect(try CacheWords.admission("size:2 MB") == .size(atMost: 2_000_000))
    #expect(try CacheWords.admission("prob:0.25") == .probability(0.25))
    for text in ["", "none", "size:", "size", "prob:2", "prob:x", "bloom:1"] {
      #expect(throws: QuantityFault.self) { try CacheWords.admission(text) }
    }
  }
}
