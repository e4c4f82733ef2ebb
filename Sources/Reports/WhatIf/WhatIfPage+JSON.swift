import Models
import Scenario
import Studies

/// What the page's script reads.
extension WhatIfPage {
  /// - Parameter patches: of each step of each control.
  func page(_ patches: [[JSONText]]) -> JSONText {
    let program =
      "FirstFrame \(ProgramVersion.number) (model version \(ModelVersion.feed))"
    return [
      "program": .string(program), "name": .string(identity.name),
      "description": .string(identity.description), "digest": .string(identity.digest),
      "file": .string(identity.file), "short": .boolean(identity.isShort),
      "arguments": .array(identity.arguments.map { .string($0) }),
      "seed": .string("\(identity.seed)"),
      "replications": .integer(Int64(identity.replications)),
      "viewsPerReplication": .number(identity.viewsPerReplication.rounded()),
      "fingerprints": .array(base.fingerprints.map { .string($0.digits) }),
      "report": identity.report.map { .string($0) } ?? .null,
      "metrics": .array(base.metrics.map { WhatIfPage.json($0) }),
      "budgets": .array(zip(base.budgets, base.budgetMetrics).map { WhatIfPage.json($0, $1) }),
      "headline": .array(headline.map { .integer(Int64($0)) }),
      "breakdown": .array(breakdown),
      "tiers": .array(tiers.map { .integer(Int64($0)) }),
      "curve": [
        "base": .array(
          base.curve.map { .array([.number($0.milliseconds), .number($0.share)]) })
      ],
      "controls": .array(zip(controls.controls, patches).map { WhatIfPage.json($0, $1) }),
      "conflicts": .array(
        controls.conflicts.map { pair in
          .array([.integer(Int64(pair.lowerBound)), .integer(Int64(pair.upperBound))])
        }),
      "cost": base.cost.map { WhatIfPage.json($0) } ?? .null,
      "viewers": .array(viewers.map { WhatIfPage.json($0) }),
      "timeline": WhatIfPage.timelineWords,
    ]
  }

  private static func json(_ cost: CDNCost) -> JSONText {
    [
      "currency": .string(cost.prices.currency), "prices": .string(cost.prices.name),
      "asOf": .string(cost.prices.asOf), "region": .string(cost.region.name),
      "base": [
        "month": json(cost.total), "perMillion": json(cost.monthly.millionViews),
        "viewsPerDay": .number(cost.viewsPerDay),
      ],
    ]
  }

  private static func json(_ amount: MonthlyCost.Amount) -> JSONText {
    [
      "value": .number(amount.value), "lower": number(amount.interval?.lower),
      "upper": number(amount.interval?.upper),
    ]
  }

  /// Views that the report names, of replications that the page can run, each once.
  private var viewers: [Exemplars.View] {
    var shown: [Exemplars.View] = []
    for view in identity.viewers where view.replication < identity.replications {
      let isKnown = shown.contains {
        $0.replication == view.replication && $0.session == view.session && $0.item == view.item
      }
      if !isKnown && shown.count < WhatIfPage.mostViewers { shown.append(view) }
    }
    return shown
  }

  private static let mostViewers = 12

  private static func json(_ view: Exemplars.View) -> JSONText {
    [
      "replication": .integer(view.replication), "session": .integer(view.session),
      "item": .integer(view.item), "words": .string(view.what),
    ]
  }

  private static func json(_ metric: MetricResult) -> JSONText {
    let reference = metric.reference
    let name = MetricName(reference.description)
    return [
      "reference": .string(reference.description), "name": .string(name.shortText),
      "words": .string(name.words),
      "unit": .string(reference.unit.word),
      "group": .string(group(of: reference)),
      "base": [
        "value": number(metric.value), "lower": number(metric.interval?.lower),
        "upper": number(metric.interval?.upper),
        "replications": .integer(Int64(metric.replications)),
        "samples": .integer(metric.samples), "isLowerBound": .boolean(metric.isLowerBound),
      ],
    ]
  }

  private static func number(_ value: Double?) -> JSONText { value.map { .number($0) } ?? .null }

  private static func json(_ result: BudgetResult, _ metric: Int) -> JSONText {
    let budget = result.budget
    return [
      "metric": .integer(Int64(metric)), "limit": .string(budget.limitText),
      "number": .number(budget.limit.value),
      "comparison": .string(budget.limit.comparison.rawValue),
      "level": .string(budget.level.rawValue),
      "base": [
        "verdict": .string(result.verdict.rawValue), "reason": .string(result.reason),
      ],
    ]
  }

  private static func json(_ control: WhatIfControls.Control, _ patches: [JSONText]) -> JSONText {
    [
      "key": .string(control.key), "words": .string(control.words),
      "group": .string(control.group), "base": .integer(Int64(control.base)),
      "steps": .array(
        zip(control.steps, patches).map { step, patch in
          ["text": .string(step.text), "patch": patch]
        }),
    ]
  }

  // MARK: Places of metrics

  /// What comparisons look at, as far as it is there.
  private var headline: [Int] {
    FeedMetrics.headline.compactMap { name in
      guard let reference = try? MetricReference.parse(name).get() else { return nil }
      return base.metrics.firstIndex { $0.reference == reference }
    }
  }

  /// The mean times of the parts of a start, in the order in which they come.
  private var breakdown: [JSONText] {
    MetricReference.parts.compactMap { part in
      let place = base.metrics.firstIndex { metric in
        let reference = metric.reference
        return reference.metric == "startup_ms" && reference.stat == "mean"
          && reference.labels.count == 1 && reference.label("part") == part
      }
      return place.map {
        ["name": .string(StartupPart.words(of: part)), "metric": .integer(Int64($0))]
      }
    }
  }

  /// Shares of requests that each tier answers.
  private var tiers: [Int] {
    base.metrics.indices.filter { place in
      let reference = base.metrics[place].reference
      return reference.metric == "hit_ratio" && reference.labels.count == 2
        && reference.label("tier") != nil && reference.label("by") == "requests"
        && base.metrics.firstIndex { $0.reference == reference } == place
    }
  }

  /// Under which heading a metric stands.
  private static func group(of reference: MetricReference) -> String {
    let name = reference.metric
    let rules: [(String, [String])] = [
      ("starts", ["ttff", "ready", "not_started", "startup", "late", "swipe_wait", "spinner"]),
      (
        "caches",
        ["hit_ratio", "origin", "provider", "old_version", "manifest_staleness", "sprite"]
      ),
      (
        "quality",
        ["rebuffer", "stall", "shown", "top_rung", "switch", "qoe", "score", "smoothness", "flaps"]
      ),
      (
        "views",
        ["wasted", "watch", "exit", "viewer", "playback", "troubled", "rescued", "given_up"]
      ),
      (
        "app",
        [
          "pool", "gate", "event", "bridge", "mount", "main_thread", "decoder", "evicted",
          "snapback", "black_frame", "offline", "loop_gap",
        ]
      ),
    ]
    return rules.first { rule in rule.1.contains { name.hasPrefix($0) } }?.0 ?? "other"
  }
}
