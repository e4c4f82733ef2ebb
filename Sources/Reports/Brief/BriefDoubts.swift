/// What a result does not settle: budgets without a verdict, wide intervals, budgets that nothing
/// has come near, and runs that are less than the scenario asks for.
struct BriefDoubts {
  let record: RunRecord
  let text: BriefText

  /// - Parameter most: lines at most; what does not fit is left to the whole report.
  func lines(most: Int) -> [String] {
    var lines: [String] = []
    let items = items
    for (index, item) in items.enumerated() {
      let isLast = index == items.count - 1
      if lines.count + item.count > most - (isLast ? 0 : 1) {
        return lines + ["  … \(items.count - index) more: --full or the page tells them"]
      }
      lines += item
    }
    return lines
  }

  private var items: [[String]] {
    var items = (record.live?.reasons ?? []).map {
      text.wrapped("not to be believed: \($0)", indent: "  ")
    }
    items += undecided
    let wide = named { $0.isWide }
    if !wide.isEmpty {
      items.append(text.named("interval wider than the value", wide, indent: "  "))
    }
    let untouched = named(\.isUntouched)
    if !untouched.isEmpty {
      items.append(
        text.named("cannot fail here, 0 in every replication", untouched, indent: "  "))
    }
    if record.scenario.short {
      items.append(
        text.wrapped(
          "short form: a cut of audience and replications, for a quick look", indent: "  "))
    }
    return items
  }

  /// Verdicts that are none, each with its reason and the budgets that have both.
  private var undecided: [[String]] {
    let open = zip(record.budgets, names).filter { budget, _ in !budget.reason.isEmpty }
    var heads: [String] = []
    var members: [String: [String]] = [:]
    for (budget, name) in open {
      let soft = budget.level == "soft" ? " (soft)" : ""
      let head = "\(budget.verdict)\(soft), \(budget.reason)"
      if members[head] == nil { heads.append(head) }
      members[head, default: []].append(name)
    }
    return heads.map { text.named($0, members[$0] ?? [], indent: "  ") }
  }

  private var names: [String] { BriefName.names(record.budgets.map(\.metric)) }

  private func named(_ isMeant: (RunRecord.Budget) -> Bool) -> [String] {
    zip(record.budgets, names).filter { isMeant($0.0) }.map(\.1)
  }
}

extension RunRecord.Budget {
  /// Whether the verdict is there, but the interval is wider than the value itself.
  fileprivate var isWide: Bool {
    guard verdict == "pass" || verdict == "fail", let value = estimate.value, value != 0,
      let ends = estimate.text.interval
    else { return false }
    return ends.upperBound - ends.lowerBound > abs(value)
  }
}
