import Models
import Scenario
import Studies

extension HTMLPage {
  /// The keys of a scenario that bear on a part.
  private static func knobs(_ part: StartupPart) -> String {
    switch part {
    case .launch: "devices[].appLaunch"
    case .feed: "feed.latency, policy.feed.pageTrigger, policy.feed.pageSize"
    case .queue: "policy.pool.size, policy.pool.ahead"
    case .nameLookup: "network.access[].nameLookup"
    case .connect: "network.handshake, network.access[].promotion"
    case .tls: "network.handshake, network.resumedHandshake"
    case .manifest: "cdn.ttl.mediaManifest, policy.prefetch.itemsAhead"
    case .playlists: "cdn.ttl.playlists, policy.prefetch.itemsAhead"
    case .initSegment: "cdn.edge.capacity, policy.prefetch.headLength"
    case .ownQueue: "policy.prefetch.concurrency, policy.prefetch.pauseBelowBuffer"
    case .segmentWait: "cdn.edge.capacity, cdn.edgeToShield, policy.prefetch.headLength"
    case .slowStart: "policy.prefetch.headLength, policy.startupCap.rate"
    case .linkShare: "policy.prefetch.concurrency, policy.prefetch.pauseBelowBuffer"
    case .transfer: "policy.startupCap.rate, policy.player.startThreshold"
    case .decoder: "policy.pool.size, policy.pool.ahead, devices[].decoderSetup"
    case .firstDecode: "devices[].firstDecode"
    case .mainThread: "policy.pool.size, devices[].mainThread"
    case .presentation: "devices[].presentation"
    }
  }

  // MARK: Why

  func writeWhy(to body: inout Markup) {
    let open = record.budgets.filter { $0.verdict != "pass" }
    if open.isEmpty {
      paragraph(
        record.budgets.isEmpty
          ? "There is no budget to explain."
          : record.hasMetricsOnly
            ? "Every budget holds."
            : "Every budget holds; what follows is where the "
              + "rest of the waiting comes from.", to: &body)
    } else {
      body.element("ul") { body in
        for budget in open {
          body.element("li") { body in
            body.element(
              "span", ["class": "verdict \(budget.verdict)"],
              text: HTMLPage.sign(budget.verdict) + " " + budget.verdict)
            let reason = budget.reason.isEmpty ? "" : "; \(budget.reason)"
            body.write(": \(HTMLPage.sentence(budget))\(reason) (\(budget.place)).")
          }
        }
      }
      body.line()
    }
    if !record.hasMetricsOnly {
      writeLate(to: &body)
      writeHints(to: &body)
      writeExemplars(to: &body)
    }
    body.element("h3", text: "Run it again")
    body.line()
    paragraph("In the folder of this report:", to: &body)
    body.element("pre") { $0.element("code", text: command) }
    body.line()
  }

  /// The command that makes this run again from its own folder.
  var command: String { ShellText.command(RunCommands(record, folder: "").run) }

  /// Views to look at, each with the command that shows it: the latest ones first.
  private func writeExemplars(to body: inout Markup) {
    let commands = RunCommands(record, folder: "")
    let exemplars = Exemplars(record)
    let shown = exemplars.shown.compactMap { view in
      commands.trace(
        replication: view.replication, session: view.session, item: view.item
      ).map { (view: view, command: ShellText.command($0)) }
    }
    if shown.isEmpty { return }
    body.element("h3", text: "Views to look at")
    body.line()
    paragraph(timelinesText + " Step by step, in the folder of this report:", to: &body)
    for (view, command) in shown {
      body.element("p") { body in
        body.write(view.what.prefix(1).uppercased() + view.what.dropFirst() + ": ")
        if let timeline = timelines?.view(view) {
          body.element(
            "a", ["href": "\(TimelinePage.fileName)#\(timeline.anchor)"],
            text: "timeline of session \(view.session), item \(view.item)")
        } else {
          body.write("session \(view.session), item \(view.item)")
        }
      }
      body.element("pre") { $0.element("code", text: command) }
      body.line()
    }
  }

  /// Whether the views have timelines, and why not.
  private var timelinesText: String {
    guard let timelines else {
      return record.replications.partial
        ? "There are no timelines: the run was stopped before its end."
        : "There are no timelines in this folder."
    }
    return timelines.omittedViews == 0
      ? "Each has a timeline." : TimelinePage.omission(timelines.omittedViews)
  }

