import Foundation
import Scenario

/// A number with few digits well inside an interval: 1, 2 or 5 times a power of ten as a step.
struct RoundLimit: Equatable {
  let value: Double
  private let decimals: Int

  /// The roundest number in the middle half of the interval, nearest to its middle; nil when the
  /// ends are the same or are no numbers.
  init?(between a: Double, and b: Double) {
    let (least, most) = (min(a, b), max(a, b))
    guard least.isFinite, most.isFinite, most > least else { return nil }
    let (lower, upper) = (least + (most - least) / 4, most - (most - least) / 4)
    let middle = (least + most) / 2
    let top = Int(log10(max(abs(lower), abs(upper))).rounded(.up))
    for exponent in stride(from: top, through: top - 15, by: -1) {
      for digit in [5.0, 2, 1] {
        let step = digit * pow(10, Double(exponent))
        let multiple = (middle / step).rounded() * step
        let inside = [multiple, multiple - step, multiple + step].filter {
          $0 >= lower && $0 <= upper && $0 != 0
        }
        if let found = inside.first {
          value = found
          decimals = max(0, -exponent)
          return
        }
      }
    }
    return nil
  }

  /// The number as a limit writes it: `1.2 s`, `850 ms`, `97.5 %`, `12`.
  func text(_ unit: MetricReference.Unit) -> String {
    switch unit {
    case .milliseconds:
      value >= 1000
        ? "\(RoundLimit.digits(value / 1000, decimals + 3)) s"
        : "\(RoundLimit.digits(value, decimals)) ms"
    case .ratio: "\(RoundLimit.digits(value, decimals)) %"
    case .number: RoundLimit.digits(value, decimals)
    }
  }

  private static func digits(_ value: Double, _ decimals: Int) -> String {
    var text = String(format: "%.\(decimals)f", value)
    if text.contains(".") {
      while text.last == "0" { text.removeLast() }
      if text.last == "." { text.removeLast() }
    }
    return text
  }

  /// The number with one digit, rounded down; at least 1.
  static func floor(_ number: Int) -> Int {
    var step = 1
    while number / step >= 10 { step *= 10 }
    return max(1, number / step * step)
  }
}
