import Foundation

/// What the values of a distribution measure.
public enum LawUnit: String, Hashable, Sendable, CaseIterable {
  /// Times; the law is in seconds.
  case time
  /// Sizes; in bytes.
  case bytes
  /// Bit rates; in bits per second.
  case bitRate
  /// Plain numbers.
  case real

  /// The shape of one value.
  var value: Shape {
    switch self {
    case .time: .time()
    case .bytes: .bytes()
    case .bitRate: .bitRate()
    case .real: .real()
    }
  }

  /// The shape of a value that may not be zero.
  var positive: Shape {
    switch self {
    case .time: .time(1...Int64.max)
    case .bytes: .bytes(1...Int64.max)
    case .bitRate: .bitRate(1...Int64.max)
    case .real: .real(.positive)
    }
  }

  var expectation: String { value.expectation }
}

/// A distribution as the scenario describes it: seconds, bytes, bits per second or plain numbers.
public indirect enum LawSpec: Hashable, Sendable {
  /// Always the same value.
  case constant(Double)
  /// Equally likely from `min` to `max`.
  case uniform(min: Double, max: Double)
  /// Exponential with this mean.
  case exponential(mean: Double)
  /// The logarithm is normal with mean `log(median)` and standard deviation `sigma`.
  case lognormal(median: Double, sigma: Double)
  /// Normal.
  case normal(mean: Double, sd: Double)
  /// Weibull: survival `exp(-(x/scale)^shape)`.
  case weibull(shape: Double, scale: Double)
  /// Gamma with mean `shape · scale`.
  case gamma(shape: Double, scale: Double)
  /// Pareto of exponent `alpha` between `min` and `max` (bounded); `max` is infinite when not
  /// given.
  case pareto(alpha: Double, min: Double, max: Double)
  /// Beta of shapes `a` and `b`, stretched over `min` to `max`.
  case beta(a: Double, b: Double, min: Double, max: Double)
  /// Triangular.
  case triangular(min: Double, mode: Double, max: Double)
  /// Each of the values equally likely.
  case empirical([Double])
  /// The values of a file, whose path is relative to the working directory.
  case empiricalFile(String)
  /// One of the parts, chosen in proportion to its weight.
  case mixture([Part])
  /// A law whose values are held to the bounds.
  case clipped(LawSpec, min: Double?, max: Double?)

  /// Whether its values stand in a file.
  var readsFile: Bool {
    switch self {
    case .empiricalFile: true
    case .mixture(let parts): parts.contains { $0.law.readsFile }
    case .clipped(let law, _, _): law.readsFile
    case .constant, .uniform, .exponential, .lognormal, .normal, .weibull, .gamma, .pareto, .beta,
      .triangular, .empirical:
      false
    }
  }

  /// One part of a mixture.
  public struct Part: Hashable, Sendable {
    /// Its weight, above 0; weights need not sum to 1.
    public var weight: Double
    /// Its law.
    public var law: LawSpec

    /// A weighted part.
    public init(weight: Double, law: LawSpec) {
      self.weight = weight
      self.law = law
    }
  }
}

/// The kinds of distribution a scenario can name, as a table like any other.
///
/// `lognormal` takes `median` with `sigma` or with `p95` (then sigma is `log(p95/median)/1.6449`,
/// the 95th percentile of the standard normal). `empirical` takes `values` or `file`. Every kind
/// takes `clip`. Bounds that contradict each other are problems too.
public enum LawTable {
  /// The 95th percentile of the standard normal distribution.
  static let normal95 = 1.644_853_626_951_472_7

  /// Pairs of keys of which exactly one is given, by kind.
  static let alternatives = ["lognormal": ["sigma", "p95"], "empirical": ["values", "file"]]

  /// What makes a law of its keys, or nil with contradictions.
  typealias Rule = @Sendable (inout LawBuilder) -> LawSpec?

  /// The kinds for a unit.
  public static func kinds(_ unit: LawUnit) -> [Kind] { family(unit).kinds }

  /// The same with what they build. A new law is a row of ``basic(_:)`` or ``shaped(_:)`` and a
  /// case of ``LawSpec``.
  static func family(_ unit: LawUnit) -> PluginFamily<Rule> {
    switch unit {
    case .time: times
    case .bytes: sizes
    case .bitRate: bitRates
    case .real: numbers
    }
  }

  private static let times = table(.time)
  private static let sizes = table(.bytes)
  private static let bitRates = table(.bitRate)
  private static let numbers = table(.real)

