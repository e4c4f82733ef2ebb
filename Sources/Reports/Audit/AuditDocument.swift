import Scenario
import Studies

/// Audits of budgets as one JSON document.
public enum AuditDocument {
  /// The document of several audits.
  ///
  /// - Parameter minimum: the least score, from 0 to 1; nil for any.
  public static func json(_ audits: [AuditResult], minimum: Double?) -> JSONText {
    .object([
      .init("schema", 1), .init("kind", "audit"),
      .init("minimumScore", number(minimum)),
      .init("audits", .array(audits.map { json($0, minimum: minimum) })),
    ])
  }

  private static func json(_ audit: AuditResult, minimum: Double?) -> JSONText {
    let base = audit.base
    return .object([
      .init("scenario", .string(base.scenario.name)),
      .init("world", .string(audit.world.rawValue)),
      .init("seed", .string("\(base.seed)")),
      .init("replications", .integer(Int64(audit.replications))),
      .init("short", .boolean(base.scenario.isShort)),
      .init("fingerprint", .string(base.fingerprint.digits)),
      .init("verdict", .string(base.verdict.rawValue)),
      .init("exitCode", .integer(Int64(audit.exitCode(minimum: minimum)))),
      .init("score", number(audit.score)),
      .init("relevant", .integer(Int64(audit.relevant))),
      .init(
        "counts",
        .object(
          AuditStatus.allCases.map {
            .init($0.rawValue, .integer(Int64(audit.count($0))))
          })),
      .init(
        "budgets",
        .array(base.budgets.indices.map { budget(base.budgets[$0], $0, audit) })),
      .init("mutants", .array(audit.rows.map { mutant($0) })),
      .init("suggestions", .array(audit.suggestions.map { suggestion($0) })),
    ])
  }

  private static func budget(
    _ row: BudgetResult, _ index: Int, _ audit: AuditResult
  ) -> JSONText {
    .object([
      .init("metric", .string(row.budget.metric.description)),
      .init("limit", .string(row.budget.limitText)),
      .init("level", .string(row.budget.level.rawValue)),
      .init("verdict", .string(row.verdict.rawValue)),
      .init("value", number(row.metric.value)),
      .init("notices", .array(audit.noticed(by: index).map { .string($0.name) })),
      .init("noticesNothing", .boolean(audit.silent.contains(index))),
    ])
  }

  private static func mutant(_ row: AuditRow) -> JSONText {
    .object([
      .init("name", .string(row.name)),
      .init("summary", .string(row.plan.summary)),
      .init("status", .string(row.status.rawValue)),
      .init("reason", row.notApplicable.map { .string($0) } ?? .null),
      .init("relevant", .boolean(row.isRelevant)),
      .init("noticed", .boolean(row.isNoticed)),
      .init(
        "settings",
        .array(
          row.plan.settings.map { ["key": .string($0.key), "value": .string($0.value)] })),
      .init(
        "budgets",
        .array(
          row.budgets.indices.map { index in
            .object([
              .init("metric", .string(row.budgets[index].budget.metric.description)),
              .init("limit", .string(row.budgets[index].budget.limitText)),
              .init("level", .string(row.budgets[index].budget.level.rawValue)),
              .init("verdict", .string(row.budgets[index].verdict.rawValue)),
              .init("notice", .string(row.notices[index].rawValue)),
              .init("value", number(row.budgets[index].metric.value)),
            ])
          })),
      .init("metrics", .array(row.differences.map { metric($0) })),
      .init(
        "fingerprint",
        row.run.map { .string($0.fingerprint.digits) } ?? .null),
    ])
  }

  private static func metric(_ row: AuditDifference) -> JSONText {
    .object([
      .init("metric", .string(row.metric.description)),
      .init("outcome", .string(row.outcome.rawValue)),
      .init("base", number(row.base)), .init("mutant", number(row.mutant)),
      .init("difference", number(row.difference)), .init("half", number(row.half)),
    ])
  }

  private static func suggestion(_ row: AuditSuggestion) -> JSONText {
    .object([
      .init("metric", .string(row.metric.description)),
      .init("limit", .string(row.limitText)),
      .init("yaml", .string(AuditText.yaml(row))),
      .init("base", number(row.base)),
      .init("mutants", .array(row.mutants.map { .string($0) })),
      .init("falseAlarm", number(row.falseAlarm)),
      .init("replications", .integer(Int64(row.replications))),
      .init("gateReplications", .integer(Int64(row.gateReplications))),
    ])
  }

  private static func number(_ value: Double?) -> JSONText {
    guard let value, value.isFinite else { return .null }
    return .number(value)
  }
}
