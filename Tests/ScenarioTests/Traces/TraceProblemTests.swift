import Foundation
import Testing

@testable import Scenario

@Suite struct TraceProblemTests {
  @Test(
    arguments: [
      ("", "t:1:1: (file): expected a trace, got an empty file"),
      ("\n# nothing\n", "t:1:1: (file): expected a trace, got no rows"),
      ("1\n2\n\u{1}", "t:3:1: (file): expected a text file, got the control byte 1"),
      (
        "lorem ipsum\n",
        "t:1:1: (file): expected a trace in one of the formats mahimahi, cooked, norway-3g, "
          + "belgium-4g, fcc, sabre, oboe, firstframe, got rows like \"lorem ipsum\""
      ),
      ("0\n0\n", "t:1:1: (file): expected a last time after 0 ms, the period, got only times of 0"),
      ("5\n4\n6\n", "t:2:1: time: expected a time of at least 5 ms, got 4"),
      ("5\n7 8\n9\n", "t:2:1: (file): expected one number of milliseconds, got 2 fields"),
      ("5\n6.5\n7\n", "t:2:1: time: expected whole milliseconds, got 6.5"),
      ("-5\n6\n", "t:1:1: time: expected milliseconds from 0 to 1000000000, got -5"),
      (
        "0 1\n",
        "t:1:1: (file): expected at least two rows, as the first one's rate is not used, "
          + "got one row"
      ),
      ("0 1\n2 4\n2 3\n", "t:3:1: time: expected a time after the last row's, 2.0 s, got 2"),
      ("0 1\n2 nan\n", "t:2:3: rate: expected a number of Mbit/s, got nan"),
      ("0 1\n2 1x\n", "t:2:3: rate: expected a number of Mbit/s, got 1x"),
      ("0 1\n2 -1\n", "t:2:3: rate: expected Mbit/s from 0 to 100000, got -1"),
      (
        "0 2500000\n1 3500000\n2 4500000\n",
        "t:1:3: rate: expected Mbit/s from 0 to 100000, got 2500000, which looks "
          + "like kbit/s or bit/s"
      ),
      (
        "1453121790.5 1\n1453121791.5 2\n",
        "t:1:1: time: expected seconds since the start from 0 to 1000000, got 1453121790.5, "
          + "which looks like a clock's time or milliseconds"
      ),
      (
        "0 1\n2 3\n4",
        "t:3:1: (file): expected two numbers: seconds and Mbit/s, got 1 field, "
          + "and the file ends inside this line"
      ),
      (
        "0 1\n2 3\n4 5.",
        "t:3:3: rate: expected a number of Mbit/s, got 5., and the file ends inside this number"
      ),
      (
        "1284990000 5000 59.9 10.7 1 1000\n1284990001 5000 59.9 10.7 1 1000\n",
        "t:2:12: since_start_ms: expected a time after the last row's, 5000 ms, got 5000"
      ),
      (
        "1284990000 5000 59.9 10.7 1 1000\n1284990001 6000 north 10.7 1 0\n",
        "t:2:17: latitude: expected a number of degrees, got north"
      ),
      (
        "7 4000\n30 4000\n40 5000\n90 5000\n95 6000\n",
        "t:5:1: (file): expected two lines for each chunk, got a start "
          + "without its end on the last line"
      ),
      (
        "7 4000\n30 4000\n40 5000\n90 5000\n95 5000\n99 5100\n101 1\n102 1\n",
        "t:6:4: rate: expected the rate of line 5, as both are one chunk, got 5100"
      ),
      (
        "7 400\n30 400\n29 500\n90 500\n",
        "t:3:1: time: expected a time not before the last line's, 30 ms, got 29"
      ),
      (
        "time_s,down_kbps\n0,5\n",
        "t:1:8: (file): expected a column of time_s, down_mbps, up_mbps, rtt_ms, loss, "
          + "got down_kbps (did you mean down_mbps?)"
      ),
      (
        "time_s,down_mbps\n0,5\n1,\n2,7\n",
        "t:4:1: (file): expected no row after the one that ends it, got a row"
      ),
      ("time_s,down_mbps\n0,5\n1,", "t:3:3: down_mbps: expected a number of Mbit/s, got nothing"),
      (
        "time_s,down_mbps,loss\n0,5,2\n",
        "t:2:5: loss: expected a probability from 0 to 1, got 2, which looks like per cent"
      ),
      ("time_s,down_mbps\n", "t:1:1: (file): expected rows of firstframe, got none"),
      ("[]", "t:1:1: (file): expected rows of sabre, got none"),
      (
        "[{\"duration_ms\": 5, \"bandwidth_kbps\": 7}]",
        "t:1:2: latency_ms: expected a period with latency_ms, got none"
      ),
      (
        "[\n {\"duration_ms\": 0, \"bandwidth_kbps\": 7, \"latency_ms\": 1}\n]",
        "t:2:18: duration_ms: expected more than 0 milliseconds, got 0"
      ),
      (
        "[{\"duration_ms\": 5, \"bandwith_kbps\": 7, \"bandwidth_kbps\": 7, \"latency_ms\": 1}]",
        "t:1:22: (file): expected one of duration_ms, bandwidth_kbps, latency_ms, "
          + "got bandwith_kbps (did you mean bandwidth_kbps?)"
      ),
      (
        "[\n{\"duration_ms\": 5, \"bandwidth_kbps\": 7, \"latency_ms\": 1},\n",
        "t:2:58: (file): expected a period, {…}, got the end of the file"
      ),
      (
        "[{\"duration_ms\": \"5\", \"bandwidth_kbps\": null, \"latency_ms\": 1}]",
        "t:1:18: duration_ms: expected a number of milliseconds, got \"5\""
      ),
      ("unit_id,dtime,target\n1,2,3\n", "t:1:1: bytes_sec: expected a column bytes_sec, got none"),
      (
        "unit_id,dtime,target,bytes_sec\n1,yesterday,x,3\n",
        "t:2:3: dtime: expected a time as 2016-06-01 00:00:00, got yesterday"
      ),
    ])
  func `what is wrong is said with its place`(text: String, complaint: String) {
    #expect(TraceFixture.complaints(text).first == complaint)
  }