  /// Keys as the laws of a unit have them.
  private struct Keys {
    let unit: LawUnit

    func value(_ name: String, _ summary: String) -> Field {
      Field(name, unit.value, default: .required, summary)
    }

    func scale(_ name: String, _ summary: String) -> Field {
      Field(name, unit.positive, default: .required, summary)
    }

    func number(_ name: String, _ summary: String) -> Field {
      Field(name, .real(.positive), default: .required, summary)
    }

    func either(_ name: String, _ shape: Shape, _ summary: String) -> Field {
      Field(name, .optional(shape), default: "none", summary, source: "not given")
    }
  }

  private static func table(_ unit: LawUnit) -> PluginFamily<Rule> {
    let keys = Keys(unit: unit)
    let clip = keys.either("clip", .object(clipShape(unit)), "bounds that values are held to")
    return PluginFamily(
      (basic(keys) + shaped(keys)).map { row in
        .init(
          row.kind.word, row.kind.summary, row.kind.object.fields + [clip], value: row.value)
      })
  }

  private static func basic(_ keys: Keys) -> [PluginFamily<Rule>.Row] {
    [
      .init("constant", "always the same value", [keys.value("value", "the value")]) {
        .constant($0.of("value"))
      },
      .init(
        "uniform", "equally likely between two bounds",
        [keys.value("min", "the least value"), keys.value("max", "the greatest value")]
      ) { form in
        form.require(
          form.of("min") < form.of("max"), "max", "a max above min", form.form.child("max"))
        return .uniform(min: form.of("min"), max: form.of("max"))
      },
      .init("exponential", "exponential", [keys.scale("mean", "the mean")]) {
        .exponential(mean: $0.of("mean"))
      },
      .init(
        "lognormal", "the logarithm is normal",
        [
          keys.scale("median", "the median"),
          keys.either(
            "sigma", .real(RealRange(0, 20, excludesMinimum: true)),
            "standard deviation of the natural logarithm"),
          keys.either("p95", keys.unit.positive, "95th percentile"),
        ]
      ) { $0.lognormal() },
      .init(
        "normal", "normal",
        [keys.value("mean", "the mean"), keys.scale("sd", "the standard deviation")]
      ) { .normal(mean: $0.of("mean"), sd: $0.of("sd")) },
      .init(
        "weibull", "Weibull", [keys.number("shape", "the shape"), keys.scale("scale", "the scale")]
      ) { .weibull(shape: $0.of("shape"), scale: $0.of("scale")) },
      .init(
        "gamma", "gamma",
        [keys.number("shape", "the shape"), keys.scale("scale", "mean over shape")]
      ) { .gamma(shape: $0.of("shape"), scale: $0.of("scale")) },
    ]
  }

  private static func shaped(_ keys: Keys) -> [PluginFamily<Rule>.Row] {
    [
      .init(
        "pareto", "Pareto, bounded when max is given",
        [
          keys.number("alpha", "the tail exponent"), keys.scale("min", "the least value"),
          keys.either("max", keys.unit.positive, "the greatest value"),
        ]
      ) { form in
        let max = form.form.child("max")?.magnitude ?? .infinity
        form.require(form.of("min") < max, "max", "a max above min", form.form.child("max"))
        return .pareto(alpha: form.of("alpha"), min: form.of("min"), max: max)
      },
      .init(
        "beta", "beta, stretched over min to max",
        [
          keys.number("a", "first shape"), keys.number("b", "second shape"),
          keys.value("min", "the least value"), keys.value("max", "the greatest value"),
        ]
      ) { form in
        form.require(
          form.of("min") < form.of("max"), "max", "a max above min", form.form.child("max"))
        return .beta(a: form.of("a"), b: form.of("b"), min: form.of("min"), max: form.of("max"))
      },
      .init(
        "triangular", "triangular",
        [
          keys.value("min", "the least value"), keys.value("mode", "the likeliest value"),
          keys.value("max", "the greatest value"),
        ]
      ) { form in
        form.require(
          form.of("min") < form.of("max"), "max", "a max above min", form.form.child("max"))
        let isInside = form.of("min") <= form.of("mode") && form.of("mode") <= form.of("max")
        form.require(isInside, "mode", "a mode from min to max", form.form.child("mode"))
        return .triangular(min: form.of("min"), mode: form.of("mode"), max: form.of("max"))
      },
      .init(
        "empirical", "each of the given values equally likely",
        [
          keys.either("values", .list(keys.unit.value, count: 1...10_000), "the values"),
          keys.either("file", .text(), "a CSV file of values, relative to this file"),
        ]
      ) { $0.empirical() },
      .init("mixture", "one of several laws", [parts(keys.unit)]) { $0.mixture() },
    ]
  }

