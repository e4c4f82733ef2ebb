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

  /// The kinds for a unit.
  public static func kinds(_ unit: LawUnit) -> [Kind] {
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

  private static func table(_ unit: LawUnit) -> [Kind] {
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
    let clip = either("clip", .object(clipShape(unit)), "bounds that values are held to")
    let sigma = RealRange(0, 20, excludesMinimum: true)
    let table: [(String, String, [Field])] = [
      ("constant", "always the same value", [value("value", "the value")]),
      (
        "uniform", "equally likely between two bounds",
        [value("min", "the least value"), value("max", "the greatest value")]
      ),
      ("exponential", "exponential", [scale("mean", "the mean")]),
      (
        "lognormal", "the logarithm is normal",
        [
          scale("median", "the median"),
          either("sigma", .real(sigma), "standard deviation of the natural logarithm"),
          either("p95", unit.positive, "95th percentile"),
        ]
      ),
      ("normal", "normal", [value("mean", "the mean"), scale("sd", "the standard deviation")]),
      ("weibull", "Weibull", [number("shape", "the shape"), scale("scale", "the scale")]),
      ("gamma", "gamma", [number("shape", "the shape"), scale("scale", "mean over shape")]),
      (
        "pareto", "Pareto, bounded when max is given",
        [
          number("alpha", "the tail exponent"), scale("min", "the least value"),
          either("max", unit.positive, "the greatest value"),
        ]
      ),
      (
        "beta", "beta, stretched over min to max",
        [
          number("a", "first shape"), number("b", "second shape"),
          value("min", "the least value"), value("max", "the greatest value"),
        ]
      ),
      (
        "triangular", "triangular",
        [
          value("min", "the least value"), value("mode", "the likeliest value"),
          value("max", "the greatest value"),
        ]
      ),
      (
        "empirical", "each of the given values equally likely",
        [
          either("values", .list(unit.value, count: 1...10_000), "the values"),
          either("file", .text(), "a CSV file of values, relative to this file"),
        ]
      ),
      ("mixture", "one of several laws", [parts(unit)]),
    ]
    return table.map { Kind($0.0, $0.1, $0.2 + [clip]) }
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
    let base = plain(kind)
    let clip = form.child("clip")
    let (low, high) = (clip?.child("min")?.magnitude, clip?.child("max")?.magnitude)
    if let low, let high, low >= high {
      require(false, "clip", "a clip whose min is below its max", clip?.child("max"))
    }
    guard contradictions.isEmpty, let base else { return nil }
    return low == nil && high == nil ? base : .clipped(base, min: low, max: high)
  }

  private mutating func plain(_ kind: String) -> LawSpec? {
    switch kind {
    case "constant": return .constant(of("value"))
    case "uniform":
      require(of("min") < of("max"), "max", "a max above min", form.child("max"))
      return .uniform(min: of("min"), max: of("max"))
    case "exponential": return .exponential(mean: of("mean"))
    case "lognormal": return lognormal()
    case "normal": return .normal(mean: of("mean"), sd: of("sd"))
    case "weibull": return .weibull(shape: of("shape"), scale: of("scale"))
    case "gamma": return .gamma(shape: of("shape"), scale: of("scale"))
    case "pareto":
      let max = form.child("max")?.magnitude ?? .infinity
      require(of("min") < max, "max", "a max above min", form.child("max"))
      return .pareto(alpha: of("alpha"), min: of("min"), max: max)
    case "beta":
      require(of("min") < of("max"), "max", "a max above min", form.child("max"))
      return .beta(a: of("a"), b: of("b"), min: of("min"), max: of("max"))
    case "triangular":
      require(of("min") < of("max"), "max", "a max above min", form.child("max"))
      let isInside = of("min") <= of("mode") && of("mode") <= of("max")
      require(isInside, "mode", "a mode from min to max", form.child("mode"))
      return .triangular(min: of("min"), mode: of("mode"), max: of("max"))
    case "empirical": return empirical()
    case "mixture": return mixture()
    default: preconditionFailure("the law table has no kind \(kind)")
    }
  }

  private mutating func lognormal() -> LawSpec? {
    guard exactlyOne("lognormal") else { return nil }
    let median = of("median")
    if let sigma = form.child("sigma")?.magnitude {
      return .lognormal(median: median, sigma: sigma)
    }
    let p95 = of("p95")
    require(p95 > median, "p95", "a p95 above the median", form.child("p95"))
    return .lognormal(median: median, sigma: log(p95 / median) / LawTable.normal95)
  }

  private mutating func empirical() -> LawSpec? {
    guard exactlyOne("empirical") else { return nil }
    if case .text(let path) = form.child("file")?.value {
      return .empiricalFile(FilePath.resolve(path, beside: form.child("file")?.origin.file))
    }
    guard case .list(let elements) = form.child("values")?.value else { return nil }
    return .empirical(elements.compactMap(\.magnitude))
  }

  private func mixture() -> LawSpec? {
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

  private mutating func require(
    _ holds: Bool, _ key: String, _ expected: String, _ value: ResolvedNode?
  ) {
    if holds { return }
    contradictions.append(
      Contradiction(
        key: key, code: .inconsistent, expected: expected, got: value?.excerpt ?? "nothing"))
  }

  /// The magnitude of a required key. Resolution made sure that it is there.
  private func of(_ key: String) -> Double {
    guard let value = form.child(key)?.magnitude else {
      preconditionFailure("a resolved law lacks \(key)")
    }
    return value
  }
}
