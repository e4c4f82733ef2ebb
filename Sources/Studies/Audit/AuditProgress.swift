import Synchronization

/// Adds up how far the runs of an audit are.
final class AuditProgress: Sendable {
  private let started: VariantProgress
  private let report: @Sendable (VariantProgress) -> Void
  private let state = Mutex<[String: StudyProgress]>([:])

  init(
    base: StudyResult, mutants: Int, count: Int,
    report: @escaping @Sendable (VariantProgress) -> Void
  ) {
    started = VariantProgress(
      finished: count, restored: 0, total: count * (mutants + 1),
      views: base.cohorts.reduce(0) { $0 + $1.views })
    self.report = report
  }

  /// Takes over how far the run of a mutant is, and reports the whole.
  func update(_ mutant: String, _ progress: StudyProgress) {
    state.withLock { state in
      state[mutant] = progress
      report(sum(state))
    }
  }

  /// What an audit that was stopped has done.
  var stopped: StudyStopped {
    let now = state.withLock { sum($0) }
    return StudyStopped(finished: now.finished, total: now.total)
  }

  private func sum(_ state: [String: StudyProgress]) -> VariantProgress {
    state.values.reduce(into: started) { whole, one in
      whole.finished += one.finished
      whole.views += one.views
    }
  }
}