  @Test func `one pass finds every problem`() {
    #expect(
      TraceFixture.complaints("0 1\n1 x\ny 2\n2 3 4\n3 -1\n3 1\n") == [
        "t:2:3: rate: expected a number of Mbit/s, got x",
        "t:3:1: time: expected a number of seconds since the start, got y",
        "t:4:1: (file): expected two numbers: seconds and Mbit/s, got 3 fields",
        "t:5:3: rate: expected Mbit/s from 0 to 100000, got -1",
        "t:6:1: time: expected a time after the last row's, 3.0 s, got 3",
      ])
  }

  @Test func `one jump in time is one problem`() {
    #expect(TraceFixture.complaints("0 1\n1 2\n900 3\n4 5\n5 6\n6 7\n").count == 1)
    #expect(TraceFixture.complaints("1\n900\n4\n5\n6\n").count == 1)
  }

  @Test func `twenty problems are told and the rest is counted`() {
    let text = "0 1\n" + (1...25).map { "\($0) -1\n" }.joined()
    let complaints = TraceFixture.complaints(text)
    #expect(complaints.count == 21)
    #expect(complaints.last == "and 5 more problems in this trace")
  }

  @Test func `bytes that are not UTF-8 are named by their line`() {
    #expect(throws: InputRejected.self) {
      try TraceReader.read(bytes: [0x31, 0x0A, 0xFF, 0x0A], named: "t")
    }
    do {
      _ = try TraceReader.read(bytes: [0x31, 0x0A, 0xFF, 0x0A], named: "t")
    } catch {
      #expect(
        error.description == "t:2:1: (file): expected UTF-8 text, got other bytes in this line")
    }
  }

  @Test func `a file that is not there or no file is an error of its own`() {
    do {
      _ = try TraceReader.read(path: "/nowhere/trace")
      Issue.record("read a file that does not exist")
    } catch {
      #expect(error.isMissingFile)
      #expect(
        error.description
          == "/nowhere/trace:1:1: (file): expected an existing file, got no file of this name")
    }
    do {
      _ = try TraceReader.read(path: "/")
      Issue.record("read a directory")
    } catch {
      #expect(error.description == "/:1:1: (file): expected a file, got a directory")
    }
  }

  @Test func `numbers are decimals as written, to the last bit`() {
    let texts = [
      "0", "007", "3.87999987602", "0.48565227021", "1e3", "1.5E-3", "+2", "4646.670926517572",
      "123456789012345678901234567890", "0.1", "9007199254740993", "2.2250738585072011e-308", "5.",
    ]
    for text in texts {
      let source = TraceText(Array(text.utf8), file: "t")
      #expect(source.number(source.fields(of: source.lines[0], .blanks)[0]) == Double(text))
    }
    for text in ["nan", "inf", "0x10", "1_000", "1e", ".", "--1", "1,5", "１", "1e5x"] {
      let source = TraceText(Array(text.utf8), file: "t")
      #expect(source.number(source.fields(of: source.lines[0], .blanks)[0]) == nil)
    }
  }

  @Test func `no bytes whatever crash the reader`() {
    var state: UInt64 = 42
    func draw(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    let alphabet = Array("0123456789 .,-e\n\n\t[]{}:\"a_#\r".utf8)
    var rejected = 0
    for round in 0..<4_000 {
      let sample = TraceFixture.samples[round % TraceFixture.samples.count]
      var bytes = Array(sample.1.utf8)
      for _ in 0...draw(4) {
        let place = Int(draw(UInt64(bytes.count)))
        switch draw(3) {
        case 0: bytes[place] = alphabet[Int(draw(UInt64(alphabet.count)))]
        case 1: bytes.insert(alphabet[Int(draw(UInt64(alphabet.count)))], at: place)
        default: bytes.removeLast(Int(draw(UInt64(bytes.count))))
        }
        if bytes.isEmpty { bytes = [0x30] }
      }
      for format in [nil, sample.0] {
        do {
          _ = try TraceReader.readAll(bytes: bytes, named: "t", format: format)
        } catch {
          rejected += 1
          #expect(!error.problems.isEmpty)
        }
      }
    }
    #expect(rejected > 1_000)
  }
}
