import Foundation
import Models

@testable import Scenario

/// What the trace tests share.
enum TraceFixture {
  /// Reads a text as a trace.
  static func read(
    _ text: String, format: TraceFormat? = nil, options: TraceOptions = TraceOptions()
  ) throws(InputRejected) -> LinkTrace {
    try TraceReader.read(bytes: Array(text.utf8), named: "t", format: format, options: options)
  }

  /// The messages for a text that is no trace; empty when it is one.
  static func complaints(
    _ text: String, format: TraceFormat? = nil, options: TraceOptions = TraceOptions()
  ) -> [String] {
    do {
      _ = try read(text, format: format, options: options)
      return []
    } catch {
      return error.description.split(separator: "\n").map(String.init)
    }
  }

  /// The bytes that a trace carries between two times in nanoseconds.
  static func bytes(_ trace: RateTrace, from start: Int64, to end: Int64) -> Double {
    var (sum, time) = (0.0, start)
    while time < end {
      let (rate, until) = trace.step(at: time)
      let next = min(until, end)
      sum += rate * Double(next - time) / 8e9
      time = next
    }
    return sum
  }

  /// One small sample of each format.
  static let samples: [(TraceFormat, String)] = [
    (.mahimahi, "1\n1\n3\n4\n"),
    (.cooked, "0.0\t1.5\n2.0\t3.0\n5.5\t0.25\n"),
    (.norway3G, "1284990000 5000 59.9 10.7 12000 1000\n1284990001 6000 59.9 10.7 24000 1000\n"),
    (.belgium4G, "1450000000000 10 51.0 3.7 500000 0999\n1450000001000 1010 51.0 3.7 0 1000\n"),
    (
      .fcc,
      """
      unit_id,dtime,target,address,fetch_time,bytes_total,bytes_sec,objects
      7,2016-06-01 01:00:00,http://a.example,1.2.3.4,900,1000,250000,3
      7,2016-06-01 02:00:00,http://a.example,1.2.3.4,900,1000,500000,3

      """
    ),
    (
      .sabre,
      """
      [ {"duration_ms": 2000, "bandwidth_kbps": 4000, "latency_ms": 80},
        {"duration_ms": 500, "bandwidth_kbps": 0, "latency_ms": 120} ]

      """
    ),
    (.sabre, "trace,duration_ms,bandwidth_kbps,latency_ms\na,1000,900,100\na,500,600,100\n"),
    (.oboe, "7.0 4000.0\n300.0 4000.0\n400.0 5000.0\n900.0 5000.0\n"),
    (.firstframe, "time_s,down_mbps,up_mbps,rtt_ms,loss\n0,8,1,50,0\n1.5,0,0.5,90,0.02\n4,,,,\n"),
  ]
}
