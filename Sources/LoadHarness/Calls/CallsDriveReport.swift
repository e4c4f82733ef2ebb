import Foundation

/// A live run of call signalling in words and as JSON. Sums, counts and quantiles only (ICC-051).
extension CallsDriveResult {
  private func milliseconds(_ times: [Int64], _ share: Double) -> Double {
    (Double(CallsDriveResult.quantile(times, share)) / 1e4).rounded() / 100
  }

  private var timed: [(name: String, times: [Int64])] {
    [
      ("registration_ms", registrations), ("busy_ms", busyTimes), ("call_setup_ms", setupTimes),
      ("presence_lag_ms", presenceTimes), ("timer_slip_ms", slips),
    ]
  }

  private var counted: [(name: String, value: Int)] {
    [
      ("clients", settings.callers + settings.interpreters + settings.idle),
      ("registered", registered), ("rounds", rounds), ("requests", requests),
      ("winners", winners), ("busy", busy), ("bad_rounds", badRounds),
      ("unanswered", unanswered), ("missing_presence", missingPresence), ("dropped", drops),
      ("server_messages", server.messages), ("server_presence_messages", server.presenceMessages),
      ("server_expiries", server.expiries), ("server_double_rings", server.doubleRings),
    ]
  }

  /// For a terminal.
  public var text: String {
    var lines = [
      "\(settings.callers) callers, \(settings.interpreters) interpreters, \(settings.idle) idle; "
        + "\((seconds * 10).rounded() / 10) s"
    ]
    lines += counted.dropFirst().map { "  \($0.name) \($0.value)" }
    lines += timed.map {
      "  \($0.name) p50 \(milliseconds($0.times, 0.5)), p99 \(milliseconds($0.times, 0.99)), "
        + "n \($0.times.count)"
    }
    lines += faults.map { "  failed: \($0)" }
    if !isFaithful {
      lines.append("  invalid: this program's timers were late; fewer clients give true times")
    }
    if faults.isEmpty && isFaithful { lines.append("  held: one winner each, nobody expired") }
    return lines.joined(separator: "\n")
  }

  /// With sorted keys.
  public func json() throws -> String {
    var fields: [String: Any] = ["schema": 1, "seconds": seconds, "faults": faults]
    fields["verdict"] = !isFaithful ? "invalid" : faults.isEmpty ? "pass" : "fail"
    for entry in counted { fields[entry.name] = entry.value }
    for entry in timed {
      fields[entry.name] = [
        "p50": milliseconds(entry.times, 0.5), "p99": milliseconds(entry.times, 0.99),
        "n": entry.times.count,
      ]
    }
    let data = try JSONSerialization.data(
      withJSONObject: fields, options: [.prettyPrinted, .sortedKeys])
    return String(decoding: data, as: UTF8.self)
  }

  /// 0 all held, 10 something did not, 13 the times are not to be trusted.
  public var exitCode: Int32 { !isFaithful ? 13 : faults.isEmpty ? 0 : 10 }
}
