import Scenario
import Statistics

extension TuningResult {
  /// Candidates that keep all limits by their estimates, and that no other of them beats in the
  /// objective and in all limited metrics together; the best in the objective first.
  public var feasibleFront: [Int] {
    let kept = candidates.indices.filter { keepsLimits($0) }
    let metrics = [objective] + constraints.map(\.metric)
    let goals = metrics.map { $0.isWorseWhenHigher ? Goal.minimise : .maximise }
    let points = kept.map { values[$0].compactMap(\.value) }
    guard !points.isEmpty, points.allSatisfy({ $0.count == goals.count }) else { return [] }
    do {
      return try ParetoFront.front(of: points, goals: goals).map { kept[$0] }
    } catch {
      preconditionFailure("values of as many goals have a front: \(error)")
    }
  }

  /// Whether a candidate keeps every limit by its estimates.
  public func keepsLimits(_ candidate: Int) -> Bool {
    zip(constraints, values[candidate].dropFirst()).allSatisfy { constraint, metric in
      metric.value.map { constraint.limit.holds($0) } ?? false
    } && values[candidate].allSatisfy { $0.value != nil }
  }
}
