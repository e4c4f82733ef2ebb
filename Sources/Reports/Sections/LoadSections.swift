extension ReportSection {
  static let peakLoad = ReportSection(
    .caches, title: "PEAK LOAD", lines: { $0.peakLoad() },
    page: { page, body in
      if page.record.hasRequests { page.writePeakLoad(to: &body) }
    })

  static let load = ReportSection(
    .caches, title: "LOAD OF THE WHOLE AUDIENCE", lines: { $0.load() },
    page: { page, body in
      if page.record.hasRequests { page.writeLoad(to: &body) }
    })
}

extension ReportWriter {
  // MARK: Load of the whole audience

  func load() -> [String] {
    if record.load.isEmpty { return [] }
    var table = TextTable([.left, .left, .right, .right, .right])
    table.heading(["window", "answered by", "requests/s", "Gbit/s", "n"])
    for row in record.load {
      table.add([
        TextCell(row.window), TextCell(row.tier), TextCell(row.requestsText),
        TextCell(row.gigabitsText), TextCell(Figures.count(row.samples)),
      ])
    }
    let scale =
      notes.audienceFactor.map {
        "Each simulated request stands for \(Figures.decimal($0, 1)) of the whole audience's at "
          + "all edges behind the shared tiers."
      } ?? "Simulated requests stand for those of the whole audience."
    return table.lines(color: color)
      + note(
        "\(scale) n: simulated requests; all: mean over the measured time and the drain; ± is half "
          + "of the 95 % interval.")
  }

  // MARK: Peak load

  func peakLoad() -> [String] {
    guard let load = record.peakLoad else { return [] }
    var table = TextTable([.left, .right, .right])
    table.heading(["place", "requests/s", "Gbps"])
    for row in load.places {
      table.add([
        TextCell(row.place), TextCell(row.requestsText),
        TextCell(ReportWriter.gigabits(row.bitsPerSecond)),
      ])
    }
    return table.lines(color: color)
      + note(
        "Means over the busiest \(Figures.duration(load.spanSeconds)) of each place; all "
          + "edges together. To viewers "
          + "\(ReportWriter.gigabits(load.deliveredBitsPerSecond)) Gbps, from "
          + "\(Figures.duration(load.busiestSeconds)) of the measured time on; at most "
          + "\(Figures.count(record.counters["peakSessions"])) viewers at one time.")
  }

  private static func gigabits(_ bitsPerSecond: Double) -> String {
    Figures.decimal(bitsPerSecond / 1e9, bitsPerSecond < 1e10 ? 3 : 1)
  }
}

extension HTMLPage {
  /// What the whole audience asks of each tier; nothing where all of it was simulated.
  func writeLoad(to body: inout Markup) {
    if record.load.isEmpty { return }
    var table = HTMLTable(
      "Load of the whole audience on each tier",
      [
        .text("Window"), .text("Answered by"), .number("Requests/s"), .number("Gbit/s"),
        .number("n"),
      ])
    for row in record.load {
      table.add([
        .text(row.window), .text(row.tier), .text(row.requestsText), .text(row.gigabitsText),
        .text(HTMLPage.count(row.samples)),
      ])
    }
    table.write(to: &body)
    paragraph(
      "Simulated requests stand for those of the whole audience. n: simulated requests; all: mean "
        + "over the measured time and the drain.", faint: true, to: &body)
  }
}

extension HTMLPage {
  func writePeakLoad(to body: inout Markup) {
    guard let load = record.peakLoad else { return }
    var table = HTMLTable(
      "Peak load: the busiest \(Figures.duration(load.spanSeconds)) of each place",
      [.text("Place"), .number("Requests/s"), .number("Gbps")])
    for place in load.places {
      table.add([
        .text(place.place), .text(place.requestsText),
        .text(Figures.decimal(place.bitsPerSecond / 1e9, 3)),
      ])
    }
    table.write(to: &body)
    paragraph(
      "All edges together. To viewers "
        + "\(Figures.decimal(load.deliveredBitsPerSecond / 1e9, 3)) Gbps, from "
        + "\(Figures.duration(load.busiestSeconds)) of the measured time on.", to: &body)
  }
}
