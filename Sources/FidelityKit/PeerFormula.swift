import Models

/// How other programs' players compute the time of a download, applied to a whole fetch; none of
/// them has a handshake or slow start.
enum PeerFormula: CaseIterable {
  /// Pensieve (Mao et al. 2017) and MM22: 80 ms and 95 % of the rate.
  case pensieve
  /// Sabre (Spiteri et al. 2018): a round trip and the rate.
  case sabre

  var name: String {
    switch self {
    case .pensieve: "Pensieve/MM22: 80 ms + 0.95 R"
    case .sabre: "Sabre: RTT + R"
    }
  }

  /// Milliseconds for a fetch that starts at a time on a trace.
  func milliseconds(
    bytes: Int64, at startMs: Double, trace: RateTrace, roundTripMs: Double
  ) -> Double {
    switch self {
    case .pensieve: 80 + PeerFormula.fluid(bytes, at: startMs, trace, efficiency: 0.95)
    case .sabre:
      roundTripMs + PeerFormula.fluid(bytes, at: startMs + roundTripMs, trace, efficiency: 1)
    }
  }

  /// Milliseconds in which the steps of a trace carry that many bytes; the last step holds.
  static func fluid(
    _ bytes: Int64, at startMs: Double, _ trace: RateTrace, efficiency: Double
  ) -> Double {
    var bits = Double(bytes) * 8 / efficiency
    var now = startMs
    // The last step that starts at or before now.
    var (low, high) = (0, trace.starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if Double(trace.starts[middle]) / 1e6 <= now { low = middle } else { high = middle }
    }
    while low < trace.rates.count {
      let perMillisecond = trace.rates[low] / 1_000
      let end = low + 1 < trace.starts.count ? Double(trace.starts[low + 1]) / 1e6 : .infinity
      let carried = perMillisecond > 0 ? perMillisecond * (end - now) : 0
      if carried >= bits { return now + bits / perMillisecond - startMs }
      bits -= carried
      now = end
      low += 1
    }
    return .infinity
  }
}
