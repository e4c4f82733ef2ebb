import Scenario

/// How far predictions are from the truth: signed relative errors, (predicted - true) / true.
public struct ErrorSummary: Sendable, Equatable {
  public let count: Int
  /// Order statistics of the absolute errors: number floor(q n) from 0, at most the last.
  public let median: Double
  public let p90: Double
  public let p95: Double
  public let max: Double
  /// The mean of the signed errors.
  public let bias: Double

  /// - Parameter errors: signed; not empty.
  public init(_ errors: [Double]) {
    precondition(!errors.isEmpty, "a summary of no errors")
    let sorted = errors.map(\.magnitude).sorted()
    func order(_ share: Double) -> Double {
      sorted[Swift.min(Int(share * Double(sorted.count)), sorted.count - 1)]
    }
    count = errors.count
    median = order(0.5)
    p90 = order(0.9)
    p95 = order(0.95)
    max = sorted[sorted.count - 1]
    bias = errors.reduce(0, +) / Double(errors.count)
  }
}

/// One predictor against the truth.
public struct FidelityLine: Sendable {
  public let predictor: String
  public let errors: ErrorSummary

  /// Nil without errors: the predictor says nothing about these rows.
  init?(_ predictor: String, _ errors: [Double]) {
    if errors.isEmpty { return nil }
    self.predictor = predictor
    self.errors = ErrorSummary(errors)
  }
}

/// A limit that our model keeps to.
public struct FidelityGate: Sendable {
  /// Relative errors, factors of at least 1, or how many.
  public enum Unit: Sendable {
    case share
    case factor
    case count
  }

  public let name: String
  public let value: Double
  public let limit: Double
  public let unit: Unit

  init(_ name: String, _ value: Double, atMost limit: Double, unit: Unit = .share) {
    self.name = name
    self.value = value
    self.limit = limit
    self.unit = unit
  }

  /// False also for a value that is not a number.
  public var isMet: Bool { value <= limit }
}

/// The result of one family of scenarios.
public struct FamilyReport: Sendable {
  public let family: String
  /// What the rows are, in words.
  public let subject: String
  public let lines: [FidelityLine]
  public let gates: [FidelityGate]

  init(_ family: String, _ subject: String, _ lines: [FidelityLine?], gates: [FidelityGate]) {
    self.family = family
    self.subject = subject
    self.lines = lines.compactMap(\.self)
    self.gates = gates
  }
}

/// The order statistics of runs.
enum Sample {
  static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }

  /// The middle value, or the mean of the two in the middle.
  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// The quantile `share`, between the two nearest values in proportion.
  static func quantile(_ values: [Double], _ share: Double) -> Double {
    let sorted = values.sorted()
    let place = share * Double(sorted.count - 1)
    let low = Int(place)
    let high = Swift.min(low + 1, sorted.count - 1)
    if sorted[high] == .infinity { return place > Double(low) ? .infinity : sorted[low] }
    return sorted[low] + (place - Double(low)) * (sorted[high] - sorted[low])
  }

  /// A time of the model, ms; infinite when it never comes.
  static func milliseconds(_ time: Int64) -> Double {
    TransferTime.milliseconds(time) ?? .infinity
  }

  static func error(_ predicted: Double, _ truth: Double) -> Double {
    (predicted - truth) / truth
  }
}
