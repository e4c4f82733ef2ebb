import MediaUnits

/// What a sweep varies and how, as a scenario's `sweep` says.
public struct SweepPlan: Sendable, Equatable {
  /// Which combinations are run.
  public enum Design: Sendable, Equatable {
    case grid
    case oneAtATime
    case latinHypercube(points: Int, seed: UInt64)
    case sobol(points: Int)
    case morris(trajectories: Int, seed: UInt64)
    case sobolIndices(rows: Int)

    /// Whether the design puts factors anywhere in their range, and not on given values only.
    public var usesRanges: Bool {
      switch self {
      case .grid, .oneAtATime: false
      case .latinHypercube, .sobol, .morris, .sobolIndices: true
      }
    }
  }

  public var factors: [SweepFactor]
  public var design: Design
  public var isLogarithmic: Bool
  public var metrics: [MetricReference]
  /// The metrics of the Pareto front; empty for none.
  public var front: [MetricReference]
  /// Varied keys whose values each have a front of their own.
  public var within: [String]
  public var replications: Int

  /// Reads a checked scenario's sweep; problems are what the table cannot say.
  init(_ tree: ResolvedTree, problems: inout Problems) {
    let part = tree.at("sweep")
    let isLogarithmic = ScenarioTable.sweepScales.value(part, "scale")
    self.isLogarithmic = isLogarithmic
    design = ScenarioTable.sweepDesigns.value(part, "design")(part.at("design"))
    factors = part.variations("vary").map {
      SweepFactor($0, isLogarithmic: isLogarithmic)
    }
    let needsQuotients = isLogarithmic && design.usesRanges
    for factor in factors where needsQuotients && factor.isRange && !factor.isPositive {
      problems.add(
        part.problem(
          at: "scale", expected: "linear, since \(factor.key) takes values down to zero",
          got: "log"))
    }
    func metrics(_ key: String) -> [MetricReference] {
      part.elements(key).compactMap { element in
        switch MetricReference.parse(element.text()) {
        case .success(let reference): return reference
        case .failure(let fault):
          problems.add(element.problem(expected: fault.expected))
          return nil
        }
      }
    }
    self.metrics = metrics("metrics")
    front = metrics("front")
    let keys = factors.map(\.key)
    within = part.elements("within").map { element in
      if !keys.contains(element.text()) {
        problems.add(
          element.problem(
            expected: "a key of sweep.vary",
            suggestion: Spelling.nearest(to: element.text(), in: keys)))
      }
      return element.text()
    }
    replications = Int(part.integer("replications"))
  }
}

/// One key that a sweep varies.
public struct SweepFactor: Sendable, Equatable {
  public var key: String
  /// The values as written, as text for an ``Override``.
  public var values: [String]
  /// The range when every value is a number of one unit: least, greatest.
  var ends: (ResolvedNode, ResolvedNode)?
  /// The values as numbers in seconds, bytes, bits per second or plain; nil where they are none.
  public var magnitudes: [Double]?
  /// The unit of ``magnitudes``; empty for plain numbers.
  public var unit: String
  var isLogarithmic: Bool

  public static func == (a: SweepFactor, b: SweepFactor) -> Bool {
    a.key == b.key && a.values == b.values && a.isLogarithmic == b.isLogarithmic
  }

  init(_ variation: Variation, isLogarithmic: Bool) {
    key = variation.keyPath
    values = variation.texts
    let sorted = variation.values.sorted { ($0.magnitude ?? 0) < ($1.magnitude ?? 0) }
    if let first = sorted.first, let last = sorted.last,
      sorted.allSatisfy({ $0.magnitude != nil }), sorted.count >= 2
    {
      ends = (first, last)
    }
    let numbers = variation.values.compactMap(\.magnitude)
    magnitudes = numbers.count == variation.values.count ? numbers : nil
    unit =
      switch variation.values.first?.value {
      case .time: "s"
      case .bytes: "B"
      case .bitRate: "bit/s"
      default: ""
      }
    self.isLogarithmic = isLogarithmic
  }

  /// Whether the least value is above zero, as equal quotients need it.
  var isPositive: Bool { (ends?.0.magnitude ?? 0) > 0 }

  /// Whether the factor can take any value of a range.
  public var isRange: Bool { ends != nil }

  /// The value at a coordinate in 0...1 as text: of the range, or one of the values where they are
  /// no numbers.
  public func text(at coordinate: Double) -> String {
    guard let (low, high) = ends, let a = low.magnitude, let b = high.magnitude else {
      return values[min(values.count - 1, Int(coordinate * Double(values.count)))]
    }
    let value =
      isLogarithmic
      ? PortableMath.exp(
        PortableMath.log(a) + (PortableMath.log(b) - PortableMath.log(a)) * coordinate)
      : a + (b - a) * coordinate
    return CanonicalText.flow(low.replacing(value))
  }
}

extension ResolvedNode {
  /// The node with another number of its own unit; whole units are rounded.
  func replacing(_ magnitude: Double) -> ResolvedNode {
    var node = self
    switch value {
    case .time: node.value = .time(Int64((magnitude * 1e9).rounded()))
    case .bytes: node.value = .bytes(Int64(magnitude.rounded()))
    case .bitRate: node.value = .bitRate(Int64(magnitude.rounded()))
    case .integer: node.value = .integer(Int64(magnitude.rounded()))
    case .ratio: node.value = .ratio(magnitude)
    case .real: node.value = .real(magnitude)
    default: break
    }
    return node
  }
}
