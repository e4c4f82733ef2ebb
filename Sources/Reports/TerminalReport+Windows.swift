import Models
import Scenario
import Studies

extension ReportWriter {
  // MARK: By window

  func byWindow() -> [String] {
    if result.world.windows.isEmpty { return [] }
    var table = TextTable([.left, .right, .right, .right, .right, .right, .right])
    table.heading(["window", "time", "views", "p50 ms", "p95 ms", "not started", "hit %"])
    for (name, window) in result.world.windows {
      let found = Study.windowMetrics(name).map { result.metric($0) }
      table.add(
        [
          TextCell(name),
          TextCell(
            "\(Figures.duration(window.from.seconds)) – \(Figures.duration(window.to.seconds))"),
          TextCell(Figures.count(found[0]?.samples ?? 0)), TextCell(found[0]?.shortText ?? "–"),
          TextCell(found[1]?.shortText ?? "–"), TextCell(found[2]?.shortTextWithUnit ?? "–"),
          TextCell(found[3]?.shortText ?? "–"),
        ])
    }
    return table.lines(color: color)
      + note(
        "A view belongs to the windows in which its clock started, a request to those in which "
          + "it was answered; times from the start of the measured window. hit: edge, by requests.")
  }

  // MARK: New versions

  func newVersions() -> [String] {
    let seen = result.measures.republish
    if !result.world.hasNewVersions { return [] }
    func metric(_ name: String, _ stat: String) -> String {
      result.metric("\(name).\(stat)")?.shortTextWithUnit ?? "–"
    }
    return [
      "  manifests: \(Figures.count(seen.staleManifests)) of \(Figures.count(seen.manifests)) "
        + "named an older version; at most "
        + "\(Figures.duration(Double(seen.largestStaleness) / 1e9)) after the new one",
      "  views: \(metric("old_version_ratio", "ratio")) of "
        + "\(Figures.count(seen.views)) began with an older version",
    ]
  }
}
