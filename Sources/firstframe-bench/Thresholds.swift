import Foundation

/// The checked-in limits of the benchmarks: least ratios to baselines of the same run, and most
/// allocations. Numbers that depend on the machine's speed are not among them.
struct Thresholds: Decodable {
  struct Limit: Decodable {
    var leastRatio: Double?
    var mostAllocationsPerUnit: Double?
  }

  /// By the name of a row.
  var rows: [String: Limit]
  /// By the name of a fact: the most that it may be.
  var facts: [String: Double]

  static func read(_ path: String) throws -> Thresholds {
    try JSONDecoder().decode(Thresholds.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// What is beyond its limit, or was not measured.
  func faults(in sheet: BenchmarkSheet) -> [String] {
    var faults: [String] = []
    for (name, limit) in rows.sorted(by: { $0.key < $1.key }) {
      guard let row = sheet.rows.first(where: { $0.name == name }) else {
        faults.append("\(name): expected a measurement, got none")
        continue
      }
      if let least = limit.leastRatio, !(row.ratio >= least) {
        faults.append(
          "\(name): expected at least \(least) times \(row.baseline), got \(row.ratio.short())")
      }
      if let most = limit.mostAllocationsPerUnit, let count = row.allocationsPerUnit, count > most {
        faults.append(
          "\(name): expected at most \(most) allocations for a unit, got \(count.short())")
      }
    }
    for (name, most) in facts.sorted(by: { $0.key < $1.key }) {
      guard let fact = sheet.facts.first(where: { $0.name == name }) else {
        faults.append("\(name): expected a measurement, got none")
        continue
      }
      if !(fact.value <= most) {
        faults.append("\(name): expected at most \(most) \(fact.unit), got \(fact.value.short())")
      }
    }
    return faults
  }
}
