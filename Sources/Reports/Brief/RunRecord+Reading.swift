import Scenario
import Studies

extension RunRecord {
  /// The verdict in a sentence without a full stop.
  var verdictMeaning: String {
    let hard = budgets.filter { $0.level == "hard" }
    let share = "\(hard.count { $0.verdict == verdict }) of \(hard.count) hard budgets"
    if let live, !live.reasons.isEmpty { return "the load generator was not healthy" }
    return switch verdict {
    case "pass": hard.count == 1 ? "the hard budget holds" : "all \(hard.count) hard budgets hold"
    case "fail": "\(share) missed"
    case "inconclusive": "\(share) undecided"
    case "invalid": "\(share) cannot be judged"
    default: hard.isEmpty ? "the scenario has no hard budget" : "nothing was judged"
    }
  }
}

extension RunRecord.Budget {
  /// Whether nothing has come near the limit: the value is zero in every replication, and the
  /// margin 100 % in all of the interval. Such a budget passes whatever its limit is, and says
  /// nothing about how much could get worse.
  var isUntouched: Bool {
    verdict == "pass"
      && BudgetMargin.isUntouched(margin, value: estimate.value, interval: estimate.text.interval)
  }

  /// The metric, where this version knows it.
  var metricReference: MetricReference? { try? MetricReference.parse(metric).get() }

  /// What the samples behind the value are.
  var sampleNoun: String { MetricName(metric).sampleNoun }

  /// The margin with its sign: the distance to the limit as a share of it. Beyond a hundred times
  /// the limit it is only called that far.
  var marginText: String? {
    margin.map { value in
      let percent = value * 100
      if percent < -9_999 { return "< -9,999 %" }
      let places = Figures.decimals(percent, spread: nil, atMost: abs(percent) >= 100 ? 0 : 1)
      return (value > 0 ? "+" : "") + Figures.decimal(percent, places) + " %"
    }
  }
}

extension [String] {
  /// `views, requests or swipes`: each word once, in the order of their first use.
  var alternatives: String {
    var words: [String] = []
    for word in self where !words.contains(word) { words.append(word) }
    guard let last = words.last else { return "samples" }
    return words.count == 1 ? last : words.dropLast().joined(separator: ", ") + " or " + last
  }
}
