import Foundation
import MediaUnits
import Models

/// What the table of keys cannot say: keys that contradict each other, budgets that name nothing.
struct ScenarioChecks {
  let tree: ResolvedTree
  var problems = Problems()
  var budgets: [Budget] = []
  private(set) var thresholds: [MetricThreshold] = []

  init(_ tree: ResolvedTree) { self.tree = tree }

  mutating func run() {
    checkCatalogue()
    checkCDN()
    checkProviders()
    checkShares("network.access")
    checkNetwork()
    checkShares("devices")
    checkPersonas()
    checkPolicies()
    checkSurface()
    checkDemand()
    checkScale()
    checkExtraColdStarts()
    checkBudgets()
    checkThresholds()
  }

  private mutating func checkThresholds() {
    thresholds = MetricThreshold.list(tree, problems: &problems) { metric, element, problems in
      if WorldMetric.of(metric) == nil { return true }
      problems.add(element.problem(at: "metric", expected: "a metric of the feed"))
      return false
    }
    for element in tree.elements("thresholds") {
      guard case .success(let metric) = MetricReference.parse(element.text("metric")) else {
        continue
      }
      checkLabels(metric, element, windowKey: "metric")
    }
  }

  private mutating func checkCatalogue() {
    let ladder = tree.elements("catalogue.ladder")
    for (before, after) in zip(ladder, ladder.dropFirst())
    where after.bitRate() <= before.bitRate() {
      problems.add(after.problem(expected: "a rate above the one before it"))
    }
    if !tree.isNone("catalogue.audio") && ladder.count >= ObjectLayout.maximumRungs {
      problems.add(
        tree.problem(
          at: "catalogue.audio",
          expected: "a ladder of at most \(ObjectLayout.maximumRungs - 1) rungs beside it"))
    }
    if !tree.isNone("catalogue.audio") && tree.word("catalogue.packaging") == "progressive" {
      problems.add(
        tree.problem(
          at: "catalogue.audio", expected: "none beside progressive files: they hold the audio"))
    }
    let (least, most) = (
      tree.time("catalogue.minimumDuration"), tree.time("catalogue.maximumDuration")
    )
    if most < least {
      problems.add(
        tree.problem(
          at: "catalogue.maximumDuration", expected: "at least catalogue.minimumDuration"))
    }
    let step = tree.time("catalogue.segmentDuration")
    let limit = Int64(ObjectLayout.maximumSegments)
    if most / limit > step || (most / limit == step && most % limit > 0) {
      problems.add(
        tree.problem(
          at: "catalogue.maximumDuration",
          expected: "at most \(limit) segments of catalogue.segmentDuration"))
    }
    if tree.time("catalogue.spriteSpan") < most / Int64(ObjectLayout.maximumSprites) {
      problems.add(
        tree.problem(
          at: "catalogue.spriteSpan",
          expected: "at most \(ObjectLayout.maximumSprites) sheets for the longest title"))
    }
    if let top = ladder.last {
      let bytes =
        Double(top.bitRate()) / 8 * Double(step) / 1e9 * tree.real("catalogue.peakRatio")
      if bytes >= 1e9 {
        problems.add(top.problem(expected: "segments below 1 GB"))
      }
    }
  }

  private mutating func checkNetwork() {
    let network = tree.at("network")
    let http = network.word("http")
    for key in ["handshake", "resumedHandshake"] {
      let word = network.word(key)
      if word == "auto" || word == "none" || word.hasPrefix("quic") == (http == "3") { continue }
      problems.add(
        network.problem(
          at: key,
          expected: http == "3"
            ? "quic, quic-0rtt or auto with http: 3"
            : "a handshake over TCP, or auto, unless http is 3"))
    }
    if http != "1.1" && !network.isNone("connectionsPerHost") {
      problems.add(
        network.problem(at: "connectionsPerHost", expected: "none, unless http is 1.1"))
    }
    let compared = network.elements("compare")
    for (index, element) in compared.enumerated()
    where compared[..<index].contains(where: { $0.word() == element.word() }) {
      problems.add(element.problem(expected: "each model once"))
    }
    if !compared.isEmpty && network.word("model") != "firstframe" {
      problems.add(
        network.problem(at: "model", expected: "firstframe, when others are compared with it"))
    }
    for access in network.elements("access") {
      if let failure = access.optional("nameFailure"),
        failure.ratio("unanswered") + failure.ratio("refused") > 1
      {
        problems.add(
          failure.problem(at: "refused", expected: "at most 1 together with unanswered"))
      }
      guard let cell = access.optional("cell") else { continue }
      if cell.integer("count") > 100_000 / max(1, tree.integer("cdn.edges")) {
        problems.add(
          cell.problem(at: "count", expected: "at most 100,000 cells over all edges"))
      }
    }
    checkSharing()
  }

