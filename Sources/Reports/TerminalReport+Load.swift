import Statistics
import Studies

extension ReportWriter {
  // MARK: Load of the whole audience

  func load() -> [String] {
    guard let load = result.load else { return [] }
    var table = TextTable([.left, .left, .right, .right, .right])
    table.heading(["window", "answered by", "requests/s", "Gbit/s", "n"])
    for row in load.rows {
      table.add([
        TextCell(row.window ?? "all"), TextCell(row.tier.rawValue),
        TextCell(LoadText.rate(row.requestsPerSecond.value, row.requestsPerSecond.interval)),
        TextCell(
          LoadText.rate(
            row.bitsPerSecond.value, row.bitsPerSecond.interval, unit: 1e9)),
        TextCell(Figures.count(row.samples)),
      ])
    }
    return table.lines(color: color)
      + note(
        "Each simulated request stands for \(Figures.decimal(load.factor, 1)) of the whole "
          + "audience's at all edges behind the shared tiers. n: simulated requests; all: mean "
          + "over the measured time and the drain; ± is half of the 95 % interval.")
  }
}

/// Rates with their uncertainty, as reports write them.
enum LoadText {
  static func rate(_ value: Double, _ interval: Interval?, unit: Double = 1) -> String {
    rate(value / unit, half: interval.map { $0.halfWidth / unit })
  }

  static func rate(_ number: Double, half: Double?) -> String {
    let digits = Figures.decimals(number, spread: half, atMost: 3)
    let text = Figures.decimal(number, digits)
    return half.map { "\(text) ±\(Figures.decimal($0, digits))" } ?? text
  }
}
