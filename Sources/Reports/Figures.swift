import Foundation
import Scenario
import Statistics
import Studies

/// Numbers as a reader wants them: few digits, no more than the interval supports.
enum Figures {
  /// A whole number with a comma after every three digits.
  static func count(_ value: Int64) -> String {
    let digits = Array(String(value.magnitude))
    var text = value < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// A number with a fixed number of decimals and commas.
  static func decimal(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite else { return "–" }
    let text = String(format: "%.\(decimals)f", value)
    let parts = text.split(separator: ".", maxSplits: 1)
    // A rounded zero has no sign.
    let isZero = text.allSatisfy { "-0.".contains($0) }
    let whole = Int64(parts[0]).map { count($0) } ?? String(parts[0])
    let sign = value < 0 && !isZero && !whole.hasPrefix("-") ? "-" : ""
    return sign + whole + (parts.count > 1 ? ".\(parts[1])" : "")
  }

  /// How many decimals a value is shown with: the second digit of its spread, or three digits of
  /// the value itself when there is no spread.
  static func decimals(_ value: Double, spread: Double?, atMost limit: Int) -> Int {
    let (size, digits) = (spread ?? 0) > 0 ? (spread ?? 0, 2.0) : (abs(value), 3.0)
    guard size > 0, size.isFinite else { return 0 }
    return max(0, min(limit, Int(digits - 1 - log10(size).rounded(.down))))
  }

  /// Bytes in decimal units.
  static func bytes(_ value: Int64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"]
    var (size, unit) = (Double(value), 0)
    while abs(size) >= 999.5 && unit + 1 < units.count {
      size /= 1000
      unit += 1
    }
    let places = unit == 0 ? 0 : decimals(size, spread: nil, atMost: 2)
    return "\(decimal(size, places)) \(units[unit])"
  }

  /// A length of time in hours, minutes or seconds, whichever gives a short number.
  static func duration(_ seconds: Double) -> String {
    let (value, unit) =
      seconds >= 3600
      ? (seconds / 3600, "h") : seconds >= 120 ? (seconds / 60, "min") : (seconds, "s")
    return "\(decimal(value, decimals(value, spread: nil, atMost: 1))) \(unit)"
  }

  /// A share as a percentage with three digits at most.
  static func share(_ part: Int64, of whole: Int64) -> String {
    whole > 0 ? percent(Double(part) / Double(whole)) : "–"
  }

  /// A ratio as a percentage.
  static func percent(_ ratio: Double, decimals places: Int? = nil) -> String {
    let value = ratio * 100
    // 99.97 is told from 100: what counts is the distance to the nearer end.
    let distance = min(abs(value), abs(100 - value))
    let shown = places ?? (distance >= 1 ? 1 : distance >= 0.1 ? 2 : 3)
    return decimal(value, value == 0 || value == 100 ? 0 : shown) + " %"
  }

  /// `+1.2`: a difference with its sign.
  static func signed(_ value: Double, decimals: Int) -> String {
    (value > 0 ? "+" : "") + decimal(value, decimals)
  }

  /// `+1.2 ±0.4`: a difference with its sign and half of its interval.
  static func signed(_ value: Double, half: Double) -> String {
    let places = decimals(value, spread: half > 0 ? half : nil, atMost: 4)
    return (value > 0 ? "+" : "") + decimal(value, places) + " ±" + decimal(half, places)
  }

  /// The same with its unit: percentage points for a ratio, milliseconds, or none.
  static func difference(
    _ value: Double, half: Double, unit: MetricReference.Unit
  ) -> String {
    switch unit {
    case .ratio: signed(value * 100, half: half * 100) + " points"
    case .milliseconds: signed(value, half: half) + " ms"
    case .number: signed(value, half: half)
    }
  }

  /// Whole units that sum to the rounded total, by the largest remainder (Hamilton's method).
  static func apportion(_ parts: [Int64], unit: Double) -> [Int64] {
    let quotas = parts.map { Double($0) / unit }
    var units = quotas.map { Int64($0.rounded(.down)) }
    let total = Int64((Double(parts.reduce(0, +)) / unit).rounded())
    let order = quotas.indices.sorted { a, b in
      let (left, right) = (
        quotas[a] - quotas[a].rounded(.down), quotas[b] - quotas[b].rounded(.down)
      )
      return left != right ? left > right : a < b
    }
    let missing = max(0, Int(total - units.reduce(0, +)))
    for index in order.prefix(missing) { units[index] += 1 }
    return units
  }

  /// A bar of eighths of a character; anything above zero shows.
  static func bar(_ share: Double, width: Int) -> String {
    guard share > 0, width > 0 else { return "" }
    let eighths = max(1, Int((min(1, share) * Double(width) * 8).rounded()))
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: eighths / 8) + rest
  }
}

/// An estimate as text: value, unit and 95 % interval with no more digits than the interval
/// supports.
struct EstimateText: Sendable, Equatable {
  var value: Double?
  var interval: ClosedRange<Double>?
  /// A ratio is shown as per cent.
  var unit: MetricReference.Unit
  /// The true value is at least this.
  var isLowerBound = false

  private var isPercent: Bool { unit == .ratio }
  private var scale: Double { isPercent ? 100 : 1 }

  /// What stands behind the number.
  var suffix: String {
    switch unit {
    case .ratio: " %"
    case .milliseconds: " ms"
    case .number: ""
    }
  }

  private var halfWidth: Double? {
    interval.map { ($0.upperBound - $0.lowerBound) / 2 * scale }
  }

  private var places: Int {
    guard let value else { return 0 }
    return Figures.decimals(value * scale, spread: halfWidth, atMost: isPercent ? 3 : 2)
  }

  /// The value with its unit, `≥ 5,000 ms` for a lower bound, `no data` without one.
  var valueText: String {
    guard let value else { return "no data" }
    let number = Figures.decimal(value * scale, places)
    return (isLowerBound ? "≥ " : "") + number + suffix
  }

  /// The 95 % interval in the value's unit; `–` when there is none.
  var intervalText: String {
    guard let interval else { return "–" }
    let lower = Figures.decimal(interval.lowerBound * scale, places)
    return "[\(lower), \(Figures.decimal(interval.upperBound * scale, places))]"
  }

  /// `412 ±7` without a unit: the value and half its 95 % interval.
  var shortText: String {
    guard let value else { return "–" }
    let number = (isLowerBound ? "≥ " : "") + Figures.decimal(value * scale, places)
    guard let half = halfWidth else { return number }
    return "\(number) ±\(Figures.decimal(half, half == 0 ? 0 : places))"
  }

  /// Nothing where there is no value.
  var withValue: EstimateText? { value == nil ? nil : self }

  /// The same with `%` or `ms`.
  var shortTextWithUnit: String { value == nil ? "–" : shortText + suffix }
}

extension MetricResult {
  /// The metric as text.
  var estimate: EstimateText {
    EstimateText(
      value: value, interval: interval.map { min($0.lower, $0.upper)...max($0.lower, $0.upper) },
      unit: reference.unit, isLowerBound: isLowerBound)
  }

  var valueText: String { estimate.valueText }
  var intervalText: String { estimate.intervalText }
  var shortText: String { estimate.shortText }
  var shortTextWithUnit: String { estimate.shortTextWithUnit }
}
