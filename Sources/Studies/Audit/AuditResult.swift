import Scenario

/// What a budget made of a mutant.
public enum AuditNotice: String, Sendable, Equatable {
  /// The base passes it and the mutant fails it.
  case fails
  /// The base passes it and the mutant cannot be judged, so that a gate would not pass either.
  case inconclusive, invalid
  /// The mutant passes it, or the base does not.
  case none

  init(base: Verdict, mutant: Verdict) {
    guard base == .pass else {
      self = .none
      return
    }
    switch mutant {
    case .fail: self = .fails
    case .inconclusive: self = .inconclusive
    case .invalid: self = .invalid
    case .pass, .notRun: self = .none
    }
  }
}

/// What became of a mutant.
public enum AuditStatus: String, Sendable, Equatable, CaseIterable {
  /// A headline metric moved and a hard budget notices.
  case noticed
  /// A headline metric moved and no hard budget notices.
  case survived
  /// No headline metric moved: it does not count.
  case irrelevant
  /// Nothing to spoil there, or not a valid scenario.
  case notApplicable = "not-applicable"
}

/// A mutant and what was found of it.
public struct AuditRow: Sendable {
  public let plan: MutantPlan
  /// Why nothing was run; nil when it was.
  public let notApplicable: String?
  /// In the order of the base's budgets; empty when nothing was run.
  public let budgets: [BudgetResult]
  public let notices: [AuditNotice]
  /// The headline metrics; empty when nothing was run.
  public let differences: [AuditDifference]
  /// Its run; nil when nothing was run.
  public let run: StudyResult?

  init(_ plan: MutantPlan, notApplicable: String?) {
    self.plan = plan
    self.notApplicable = notApplicable
    budgets = []
    notices = []
    differences = []
    run = nil
  }

  init(_ plan: MutantPlan, base: StudyResult, run: StudyResult) {
    self.plan = plan
    notApplicable = nil
    budgets = run.budgets
    notices = zip(base.budgets, run.budgets).map {
      AuditNotice(base: $0.verdict, mutant: $1.verdict)
    }
    differences = AuditComparison.differences(base: base, mutant: run)
    self.run = run
  }

  public var name: String { plan.name }

  /// Whether at least one headline metric is not equivalent to the base's.
  public var isRelevant: Bool { differences.contains { $0.isMoved } }

  /// The headline metrics that are not equivalent.
  public var moved: [AuditDifference] { differences.filter(\.isMoved) }

  /// Whether a hard budget notices.
  public var isNoticed: Bool { !noticing(.hard).isEmpty }

  /// The budgets of a level that notice, by index.
  public func noticing(_ level: Budget.Level) -> [Int] {
    notices.indices.filter { notices[$0] != .none && budgets[$0].budget.level == level }
  }

  public var status: AuditStatus {
    if notApplicable != nil { return .notApplicable }
    if !isRelevant { return .irrelevant }
    return isNoticed ? .noticed : .survived
  }
}

/// What an audit of one scenario's budgets found.
public struct AuditResult: Sendable {
  public let world: AuditWorld
  public let base: StudyResult
  /// In the order of the world's table; empty when the base does not pass.
  public let rows: [AuditRow]
  public let suggestions: [AuditSuggestion]

  init(base: StudyResult, rows: [AuditRow]) {
    world = AuditWorld(base.scenario)
    self.base = base
    self.rows = rows
    suggestions = AuditSuggestion.all(
      base: base, survivors: rows.filter { $0.status == .survived })
  }

  /// Replications of the base and of each mutant.
  public var replications: Int { base.replications }

  public func count(_ status: AuditStatus) -> Int { rows.count { $0.status == status } }

  /// Headline metrics that the base does not reach, by which no mutant can count.
  public var unseen: [MetricReference] {
    (rows.first { !$0.differences.isEmpty }?.differences ?? []).filter(\.isUnseen).map(\.metric)
  }

  /// Mutants that count: a headline metric moved.
  public var relevant: Int { rows.count { $0.isRelevant } }

  /// The share of the relevant mutants that a hard budget notices; nil without any.
  public var score: Double? {
    relevant > 0 ? Double(count(.noticed)) / Double(relevant) : nil
  }

  /// The mutants, relevant or not, that a budget notices.
  public func noticed(by budget: Int) -> [AuditRow] {
    rows.filter { $0.notices.indices.contains(budget) && $0.notices[budget] != .none }
  }

  /// The budgets that notice no mutant, by index: they have not been seen to be able to fail.
  public var silent: [Int] {
    rows.contains { $0.run != nil } ? base.budgets.indices.filter { noticed(by: $0).isEmpty } : []
  }

  /// The code of contract.md section 2 of the base's hard budgets; then 13 when a score is asked
  /// for and no mutant is relevant, and 10 when it is too low.
  ///
  /// - Parameter minimum: the least score, from 0 to 1; nil for any.
  public func exitCode(minimum: Double?) -> Int32 {
    if base.exitCode != 0 { return base.exitCode }
    guard let minimum else { return 0 }
    guard let score else { return 13 }
    return score < minimum ? 10 : 0
  }
}
