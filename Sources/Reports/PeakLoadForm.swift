import MediaUnits
import Models
import Scenario
import Studies

/// One place of ``PeakLoad``, as reports show it.
struct PeakLoadRow {
  let place: String
  let requestsPerSecond: Double
  let bitsPerSecond: Double

  init(_ place: String, requests: Int64, bytes: Int64) {
    self.place = place
    requestsPerSecond = Double(requests) / PeakLoad.span.seconds
    bitsPerSecond = Double(bytes) * 8 / PeakLoad.span.seconds
  }

  /// The tiers that the world has, edges first, and the origin.
  static func all(_ load: PeakLoad, _ world: ReportedWorld) -> [PeakLoadRow] {
    let tiers = world.tiersBehindEdges
    let totals = load.totals
    var places = [("edge", totals.edge)]
    if tiers.regional { places.append(("regional", totals.regional)) }
    if tiers.shield { places.append(("shield", totals.shield)) }
    places.append(("origin", totals.origin))
    return places.map { PeakLoadRow($0, requests: $1.requests, bytes: $1.bytes) }
  }
}

extension ResultForms {
  /// The peak load of a run, and its world.
  typealias LoadedResult = (load: PeakLoad, world: ReportedWorld)

  private static let loadRow = ResultForm<PeakLoadRow>([
    .text("place", "edge (all together), regional, shield or origin") { $0.place },
    .number("requestsPerSecond", "requests that arrived") { $0.requestsPerSecond },
    .number("bitsPerSecond", "bits that it answered with") { $0.bitsPerSecond },
  ])

  static let peakLoad = ResultForm<LoadedResult>([
    .number("spanSeconds", "what is counted together, seconds") { _ in PeakLoad.span.seconds },
    .number("busiestSeconds", "begin of the span with the most bytes to viewers, measured time") {
      $0.load.busiest.seconds
    },
    .number("deliveredBitsPerSecond", "to viewers, in that span") {
      Double($0.load.totals.delivered) * 8 / PeakLoad.span.seconds
    },
    .list("places", "the largest span of each place by itself", loadRow) {
      PeakLoadRow.all($0.load, $0.world)
    },
  ])
}

extension ReportWriter {
  func peakLoad() -> [String] {
    guard let load = result.peakLoad else { return [] }
    var table = TextTable([.left, .right, .right])
    table.heading(["place", "requests/s", "Gbps"])
    for row in PeakLoadRow.all(load, result.world) {
      table.add([
        TextCell(row.place), TextCell(Figures.count(Int64(row.requestsPerSecond.rounded()))),
        TextCell(ReportWriter.gigabits(row.bitsPerSecond)),
      ])
    }
    let delivered = Double(load.totals.delivered) * 8 / PeakLoad.span.seconds
    return table.lines(color: color)
      + note(
        "Means over the busiest \(Figures.duration(PeakLoad.span.seconds)) of each place; all "
          + "edges together. To viewers \(ReportWriter.gigabits(delivered)) Gbps, from "
          + "\(Figures.duration(load.busiest.seconds)) of the measured time on; at most "
          + "\(Figures.count(Int64(result.measures.peakSessions))) viewers at one time.")
  }

  private static func gigabits(_ bitsPerSecond: Double) -> String {
    Figures.decimal(bitsPerSecond / 1e9, bitsPerSecond < 1e10 ? 3 : 1)
  }
}
