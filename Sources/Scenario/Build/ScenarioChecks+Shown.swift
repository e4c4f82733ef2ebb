/// Keys that name keys to be shown.
extension ScenarioChecks {
  /// Refuses what is no key of any scenario of a feed. What only another kind has is not refused:
  /// it is there again when the kind is set.
  mutating func checkShown() {
    for element in tree.elements("whatIf") {
      guard let path = TreePath(parsing: element.text()), !path.steps.isEmpty else {
        problems.add(
          element.problem(
            expected: "a key path such as policy.prefetch.itemsAhead", code: .keyPath))
        continue
      }
      if let fault = ScenarioTable.schema.fault(of: path) {
        problems.add(
          element.problem(
            expected: fault.expected, suggestion: fault.suggestion, code: .unknownKey))
      }
    }
  }
}
