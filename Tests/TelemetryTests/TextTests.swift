import Foundation
import Testing

@testable import Telemetry

/// Numbers, times and names as they stand in fields.
@Suite struct TextTests {
  @Test func `numbers are the nearest ones`() {
    for text in [
      "0", "12", "-3.5", "+4", "0.001", "1e3", "123456789012345678", "2.25E-2", ".5", "5.",
      "0.1234567890123456789", "9007199254740993", "00012.50",
    ] {
      #expect(Fixture.span(text) { TextNumber.real($0) } == Double(text), "\(text)")
    }
    for text in ["", "-", ".", "1.2.3", "x", "0x10", "inf", "nan", "1 2", "1e999", "--1"] {
      #expect(Fixture.span(text) { TextNumber.real($0) } == nil, "\(text)")
    }
    #expect(Fixture.span("-9223372036854775808") { TextNumber.whole($0) } == .min)
    #expect(Fixture.span("9223372036854775808") { TextNumber.whole($0) } == nil)
    #expect(Fixture.span("Yes") { TextNumber.flag($0) } == true)
    #expect(Fixture.span("2") { TextNumber.flag($0) } == nil)
  }

  @Test func `times are read with their offset, or by a zone`() throws {
    func iso(_ text: String, _ zone: String = "UTC") throws -> Int64? {
      var clock = try #require(ZoneClock(zone))
      return Fixture.span(text) { TextTime.iso($0, &clock)?.instant }
    }
    let second: Int64 = 1_000_000_000
    #expect(try iso("2026-03-29T00:59:59Z") == 1_774_745_999 * second)
    #expect(try iso("2026-03-29 02:59:59.25 +02:00") == 1_774_745_999 * second + 250_000_000)
    #expect(try iso("2026-03-29T00:59:59,5 UTC") == 1_774_745_999 * second + 500_000_000)
    #expect(try iso("2026-03-28T19:59:59-0500") == 1_774_745_999 * second)
    #expect(try iso("2026-03-29", "+05:30") == (1_774_742_400 - 19_800) * second)
    #expect(try iso("2026-06-01T12:00", "Europe/Berlin") == 1_780_308_000 * second)
    #expect(try iso("2026-12-01T12:00", "Europe/Berlin") == 1_796_122_800 * second)
    // The hour that comes twice is the first of both.
    #expect(try iso("2026-10-25T02:30:00", "Europe/Berlin") == 1_792_888_200 * second)
    for text in [
      "2026-02-29", "2026-13-01", "2026-1-01", "2026-01-01T25:00", "2026-01-01T00:00:00+99:00",
      "2026-01-01X00:00", "20260101", "", "2026-01-01T00:0", "1969-12-31", "2026-01-01T00:00:00.",
    ] {
      #expect(try iso(text) == nil, "\(text)")
    }
    #expect(ZoneClock("Nowhere/Atall") == nil && ZoneClock("CET+1") == nil)
  }

  @Test func `dates are those of the calendar`() throws {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "yyyy-MM-dd"
    for day in stride(from: 400, through: 60_000, by: 97) {
      let text = formatter.string(from: Date(timeIntervalSince1970: Double(day) * 86_400))
      #expect(Fixture.span(text) { TextTime.day($0) } == Int64(day) * 86_400, "\(text)")
    }
  }

  @Test func `numbers since 1970 are told by their size`() {
    func epoch(_ text: String, _ form: TextTime.Epoch? = nil) -> Int64? {
      Fixture.span(text) { TextTime.epoch($0, form)?.instant }
    }
    let instant: Int64 = 1_774_745_999_123_456_789
    #expect(epoch("1774745999.123456789") == instant)
    #expect(epoch("1774745999123.456789") == instant)
    #expect(epoch("1774745999123456") == instant - 789)
    #expect(epoch("1774745999123456789") == instant)
    #expect(epoch("1774745999123", .milliseconds) == instant - 456_789)
    #expect(epoch("17", .seconds) == nil && epoch("99999999999999999999") == nil)
    #expect(epoch("-1774745999") == nil && epoch("1.") == nil && epoch("") == nil)
  }

  @Test func `the date of a common log`() {
    func date(_ text: String) -> Int64? { Fixture.span(text) { TextTime.commonLog($0) } }
    let instant: Int64 = 1_791_633_336_000_000_000
    #expect(date("10/Oct/2026:13:55:36 +0200") == instant)
    #expect(date("10/Okt/2026:13:55:36 +0200") == nil)
    #expect(date("31/Feb/2026:13:55:36 +0000") == nil)
    #expect(date("10/Oct/2026") == nil)
  }

  @Test func `names become the hashes of SipHash-2-4`() {
    // The example of the paper's appendix: the bytes 0 to 14 under the key 0 to 15.
    let bytes = (0..<15).map { UInt8($0) }
    let hash = bytes.withUnsafeBufferPointer { buffer -> UInt64 in
      guard let base = buffer.baseAddress else { return 0 }
      return Fixture.salt.hash(TextSpan(base, buffer.count))
    }
    #expect(hash == 0xA129_CA61_49BE_45E5)
    let other = IdentitySalt(1, 2)
    #expect(Fixture.span("a") { Fixture.salt.hash($0) != other.hash($0) })
  }

  @Test func `words of cohorts are numbered, and dropped when they are too many`() {
    var table = WordTable()
    let numbers = ["phone", "tablet", "phone"].map { word in
      Fixture.span(word) { table.number($0) }
    }
    #expect(numbers == [1, 2, 1] && table.words == ["phone", "tablet"])
    for index in 0..<2_000 { _ = Fixture.span("user-\(index)") { table.number($0) } }
    #expect(table.isDropped && table.words.isEmpty)
    var long = WordTable()
    #expect(Fixture.span(String(repeating: "x", count: 101)) { long.number($0) } == 0)
    #expect(long.isDropped)
  }

  @Test func `a title is the first parts of a path`() {
    func title(_ path: String, _ parts: Int) -> String {
      Fixture.span(path) { ObservationFiller.title($0, parts: parts).text }
    }
    #expect(title("/v/a/s1.mp4", 2) == "v/a" && title("/v/a", 2) == "v" && title("/v", 2) == "v")
    #expect(title("/v/a/b/c.mp4", 1) == "v" && title("/", 2) == "")
  }
}
