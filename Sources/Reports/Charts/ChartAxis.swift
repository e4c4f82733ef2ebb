import Foundation

/// One axis of a chart: what it shows, in which unit, and how values become places.
public struct ChartAxis: Sendable, Equatable {
  /// Whether equal steps or equal factors have equal lengths.
  public enum Scale: Sendable, Equatable { case linear, logarithmic }

  /// What is shown, without the unit.
  public var title: String
  public var format: ChartFormat
  public var scale: Scale
  /// The least extent of the axis; it is widened to hold the data and to end at round numbers. A
  /// linear axis starts at 0 unless this says otherwise.
  public var extent: ClosedRange<Double>?

  /// An axis.
  ///
  /// - Parameter extent: what the axis holds at least, in the unit of the data.
  public init(
    _ title: String, format: ChartFormat, scale: Scale = .linear,
    extent: ClosedRange<Double>? = nil
  ) {
    self.title = title
    self.format = format
    self.scale = scale
    self.extent = extent
  }

  /// The title with its unit.
  var fullTitle: String { title + format.suffix }
}

/// A mark of an axis.
struct ChartTick: Equatable {
  var value: Double
  var label: String
}

/// An axis fitted to data: its ends and its marks at round numbers.
struct FittedAxis {
  let axis: ChartAxis
  let lower: Double
  let upper: Double
  let ticks: [ChartTick]

  /// - Parameters:
  ///   - values: the data; values that the axis cannot show (not finite, or not above zero on a
  ///     logarithmic one) are ignored here and drawn at the lower end.
  ///   - marks: about how many marks there is room for.
  ///   - isTight: end at the data instead of at round numbers.
  init(_ axis: ChartAxis, values: [Double], marks: Int, isTight: Bool = false) {
    self.axis = axis
    let isLog = axis.scale == .logarithmic
    var usable = values.filter { $0.isFinite && (!isLog || $0 > 0) }
    if let extent = axis.extent {
      usable += [extent.lowerBound, extent.upperBound].filter { !isLog || $0 > 0 }
    } else if !isLog {
      usable.append(0)
    }
    let least = usable.min() ?? (isLog ? 1 : 0)
    let most = usable.max() ?? (isLog ? 10 : 1)
    if isLog {
      (lower, upper, ticks) = FittedAxis.logarithmic(axis, least, most, marks, isTight)
    } else {
      (lower, upper, ticks) = FittedAxis.linear(axis, least, most, marks, isTight)
    }
  }

  /// Where a value lies between the ends, 0 to 1.
  func share(_ value: Double) -> Double {
    let place: Double
    if axis.scale == .logarithmic {
      place = value > 0 ? log10(value / lower) / log10(upper / lower) : 0
    } else {
      place = (value - lower) / (upper - lower)
    }
    return place.isFinite ? max(0, min(1, place)) : 0
  }

  /// 10 to the power of a whole number; exact for the exponents of a chart.
  private static func power(_ exponent: Int) -> Double {
    var result = 1.0
    for _ in 0..<abs(exponent) { result *= 10 }
    return exponent < 0 ? 1 / result : result
  }

  private static func linear(
    _ axis: ChartAxis, _ least: Double, _ most: Double, _ marks: Int, _ isTight: Bool
  ) -> (Double, Double, [ChartTick]) {
    let scale = axis.format.scale
    var (low, high) = (least * scale, most * scale)
    if high - low <= abs(high) * 1e-9 {
      let pad = high == 0 ? 1 : abs(high) * 0.1
      (low, high) = low >= 0 ? (max(0, low - pad), high + pad) : (low - pad, high + pad)
    }
    // A few more marks than asked for are better than an axis that is half empty.
    let rough = (high - low) / Double(max(1, marks)) * 0.8
    var exponent = Int(log10(rough).rounded(.down))
    var digit = 1.0
    // The next of 1, 2, 5 and 10 times a power of ten that leaves few enough marks.
    let found = [1.0, 2, 5].first { $0 * power(exponent) >= rough * 0.999_999 }
    if let found { digit = found } else { exponent += 1 }
    let step = digit * power(exponent)
    let (first, last) = ((low / step + 1e-9).rounded(.down), (high / step - 1e-9).rounded(.up))
    let decimals = max(0, -exponent)
    var ticks: [ChartTick] = []
    for index in Int(first)...Int(max(first, last)) {
      // Whole multiples of the digit, so that 0.3 is not 0.30000000000000004.
      let value = Double(index) * digit * (exponent >= 0 ? power(exponent) : 1)
      let shown = exponent < 0 ? value / power(-exponent) : value
      if isTight && (shown < low - step * 1e-6 || shown > high + step * 1e-6) { continue }
      ticks.append(
        ChartTick(
          value: shown / scale, label: axis.format.tick(shown, decimals: decimals)))
    }
    if isTight { return (low / scale, high / scale, ticks) }
    return (first * step / scale, max(first + 1, last) * step / scale, ticks)
  }

  private static func logarithmic(
    _ axis: ChartAxis, _ least: Double, _ most: Double, _ marks: Int, _ isTight: Bool
  ) -> (Double, Double, [ChartTick]) {
    let scale = axis.format.scale
    let (low, high) = (least * scale, max(most, least * 1.0001) * scale)
    let decades = log10(high / low)
    let first = Int(log10(low).rounded(.down)) - 1
    let last = Int(log10(high).rounded(.up)) + 1
    let digits: [Double] =
      decades * 3 <= Double(marks) + 1 ? [1, 2, 5] : decades < 1 ? [1, 2, 5] : [1]
    let skip = digits.count > 1 ? 1 : max(1, Int((decades / Double(max(1, marks))).rounded(.up)))
    var all: [(Double, Int)] = []
    for exponent in first...last where (exponent - first) % skip == 0 {
      for digit in digits { all.append((digit * power(exponent), exponent)) }
    }
    let lower = isTight ? low : all.last { $0.0 <= low * 1.000_001 }?.0 ?? low
    let upper = isTight ? high : all.first { $0.0 >= high * 0.999_999 }?.0 ?? high
    let ticks = all.filter { $0.0 >= lower * 0.999_999 && $0.0 <= upper * 1.000_001 }.map {
      ChartTick(value: $0.0 / scale, label: axis.format.tick($0.0, decimals: max(0, -$0.1)))
    }
    return (lower / scale, upper / scale, ticks)
  }
}
