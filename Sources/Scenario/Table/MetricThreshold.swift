/// From which change on a metric's change matters, as a scenario's `thresholds` say.
public struct MetricThreshold: Hashable, Sendable {
  public var metric: MetricReference
  /// A share of the baseline's size; nil: the default.
  public var relative: Double?
  /// In the metric's unit (milliseconds, a ratio, a number); nil: the default.
  public var absolute: Double?

  static let shape = ObjectShape([
    Field(
      "metric", .text(MetricReference.rule), default: .required,
      "The metric, as metric{label=value}.stat", source: "contract.md section 1"),
    Field(
      "relative", .optional(.ratio), default: "none",
      "A change below this share of the baseline does not matter; none: 2 %"),
    Field(
      "absolute", .optional(.text(rule)), default: "none",
      "Nor does one below this amount, in the metric's unit; the larger of both counts. None: "
        + "10 ms, 0.1 point of a share, half an event of a count"),
  ])

  private static let rule = TextRule(
    "an amount such as \"20 ms\" or \"0.2 %\"", pattern: "^\\s*[0-9].*$"
  ) { _ in true }

  static let field = Field(
    "thresholds", .list(.object(shape), count: 0...200), default: "[]",
    "From which change on a metric's change matters, for gate, compare and audit")

  /// Reads a scenario's list.
  ///
  /// - Parameter isKnown: whether the scenario has a metric; it says so itself when not.
  static func list(
    _ tree: ResolvedTree, problems: inout Problems,
    isKnown: (MetricReference, ResolvedTree, inout Problems) -> Bool
  ) -> [MetricThreshold] {
    var found: [MetricThreshold] = []
    for element in tree.elements("thresholds") {
      switch MetricReference.parse(element.text("metric")) {
      case .failure(let fault):
        problems.add(element.problem(at: "metric", expected: fault.expected))
      case .success(let metric):
        if !isKnown(metric, element, &problems) { continue }
        if found.contains(where: { $0.metric == metric }) {
          problems.add(element.problem(at: "metric", expected: "each metric once"))
          continue
        }
        var threshold = MetricThreshold(metric: metric)
        if !element.isNone("relative") { threshold.relative = element.ratio("relative") }
        if let text = element.optionalText("absolute") {
          // An amount is what stands behind a limit's sign.
          switch BudgetLimit.parse("< \(text)", unit: metric.unit) {
          case .success(let limit): threshold.absolute = limit.value
          case .failure(let fault):
            problems.add(element.problem(at: "absolute", expected: fault.expected))
          }
        }
        found.append(threshold)
      }
    }
    return found
  }
}
