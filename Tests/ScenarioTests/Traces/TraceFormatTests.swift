import Models
import Testing

@testable import Scenario

@Suite struct TraceFormatTests {
  @Test(arguments: TraceFixture.samples)
  func `each format is known by its content`(format: TraceFormat, text: String) throws {
    #expect(try TraceFixture.read(text).format == format)
    #expect(try TraceFixture.read(text) == TraceFixture.read(text, format: format))
  }

  @Test(arguments: TraceFixture.samples)
  func `line ends, blank lines, remarks and a byte order mark change nothing`(
    format: TraceFormat, text: String
  ) throws {
    let plain = try TraceFixture.read(text)
    let windows = text.replacing("\n", with: "\r\n")
    #expect(try TraceFixture.read(windows) == plain)
    #expect(try TraceFixture.read("\u{FEFF}\n# a remark\n\n" + text + "\n\n") == plain)
  }

  @Test func `a mahimahi line is 1500 bytes in the millisecond before it`() throws {
    let trace = try TraceFixture.read("1\n1\n3\n4\n")
    #expect(trace.rate.starts == [0, 1_000_000, 2_000_000])
    #expect(trace.rate.rates == [24e6, 0, 12e6])
    #expect(trace.rate.end == .loop(period: 4_000_000))
    #expect(TraceFixture.bytes(trace.rate, from: 0, to: 8_000_000) == 12_000)
    #expect(trace.statistics.mean == 12)
  }

  @Test func `mahimahi lines of 0 count at the end of the period`() throws {
    #expect(try TraceFixture.read("0\n0\n2\n").rate == TraceFixture.read("2\n2\n2\n").rate)
  }

  @Test func `a cooked row holds up to its time and the first one is not used`() throws {
    let trace = try TraceFixture.read("0.0 9\n2.0 3.0\n5.5 0.25\n")
    #expect(trace.rate.starts == [0, 2_000_000_000])
    #expect(trace.rate.rates == [3e6, 0.25e6])
    #expect(trace.rate.end == .loop(period: 5_500_000_000))
    #expect(trace.duration == 5_500_000_000)
  }

  @Test func `a cooked trace begins at its first time and starts anew at 0`() throws {
    let trace = try TraceFixture.read("1 9\n3 2\n4 8\n")
    #expect(trace.rate.starts == [0, 2_000_000_000, 3_000_000_000])
    #expect(trace.rate.rates == [2e6, 8e6, 2e6])
    #expect(trace.rate.end == .loop(period: 4_000_000_000))
  }

  @Test func `the logs of Norway and Belgium are bytes over the time since the last row`() throws {
    let norway = try TraceFixture.read(TraceFixture.samples[2].1)
    #expect(norway.rate.rates == [96_000, 192_000])
    #expect(norway.rate.end == .loop(period: 2_000_000_000))
    let belgium = try TraceFixture.read(TraceFixture.samples[3].1)
    #expect(abs(belgium.rate.rates[0] - 4e9 / 999) < 1e-6)
    #expect(belgium.rate.starts == [0, 999_000_000])
    #expect(belgium.statistics.shareOfZero == 1000.0 / 1999.0)
    let withoutPast =
      "1450000000000 10 51.0 3.7 0 0\n"
      + TraceFixture.samples[3].1
      .replacing(" 10 ", with: " 11 ")
    #expect(try TraceFixture.read(withoutPast).rate == belgium.rate)
  }

