import MediaUnits
import Models
import Scenario

extension ReportSection {
  static let breakdown = ReportSection(
    .startup, title: "WHERE THE STARTUP TIME GOES", lines: { $0.breakdown() },
    page: { $0.writeStartup(to: &$1) })

  /// The page asks first what does not hold, of every world.
  static let late = ReportSection(
    .why, titled: { ReportWriter.lateTitle($0) }, lines: { $0.late() },
    page: { $0.writeWhy(to: &$1) })
}

extension ReportWriter {
  // MARK: Where the time goes

  func breakdown() -> [String] {
    let bands = record.startupBreakdown.bands
    let waited = record.startupBreakdown.waited
    if waited.views == 0 {
      return wrapped(
        "every view that started had its frame ready when its clock started: none waited for more "
          + "than the display", indent: "  ")
    }
    let shown = bands.map { BandFigures($0.band) }
    let columns: [TextTable.Alignment] = [.right, .right, .left]
    let bar = max(5, (width - 76) / 3)
    // The largest share of all fills its bar, so that the bars compare across the columns.
    let largest = StartupPart.allCases.flatMap { part in shown.map { $0.share(part) } }.max() ?? 0
    var table = TextTable([.left] + bands.flatMap { _ in columns })
    table.heading(["part"] + bands.flatMap { ["\($0.name), ms", "share", ""] })
    for part in StartupPart.allCases where shown.contains(where: { $0.nanoseconds(part) > 0 }) {
      let cells = shown.flatMap { band -> [TextCell] in
        let drawing = Figures.bar(largest > 0 ? band.share(part) / largest : 0, width: bar)
        return [TextCell(band.text(part)), TextCell(band.shareText(part)), TextCell(drawing)]
      }
      table.add([TextCell(part.label)] + cells)
    }
    table.add(
      [TextCell("first frame", .bold)]
        + shown.flatMap { [TextCell($0.totalText, .bold), TextCell($0.totalShareText), ""] })
    let started = Figures.count(record.cohorts.reduce(0) { $0 + $1.started })
    return table.lines(color: color)
      + note(
        "means of the views within half a percent of the median "
          + "(\(Figures.count(bands[0].band.views)) views) and of the 95th percentile "
          + "(\(Figures.count(bands[1].band.views))), and of all \(Figures.count(waited.views)) of "
          + "\(started) started views that waited for more than the display. " + exemplars(bands))
      + traces(
        bands.compactMap { name, band in
          band.exemplar.map { (name, $0.replication, $0.session, $0.item) }
        })
  }

  /// The commands that show these views, ready to paste; none where sessions cannot be looked at.
  private func traces(
    _ views: [(name: String, replication: Int64, session: Int64, item: Int64)]
  ) -> [String] {
    views.flatMap { view -> [String] in
      guard
        let words = notes.commands.trace(
          replication: view.replication, session: view.session, item: view.item)
      else { return [] }
      return ["  \(view.name):"] + ShellText.lines(words, width: width, indent: "    ")
    }
  }

  private func exemplars(_ bands: [(name: String, band: RunRecord.Band)]) -> String {
    let texts = bands.compactMap { name, band in
      band.exemplar.map {
        "\(name): replication \($0.replication), session \($0.session), item \($0.item)"
      }
    }
    return "For example: " + texts.joined(separator: "; ") + "."
  }

  // MARK: Late starts

  fileprivate static func lateTitle(_ record: RunRecord) -> String {
    "LATE STARTS (after \(Figures.decimal(record.lateStarts.limitMilliseconds, 0)) ms or never) "
      + "BY THE PART THAT TOOK LONGEST"
  }

  func late() -> [String] {
    let late = record.lateStarts
    if late.total == 0 { return ["  none of \(Figures.count(record.views)) views"] }
    var table = TextTable([.left, .right, .right, .right, .right, .right, .left])
    table.heading([
      "cause", "late", "of those edge miss", "never", "of those edge miss", "share", "",
    ])
    for row in late.causes {
      let share = Double(row.total) / Double(late.total)
      table.add([
        TextCell(StartupPart.words(of: row.part)), TextCell(Figures.count(row.started)),
        TextCell(ReportWriter.misses(row.startedWithEdgeMiss, of: row.started)),
        TextCell(Figures.count(row.notStarted)),
        TextCell(ReportWriter.misses(row.notStartedWithEdgeMiss, of: row.notStarted)),
        TextCell(Figures.percent(share, decimals: 1)),
        TextCell(Figures.bar(share, width: max(6, width - 84))),
      ])
    }
    table.add([
      TextCell("all", .bold), TextCell(Figures.count(late.started), .bold),
      TextCell(ReportWriter.misses(late.startedWithEdgeMiss, of: late.started)),
      TextCell(Figures.count(late.notStarted), .bold),
      TextCell(ReportWriter.misses(late.notStartedWithEdgeMiss, of: late.notStarted)), "100 %", "",
    ])
    return table.lines(color: color) + wrapped(lateSentence, indent: "  ") + lateAnswers()
  }

  /// Who answered what the late views waited for longest behind the edge, and why the edge did not.
  private func lateAnswers() -> [String] {
    let late = record.lateStarts
    let total = late.byAnswer.reduce(0) { $0 + $1.views }
    var table = TextTable([.left, .left, .right, .right, .right])
    table.heading(["answered by", "why not a hit", "late views", "share", "mean wait ms"])
    for row in late.byAnswer {
      let isHit = row.reason == "none"
      let wait = Double(row.waitNanoseconds) / Double(row.views) / 1e6
      table.add([
        TextCell(isHit ? "edge or device" : row.tier),
        TextCell(isHit ? "a hit: waited for something else" : row.reason),
        TextCell(Figures.count(row.views)), TextCell(Figures.share(row.views, of: total)),
        TextCell(isHit ? "–" : Figures.decimal(wait, 0)),
      ])
    }
    let worst = late.views.sorted { $0.waitedNanoseconds > $1.waitedNanoseconds }.prefix(3)
    let latest = worst.map { view in
      let behind =
        view.reason == "none"
        ? "no wait behind the edge" : "\(view.class) from \(view.tier), \(view.reason)"
      return "replication \(view.replication), session \(view.session), item \(view.item): "
        + "\(view.waitText), \(behind)"
    }
    return [""] + table.lines(color: color)
      + note(
        "Each late view by the request of its start that waited longest behind the edge; "
          + "result.json lists them one by one. The latest: \(latest.joined(separator: "; ")).")
      + traces(worst.map { ($0.waitText, $0.replication, $0.session, $0.item) })
  }

  private var lateSentence: String {
    let late = record.lateStarts
    let missed = Figures.share(
      late.startedWithEdgeMiss + late.notStartedWithEdgeMiss, of: late.total)
    return "\(Figures.share(late.started, of: record.views)) of \(Figures.count(record.views)) "
      + "views started late and \(Figures.share(late.notStarted, of: record.views)) were left "
      + "before a frame; \(missed) of them waited for an edge miss."
  }

  private static func misses(_ count: Int64, of whole: Int64) -> String {
    whole == 0
      ? "–"
      : "\(Figures.count(count)) (\(Figures.percent(Double(count) / Double(whole), decimals: 0)))"
  }
}

extension RunRecord.Late.View {
  fileprivate var waitText: String {
    let time = Figures.count(waitedNanoseconds / 1_000_000)
    return started ? "after \(time) ms" : "never, left after \(time) ms"
  }
}