  /// What shares a link or a cell must have something to share.
  private mutating func checkSharing() {
    let network = tree.at("network")
    let cells = network.elements("access").map { $0.optional("cell") }
    let isEachInCell = cells.allSatisfy { $0 != nil }
    let isEachInQueue = isEachInCell && cells.allSatisfy { $0?.isNone("queue") == false }
    for case .some(let cell) in cells
    where !cell.isNone("queue") && cell.real("roundTripBias") != 0 {
      problems.add(
        cell.problem(
          at: "roundTripBias", expected: "0 with a queue, where windows decide who gets what"))
    }
    let isOurs = network.word("model") == "firstframe"
    if !isOurs {
      for case .some(let cell) in cells where !cell.isNone("queue") {
        problems.add(
          cell.problem(
            at: "queue", expected: "none with another model than firstframe, which has no windows"))
      }
    }
    if network.word("sharing") == "turns" {
      if !isOurs {
        problems.add(
          network.problem(
            at: "sharing",
            expected: "weights with another model than firstframe, which has no turns"))
      } else if network.word("http") == "1.1" {
        problems.add(
          network.problem(
            at: "sharing",
            expected: "weights with http: 1.1, whose connections carry a response at a time"))
      } else if isEachInCell {
        problems.add(
          network.problem(
            at: "sharing", expected: "weights where all networks have a cell, which has no turns"))
      }
    }
    if network.word("sharing") == "queue" {
      if !isOurs || network.word("http") != "1.1" {
        problems.add(
          network.problem(
            at: "sharing",
            expected: "weights or turns without http: 1.1 and the model firstframe, whose "
              + "connections have a queue together"))
      } else if isEachInCell {
        problems.add(
          network.problem(
            at: "sharing", expected: "weights where all networks have a cell, with its own queue"))
      }
    }
    if isEachInQueue && network.real("prefetchWeight") != 1 {
      problems.add(
        network.problem(
          at: "prefetchWeight",
          expected: "1 where all networks have a queue, in which windows decide who gets what"))
    }
  }

  private mutating func checkShares(_ path: String) {
    var seen: Set<String> = []
    var sum = 0.0
    for element in tree.elements(path) {
      sum += element.real("weight")
      let isNamed = path == "network.access" && !element.isNone("name")
      if !seen.insert(isNamed ? element.text("name") : element.kind()).inserted {
        problems.add(
          element.problem(
            expected: path == "network.access"
              ? "each kind once, or a name of its own" : "each kind once"))
      }
    }
    if sum <= 0 { problems.add(tree.problem(at: path, expected: "a weight above 0")) }
  }

  private mutating func checkPersonas() {
    let sum = tree.elements("audience.personas").reduce(0) { $0 + $1.real("weight") }
    if sum <= 0 {
      problems.add(tree.problem(at: "audience.personas", expected: "a weight above 0"))
    }
  }

  private mutating func checkPolicies() {
    checkPrefetch()
    if case .shipped(let rule) = ScenarioTable.bitrateRules.value(tree, "policy.abr"),
      let problem = rule.check(tree.at("policy.abr"), tree.count("catalogue.ladder"))
    {
      problems.add(problem)
    }
    if tree.time("policy.player.forwardBuffer") < tree.time("policy.player.resumeThreshold") {
      problems.add(
        tree.problem(
          at: "policy.player.forwardBuffer",
          expected: "at least policy.player.resumeThreshold, or no stall would end"))
    }
    if tree.time("policy.player.forwardBuffer") < tree.time("policy.player.startThreshold") {
      problems.add(
        tree.problem(
          at: "policy.player.forwardBuffer", expected: "at least policy.player.startThreshold"))
    }
  }