  @Test func `the FCC's measurements of a unit and target follow each other, 5 s each`() throws {
    let trace = try TraceFixture.read(TraceFixture.samples[4].1)
    #expect(trace.name == "7 http://a.example")
    #expect(trace.rate.rates == [2e6, 4e6])
    #expect(trace.rate.starts == [0, 5_000_000_000])
    let short = TraceOptions(sampleLength: 1_000_000_000)
    #expect(
      try TraceFixture.read(TraceFixture.samples[4].1, options: short).duration == 2_000_000_000)
  }

  @Test func `FCC files are read without a header, out of order and with the interval's rate`()
    throws
  {
    let bare = """
      7,2016-06-01 02:00:00,x,1.2.3.4,900,1000,500000,3
      7,2016-06-01 01:00:00,x,1.2.3.4,900,1000,250000,3

      """
    #expect(try TraceFixture.read(bare).rate.rates == [2e6, 4e6])
    let download = """
      #unit_id,dtime,ddate,target,bytes_sec,bytes_sec_interval,sequence
      7,"2016-06-01 01:00:00",2016-06-01,"x",100,"125000",1
      7,2016-06-01 01:00:00,2016-06-01,x,1000000,NULL,0
      7,2016-06-01 01:00:00,2016-06-01,x,NULL,NULL,2

      """
    #expect(try TraceFixture.read(download).rate.rates == [8e6, 1e6])
    #expect(try TraceFixture.read(download).duration == 10_000_000_000)
  }

  @Test func `Sabre's periods carry a latency`() throws {
    let trace = try TraceFixture.read(TraceFixture.samples[5].1)
    #expect(trace.rate.rates == [4e6, 0])
    #expect(trace.rate.end == .loop(period: 2_500_000_000))
    #expect(trace.roundTripMs?.value(at: 0) == 80)
    #expect(trace.roundTripMs?.value(at: 2_400_000_000) == 120)
    #expect(trace.roundTripMs?.value(at: 2_600_000_000) == 80)
  }

  @Test func `one of several traces is chosen by name`() throws {
    let text = "trace,duration_ms,bandwidth_kbps,latency_ms\na,10,1,1\nb,20,2,1\na,30,3,1\n"
    #expect(try TraceFixture.read(text, options: TraceOptions(trace: "a")).duration == 40_000_000)
    let all = try TraceReader.readAll(bytes: Array(text.utf8), named: "t")
    #expect(all.map(\.name) == ["a", "b"])
    #expect(
      TraceFixture.complaints(text) == [
        "t:1:1: trace: expected the name of one of 2 traces: a, b, got no name"
      ])
    #expect(
      TraceFixture.complaints(text, options: TraceOptions(trace: "c")) == [
        "t:1:1: trace: expected one of a, b, got c (did you mean a?)"
      ])
  }

  @Test func `Oboe's chunks keep their rate and the gaps carry the mean of their neighbours`()
    throws
  {
    let trace = try TraceFixture.read(TraceFixture.samples[7].1)
    #expect(trace.rate.starts == [0, 293_000_000, 393_000_000])
    #expect(trace.rate.rates == [4e6, 4.5e6, 5e6])
    #expect(trace.rate.end == .loop(period: 893_000_000))
  }

  @Test func `the product's CSV has an uplink, a round trip and a loss rate where wanted`() throws {
    let trace = try TraceFixture.read(TraceFixture.samples[8].1)
    #expect(trace.rate == RateTrace(starts: [0, 1_500_000_000], rates: [8e6, 0], end: .hold))
    #expect(trace.uplink?.rates == [1e6, 0.5e6])
    #expect(trace.roundTripMs?.values == [50, 90])
    #expect(trace.loss?.value(at: 2_000_000_000) == 0.02)
    #expect(trace.duration == 4_000_000_000)
    let bare = try TraceFixture.read("down_mbps,time_s\n8,10\n4,12\n")
    #expect(bare.uplink == nil && bare.roundTripMs == nil && bare.loss == nil)
    #expect(bare.rate.starts == [0, 2_000_000_000])
    #expect(bare.duration == 4_000_000_000)
  }

  @Test func `two numeric columns are told apart by pairs of one rate`() throws {
    #expect(try TraceFixture.read("0 5\n10 5\n").format == .cooked)
    #expect(try TraceFixture.read("0 500\n10 400\n20 300\n").format == .cooked)
    #expect(try TraceFixture.read("0 400\n10 400\n20 300\n30 300\n").format == .oboe)
    let complaint = [
      "t:1:1: format: expected format: with one name, got rows that fit cooked and oboe"
    ]
    #expect(TraceFixture.complaints("0 50\n10 50\n11 60\n12 60\n") == complaint)
    #expect(TraceFixture.complaints("0 500\n10 500\n") == complaint)
    #expect(try TraceFixture.read("0 500\n10 500\n", format: .oboe).duration == 10_000_000)
  }

  @Test func `what follows the last row and where a session starts can be chosen`() throws {
    let text = "0 9\n2 3\n5 1\n"
    func read(_ end: TraceEnd?, _ start: Int64) throws -> RateTrace {
      try TraceFixture.read(text, options: TraceOptions(end: end, start: start)).rate
    }
    #expect(
      try read(.hold, 0) == RateTrace(starts: [0, 2_000_000_000], rates: [3e6, 1e6], end: .hold))
    #expect(try read(.silence, 0).end == .silence(at: 5_000_000_000))
    let turned = try read(nil, 3_000_000_000)
    #expect(turned.starts == [0, 2_000_000_000, 4_000_000_000])
    #expect(turned.rates == [1e6, 3e6, 1e6])
    #expect(turned.end == .loop(period: 5_000_000_000))
    #expect(try read(nil, 13_000_000_000) == turned)
    #expect(try read(.silence, 3_000_000_000).end == .silence(at: 2_000_000_000))
    #expect(try read(.silence, 3_000_000_000).rates == [1e6])
    #expect(
      TraceFixture.complaints(text, options: TraceOptions(end: .hold, start: 5_000_000_000)) == [
        "t:1:1: start: expected a start before the end of the trace, 5000000000 ns, "
          + "got 5000000000 ns"
      ])
  }

  @Test func `a looping trace turned by a start is the same trace, later`() throws {
    let text = "0 9\n0.7 3\n1.1 1\n1.9 7\n3.2 2\n"
    let plain = try TraceFixture.read(text).rate
    for start in stride(from: Int64(0), to: 7_000_000_000, by: 370_000_000) {
      let turned = try TraceFixture.read(text, options: TraceOptions(start: start)).rate
      for time in stride(from: Int64(0), to: 7_000_000_000, by: 90_000_000) {
        #expect(turned.step(at: time).rate == plain.step(at: time + start).rate)
      }
    }
  }

  @Test func `statistics are weighted by time`() throws {
    let statistics = try TraceFixture.read("0 1\n1 0\n5 2\n95 4\n100 50\n").statistics
    #expect(abs(statistics.mean - (0 + 8 + 360 + 250) / 100) < 1e-12)
    #expect(statistics.p5 == 2 && statistics.p50 == 4 && statistics.p95 == 4)
    #expect(statistics.shareOfZero == 0.01)
  }

  @Test func `a mahimahi trace's statistics are those of whole seconds`() throws {
    let slow = (1...2000).filter { $0 % ($0 <= 1000 ? 4 : 2) == 0 }.map { "\($0)\n" }.joined()
    let statistics = try TraceFixture.read(slow).statistics
    #expect(statistics.p5 == 3 && statistics.p95 == 6 && statistics.mean == 4.5)
    #expect(statistics.shareOfZero == 0)
  }
}
