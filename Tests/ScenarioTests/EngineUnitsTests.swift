import Testing

@testable import Scenario

@Suite struct EngineUnitsTests {
  @Test(
    arguments: [
      (Quantity.time, "40 ms", Int64(40_000_000)), (.time, "0.1 s", 100_000_000),
      (.time, "1.5s", 1_500_000_000), (.time, "0", 0), (.time, "2 d", 172_800_000_000_000),
      (.time, "1 ns", 1), (.time, "-3 us", -3_000), (.time, "1e3 ms", 1_000_000_000),
      (.time, "0.000000001 s", 1), (.time, "9223372036854775807 ns", .max),
      (.time, "4.35 s", 4_350_000_000), (.time, "1.1 h", 3_960_000_000_000),
      (.bytes, "256 MiB", 268_435_456), (.bytes, "1.5 kB", 1_500), (.bytes, "0.1 KiB", 102),
      (.bytes, "0.5 KiB", 512), (.bytes, "2 TiB", 2_199_023_255_552), (.bytes, "7 B", 7),
      (.bitRate, "5 Mbps", 5_000_000), (.bitRate, "1.2 Gbps", 1_200_000_000),
      (.bitRate, "64 kbps", 64_000), (.bitRate, "\t9 bps ", 9),
    ])
  func `quantities are exact decimals`(family: Quantity, text: String, value: Int64) throws {
    #expect(try family.value(of: text) == value)
  }

  @Test(
    arguments: [
      (Quantity.time, "40", "expected a time such as \"40 ms\""),
      (.time, "soon", "expected a time such as \"40 ms\""),
      (.time, ".5 s", "expected a time such as \"40 ms\""),
      (.time, "5 MB", "expected a time such as \"40 ms\", which is a size"),
      (.time, "5 %", "expected a time such as \"40 ms\", which is a ratio"),
      (.bytes, "5 Mbps", "expected a size such as \"256 MiB\", which is a bit rate"),
      (.bitRate, "5 MB", "expected a bit rate such as \"5 Mbps\", which is a size"),
      (.time, "4 MS", "expected a time in one of ns us ms s min h d (did you mean \"4 ms\"?)"),
      (.time, "4 sec", "expected a time in one of ns us ms s min h d (did you mean \"4 s\"?)"),
      (.time, "4 m", "expected a time in one of ns us ms s min h d"),
      (.time, "0.5 ns", "expected a time in whole nanoseconds"),
      (.time, "1.0000000001 s", "expected a time in whole nanoseconds"),
      (.bytes, "1.5 B", "expected a size in whole bytes"),
      (.bytes, "0.0001 KiB", "expected a size in whole bytes"),
      (.time, "9223372036854775808 ns", "expected a time of at most 9223372036854775807 ns"),
      (.time, "1e99999999 s", "expected a time of at most 9223372036854775807 ns"),
      (.time, "200000 d", "expected a time of at most 9223372036854775807 ns"),
    ])
  func `what is no quantity says so`(family: Quantity, text: String, message: String) {
    do throws(QuantityFault) {
      let value = try family.value(of: text)
      Issue.record("\(text) was read as \(value)")
    } catch {
      let hint = error.suggestion.map { " (did you mean \($0)?)" } ?? ""
      #expect("expected \(error.expected)\(error.remark.map { ", \($0)" } ?? "")\(hint)" == message)
    }
  }

  @Test(arguments: [
    (Int64(40_000_000), "40 ms"), (1_500_000_000, "1500 ms"), (0, "0 s"),
    (60_000_000_000, "1 min"), (90_000_000_000, "90 s"), (86_400_000_000_000, "1 d"),
  ])
  func `canonical times use the largest whole unit`(value: Int64, text: String) {
    #expect(Quantity.time.text(value) == text)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `canonical text reads back to the same number`(seed: UInt64) throws {
    var random = EngineRandom(state: seed)
    for _ in 0..<500 {
      let value = Int64(bitPattern: random.next()) >> Int64(random.below(63))
      for family in Quantity.allCases {
        #expect(try family.value(of: family.text(value)) == value)
      }
      let real = Double(bitPattern: random.next())
      if real.isFinite { #expect(try PlainNumber.real(of: PlainNumber.text(real)) == real) }
    }
  }

  @Test func `a percentage is the nearest double to its decimal`() throws {
    #expect(try PlainNumber.ratio(of: "5 %") == 0.05)
    #expect(try PlainNumber.ratio(of: "7%") == 0.07)
    #expect(try PlainNumber.ratio(of: "0.1 %") == 0.001)
    #expect(try PlainNumber.ratio(of: "1") == 1)
    #expect(throws: QuantityFault.self) { try PlainNumber.ratio(of: "101 %") }
    #expect(throws: QuantityFault.self) { try PlainNumber.ratio(of: "-0.1") }
  }

  @Test func `whole numbers may be written with exponents but not with fractions`() throws {
    #expect(try PlainNumber.integer(of: "1e3") == 1_000)
    #expect(try PlainNumber.integer(of: "8.0") == 8)
    #expect(throws: QuantityFault.self) { try PlainNumber.integer(of: "8.5") }
    #expect(throws: QuantityFault.self) { try PlainNumber.integer(of: "1_000") }
    #expect(throws: QuantityFault.self) { try PlainNumber.integer(of: "9223372036854775808") }
    #expect(throws: QuantityFault.self) { try PlainNumber.real(of: "1e999") }
    #expect(throws: QuantityFault.self) { try PlainNumber.real(of: "nan") }
    #expect(throws: QuantityFault.self) { try PlainNumber.real(of: "0x10") }
  }

  @Test func `edits count swaps once and ties go to the first`() {
    #expect(Spelling.nearest(to: "perfetch", in: ["policy", "prefetch"]) == "prefetch")
    #expect(Spelling.nearest(to: "items_ahead", in: ["itemsAhead"]) == "itemsAhead")
    #expect(Spelling.nearest(to: "b", in: ["a", "c"]) == "a")
    #expect(Spelling.nearest(to: "xyz", in: ["abc"]) == nil)
    #expect(Spelling.nearest(to: String(repeating: "a", count: 100_000), in: ["aa"]) == nil)
  }

  @Test func `JSON text is ordered, shortest and escaped`() {
    let value: JSONText = [
      "b": 1, "a": 0.1, "nan": .number(.nan), "inf": .number(.infinity), "s": "é\"\\\u{1}\n",
      "list": [true, nil, 1e300], "none": [], "empty": [:],
    ]
    #expect(
      value.text(indent: 0) == #"{"b":1,"a":0.1,"nan":null,"inf":null,"s":"é\"\\\u0001\n","#
        + #""list":[true,null,1e+300],"none":[],"empty":{}}"#)
    #expect(JSONText.array([1, [:]]).text() == "[\n  1,\n  {}\n]\n")
  }

  // Vectors of the FNV specification for the empty text, "a" and "foobar".
  @Test func `FNV-1a gives the published values`() {
    #expect(Digest.fnv1a64([UInt8]()) == 0xCBF2_9CE4_8422_2325)
    #expect(Digest.fnv1a64("a".utf8) == 0xAF63_DC4C_8601_EC8C)
    #expect(Digest.fnv1a64("foobar".utf8) == 0x8594_4171_F739_67E8)
    #expect(Digest.digest8("foobar") == "72ad2699")
  }
}
