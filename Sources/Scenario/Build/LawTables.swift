import Foundation
import SimulationKernel
import Statistics
import Synchronization

/// Turns the distributions of a scenario into tables, each distinct one once.
struct LawTables {
  private var tables: [LawSpec: QuantileTable] = [:]
  private(set) var problems = Problems()
  /// The largest interpolation error of all tables built.
  private(set) var worstError = 0.0

  /// The table of a law at `path` of `tree`; a constant zero with a problem when there is none.
  ///
  /// Values lie between 0 and `limit`, which is 100 days unless given: a time that could be
  /// negative or endless is a problem of the scenario, not of the run.
  mutating func table(
    _ tree: ResolvedTree, _ path: String = "", limit: Double = 8_640_000, isPositive: Bool = false
  ) -> QuantileTable {
    let spec = tree.law(path)
    do throws(Fault) {
      let table: QuantileTable
      if let known = tables[spec] { table = known } else { table = try LawTables.build(spec) }
      let (least, most) = (table.quantile(0x1p-53), table.quantile(1 - 0x1p-53))
      if !(least >= 0 && most <= limit) || isPositive && least <= 0 {
        throw Fault(
          expected: "values \(isPositive ? "above 0" : "of at least 0") and at most \(limit)",
          got: "values from \(least) to \(most), a case for clip")
      }
      if table.maximumError > worstError { worstError = table.maximumError }
      tables[spec] = table
      return table
    } catch {
      problems.add(tree.problem(at: path, expected: error.expected, got: error.got))
      return QuantileTable(constant: 0)
    }
  }

  /// What is wrong with a law, in the words of a message.
  struct Fault: Error {
    var expected: String
    var got: String
  }

  /// The tables that this process has made. A table is a function of its law alone, takes
  /// milliseconds, and the scenarios of a sweep, an audit or a test share nearly all of theirs.
  private struct Made {
    /// Tables that were asked for since the older ones were put behind.
    var young: [LawSpec: QuantileTable] = [:]
    var old: [LawSpec: QuantileTable] = [:]
    /// 128 tables of twice ``QuantileTable/knots`` are 14 MB.
    static let most = 64

    /// A table that is asked for again stays, however many others come and go.
    mutating func table(_ spec: LawSpec) -> QuantileTable? {
      if let known = young[spec] { return known }
      guard let known = old[spec] else { return nil }
      keep(known, of: spec)
      return known
    }

    mutating func keep(_ table: QuantileTable, of spec: LawSpec) {
      if young.count >= Made.most {
        old = young
        young = [:]
      }
      young[spec] = table
    }
  }
  private static let made = Mutex(Made())

  /// The table of a law, made once in a process.
  static func build(_ spec: LawSpec) throws(Fault) -> QuantileTable {
    // The values of a file may change while the process runs; a constant is made as fast as it is
    // found, and a sweep may have thousands.
    if case .constant = spec { return try tabulate(spec) }
    if spec.readsFile { return try tabulate(spec) }
    if let known = made.withLock({ $0.table(spec) }) { return known }
    let table = try tabulate(spec)
    made.withLock { $0.keep(table, of: spec) }
    return table
  }

  /// The table of a law, made anew.
  static func tabulate(_ spec: LawSpec) throws(Fault) -> QuantileTable {
    if case .constant(let value) = spec { return QuantileTable(constant: value) }
    do {
      let law = try law(spec)
      let table = try QuantileKnots.tabulate(law)
      // The two sides meet at the median; a searched quantile may differ there in its last bits.
      var upper = table.upper
      upper[0] = table.lower[0]
      return QuantileTable(
        lower: table.lower, upper: upper, maximumError: table.maximumError, mean: table.mean)
    } catch let error as StatisticsError {
      throw Fault(expected: "a law that exists", got: error.message)
    } catch let fault as Fault {
      throw fault
    } catch {
      throw Fault(expected: "a law", got: "\(error)")
    }
  }

  /// The law that a scenario describes.
  static func law(_ spec: LawSpec) throws -> Law {
    switch spec {
    case .constant(let value): return try .constant(value)
    case .uniform(let min, let max): return try .uniform(min: min, max: max)
    case .exponential(let mean): return try .exponential(mean: mean)
    case .lognormal(let median, let sigma): return try .lognormal(median: median, sigma: sigma)
    case .normal(let mean, let sd): return try .normal(mean: mean, standardDeviation: sd)
    case .weibull(let shape, let scale): return try .weibull(shape: shape, scale: scale)
    case .gamma(let shape, let scale): return try .gamma(shape: shape, scale: scale)
    case .pareto(let alpha, let min, .infinity):
      return try FittedFamily.pareto.law([alpha, min])
    case .pareto(let alpha, let min, let max):
      return try .boundedPareto(alpha: alpha, min: min, max: max)
    case .beta(let a, let b, let min, let max): return try .beta(a: a, b: b, min: min, max: max)
    case .triangular(let min, let mode, let max):
      return try .triangular(min: min, mode: mode, max: max)
    case .empirical(let values): return try .empirical(values)
    case .empiricalFile(let path):
      guard let text = InputFile.text(at: path, limit: YAMLReader.Limits.dataBytes) else {
        throw Fault(expected: "a readable file of quantiles, p,value a line", got: path)
      }
      return try .empirical(csv: text)
    case .mixture(let parts):
      return try .mixture(parts.map { (weight: $0.weight, law: try law($0.law)) })
    case .clipped(let inner, let min, let max):
      return try .clipped(
        law(inner), min: min ?? -.infinity, max: max ?? .infinity)
    }
  }
}
