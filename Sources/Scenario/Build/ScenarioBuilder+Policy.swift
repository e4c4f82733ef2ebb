import FeedPolicy
import ForeignPolicies
import MediaUnits
import Models

/// What prefetch knows of the scenario beside its own keys.
extension ScenarioBuilder {
  mutating func prefetch(
    _ family: PrefetchFamily, _ part: ResolvedTree, _ pool: PlayerPool.Configuration
  ) -> PrefetchPolicy.Configuration {
    let segment = tree.span("catalogue.segmentDuration")
    var made = PrefetchPolicy.Configuration(
      family: family, furtherLength: segment, segmentLength: segment)
    let row = family.row
    for setting in row.settings {
      let key = PrefetchKey.of(setting.key)
      key.set(&made, part.at(key.name))
    }
    row.fix(&made, pool)
    if family.readsHazard {
      made.curves = swipeCurves()
      made.viewsPerSession = tree.real("audience.viewsPerSession")
    }
    return made
  }

  /// A policy that the program was built with.
  mutating func packagedPrefetch(
    _ package: PrefetchPackage, _ part: ResolvedTree, _ made: inout PolicyConfiguration
  ) {
    let segment = tree.span("catalogue.segmentDuration")
    let (deciders, itemsAhead) = package.deciders(
      part.values(of: package.row),
      PolicySurroundings(segmentLength: segment, pool: made.pool))
    if !(0...PrefetchPackage.mostItemsAhead).contains(itemsAhead) {
      own.add(
        part.problem(
          at: "kind", expected: "a policy that fetches 0 to 10 items ahead", got: "\(itemsAhead)"))
      return
    }
    made.prefetch = PrefetchPolicy.Configuration(
      headLength: segment, itemsAhead: itemsAhead, furtherLength: segment, segmentLength: segment)
    made.prefetchDeciders = deciders
    policies.append(package.row.identity)
  }

  /// A process that decides: begun and greeted here, where the program simulates
  /// (``ForeignPolicies/ExternalPolicy/admit()``).
  mutating func externalPrefetch(_ part: ResolvedTree, _ made: inout PolicyConfiguration) {
    let segment = tree.span("catalogue.segmentDuration")
    made.prefetch = PrefetchPolicy.Configuration(
      headLength: segment, itemsAhead: Int(part.integer("itemsAhead")), furtherLength: segment,
      segmentLength: segment)
    made.prefetchDeciders = process(part, .prefetch(itemsAhead: made.prefetch.itemsAhead))
  }

  /// A rule that is a process; nil where there is none.
  mutating func externalRule(_ rule: ExternalPolicy.Rule, _ part: ResolvedTree) -> ExternalRule? {
    process(part, .rule(rule)).map { ExternalRule($0) }
  }

  /// Begins and greets a process, where the program simulates.
  private mutating func process(
    _ part: ResolvedTree, _ task: ExternalPolicy.Task
  ) -> ExternalPolicy? {
    let command = ExternalPolicy.Command(
      words: part.elements("command").map { $0.text() }, folder: part.directory(of: "command"),
      timeout: part.span("timeout"), share: part.ratio("playedTwice"), task: task,
      key: part.path.description)
    do throws(PolicyRejected) {
      let policy = try ExternalPolicy.open(command)
      if let identity = policy.identity, !policies.contains(identity) {
        policies.append(identity)
      }
      return policy
    } catch {
      own.add(
        part.problem(
          at: "command", expected: error.expected, got: error.got,
          code: error.isMissing ? .missingFile : .inconsistent))
      return nil
    }
  }

  /// What the app knows of its viewers: the curves of the scenario's personas, mixed by weight.
  private mutating func swipeCurves() -> SwipeCurves {
    let personas = tree.elements("audience.personas")
    let total = personas.reduce(0) { $0 + $1.real("weight") }
    if personas.allSatisfy({ $0.hasKey("basis") }) {
      return SwipeCurves(
        mixing: personas.map { (share: $0.real("weight") / total, fits: Self.fits($0)) })
    }
    var parts: [(share: Double, curves: SwipeCurves)] = []
    for persona in personas {
      let curves =
        persona.hasKey("basis")
        ? SwipeCurves(mixing: [(share: 1, fits: Self.fits(persona))])
        : Self.curves(measuredDwell(persona))
      parts.append((persona.real("weight") / total, curves))
    }
    return SwipeCurves(mixing: parts)
  }

  private static func fits(_ persona: ResolvedTree) -> [SwipeCurves.Fit] {
    ScenarioTable.bases.value(persona, "basis").map { row in
      SwipeCurves.Fit(
        below: .seconds(row.below),
        completion: min(1, row.completion * persona.real("completionScale")),
        shape: row.shape, scale: row.scale * persona.real("watchScale"))
    }
  }

  /// Of buckets that do not ascend, which is a problem of the file, the last one alone.
  private static func curves(_ laws: [DwellLaw]) -> SwipeCurves {
    let ascend = zip(laws, laws.dropFirst()).allSatisfy { $0.below < $1.below }
    return SwipeCurves((ascend ? laws : laws.suffix(1)).map(\.curve))
  }
}

extension DwellLaw {
  /// The law as the app's curve: what is left of the viewers after each second.
  fileprivate var curve: SwipeCurves.Curve {
    var values = [1.0]
    for second in 1...SwipeCurves.seconds {
      let left = completion + (1 - completion) * (1 - share(within: Double(second)))
      values.append(min(left, values[second - 1]))
    }
    return SwipeCurves.Curve(below: below, survival: values)
  }

  /// The probability of at most this many seconds, by halving: quantiles never fall.
  private func share(within seconds: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if watchTime.quantile(middle) <= seconds { low = middle } else { high = middle }
    }
    return low
  }
}

extension SwipeCurves {
  /// Curves of a mixture of audiences with buckets of their own; the shares sum to 1.
  fileprivate init(mixing parts: [(share: Double, curves: SwipeCurves)]) {
    let bounds = Set(parts.flatMap { $0.curves.curves.map(\.below) }).sorted()
    self.init(
      bounds.map { below in
        var values = [1.0]
        for second in 1...SwipeCurves.seconds {
          let sum = parts.reduce(0.0) { sum, part in
            let curve = part.curves.curves.first { below <= $0.below }
            return sum + part.share * (curve?.survival[second] ?? 0)
          }
          values.append(min(sum, values[second - 1]))
        }
        return Curve(below: below, survival: values)
      })
  }
}
