/// Builds a world's plan and checks what its table cannot say: budgets that name nothing.
struct WorldChecks {
  let kind: WorldKind
  let tree: ResolvedTree
  var problems = Problems()
  private(set) var budgets: [Budget] = []
  private(set) var thresholds: [MetricThreshold] = []

  init(_ kind: WorldKind, _ tree: ResolvedTree) {
    self.kind = kind
    self.tree = tree
  }

  /// The world of a checked tree; its problems are among ``problems``.
  mutating func world(short: Bool) -> World {
    let size = WorldSize(share: short ? tree.real("short.share") : 1)
    return kind.build(tree.at(kind.name), size, &problems)
  }

  mutating func checkBudgets() {
    for element in tree.elements("budgets") {
      let reference: MetricReference
      switch MetricReference.parse(element.text("metric")) {
      case .success(let parsed): reference = parsed
      case .failure(let fault):
        problems.add(element.problem(at: "metric", expected: fault.expected))
        continue
      }
      if !check(reference, at: element, "metric") { continue }
      switch BudgetLimit.parse(element.text("limit"), unit: reference.unit) {
      case .success(let limit):
        budgets.append(
          Budget(
            metric: reference, limit: limit, limitText: element.text("limit"),
            level: ScenarioTable.budgetLevels.value(element, "level"),
            minimumSamples: Int(element.integer("minimumSamples")),
            place: element.origin(of: "metric").place))
      case .failure(let fault):
        problems.add(element.problem(at: "limit", expected: fault.expected))
      }
    }
  }

  mutating func checkThresholds() {
    let kind = kind
    thresholds = MetricThreshold.list(tree, problems: &problems) { metric, element, problems in
      WorldChecks.check(metric, of: kind, at: element, "metric", &problems)
    }
  }

  /// The metrics of the sweep must be this world's too.
  mutating func checkSweep() {
    for key in ["metrics", "front"] {
      for element in tree.at("sweep").elements(key) {
        guard case .success(let reference) = MetricReference.parse(element.text()) else { continue }
        _ = check(reference, at: element, "")
      }
    }
  }

  private mutating func check(
    _ reference: MetricReference, at element: ResolvedTree, _ key: String
  ) -> Bool {
    WorldChecks.check(reference, of: kind, at: element, key, &problems)
  }

  private static func check(
    _ reference: MetricReference, of kind: WorldKind, at element: ResolvedTree, _ key: String,
    _ problems: inout Problems
  ) -> Bool {
    if kind.references.contains(reference) { return true }
    let names = Set(kind.references.map(\.metric)).sorted()
    problems.add(
      element.problem(
        at: key, expected: "a metric of the world \(kind.name)", got: reference.description,
        suggestion: Spelling.nearest(to: reference.metric, in: names)))
    return false
  }
}
