import Models
import Scenario

/// The reference's link as a case: the way its README describes the kernel runs.
struct KernelCase {
  var rateMbps: Double
  var rttMs: Double
  var queuePackets: Int64
  var congestion: CongestionControl = .cubic
  var handshake: Handshake = .tcp
  var http: HTTPVersion = .http1
  var lossRate: Double = 0
  /// Steps instead of the one rate: seconds and Mbit/s.
  var steps: [(second: Double, mbps: Double)] = []

  /// The packet of response header fields that nginx sends in front of the body.
  static let headerBytes: Int64 = 242

  func entry(_ id: String, _ flows: [TransferFlow], replications: Int = 1) -> TransferCaseEntry {
    let transfers = TransferCase(
      downlink: trace, uplinkRate: rateMbps * 1e6, roundTrip: Int64((rttMs * 1e6).rounded()),
      loss: lossRate > 0 ? .independent(lossRate) : .none, queue: .packets(queuePackets),
      congestion: congestion, handshake: handshake, http: http, flows: flows)
    return TransferCaseEntry(id: id, transfers: transfers, replications: replications)
  }

  var trace: RateTrace {
    if steps.isEmpty { return RateTrace(constant: rateMbps * 1e6) }
    return RateTrace(
      starts: steps.map { Int64(($0.second * 1e9).rounded()) }, rates: steps.map { $0.mbps * 1e6 },
      end: .hold)
  }

  static func flow(
    _ bytes: Int64, startMs: Double = 0, after: Int? = nil, connection: Int = 0,
    rttMs: Double? = nil
  ) -> TransferFlow {
    TransferFlow(
      start: Int64((startMs * 1e6).rounded()), after: after, bytes: bytes,
      responseHeaderBytes: headerBytes, connection: connection,
      roundTrip: rttMs.map { Int64(($0 * 1e6).rounded()) })
  }

  static func congestion(_ name: String) -> CongestionControl { name == "bbr" ? .bbr : .cubic }

  /// The peers' formulas for one fetch over this link.
  func peers(_ bytes: Int64) -> [PeerFormula: Double] {
    var result: [PeerFormula: Double] = [:]
    for peer in PeerFormula.allCases {
      result[peer] = peer.milliseconds(bytes: bytes, at: 0, trace: trace, roundTripMs: rttMs)
    }
    return result
  }
}
