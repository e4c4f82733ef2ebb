import CachePolicy
import MediaUnits
import Models
import Scenario

/// Numbers and names as a trace's text has them.
enum TraceFigures {
  static func milliseconds(_ span: TimeSpan) -> String {
    "\(Figures.decimal(span.milliseconds, 1)) ms"
  }

  static func name(_ asset: AssetClass) -> String {
    MetricReference.classes[Int(asset.rawValue)].replacing("_", with: " ")
  }

  /// What was asked for.
  static func name(_ request: RequestRecord) -> String {
    var name = request.segment.map { "segment \($0)" } ?? TraceFigures.name(request.asset)
    if request.asset == .feed { name = "feed page" }
    if let rung = request.rung { name += ", rung \(rung)" }
    return name
  }
}