  private static func parts(_ unit: LawUnit) -> Field {
    let part = ObjectShape([
      Field(
        "weight", .real(.positive), default: .required,
        "how often this part is chosen, relative to the others"),
      Field("law", .law(unit), default: .required, "the law of this part"),
    ])
    return Field(
      "parts", .list(.object(part), count: 1...100), default: .required, "the laws to mix")
  }

  static func clipShape(_ unit: LawUnit) -> ObjectShape {
    ObjectShape([
      Field("min", .optional(unit.value), default: "none", "the lower bound", source: "no bound"),
      Field("max", .optional(unit.value), default: "none", "the upper bound", source: "no bound"),
    ])
  }
}

/// Makes a ``LawSpec`` of a resolved mapping, or says why its numbers contradict each other.
struct LawBuilder {
  /// Something that does not hold between keys of one law.
  struct Contradiction {
    var key: String
    var code: Problem.Code
    var expected: String
    var got: String
  }

  let form: ResolvedNode
  let unit: LawUnit
  private(set) var contradictions: [Contradiction] = []

  init(_ form: ResolvedNode, unit: LawUnit) {
    self.form = form
    self.unit = unit
  }

  /// The law; nil when there are contradictions.
  mutating func law(_ kind: String) -> LawSpec? {
    let base = LawTable.family(unit).value(of: kind)(&self)
    let clip = form.child("clip")
    let (low, high) = (clip?.child("min")?.magnitude, clip?.child("max")?.magnitude)
    if let low, let high, low >= high {
      require(false, "clip", "a clip whose min is below its max", clip?.child("max"))
    }
    guard contradictions.isEmpty, let base else { return nil }
    return low == nil && high == nil ? base : .clipped(base, min: low, max: high)
  }

  fileprivate mutating func lognormal() -> LawSpec? {
    guard exactlyOne("lognormal") else { return nil }
    let median = of("median")
    if let sigma = form.child("sigma")?.magnitude {
      return .lognormal(median: median, sigma: sigma)
    }
    let p95 = of("p95")
    require(p95 > median, "p95", "a p95 above the median", form.child("p95"))
    return .lognormal(median: median, sigma: log(p95 / median) / LawTable.normal95)
  }

  fileprivate mutating func empirical() -> LawSpec? {
    guard exactlyOne("empirical") else { return nil }
    if case .text(let path) = form.child("file")?.value {
      return .empiricalFile(FilePath.resolve(path, beside: form.child("file")?.origin.file))
    }
    guard case .list(let elements) = form.child("values")?.value else { return nil }
    return .empirical(elements.compactMap(\.magnitude))
  }

  fileprivate func mixture() -> LawSpec? {
    guard case .list(let elements) = form.child("parts")?.value else { return nil }
    var parts: [LawSpec.Part] = []
    for element in elements {
      guard let weight = element.child("weight")?.magnitude,
        case .law(let law, _) = element.child("law")?.value
      else { return nil }
      parts.append(LawSpec.Part(weight: weight, law: law))
    }
    return .mixture(parts)
  }

  private mutating func exactlyOne(_ kind: String) -> Bool {
    let keys = LawTable.alternatives[kind] ?? []
    let given = keys.filter { form.child($0)?.value != ResolvedValue.none }
    if given.count == 1 { return true }
    contradictions.append(
      Contradiction(
        key: given.last ?? "", code: given.isEmpty ? .missingKey : .inconsistent,
        expected: "one of the keys \(keys.joined(separator: ", "))",
        got: given.isEmpty ? "neither" : "both"))
    return false
  }

  fileprivate mutating func require(
    _ holds: Bool, _ key: String, _ expected: String, _ value: ResolvedNode?
  ) {
    if holds { return }
    contradictions.append(
      Contradiction(
        key: key, code: .inconsistent, expected: expected, got: value?.excerpt ?? "nothing"))
  }

  /// The magnitude of a required key. Resolution made sure that it is there.
  fileprivate func of(_ key: String) -> Double {
    guard let value = form.child(key)?.magnitude else {
      preconditionFailure("a resolved law lacks \(key)")
    }
    return value
  }
}
