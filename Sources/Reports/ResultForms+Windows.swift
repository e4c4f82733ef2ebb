import MediaUnits
import Models
import Scenario
import Studies

extension ResultForms {
  struct WindowRow: Sendable {
    var name: String
    var window: MeasureWindow
    var measures: WindowMeasures
  }

  static func windowRows(_ result: StudyResult) -> [WindowRow] {
    result.world.windows.enumerated().map { index, part in
      WindowRow(
        name: part.name, window: part.window,
        measures: index < result.measures.windows.count
          ? result.measures.windows[index] : WindowMeasures())
    }
  }

  static let window = ResultForm<WindowRow>([
    .text("name", "value of the label window") { $0.name },
    .number("fromSeconds", "from the start of the measured window") { $0.window.from.seconds },
    .number("toSeconds", "likewise, the end") { $0.window.to.seconds },
    .count("requests", "requests of the clients") { $0.measures.requests },
    .count("deliveredBytes", "bytes delivered to clients, all classes") {
      $0.measures.deliveredBytes
    },
    .count("originRequests", "requests that reached the origin") { $0.measures.originRequests },
    .count("originBytes", "bytes that the origin sent") { $0.measures.originBytes },
  ])

  static let republish = ResultForm<RepublishMeasures>([
    .count("views", "views of republished titles that began afterwards with a manifest") {
      $0.views
    },
    .count("oldViews", "of those, views that played an older version") { $0.oldViews },
    .count("manifests", "manifests of such titles answered by edges and disk caches afterwards") {
      $0.manifests
    },
    .count("staleManifests", "of those, manifests that named an older version") {
      $0.staleManifests
    },
    .count("stalenessNanoseconds", "time from the new version to such an answer, summed") {
      $0.staleness
    },
    .count("largestStalenessNanoseconds", "the largest such time") { $0.largestStaleness },
  ])
}
