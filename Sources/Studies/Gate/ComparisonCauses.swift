import Scenario

/// Tells which changed key did it, of two configurations that were just compared.
public enum ComparisonCauses {
  /// Runs mixtures of the old and new values of the changed keys, with the same random numbers.
  ///
  /// - Parameters:
  ///   - comparison: of the two; what is worse or better in it is told apart.
  ///   - candidate: the configuration whose keys are set back.
  /// - Returns: the comparison with its causes; without any where nothing is worse or better.
  /// - Throws: ``StudyStopped``; ``SimulationError``.
  public static func find(
    _ comparison: Comparison, changes: [ConfigurationChange], parts: [PartChange],
    candidate: StudyScenario, threads: Int, pilots: Pilots, stop: StopRequest = StopRequest()
  ) async throws -> BaselineComparison {
    var found = BaselineComparison(
      path: candidate.file.path, digest: "", seed: candidate.seed, comparison: comparison,
      optional: [],
      cohorts: Comparison([], baseline: [], candidate: [], isPaired: comparison.isPaired),
      changes: changes, parts: parts)
    let told = comparison.rows.filter { $0.outcome == .worse || $0.outcome == .better }
    let study = CauseStudy(
      told.map(\.metric), changes: changes, scenario: candidate, seed: candidate.seed,
      threads: threads, pilots: pilots)
    found.untold = study.untold
    if !study.isEmpty {
      found.causes = try await study.run(
        max(CauseStudy.leastReplications, comparison.replications), stop: stop)
    }
    return found
  }
}
