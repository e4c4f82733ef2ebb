import Scenario

extension HTMLPage {
  /// A verdict as a sign and a word, so that colour never says it alone.
  static func sign(_ verdict: String) -> String {
    switch verdict {
    case "pass": "✓"
    case "fail": "✗"
    case "inconclusive": "?"
    case "invalid": "!"
    default: "–"
    }
  }

  // MARK: Banner

  func writeHeader(to body: inout Markup) {
    body.element("h1", text: record.scenario.name)
    body.line()
    if record.scenario.description != "no description" {
      paragraph(record.scenario.description, to: &body)
    }
    let worse = baseline?.regressions ?? 0
    let isRegression = worse > 0 && record.verdict != "invalid" && record.verdict != "fail"
    let verdict = isRegression ? "fail" : record.verdict
    body.element("div", ["class": "banner \(verdict)", "id": "verdict"]) { body in
      body.element("p", ["class": "word"]) { body in
        body.element("span", ["aria-hidden": "true"], text: HTMLPage.sign(verdict) + " ")
        body.write(isRegression ? "REGRESSION" : record.verdict.uppercased())
      }
      if worse > 0 {
        body.element(
          "p", ["class": "says"],
          text: "Against the baseline \(worse) \(worse == 1 ? "metric is" : "metrics are") worse.")
      }
      body.element("p", ["class": "says"], text: verdictSentence)
      if record.replications.partial {
        body.element(
          "p", ["class": "says"],
          text: "Partial: a signal stopped the run after \(record.replications.run) replications, "
            + "before the decision.")
      }
    }
    body.line()
    writeCauses(to: &body)
    let size =
      record.world.map { "World \($0.name), " }
      ?? "\(HTMLPage.count(record.views)) views in \(HTMLPage.count(record.sessions)) sessions, "
    let figures =
      size
      + "\(record.replications.run) of at most \(record.replications.cap) replications, "
      + "\(HTMLPage.count(record.events)) events, "
      + "\(Figures.duration(record.simulatedSeconds)) of simulated time"
      + (record.extraColdStarts.map { ", \(HTMLPage.count($0)) extra cold starts" } ?? "")
    paragraph(
      figures + (record.scenario.short ? ". Short form of the scenario." : "."), faint: true,
      to: &body)
  }

  /// What a manager wants to know.
  var verdictSentence: String {
    let hard = record.budgets.filter { $0.level == "hard" }
    func all(_ verdict: String) -> [RunRecord.Budget] { hard.filter { $0.verdict == verdict } }
    func share(_ verdict: String) -> String { "\(all(verdict).count) of \(hard.count)" }
    let soft = record.budgets.filter { $0.level == "soft" && $0.verdict == "fail" }.count
    let aside =
      soft == 0
      ? "" : " \(soft) soft \(soft == 1 ? "budget is" : "budgets are") missed, which fails nothing."
    switch record.verdict {
    case "pass":
      let tight = all("pass").filter { $0.margin != nil }
        .min { ($0.margin ?? 0) < ($1.margin ?? 0) }
      let remark = tight.flatMap { budget in
        budget.margin.map {
          " The tightest is \(MetricName(budget.metric).words), "
            + "\(HTMLPage.percent($0)) inside its limit."
        }
      }
      let holds =
        hard.count == 1 ? "The one hard budget holds." : "All \(hard.count) hard budgets hold."
      return holds + (remark ?? "") + aside
    case "fail":
      let worst = all("fail").min { ($0.margin ?? 0) < ($1.margin ?? 0) }
      let example = worst.map { " The worst: " + HTMLPage.sentence($0) + "." } ?? ""
      return "\(share("fail")) hard budgets are missed." + example + aside
    case "inconclusive":
      return "\(share("inconclusive")) hard budgets are undecided after "
        + "\(record.replications.run) replications: their intervals hold the limit." + aside
    case "invalid":
      return "\(share("invalid")) hard budgets cannot be judged; no data is never a pass." + aside
    default:
      return hard.isEmpty
        ? "The scenario has no hard budget, so nothing was judged." + aside : "Nothing was judged."
    }
  }

