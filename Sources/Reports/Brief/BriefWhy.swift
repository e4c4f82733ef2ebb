import Models
import Scenario
import Studies

/// Why a budget does not hold, in a few lines: the part of the startup that takes most, what to
/// turn first, and one viewer to look at.
struct BriefWhy {
  let record: RunRecord
  let commands: RunCommands
  /// The run folder, for what can be asked of it.
  let folder: String
  let text: BriefText

  /// Nothing where every budget holds.
  ///
  /// - Parameter isTight: whether only the greatest part and the viewer are told.
  func lines(isTight: Bool) -> [String] {
    let open = record.budgets.filter { $0.verdict == "fail" || $0.verdict == "inconclusive" }
    if open.isEmpty { return [] }
    if commands.trace(replication: 0, session: 0, item: 0) == nil {
      let words = [ProgramName.own, "why", folder]
      let what =
        record.hasMetricsOnly ? "every metric, explained:" : "where startups and stalls come from:"
      return text.wrapped(what, indent: "  ")
        + ShellText.lines(words, width: text.width, indent: "    ")
    }
    var lines: [String] = []
    let metrics = open.compactMap(\.metricReference)
    var knobs = metrics.flatMap { Knobs.keys(for: $0) }
    let isAboutStarts = metrics.contains {
      $0.unit == .milliseconds || $0.metric == "not_started_ratio"
    }
    if isAboutStarts, let worst = parts.first {
      let shares = parts.prefix(isTight ? 1 : 3).map { part, time in
        let all = record.startupBreakdown.waited.totalNanoseconds
        return "\(part.label) \(Figures.share(time, of: all))"
      }
      lines += text.wrapped(
        "views that wait spend most in \(shares.joined(separator: ", "))", indent: "  ")
      knobs = Knobs.keys(for: worst.part) + knobs
    }
    if !knobs.isEmpty {
      var seen: Set<String> = []
      let unique = knobs.filter { seen.insert($0).inserted }
      lines += text.wrapped(
        "turn first: \(unique.prefix(isTight ? 2 : 5).joined(separator: ", "))", indent: "  ",
        most: 2)
    }
    return lines + exemplar
  }

  /// Parts of the startup with their times in all views that waited, the greatest first.
  private var parts: [(part: StartupPart, time: Int64)] {
    record.startupBreakdown.waited.parts.compactMap { row in
      StartupPart(name: row.part).map { ($0, row.nanoseconds) }
    }.filter { $0.1 > 0 }.sorted {
      $0.1 != $1.1 ? $0.1 > $1.1 : $0.0.rawValue < $1.0.rawValue
    }
  }

  /// One viewer: the latest of those that started late or never, else one of the slow ones.
  private var exemplar: [String] {
    let exemplars = Exemplars(record)
    guard let view = exemplars.late.first ?? exemplars.bands.first,
      let words = commands.trace(
        replication: view.replication, session: view.session, item: view.item)
    else { return [] }
    return text.wrapped("look at \(view.what):", indent: "  ")
      + ShellText.lines(words, width: text.width, indent: "    ")
  }
}
