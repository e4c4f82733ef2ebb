import Studies

/// On the terminal alone; the page has windows among its cohorts.
extension ReportSection {
  static let windows = ReportSection(title: "BY WINDOW", lines: { $0.byWindow() })
  static let newVersions = ReportSection(title: "NEW VERSIONS", lines: { $0.newVersions() })
}

extension ReportWriter {
  // MARK: By window

  func byWindow() -> [String] {
    if record.windows.isEmpty { return [] }
    var table = TextTable([.left, .right, .right, .right, .right, .right, .right])
    table.heading(["window", "time", "views", "p50 ms", "p95 ms", "not started", "hit %"])
    for window in record.windows {
      let found = Study.windowMetrics(window.name).map { record.metric($0)?.estimate }
      table.add(
        [
          TextCell(window.name),
          TextCell(
            "\(Figures.duration(window.fromSeconds)) – \(Figures.duration(window.toSeconds))"),
          TextCell(Figures.count(found[0]?.samples ?? 0)),
          TextCell(found[0]?.text.shortText ?? "–"), TextCell(found[1]?.text.shortText ?? "–"),
          TextCell(found[2]?.text.shortTextWithUnit ?? "–"),
          TextCell(found[3]?.text.shortText ?? "–"),
        ])
    }
    return table.lines(color: color)
      + note(
        "A view belongs to the windows in which its clock started, a request to those in which "
          + "it was answered; times from the start of the measured window. hit: edge, by requests.")
  }

  // MARK: New versions

  func newVersions() -> [String] {
    if !record.has(.republishing) { return [] }
    let seen = record.republish
    let old = record.metric("old_version_ratio.ratio")?.estimate.text.shortTextWithUnit ?? "–"
    let latest = Figures.duration(Double(seen["largestStalenessNanoseconds"]) / 1e9)
    return [
      "  manifests: \(Figures.count(seen["staleManifests"])) of "
        + "\(Figures.count(seen["manifests"])) named an older version; at most \(latest) after the "
        + "new one",
      "  views: \(old) of \(Figures.count(seen["views"])) began with an older version",
    ]
  }
}
