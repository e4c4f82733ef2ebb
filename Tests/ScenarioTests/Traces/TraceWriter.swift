import Models

@testable import Scenario

/// Writes traces, so that what readers make of them can be compared with what was written.
enum TraceWriter {
  /// The most lines of a Mahimahi trace.
  static let lineLimit = 20_000_000

  /// A trace's first `duration` nanoseconds as Mahimahi delivery opportunities; nil when that would
  /// be more than ``lineLimit`` lines.
  ///
  /// A line is written for the millisecond in which the next 1500 bytes are complete. The last line
  /// is the period, `duration` rounded up to milliseconds, so bytes per second differ from the
  /// trace's by less than one packet: what is left over at the end is rounded up, and counted from
  /// the start. A trace without any byte becomes one packet, as the format cannot say nothing.
  static func mahimahi(_ trace: RateTrace, duration: Int64) -> String? {
    precondition(duration > 0, "a duration")
    let period = (duration - 1) / 1_000_000 + 1
    let total = packets(trace, from: 0, to: duration)
    let count = max(1, Int64((total - tolerance).rounded(.up)))
    if count > lineLimit { return nil }
    // Counting begins with what would be missing at the end, so the last packet is complete there.
    let head = max(0, Double(count) - total)
    var text = ""
    var (sum, written, time) = (head, Int64(0), Int64(0))
    while time < duration {
      let (rate, until) = trace.step(at: time)
      let next = min(until, duration)
      let after = sum + rate * Double(next - time) / packetUnit
      while written < count - 1 && Double(written + 1) <= after + tolerance {
        let wait = rate > 0 ? (Double(written + 1) - sum) / rate * packetUnit : 0
        let at = Double(time) + max(0, wait)
        text += "\(min(period, max(1, Int64((at / 1e6 - tolerance).rounded(.up)))))\n"
        written += 1
      }
      (sum, time) = (after, next)
    }
    return text + "\(period)\n"
  }

  /// Packets, in which rounding of sums shows.
  private static let tolerance = 1e-6
  /// Bits per second times nanoseconds in a packet.
  private static let packetUnit = MahimahiFormat.packetBits * 1e9

  private static func packets(_ trace: RateTrace, from start: Int64, to end: Int64) -> Double {
    var (sum, time) = (0.0, start)
    while time < end {
      let (rate, until) = trace.step(at: time)
      let next = min(until, end)
      sum += rate * Double(next - time) / packetUnit
      time = next
    }
    return sum
  }

  /// A trace as this program's CSV (``TraceFormat/firstframe``), its end as a last row with a time
  /// alone. Times are exact; rates are the shortest decimals of their Mbit/s.
  static func csv(_ trace: LinkTrace) -> String {
    var header = "time_s,down_mbps"
    if trace.uplink != nil { header += ",up_mbps" }
    if trace.roundTripMs != nil { header += ",rtt_ms" }
    if trace.loss != nil { header += ",loss" }
    let blanks = String(repeating: ",", count: header.count { $0 == "," })
    var starts = Set(trace.rate.starts + (trace.uplink?.starts ?? []))
    starts.formUnion((trace.roundTripMs?.starts ?? []) + (trace.loss?.starts ?? []))
    var text = header + "\n"
    for start in starts.sorted() where start < trace.duration {
      text += seconds(start) + ",\(trace.rate.step(at: start).rate / 1e6)"
      if let uplink = trace.uplink { text += ",\(uplink.step(at: start).rate / 1e6)" }
      if let roundTrip = trace.roundTripMs { text += ",\(roundTrip.value(at: start))" }
      if let loss = trace.loss { text += ",\(loss.value(at: start))" }
      text += "\n"
    }
    return text + seconds(trace.duration) + blanks + "\n"
  }

  /// Nanoseconds as seconds, exactly.
  private static func seconds(_ time: Int64) -> String {
    let digits = String(time % 1_000_000_000)
    if digits == "0" { return "\(time / 1_000_000_000)" }
    var fraction = String(repeating: "0", count: 9 - digits.count) + digits
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(time / 1_000_000_000).\(fraction)"
  }
}
