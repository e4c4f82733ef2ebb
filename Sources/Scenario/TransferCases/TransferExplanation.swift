import Models

/// Where the time of transfers went, in words, from the rounds of the first replication.
public enum TransferExplanation {
  /// - Parameter results: those of `cases`, with rounds.
  public static func text(
    _ cases: [TransferCaseEntry], _ results: [TransferCaseResult]
  ) -> String {
    var lines: [String] = []
    for (entry, result) in zip(cases, results) {
      if !lines.isEmpty { lines.append("") }
      let more = entry.replications > 1 ? ", replication 0 of \(entry.replications)" : ""
      lines.append("\(entry.id): tier \(result.tier.word)\(more)")
      let first = result.replications[0]
      for index in first.timings.indices {
        lines += flow(
          entry.transfers.flows[index], index, first.timings[index],
          first.rounds.filter { $0.flow == index })
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func flow(
    _ flow: TransferFlow, _ index: Int, _ timing: TransferTiming, _ rounds: [TransferRound]
  ) -> [String] {
    let title =
      "flow \(index): \(flow.bytes) bytes on connection \(flow.connection), starts at "
      + "\(milliseconds(timing.start)) ms, takes \(milliseconds(timing.duration)) ms"
    let parts = AlignedText.lines(costs(timing, rounds), left: 1, indent: 4)
    if rounds.isEmpty { return ["  " + title] + parts }
    var rows = [["round", "phase", "start ms", "window", "packets", "lost", "link idle ms"]]
    for (number, round) in rounds.enumerated() {
      rows.append([
        "\(number + 1)", round.phase.word, milliseconds(round.start),
        AlignedText.fixed(round.window, decimals: 1), "\(round.packets)", "\(round.lost)",
        milliseconds(round.idle),
      ])
    }
    return ["  " + title] + parts + AlignedText.lines(rows, left: 2, indent: 4)
  }

  /// What the parts of a flow cost; they add up to the duration.
  private static func costs(_ timing: TransferTiming, _ rounds: [TransferRound]) -> [[String]] {
    var rows: [[String]] = []
    func add(_ name: String, _ nanoseconds: Int64) {
      if nanoseconds > 0 { rows.append([name, milliseconds(nanoseconds) + " ms"]) }
    }
    let ready = timing.secure.map { max($0, timing.connect) } ?? timing.connect
    add("connect", timing.connect)
    add("secure", ready - timing.connect)
    guard timing.firstByte < TransferTime.never else {
      return rows + [["first byte", "never"]]
    }
    add("request and wait for the first byte", timing.firstByte - ready)
    guard timing.duration < TransferTime.never else { return rows + [["the rest", "never"]] }
    var left = max(0, timing.duration - timing.firstByte)
    for phase in phases {
      let idle = rounds.filter { $0.phase == phase }.reduce(Int64(0)) { $0 &+ max(0, $1.idle) }
      let counted = min(idle, left)
      add("link idle in \(phase.word)", counted)
      left -= counted
    }
    add("packets on the link, with others' before them", left)
    return rows
  }

  private static let phases: [TransferRound.Phase] = [
    .slowStart, .startup, .drain, .avoidance, .probeBandwidth, .probeRoundTrip, .recovery,
    .timeout,
  ]

  private static func milliseconds(_ nanoseconds: Int64) -> String {
    TransferTime.milliseconds(nanoseconds).map { AlignedText.fixed($0, decimals: 3) } ?? "never"
  }
}