  /// A budget's result in a sentence without its full stop.
  static func sentence(_ budget: RunRecord.Budget) -> String {
    let text = budget.estimate.text
    var sentence =
      "\(MetricName(budget.metric).words) is \(text.valueText), the limit is "
      + unbroken(budget.limit)
    if let margin = budget.margin {
      sentence += ", \(percent(margin)) \(margin < 0 ? "beyond" : "inside") it"
    }
    return sentence
  }

  /// With blanks that keep their line together.
  static func unbroken(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }

  /// The size of a margin, without digits that nobody reads.
  private static func percent(_ margin: Double) -> String {
    Figures.percent(abs(margin), decimals: abs(margin) >= 1 ? 0 : 1)
  }

  // MARK: Budgets

  func writeBudgets(to body: inout Markup) {
    if record.budgets.isEmpty {
      return noData("the scenario states no budget", to: &body)
    }
    var table = HTMLTable(
      "Every budget of the scenario, those that hold included",
      [
        .text("Budget"), .text("Verdict"), .number("Value"), .text("Limit"),
        .text("Margin and its interval"), .number("Margin"), .number("95 % interval"),
        .number("Samples"), .number("Decided"),
      ])
    let scale = MarginScale(record.budgets)
    for budget in record.budgets {
      var name = Markup()
      name.element("span", ["class": "metric"]) { name in
        name.write(MetricName(budget.metric).words)
        name.empty("br")
        name.element("code", text: MetricName(budget.metric).shortText)
      }
      var verdict = Markup()
      verdict.element("span", ["class": "verdict \(budget.verdict)"]) { verdict in
        verdict.element("span", ["aria-hidden": "true"], text: HTMLPage.sign(budget.verdict) + " ")
        verdict.write(budget.verdict + (budget.level == "soft" ? " (soft)" : ""))
      }
      if !budget.reason.isEmpty { verdict.small(budget.reason) }
      if budget.isUntouched { verdict.small("cannot fail here: 0 throughout") }
      var samples = Markup()
      samples.write(HTMLPage.count(budget.estimate.samples))
      samples.small(budget.sampleNoun)
      let text = budget.estimate.text
      let decided = budget.decidedAt.map { "after \($0)" } ?? "–"
      table.add([
        .markup(name.text), .markup(verdict.text), .text(text.valueText),
        .text(HTMLPage.unbroken(budget.limit)),
        MarginBar(budget, scale).map { .markup($0.markup) } ?? "–",
        .text(budget.marginText.map { HTMLPage.unbroken($0) } ?? "–"),
        .text(text.interval == nil ? "–" : text.intervalText + text.suffix),
        .markup(samples.text),
        .text(decided),
      ])
    }
    table.write(to: &body)
    let untouched = record.budgets.filter(\.isUntouched).map { MetricName($0.metric).words }
    if !untouched.isEmpty {
      let subject = untouched.count == 1 ? "One budget" : "\(untouched.count) budgets"
      paragraph(
        "\(subject) cannot fail here: \(untouched.joined(separator: "; ")). The value is 0 in "
          + "every replication, a margin of 100 % in all of the interval: nothing has come near "
          + "the limit, and any other would pass as well.", to: &body)
    }
    paragraph(
      "Margin: distance to the limit as a share of it, positive on the good side. The bar shows it "
        + "(dot) with its 95 % interval (line) on one scale for all budgets: the upright stroke is "
        + "the limit, the shaded side is allowed and ends at a margin of 100 %; an arrow at the "
        + "left edge stands for a limit missed by more than is drawn. Samples: what is behind the "
        + "value. Decided: after so many replications. Soft budgets are reported and fail nothing.",
      faint: true, to: &body)
  }
}
