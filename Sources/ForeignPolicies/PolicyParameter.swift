import MediaUnits

/// A value of a policy's parameter.
public enum PolicyValue: Sendable, Equatable {
  case time(TimeSpan)
  case bitRate(BitRate)
  case count(Int)
  case number(Double)
  /// From 0 to 1.
  case share(Double)
  case flag(Bool)
}

/// What may stand at a policy's parameter.
public enum PolicyForm: Sendable, Equatable {
  case time(ClosedRange<TimeSpan>)
  case bitRate(ClosedRange<BitRate>)
  case count(ClosedRange<Int>)
  case number(ClosedRange<Double>)
  case share
  case flag

  /// Whether a value may stand there.
  public func accepts(_ value: PolicyValue) -> Bool {
    switch (self, value) {
    case (.time(let range), .time(let value)): range.contains(value)
    case (.bitRate(let range), .bitRate(let value)): range.contains(value)
    case (.count(let range), .count(let value)): range.contains(value)
    case (.number(let range), .number(let value)): range.contains(value)
    case (.share, .share(let value)): (0...1).contains(value)
    case (.flag, .flag): true
    default: false
    }
  }
}

/// A parameter of a policy as a key of scenarios, which stands beside `kind`.
///
/// Its default is what the policy's own configuration has, so that no number stands twice.
public struct PolicyParameter<Configuration: Sendable>: Sendable {
  /// The key: letters, digits, `_` and `-`, a letter first.
  let name: String
  let form: PolicyForm
  /// What it means, one line without a full stop.
  let summary: String
  /// Where the default comes from, or `assumed`.
  let source: String
  let get: @Sendable (Configuration) -> PolicyValue
  let set: @Sendable (inout Configuration, PolicyValue) -> Void

  private init<Value>(
    _ name: String, _ form: PolicyForm, _ summary: String, _ source: String,
    _ path: any WritableKeyPath<Configuration, Value> & Sendable,
    _ wrap: @escaping @Sendable (Value) -> PolicyValue,
    _ unwrap: @escaping @Sendable (PolicyValue) -> Value?
  ) {
    self.name = name
    self.form = form
    self.summary = summary
    self.source = source
    get = { wrap($0[keyPath: path]) }
    set = { configuration, value in
      guard let value = unwrap(value) else { preconditionFailure("\(name): a value of its form") }
      configuration[keyPath: path] = value
    }
  }

  /// A time, written with its unit: `6 s`, `200 ms`.
  public static func time(
    _ name: String, _ path: any WritableKeyPath<Configuration, TimeSpan> & Sendable,
    in range: ClosedRange<TimeSpan> = .zero ... .seconds(3600), _ summary: String,
    source: String = "assumed"
  ) -> PolicyParameter {
    PolicyParameter(name, .time(range), summary, source, path, { .time($0) }) {
      if case .time(let value) = $0 { value } else { nil }
    }
  }

  /// A bit rate, written with its unit: `600 kbps`.
  public static func bitRate(
    _ name: String, _ path: any WritableKeyPath<Configuration, BitRate> & Sendable,
    in range: ClosedRange<BitRate>, _ summary: String, source: String = "assumed"
  ) -> PolicyParameter {
    PolicyParameter(name, .bitRate(range), summary, source, path, { .bitRate($0) }) {
      if case .bitRate(let value) = $0 { value } else { nil }
    }
  }

  /// A whole number.
  public static func count(
    _ name: String, _ path: any WritableKeyPath<Configuration, Int> & Sendable,
    in range: ClosedRange<Int>, _ summary: String, source: String = "assumed"
  ) -> PolicyParameter {
    PolicyParameter(name, .count(range), summary, source, path, { .count($0) }) {
      if case .count(let value) = $0 { value } else { nil }
    }
  }

  /// A number.
  public static func number(
    _ name: String, _ path: any WritableKeyPath<Configuration, Double> & Sendable,
    in range: ClosedRange<Double>, _ summary: String, source: String = "assumed"
  ) -> PolicyParameter {
    PolicyParameter(name, .number(range), summary, source, path, { .number($0) }) {
      if case .number(let value) = $0 { value } else { nil }
    }
  }

  /// A share from 0 to 1, or in percent.
  public static func share(
    _ name: String, _ path: any WritableKeyPath<Configuration, Double> & Sendable,
    _ summary: String,
    source: String = "assumed"
  ) -> PolicyParameter {
    PolicyParameter(name, .share, summary, source, path, { .share($0) }) {
      if case .share(let value) = $0 { value } else { nil }
    }
  }

  /// `true` or `false`.
  public static func flag(
    _ name: String, _ path: any WritableKeyPath<Configuration, Bool> & Sendable, _ summary: String,
    source: String = "assumed"
  ) -> PolicyParameter {
    PolicyParameter(name, .flag, summary, source, path, { .flag($0) }) {
      if case .flag(let value) = $0 { value } else { nil }
    }
  }
}
