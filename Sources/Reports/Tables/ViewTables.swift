import MediaUnits
import Models
import Scenario
import Studies

/// A replication of a run, simulated by itself, with the run.
struct RunRows {
  let scenario: RunRecord.Scenario
  /// Values of the labels network and device.
  let networks, devices: [String]
  let rows: SimulatedRows
}

/// The tables that a result does not keep: views and requests of one replication.
enum ViewTables {
  static func all(_ runs: [RunRows]) -> [TidyTable] {
    [
      TidyTable(
        "views", labels() + views, runs.flatMap { run in run.rows.views.map { (run, $0) } }),
      TidyTable(
        "requests", labels() + requests,
        runs.flatMap { run in run.rows.requests.map { (run, $0) } }),
    ]
  }

  private typealias Row<Part> = (run: RunRows, part: Part)

  /// Which replication of which run a row is of.
  private static func labels<Part>() -> [TidyTable.Column<Row<Part>>] {
    [
      .text("scenario", \.run.scenario.name), .text("digest", \.run.scenario.digest),
      .count("replication", \.run.rows.replication),
    ]
  }

  /// Times are from the start of the simulation, its warm-up included.
  private static var views: [TidyTable.Column<Row<ViewRecord>>] {
    [
      .count("session", \.part.session), .count("item", \.part.item),
      .count("title", \.part.title),
      .text("network") { $0.run.networks[Int($0.part.network)] },
      .text("device") { $0.run.devices[Int($0.part.device)] },
      .time("settled_ns") { $0.part.settledAt - .zero },
      .flag("started", \.part.hasStarted), flag("cold", .cold), flag("back", .back),
      flag("ready", .ready), flag("edge_miss", .edgeMiss), flag("cut", .cut),
      flag("last", .last),
      .count("first_rung") { $0.part.firstRung == .max ? nil : $0.part.firstRung },
      .time("ttff_ns", \.part.ttff), .time("ttff_play_ns", \.part.ttffPlay),
      .time("played_ns", \.part.played), .time("stalled_ns", \.part.stalled),
      .count("stalls", \.part.stalls),
    ]
      + StartupPart.allCases.map { part in .time("part_\(part.name)_ns") { $0.part.part(part) } }
  }

  private static func flag(
    _ name: String, _ flag: ViewRecord.Flags
  ) -> TidyTable.Column<Row<ViewRecord>> {
    .flag(name) { $0.part.flags.contains(flag) }
  }

  private static var requests: [TidyTable.Column<Row<EdgeRequest>>] {
    [
      .time("time_ns") { $0.part.at - .zero }, .count("id", \.part.key),
      .text("class") { MetricReference.classes[Int($0.part.asset.rawValue)] },
      .count("bytes", \.part.bytes), .count("edge", \.part.edge),
    ]
  }
}

extension TidyTable.Column {
  fileprivate static func time(
    _ name: String, _ value: @escaping (Row) -> TimeSpan
  ) -> TidyTable.Column<Row> {
    .count(name) { value($0).nanoseconds }
  }
}
