import MediaUnits
import Models
import Scenario
import Studies

extension ReportWriter {
  // MARK: Where the time goes

  func breakdown() -> [String] {
    let bands = [
      ("median", result.medianBand), ("P95", result.p95Band), ("waited", result.waitedBand),
    ]
    if result.waitedBand.views == 0 {
      return wrapped(
        "every view that started had its frame ready when its clock started: none waited for more "
          + "than the display", indent: "  ")
    }
    let shown = bands.map { BandFigures($0.1) }
    let columns: [TextTable.Alignment] = [.right, .right, .left]
    let bar = max(5, (width - 76) / 3)
    // The largest share of all fills its bar, so that the bars compare across the columns.
    let largest = StartupPart.allCases.flatMap { part in shown.map { $0.share(part) } }.max() ?? 0
    var table = TextTable([.left] + bands.flatMap { _ in columns })
    table.heading(["part"] + bands.flatMap { ["\($0.0), ms", "share", ""] })
    for part in StartupPart.allCases
    where bands.contains(where: { $0.1.parts[part.rawValue] > 0 }) {
      let cells = shown.flatMap { band -> [TextCell] in
        let drawing = Figures.bar(largest > 0 ? band.share(part) / largest : 0, width: bar)
        return [TextCell(band.text(part)), TextCell(band.shareText(part)), TextCell(drawing)]
      }
      table.add([TextCell(ReportWriter.label(part))] + cells)
    }
    table.add(
      [TextCell("first frame", .bold)]
        + shown.flatMap { [TextCell($0.totalText, .bold), TextCell($0.totalShareText), ""] })
    let views = Figures.count(result.waitedBand.views)
    let started = Figures.count(result.cohorts.reduce(0) { $0 + $1.started })
    return table.lines(color: color)
      + note(
        "means of the views within half a percent of the median "
          + "(\(Figures.count(result.medianBand.views)) views) and of the 95th percentile "
          + "(\(Figures.count(result.p95Band.views))), and of all \(views) of \(started) started "
          + "views that waited for more than the display. " + exemplars(bands))
      + traces(
        bands.compactMap { name, band in
          band.exemplar.map { (name, Int64($0.replication), Int64($0.session), Int64($0.item)) }
        })
  }

  /// The commands that show these views, ready to paste; none where sessions cannot be looked at.
  private func traces(
    _ views: [(name: String, replication: Int64, session: Int64, item: Int64)]
  ) -> [String] {
    let commands = RunCommands(result)
    return views.flatMap { view -> [String] in
      guard
        let words = commands.trace(
          replication: view.replication, session: view.session, item: view.item)
      else { return [] }
      return ["  \(view.name):"] + ShellText.lines(words, width: width, indent: "    ")
    }
  }

  private func exemplars(_ bands: [(String, BreakdownBand)]) -> String {
    let texts = bands.compactMap { name, band in
      band.exemplar.map {
        "\(name): replication \($0.replication), session \($0.session), item \($0.item)"
      }
    }
    return "For example: " + texts.joined(separator: "; ") + "."
  }

  static func label(_ part: StartupPart) -> String {
    switch part {
    case .feed: "feed page"
    case .queue: "queue"
    case .nameLookup: "name look-up"
    case .connect: "connect"
    case .tls: "TLS"
    case .manifest: "manifest"
    case .playlists: "playlists"
    case .initSegment: "init segment"
    case .ownQueue: "own queue"
    case .segmentWait: "segment wait"
    case .slowStart: "slow start"
    case .linkShare: "link share"
    case .transfer: "transfer"
    case .decoder: "player, decoder"
    case .firstDecode: "first decode"
    case .mainThread: "main thread"
    case .presentation: "presentation"
    }
  }

  // MARK: Late starts

  var lateTitle: String {
    "LATE STARTS (after \(Figures.decimal(result.lateLimit.milliseconds, 0)) ms or never) "
      + "BY THE PART THAT TOOK LONGEST"
  }

  func late() -> [String] {
    let late = result.late
    let started = late.started.reduce(0, +)
    let notStarted = late.notStarted.reduce(0, +)
    if started + notStarted == 0 { return ["  none of \(Figures.count(result.views)) views"] }
    var table = TextTable([.left, .right, .right, .right, .right, .right, .left])
    table.heading([
      "cause", "late", "of those edge miss", "never", "of those edge miss", "share", "",
    ])
    let order = StartupPart.allCases.sorted { a, b in
      let (left, right) = (total(a), total(b))
      return left != right ? left > right : a.rawValue < b.rawValue
    }
    for part in order where total(part) > 0 {
      let index = part.rawValue
      let share = Double(total(part)) / Double(started + notStarted)
      table.add([
        TextCell(ReportWriter.label(part)), TextCell(Figures.count(late.started[index])),
        TextCell(ReportWriter.misses(late.startedWithEdgeMiss[index], of: late.started[index])),
        TextCell(Figures.count(late.notStarted[index])),
        TextCell(
          ReportWriter.misses(late.notStartedWithEdgeMiss[index], of: late.notStarted[index])),
        TextCell(Figures.percent(share, decimals: 1)),
        TextCell(Figures.bar(share, width: max(6, width - 84))),
      ])
    }
    let lateMisses = late.startedWithEdgeMiss.reduce(0, +)
    let neverMisses = late.notStartedWithEdgeMiss.reduce(0, +)
    table.add([
      TextCell("all", .bold), TextCell(Figures.count(started), .bold),
      TextCell(ReportWriter.misses(lateMisses, of: started)),
      TextCell(Figures.count(notStarted), .bold),
      TextCell(ReportWriter.misses(neverMisses, of: notStarted)), "100 %", "",
    ])
    return table.lines(color: color)
      + wrapped(
        lateSentence(
          started, notStarted, misses: lateMisses + neverMisses), indent: "  ") + lateAnswers()
  }

