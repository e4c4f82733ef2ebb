import Models
import Scenario

/// Chunks downloaded over TCP CUBIC through an emulated link of known capacity
/// (`tcp-emulation/`): one persistent connection for each session, every chunk at its own time. The
/// repository has every twelfth session.
enum Emulation {
  struct Chunk: Sendable {
    var startMs: Double
    var bytes: Int64
    var downloadMs: Double
    /// The server's congestion window when it began, packets; nil where it was not kept.
    var window: Double?
  }

  struct Session: Sendable {
    var name: String
    var trace: RateTrace
    var roundTripMs: Double
    var chunks: [Chunk]
  }

  static func sessions(_ reference: Reference) throws(ReferenceError) -> [Session] {
    var steps: [String: [(start: Int64, rate: Double)]] = [:]
    for fields in try reference.table("tcp-emulation/capacity.csv", columns: 4) {
      let name = "\(fields[0]) \(fields[1])"
      steps[name, default: []].append(
        (Int64((try number(fields[2]) * 1e9).rounded()), try number(fields[3]) * 1e6))
    }
    var sessions: [Session] = []
    for fields in try reference.table("tcp-emulation/chunks.csv", columns: 9) {
      let name = "\(fields[0]) \(fields[1])"
      let roundTrip = try number(fields[8])
      if sessions.last?.name != name {
        guard let steps = steps[name] else {
          throw ReferenceError("capacity.csv: expected steps of session \(name), got none")
        }
        let trace = RateTrace(starts: steps.map(\.start), rates: steps.map(\.rate), end: .hold)
        sessions.append(
          Session(name: name, trace: trace, roundTripMs: roundTrip, chunks: []))
      }
      let last = sessions.count - 1
      sessions[last].roundTripMs = min(sessions[last].roundTripMs, roundTrip)
      sessions[last].chunks.append(
        Chunk(
          startMs: try number(fields[3]) * 1_000, bytes: Int64(try number(fields[4])),
          downloadMs: try number(fields[5]), window: Double(fields[6])))
    }
    return sessions
  }

  /// By how much a session's link ran before its first request, ms: where the simplest formula of
  /// the peers, a round trip and the bytes at the rate, fits the session's chunks best.
  ///
  /// The data give both clocks from 0, but the steps of the rate come two to three seconds early.
  static func lead(_ session: Session) -> Double {
    var best = (error: Double.infinity, lead: 0.0)
    for lead in stride(from: 0.0, through: 4_000, by: 250) {
      var error = 0.0
      for chunk in session.chunks {
        let time = PeerFormula.sabre.milliseconds(
          bytes: chunk.bytes, at: chunk.startMs + lead, trace: session.trace,
          roundTripMs: session.roundTripMs)
        error += (time / chunk.downloadMs - 1).magnitude
      }
      if error < best.error { best = (error, lead) }
    }
    return best.lead
  }

  /// Whether the servers' windows decayed while a connection idled, as the data show it: a window
  /// that restarts is smaller after the chunk that follows a pause than before it.
  ///
  /// Without a pause of a second or more nothing depends on it, and Linux's default is taken.
  static func restartsAfterIdle(_ sessions: [Session]) -> Bool {
    var pauses = 0
    for session in sessions {
      for (index, chunk) in session.chunks.enumerated().dropFirst().dropLast() {
        let before = session.chunks[index - 1]
        if chunk.startMs - before.startMs - before.downloadMs < 1_000 { continue }
        guard let window = chunk.window, let next = session.chunks[index + 1].window else {
          continue
        }
        pauses += 1
        if next < window { return true }
      }
    }
    return pauses == 0
  }

  private static func number(_ text: Substring) throws(ReferenceError) -> Double {
    guard let value = Double(text) else {
      throw ReferenceError("tcp-emulation: expected a number, got \(text)")
    }
    return value
  }

  static func family(
    _ reference: Reference, named family: String
  ) throws(ReferenceError) -> Family {
    let sessions = try sessions(reference)
    let restarts = restartsAfterIdle(sessions)
    let entries =
      sessions.map { entry($0, isBare: false, idleRestart: restarts) }
      + sessions.map { entry($0, isBare: true, idleRestart: restarts) }
      + sessions.map { entry($0, isBare: false, idleRestart: restarts, lead: lead($0)) }
    return Family(family, entries) { results in
      let (all, first) = (ours(results), ours(results, "first chunks"))
      let bare = ours(results, "media bytes alone")
      let aligned = ours(results, "clocks aligned")
      var table = ErrorTable()
      var firsts = ErrorTable()
      for (place, session) in sessions.enumerated() {
        let (result, bareResult) = (results[place], results[sessions.count + place])
        let alignedResult = results[2 * sessions.count + place]
        for (index, chunk) in session.chunks.enumerated() {
          table.add(all, result.duration(index), chunk.downloadMs)
          table.add(bare, bareResult.duration(index), chunk.downloadMs)
          table.add(aligned, alignedResult.duration(index), chunk.downloadMs)
          if index == 0 { firsts.add(first, result.duration(index), chunk.downloadMs) }
          for peer in PeerFormula.allCases {
            let time = peer.milliseconds(
              bytes: chunk.bytes, at: chunk.startMs, trace: session.trace,
              roundTripMs: session.roundTripMs)
            table.add(peer.name, time, chunk.downloadMs)
            if index == 0 { firsts.add(peer.name + ", first chunks", time, chunk.downloadMs) }
          }
        }
      }
      let own = table.summary(all)
      return FamilyReport(
        family, "chunks over TCP CUBIC on changing links", table.lines + firsts.lines,
        gates: [
          FidelityGate("median", own.median, atMost: 0.017),
          FidelityGate("first chunks, median", firsts.summary(first).median, atMost: 0.075),
          FidelityGate("bias", own.bias.magnitude, atMost: 0.03),
          FidelityGate("clocks aligned, median", table.summary(aligned).median, atMost: 0.014),
        ])
    }
  }

  /// A session as a case. The emulator's frames are of 1,504 bytes and its queue has no limit, as
  /// mm-link's defaults are. What the application sends beside the media is not in the data: a
  /// request of 600 bytes, a response header of 300 and TLS records of 16 kB (4 bytes a packet) are
  /// assumed, as a browser and a web server have them; `bare` leaves them out.
  private static func entry(
    _ session: Session, isBare: Bool, idleRestart: Bool, lead: Double = 0
  ) -> TransferCaseEntry {
    let flows = session.chunks.map {
      TransferFlow(
        start: Int64((($0.startMs + lead) * 1e6).rounded()), bytes: $0.bytes,
        requestBytes: isBare ? 80 : 600, responseHeaderBytes: isBare ? 0 : 300)
    }
    let transfers = TransferCase(
      downlink: session.trace, uplinkRate: session.trace.rates.max() ?? 0,
      roundTrip: Int64((session.roundTripMs * 1e6).rounded()), queue: .unlimited,
      handshake: .none, overhead: isBare ? 56 : 60, idleRestart: idleRestart, resync: true,
      flows: flows)
    return TransferCaseEntry(
      id: "tcp-emulation \(session.name)\(isBare ? " bare" : "")\(lead > 0 ? " aligned" : "")",
      transfers: transfers)
  }
}