  private mutating func checkPrefetch() {
    if tree.hasKey("policy.prefetch.rung"),
      let rung = tree.optionalInteger("policy.prefetch.rung"),
      rung >= Int64(tree.count("catalogue.ladder"))
    {
      problems.add(
        tree.problem(
          at: "policy.prefetch.rung",
          expected: "a rung below \(tree.count("catalogue.ladder"))"))
    }
    if tree.hasKey("policy.player.minimumBuffer"),
      tree.time("policy.player.minimumBuffer") > tree.time("policy.player.forwardBuffer")
    {
      problems.add(
        tree.problem(
          at: "policy.player.minimumBuffer", expected: "at most policy.player.forwardBuffer"))
    }
  }

  private mutating func checkBudgets() {
    for element in tree.elements("budgets") {
      var reference: MetricReference
      switch MetricReference.parse(element.text("metric")) {
      case .success(let parsed): reference = parsed
      case .failure(let fault):
        problems.add(element.problem(at: "metric", expected: fault.expected))
        continue
      }
      if WorldMetric.of(reference) != nil {
        problems.add(element.problem(at: "metric", expected: "a metric of the feed"))
        continue
      }
      if let window = element.optionalText("during") {
        switch reference.during(window) {
        case .success(let cut): reference = cut
        case .failure(let fault):
          problems.add(element.problem(at: "during", expected: fault.expected))
          continue
        }
      }
      checkLabels(reference, element, windowKey: element.isNone("during") ? "metric" : "during")
      let references = each(reference, element)
      switch BudgetLimit.parse(element.text("limit"), unit: reference.unit) {
      case .success(let limit):
        budgets += references.map { metric in
          Budget(
            metric: metric, limit: limit, limitText: element.text("limit"),
            level: ScenarioTable.budgetLevels.value(element, "level"),
            minimumSamples: Int(element.integer("minimumSamples")),
            place: element.origin(of: "metric").place)
        }
      case .failure(let fault):
        problems.add(element.problem(at: "limit", expected: fault.expected))
      }
    }
  }

  /// The metrics that a budget stands for: one, or one for each value of its label `each`.
  private mutating func each(
    _ reference: MetricReference, _ element: ResolvedTree
  ) -> [MetricReference] {
    if element.isNone("each") { return [reference] }
    let name = element.word("each")
    let values = cohorts.first { $0.label == name }?.values ?? MetricReference.keptClasses
    switch reference.forEach(name, in: values) {
    case .success(let references): return references
    case .failure(let fault):
      problems.add(element.problem(at: "each", expected: fault.expected))
      return []
    }
  }

  /// Labels with the values that they have in the scenario.
  private var cohorts: [(label: String, values: [String])] {
    [
      ("network", ScenarioBuilder.networkNames(tree)),
      ("device", tree.elements("devices").map { $0.kind() }),
      ("provider", ScenarioBuilder.providerNames(tree)),
      (
        "window",
        (tree.elements("windows") + tree.elements("audience.crowds")).map { $0.text("name") }
      ),
    ]
  }

  private mutating func checkLabels(
    _ reference: MetricReference, _ element: ResolvedTree, windowKey: String
  ) {
    for (label, known) in cohorts {
      guard let value = reference.label(label), !known.contains(value) else { continue }
      let names = known.isEmpty ? "it has none" : known.joined(separator: ", ")
      problems.add(
        element.problem(
          at: label == "window" ? windowKey : "metric",
          expected: "a \(label) of the scenario: \(names)",
          got: value, suggestion: Spelling.nearest(to: value, in: known)))
    }
    for tier in ["regional", "shield"]
    where reference.label("tier") == tier && tree.isNone("cdn.\(tier)") {
      problems.add(
        element.problem(at: "metric", expected: "a tier that the scenario has", got: tier))
    }
  }
}