  /// Who answered what the late views waited for longest behind the edge, and why the edge did not.
  private func lateAnswers() -> [String] {
    let answers = result.late.answers
    var table = TextTable([.left, .left, .right, .right, .right])
    table.heading(["answered by", "why not a hit", "late views", "share", "mean wait ms"])
    for tier in AnsweringTier.allCases {
      for reason in MissReason.allCases {
        let sum = answers[tier, reason]
        if sum.views == 0 { continue }
        let isHit = reason == .none
        table.add([
          TextCell(isHit ? "edge or device" : "\(tier.name)"),
          TextCell(isHit ? "a hit: waited for something else" : "\(reason.name)"),
          TextCell(Figures.count(sum.views)), TextCell(Figures.share(sum.views, of: answers.total)),
          TextCell(
            isHit ? "–" : Figures.decimal(Double(sum.wait) / Double(sum.views) / 1e6, 0)),
        ])
      }
    }
    let worst = answers.views.sorted { $0.waited > $1.waited }.prefix(3)
    let latest = worst.map { view in
      let start = view.hasStarted ? "after" : "never, left after"
      let behind =
        view.answer.reason == .none
        ? "no wait behind the edge"
        : MetricReference.classes[Int(view.answer.asset.rawValue)]
          + " from \(view.answer.tier.name), "
          + "\(view.answer.reason.name)"
      return "replication \(view.replication), session \(view.session), item \(view.item): "
        + "\(start) \(Figures.count(view.waited / 1_000_000)) ms, \(behind)"
    }
    return [""] + table.lines(color: color)
      + note(
        "Each late view by the request of its start that waited longest behind the edge; "
          + "result.json lists them one by one. The latest: \(latest.joined(separator: "; ")).")
      + traces(
        worst.map {
          let time = Figures.count($0.waited / 1_000_000)
          return (
            $0.hasStarted ? "after \(time) ms" : "never, left after \(time) ms",
            Int64($0.replication), Int64($0.session), Int64($0.item)
          )
        })
  }

  private func lateSentence(_ started: Int64, _ notStarted: Int64, misses: Int64) -> String {
    let late = Figures.share(started, of: result.views)
    let never = Figures.share(notStarted, of: result.views)
    let missed = Figures.share(misses, of: started + notStarted)
    return "\(late) of \(Figures.count(result.views)) views started late and \(never) were left "
      + "before a frame; \(missed) of them waited for an edge miss."
  }

  private static func misses(_ count: Int64, of whole: Int64) -> String {
    whole == 0
      ? "–"
      : "\(Figures.count(count)) (\(Figures.percent(Double(count) / Double(whole), decimals: 0)))"
  }

  private func total(_ part: StartupPart) -> Int64 {
    result.late.started[part.rawValue] + result.late.notStarted[part.rawValue]
  }
}

/// A band's means and shares, rounded so that the parts shown sum to the total shown.
struct BandFigures {
  private let band: BreakdownBand
  private let decimals: Int
  /// Mean time in units of the last decimal shown.
  private let units: [Int64]
  private let shares: [Int64]

  init(_ band: BreakdownBand) {
    self.band = band
    let views = Double(max(1, band.views))
    decimals = Double(band.total) / views < 100e6 ? 1 : 0
    units = Figures.apportion(band.parts, unit: views * (decimals == 1 ? 1e5 : 1e6))
    shares =
      band.total > 0
      ? Figures.apportion(band.parts, unit: Double(band.total) / 1000) : band.parts.map { _ in 0 }
  }

  private func time(_ units: Int64) -> String {
    Figures.decimal(Double(units) / (decimals == 1 ? 10 : 1), decimals)
  }

  func share(_ part: StartupPart) -> Double { Double(shares[part.rawValue]) / 1000 }

  func text(_ part: StartupPart) -> String {
    if band.views == 0 { return "–" }
    return band.parts[part.rawValue] == 0 ? "0" : time(units[part.rawValue])
  }

  func shareText(_ part: StartupPart) -> String {
    if band.total == 0 { return "" }
    return band.parts[part.rawValue] == 0
      ? "" : Figures.decimal(Double(shares[part.rawValue]) / 10, 1) + " %"
  }

  var totalText: String {
    if band.views == 0 { return "–" }
    return band.total == 0 ? "0" : time(units.reduce(0, +))
  }
  var totalShareText: String { band.total == 0 ? "" : "100 %" }
}
