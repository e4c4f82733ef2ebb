import Foundation
import Scenario

/// Numbers and lengths of texts in a chart. Nothing here depends on a font that is installed:
/// widths are estimates for a wide sans-serif, so that a label has room with every font.
enum ChartText {
  /// The size of labels, in units of the drawing.
  static let size = 12.0

  /// A coordinate with at most two decimals, without noise of the last digit.
  static func coordinate(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let hundredths = Int64((max(-1e12, min(1e12, value)) * 100).rounded())
    let (whole, rest) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
    let sign = hundredths < 0 ? "-" : ""
    if rest == 0 { return "\(sign)\(whole)" }
    return rest % 10 == 0
      ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// The width of a text, in units of the drawing.
  static func width(_ text: String, size: Double = size, isBold: Bool = false) -> Double {
    // Bold digits of DejaVu Sans are 0.70 wide where plain ones are 0.64.
    text.reduce(0) { $0 + relativeWidth($1) } * size * (isBold ? 1.12 : 1)
  }

  private static func relativeWidth(_ character: Character) -> Double {
    switch character {
    case "i", "j", "l", ".", ",", ":", ";", "|", "!", "'", " ", "·", "I": 0.33
    case "f", "t", "r", "(", ")", "[", "]", "/", "-": 0.42
    case "m", "w", "M", "W", "%", "≥", "≤", "±", "+", "=", "<", ">": 0.92
    case _ where character.isUppercase: 0.72
    default: 0.63
    }
  }

  /// The text in lines that are no wider than `width`, broken at blanks.
  static func lines(_ text: String, width limit: Double, size: Double = size) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      let longer = line.isEmpty ? String(word) : line + " " + word
      if !line.isEmpty && width(longer, size: size) > limit {
        lines.append(line)
        line = String(word)
      } else {
        line = longer
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// The text, cut with an ellipsis when it is wider than `limit`.
  static func cut(_ text: String, width limit: Double) -> String {
    if width(text) <= limit { return text }
    var cut = text
    while !cut.isEmpty && width(cut + "…") > limit { cut.removeLast() }
    return cut + "…"
  }
}

/// How the values of an axis are written.
public enum ChartFormat: Sendable, Equatable {
  /// Plain numbers with commas, and a unit in the axis's title.
  case number(unit: String)
  /// Ratios of 1, written as per cent.
  case percent
  /// Bytes in decimal units: kB, MB, GB.
  case bytes

  /// What stands behind the title of an axis.
  var suffix: String {
    switch self {
    case .number(let unit): unit.isEmpty ? "" : ", \(unit)"
    case .percent: ", %"
    case .bytes: ""
    }
  }

  /// What values are multiplied with before they are written.
  var scale: Double { self == .percent ? 100 : 1 }

  /// A tick's value, already multiplied, with so many decimals.
  func tick(_ value: Double, decimals: Int) -> String {
    if self == .bytes {
      // Marks are round: 1.00 MB is 1 MB.
      let parts = Figures.bytes(Int64(value.rounded())).split(separator: " ")
      var number = String(parts[0])
      while number.contains(".") && (number.hasSuffix("0") || number.hasSuffix(".")) {
        number.removeLast()
      }
      return "\(number) \(parts[1])"
    }
    return Figures.decimal(value, decimals)
  }

  /// A value as a label of its own, with its unit.
  public func text(_ value: Double) -> String {
    switch self {
    case .number(let unit):
      let number = Figures.decimal(value, Figures.decimals(value, spread: nil, atMost: 2))
      return unit.isEmpty ? number : "\(number) \(unit)"
    case .percent: return Figures.percent(value)
    case .bytes: return Figures.bytes(Int64(value.rounded()))
    }
  }
}

extension ChartFormat {
  /// How a metric's values are written.
  init(_ unit: MetricReference.Unit) {
    switch unit {
    case .ratio: self = .percent
    case .milliseconds: self = .number(unit: "ms")
    case .number: self = .number(unit: "")
    }
  }
}
