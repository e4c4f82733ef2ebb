import Scenario
import Statistics

/// The points of a sweep: which value each factor has at each.
public struct SweepDesign: Sendable, Equatable {
  /// By point, the place of each factor: a level's index, or a coordinate in 0...1.
  public enum Places: Sendable, Equatable {
    case levels([[Int]])
    case coordinates([[Double]])
  }

  public var factors: [SweepFactor]
  public var places: Places
  /// By point, the text of each factor's value.
  public var values: [[String]]

  public var count: Int { values.count }

  /// Most points; beyond that a sweep is a mistake.
  public static let limit = 20_000

  /// Why a plan has no design.
  public struct Rejected: Error, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// Makes the points of a plan.
  ///
  /// - Throws: ``Rejected`` when nothing varies, a factor cannot be what the design needs, or there
  ///   would be too many points.
  public init(_ plan: SweepPlan) throws(Rejected) {
    factors = plan.factors
    if factors.isEmpty {
      throw Rejected(description: "sweep.vary: expected at least one key path, got none")
    }
    do {
      places = try SweepDesign.places(plan)
    } catch {
      throw Rejected(description: "sweep.design: \(error)")
    }
    switch places {
    case .levels(let points):
      values = points.map { point in
        zip(plan.factors, point).map { $1 < 0 ? "" : $0.values[$1] }
      }
    case .coordinates(let points):
      values = points.map { point in zip(plan.factors, point).map { $0.text(at: $1) } }
    }
    if values.count > SweepDesign.limit {
      throw Rejected(
        description:
          "sweep: expected at most \(SweepDesign.limit) points, got \(values.count)")
    }
  }

  private static func places(_ plan: SweepPlan) throws(StatisticsError) -> Places {
    let count = plan.factors.count
    switch plan.design {
    case .grid:
      let grid = try GridDesign(sizes: plan.factors.map(\.values.count))
      return .levels((0..<min(grid.count, limit + 1)).map { grid.levels(of: $0) })
    case .oneAtATime:
      // -1: as the scenario has it.
      var points = [[Int](repeating: -1, count: count)]
      for (factor, levels) in plan.factors.map(\.values.count).enumerated() {
        for level in 0..<levels {
          points.append((0..<count).map { $0 == factor ? level : -1 })
        }
      }
      return .levels(points)
    case .latinHypercube(let points, let seed):
      return .coordinates(try LatinHypercube.points(points, factors: count, seed: seed))
    case .sobol(let points):
      return .coordinates(try SobolSequence.points(points, factors: count))
    case .morris(let trajectories, let seed):
      return .coordinates(
        try MorrisDesign(factors: count, trajectories: trajectories, seed: seed).points)
    case .sobolIndices(let rows):
      return .coordinates(try SaltelliDesign(factors: count, rows: rows).points)
    }
  }

  /// The settings of a point; a factor that stays as the scenario has it is left out.
  /// The values of a point as reports show them; empty for a factor that is as the scenario has it.
  public func names(_ point: Int) -> [String] {
    zip(factors, values[point]).map { $1.isEmpty ? "" : $0.name(of: $1) }
  }

  func settings(_ point: Int) -> [Variant.Setting] {
    zip(factors, values[point]).filter { !$1.isEmpty }.map {
      Variant.Setting(key: $0.key, value: $1)
    }
  }
}
