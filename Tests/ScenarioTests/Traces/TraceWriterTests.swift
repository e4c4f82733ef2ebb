import Models
import Testing

@testable import Scenario

@Suite struct TraceWriterTests {
  /// The largest difference between two traces in the bytes of one second.
  static func worstSecond(_ a: RateTrace, _ b: RateTrace, seconds: Int64) -> Double {
    (0..<seconds).map { second in
      let (start, end) = (second * 1_000_000_000, (second + 1) * 1_000_000_000)
      return abs(
        TraceFixture.bytes(a, from: start, to: end) - TraceFixture.bytes(b, from: start, to: end))
    }.max()!
  }

  static let traces: [RateTrace] = [
    RateTrace(constant: 5e6), RateTrace(constant: 7_777), RateTrace(constant: 433e6),
    RateTrace(
      starts: [0, 1_234_567_891, 3_000_000_000, 4_500_000_000], rates: [3.3e6, 0, 97e6, 123_456],
      end: .loop(period: 6_100_000_001)),
    RateTrace(starts: [0], rates: [1.2e6], end: .silence(at: 4_321_000_000)),
    RateTrace(starts: [0, 2_000_000_000], rates: [0, 2e6], end: .hold),
  ]

  @Test(arguments: traces)
  func `mahimahi keeps the bytes of every second within a packet`(trace: RateTrace) throws {
    for seconds in [Int64(1), 7, 13] {
      let text = try #require(
        TraceWriter.mahimahi(trace, duration: seconds * 1_000_000_000))
      let back = try TraceFixture.read(text)
      #expect(back.duration == seconds * 1_000_000_000)
      #expect(Self.worstSecond(trace, back.rate, seconds: seconds) <= 1_500.01)
    }
  }

  @Test func `a mahimahi trace is written as it was read`() throws {
    let text = "1\n1\n3\n4\n4\n4\n700\n701\n1203\n"
    let trace = try TraceFixture.read(text)
    #expect(TraceWriter.mahimahi(trace.rate, duration: trace.duration) == text)
  }

  @Test func `a steady rate is written evenly`() {
    #expect(
      TraceWriter.mahimahi(RateTrace(constant: 4e6), duration: 9_000_000) == "3\n6\n9\n")
  }

  @Test func `a silent trace and one that is too fast are told`() {
    #expect(TraceWriter.mahimahi(RateTrace(constant: 0), duration: 5_000_000) == "5\n")
    #expect(TraceWriter.mahimahi(RateTrace(constant: 1e12), duration: 1_000_000_000) == nil)
  }

  @Test(arguments: TraceFixture.samples)
  func `the product's CSV keeps every byte, time and column`(
    format: TraceFormat, text: String
  ) throws {
    let trace = try TraceFixture.read(text)
    let end: TraceEnd = if case .loop = trace.rate.end { .loop } else { .hold }
    let written = TraceWriter.csv(trace)
    let back = try TraceFixture.read(written, options: TraceOptions(end: end))
    #expect(back.format == .firstframe)
    #expect(back.duration == trace.duration)
    #expect(back.rate.starts == trace.rate.starts && back.rate.end == trace.rate.end)
    #expect(Self.worstSecond(trace.rate, back.rate, seconds: 10) < 1e-6)
    #expect(back.roundTripMs == trace.roundTripMs && back.loss == trace.loss)
    #expect(back.uplink == trace.uplink)
    #expect(TraceWriter.csv(back) == written)
  }
}
