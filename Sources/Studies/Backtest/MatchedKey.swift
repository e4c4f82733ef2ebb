import Scenario

/// A key of a scenario that is fitted by simulation, and where its value is looked for.
public struct MatchedKey: Sendable, Equatable {
  /// Such as `network.access[0].sessionRate.median`.
  public var key: String
  /// Of the numbers; above zero.
  public var range: ClosedRange<Double>
  /// What stands behind the numbers, such as `Mbps`; empty: nothing.
  public var unit: String

  /// - Precondition: the range begins above zero.
  public init(_ key: String, _ range: ClosedRange<Double>, unit: String = "") {
    precondition(range.lowerBound > 0, "logarithms are searched")
    self.key = key
    self.range = range
    self.unit = unit
  }

  /// Of `key=low..high unit`; nil when the text is not that, or does not begin above zero.
  public init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    let key = text[..<equals].trimmed
    let bounds = text[text.index(after: equals)...]
    guard let dots = bounds.firstRange(of: "..") else { return nil }
    let upper = bounds[dots.upperBound...].trimmed
    let number = upper.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    // Three dots are no range, and no number begins with one.
    guard !key.isEmpty, !upper.hasPrefix("."), let low = Double(bounds[..<dots.lowerBound].trimmed),
      let high = Double(number), low > 0, high > low, high.isFinite
    else { return nil }
    self.init(key, low...high, unit: upper.dropFirst(number.count).trimmed)
  }

  /// The key set to a value, with as many digits as a search can tell.
  public func setting(_ value: Double) -> Variant.Setting {
    Variant.Setting(key: key, value: text(value))
  }

  /// A value as a scenario has it.
  public func text(_ value: Double) -> String {
    let number = Self.number(value)
    return unit.isEmpty ? number : "\(number) \(unit)"
  }

  /// Six significant digits without an exponent.
  private static func number(_ value: Double) -> String {
    var scale = 1.0
    while value * scale < 100_000 && scale < 1e12 { scale *= 10 }
    let whole = (value * scale).rounded()
    return "\(whole / scale)"
  }
}

extension StringProtocol {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
