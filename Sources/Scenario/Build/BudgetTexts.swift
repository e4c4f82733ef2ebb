/// Checks the texts of budgets in a file that the table of keys has already refused, so that their
/// problems come in the same pass.
///
/// Looks at the file's own budgets only: what a base file or `--set` says is checked once the table
/// accepts the whole.
enum BudgetTexts {
  static func adding(
    to rejected: ScenarioRejected, text: String?, _ file: String
  ) -> ScenarioRejected {
    var ignored = Problems()
    guard rejected.kind == .badData, let text, text.utf8.count <= YAMLReader.Limits.bytes,
      let top = YAMLReader.read(text, file: file, into: &ignored),
      case .sequence(let elements)? = top["budgets"]?.content
    else { return rejected }
    var all = Problems()
    for problem in rejected.problems { all.add(problem) }
    for (index, element) in elements.enumerated() {
      guard let node = element["metric"], let metric = node.text else { continue }
      let path = "budgets[\(index)]"
      switch MetricReference.parse(metric) {
      case .failure(let fault):
        all.add(
          Problem(
            .inconsistent, at: node.origin, keyPath: path + ".metric", expected: fault.expected,
            got: "\"\(metric)\""))
      case .success(let reference):
        guard let limit = element["limit"], let words = limit.text,
          case .failure(let fault) = BudgetLimit.parse(words, unit: reference.unit)
        else { continue }
        all.add(
          Problem(
            .inconsistent, at: limit.origin, keyPath: path + ".limit", expected: fault.expected,
            got: "\"\(words)\""))
      }
    }
    return ScenarioRejected(all)
  }
}