  private func writeLate(to body: inout Markup) {
    let late = record.lateStarts
    let total = late.total
    let limit = Figures.duration(late.limitMilliseconds / 1000)
    body.element("h3", text: "Late starts by the part that took longest")
    body.line()
    if record.views == 0 { return noData("no view was simulated", to: &body) }
    if total == 0 {
      return paragraph(
        "None of \(HTMLPage.count(record.views)) views started later than \(limit) or was left "
          + "before its first frame.", to: &body)
    }
    let parts = late.causes
    let misses = late.startedWithEdgeMiss + late.notStartedWithEdgeMiss
    paragraph(
      "\(Figures.share(late.started, of: record.views)) of \(HTMLPage.count(record.views)) views "
        + "started later than \(limit) and \(Figures.share(late.notStarted, of: record.views)) "
        + "were left before a frame; \(Figures.share(misses, of: total)) of them waited for an "
        + "edge miss.", to: &body)
    let chart = BarChart(
      ChartHeading(
        "Views that started late or never, by cause",
        summary: "The part that took longest, most frequent first: "
          + parts.prefix(3).map {
            "\(StartupPart.words(of: $0.part)) \(Figures.share($0.total, of: total))"
          }.joined(separator: ", ") + "."),
      axis: ChartAxis("views", format: .number(unit: "")), series: ["late", "never"],
      rows: parts.map {
        BarChart.Row(
          StartupPart.words(of: $0.part), parts: [Double($0.started), Double($0.notStarted)],
          label: Figures.share($0.total, of: total))
      })
    var table = HTMLTable(
      "Late: after \(limit). Never: left before a first frame",
      [
        .text("Part"), .number("Late, views"), .number("of those edge miss"),
        .number("Never, views"), .number("of those edge miss"), .number("Share"),
      ])
    for row in parts {
      table.add([
        .text(StartupPart.words(of: row.part)), .text(HTMLPage.count(row.started)),
        .text(HTMLPage.misses(row.startedWithEdgeMiss, of: row.started)),
        .text(HTMLPage.count(row.notStarted)),
        .text(HTMLPage.misses(row.notStartedWithEdgeMiss, of: row.notStarted)),
        .text(Figures.percent(Double(row.total) / Double(total), decimals: 1)),
      ])
    }
    table.add(
      [
        "all", .text(HTMLPage.count(late.started)),
        .text(HTMLPage.misses(late.startedWithEdgeMiss, of: late.started)),
        .text(HTMLPage.count(late.notStarted)),
        .text(HTMLPage.misses(late.notStartedWithEdgeMiss, of: late.notStarted)),
        "100 %",
      ], isTotal: true)
    body.element("div", ["class": "charts"]) { body in
      figure(chart, id: "late", to: &body)
      table.write(to: &body)
    }
    body.line()
  }

  private static func misses(_ count: Int64, of whole: Int64) -> String {
    whole == 0 ? "–" : "\(self.count(count)) (\(Figures.share(count, of: whole)))"
  }

  private func writeHints(to body: inout Markup) {
    var hints: [String] = []
    let total = record.lateStarts.total
    for row in record.lateStarts.causes.prefix(3) {
      guard let part = StartupPart(name: row.part) else { continue }
      hints.append(
        "\(part.label) (\(Figures.share(row.total, of: total)) of the late starts): "
          + "the keys that bear on it are \(HTMLPage.knobs(part)).")
    }
    for label in ["network", "device"] {
      let rows = record.metrics.filter {
        $0.name.metric == "ttff_ms" && $0.name.stat == "p95" && $0.name.labels.count == 1
          && $0.name.label(label) != nil
      }
      if rows.count > 1 { hints += HTMLPage.slowest(label, rows) }
    }
    if hints.isEmpty { return }
    body.element("h3", text: "What to look at")
    body.line()
    body.element("ul") { body in
      for hint in hints { body.element("li", text: hint) }
    }
    body.line()
  }

  /// The slowest value of a label, when the intervals tell it from the fastest.
  private static func slowest(_ label: String, _ rows: [RunRecord.Metric]) -> [String] {
    let known = rows.filter { $0.estimate.value != nil }.sorted {
      ($0.estimate.value ?? 0) < ($1.estimate.value ?? 0)
    }
    guard let fastest = known.first, let slowest = known.last,
      let value = slowest.name.label(label), (slowest.estimate.value ?? 0) > 0
    else { return [] }
    if let low = slowest.estimate.text.interval, let high = fastest.estimate.text.interval,
      low.lowerBound > high.upperBound
    {
      return [
        "The slowest \(label) is \(value): P95 \(slowest.estimate.text.shortTextWithUnit) over "
          + "\(count(slowest.estimate.samples)) views."
      ]
    }
    return [
      "No \(label) stands out by its P95: the intervals of the slowest and the fastest overlap."
    ]
  }
}
