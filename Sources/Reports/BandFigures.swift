import Models

/// A band's means and shares, rounded so that the parts shown sum to the total shown.
struct BandFigures {
  private let band: RunRecord.Band
  /// By ``StartupPart``; parts of unknown names are left to `result.json`.
  private let parts: [Int64]
  private let decimals: Int
  /// Mean time in units of the last decimal shown.
  private let units: [Int64]
  private let shares: [Int64]

  init(_ band: RunRecord.Band) {
    self.band = band
    var parts = [Int64](repeating: 0, count: StartupPart.allCases.count)
    for row in band.parts {
      if let part = StartupPart(name: row.part) { parts[part.rawValue] = row.nanoseconds }
    }
    self.parts = parts
    let total = band.totalNanoseconds
    let views = Double(max(1, band.views))
    decimals = Double(total) / views < 100e6 ? 1 : 0
    units = Figures.apportion(parts, unit: views * (decimals == 1 ? 1e5 : 1e6))
    shares =
      total > 0 ? Figures.apportion(parts, unit: Double(total) / 1000) : parts.map { _ in 0 }
  }

  /// Of all views of the band together.
  func nanoseconds(_ part: StartupPart) -> Int64 { parts[part.rawValue] }

  /// The mean of a view of the band.
  func milliseconds(_ part: StartupPart) -> Double {
    Double(parts[part.rawValue]) / Double(max(1, band.views)) / 1e6
  }

  /// No view of the band waited at all.
  var isReady: Bool { band.totalNanoseconds == 0 }
  var views: Int64 { band.views }

  private func time(_ units: Int64) -> String {
    Figures.decimal(Double(units) / (decimals == 1 ? 10 : 1), decimals)
  }

  func share(_ part: StartupPart) -> Double { Double(shares[part.rawValue]) / 1000 }

  func text(_ part: StartupPart) -> String {
    if band.views == 0 { return "–" }
    return parts[part.rawValue] == 0 ? "0" : time(units[part.rawValue])
  }

  func shareText(_ part: StartupPart) -> String {
    if band.totalNanoseconds == 0 { return "" }
    return parts[part.rawValue] == 0
      ? "" : Figures.decimal(Double(shares[part.rawValue]) / 10, 1) + " %"
  }

  var totalText: String {
    if band.views == 0 { return "–" }
    return band.totalNanoseconds == 0 ? "0" : time(units.reduce(0, +))
  }
  var totalShareText: String { band.totalNanoseconds == 0 ? "" : "100 %" }
}
