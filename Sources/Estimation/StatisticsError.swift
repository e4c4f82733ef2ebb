/// Why a law, an estimate or a table could not be made.
///
/// The `code` is stable and meant for programs; the `message` reads `expected …, got …`. An
/// estimator that has no data throws: it never returns a number that stands for "nothing". What was
/// got becomes text only for who reads it: the text of a number is large code in a page.
public struct StatisticsError: Error, Sendable {
  private enum Kind: Sendable { case parameter, probability, noData, data, csv, numeric }

  /// What was got.
  private enum Got: Sendable {
    case text(String)
    case line(Int, String)
    /// Without a trailing `.0`.
    case number(Double)
    case value(Double)
    case count(Int)
    case counts(Int, Int)
    case element(Double, index: Int)
    case pair(Double, String, Double)
    case whole(Int64, after: Int64)
  }

  private let kind: Kind
  private let expected: String
  private let got: Got

  /// A parameter of a law or of a method is outside its range.
  public static let parameterCode = "statistics.parameter"
  /// A probability is outside 0...1, or stands for an infinite quantile.
  public static let probabilityCode = "statistics.probability"
  /// There are no data, or too few for what was asked.
  public static let noDataCode = "statistics.no-data"
  /// The data contradict themselves: not finite, not sorted, lists of unequal length.
  public static let dataCode = "statistics.data"
  /// A text of quantiles cannot be read; the message starts with the line number.
  public static let csvCode = "statistics.csv"
  /// GSL reported a status, or a result is not a finite number.
  public static let numericCode = "statistics.numeric"

  /// One of the codes above, for example `statistics.no-data`.
  public var code: String {
    switch kind {
    case .parameter: StatisticsError.parameterCode
    case .probability: StatisticsError.probabilityCode
    case .noData: StatisticsError.noDataCode
    case .data: StatisticsError.dataCode
    case .csv: StatisticsError.csvCode
    case .numeric: StatisticsError.numericCode
    }
  }
}

extension StatisticsError: CustomStringConvertible, Equatable {
  /// `expected …, got …`, lower case, without a full stop.
  public var message: String {
    switch got {
    case .line(let line, let text): "line \(line): expected \(expected), got \(text)"
    case .text(let text): "expected \(expected), got \(text)"
    case .number(let value): "expected \(expected), got \(StatisticsError.short(value))"
    case .value(let value): "expected \(expected), got \(value)"
    case .count(let count): "expected \(expected), got \(count)"
    case .counts(let first, let second): "expected \(expected), got \(first) and \(second)"
    case .element(let value, let index): "expected \(expected), got \(value) at index \(index)"
    case .pair(let first, let word, let second):
      "expected \(expected), got \(first) \(word) \(second)"
    case .whole(let value, let previous): "expected \(expected), got \(value) after \(previous)"
    }
  }

  public var description: String { "\(code): \(message)" }

  /// Equal codes and messages, byte by byte.
  public static func == (a: StatisticsError, b: StatisticsError) -> Bool {
    a.kind == b.kind && a.message.utf8.elementsEqual(b.message.utf8)
  }

  /// The shortest text that reads back as `value`, without a trailing `.0`.
  public static func short(_ value: Double) -> String {
    // By bytes: characters need tables that a page has not.
    let bytes = "\(value)".utf8
    let isWhole = bytes.suffix(2).elementsEqual(".0".utf8)
    return String(decoding: isWhole ? bytes.dropLast(2) : bytes[...], as: UTF8.self)
  }
}

/// Errors, by what was expected and what was got instead.
extension StatisticsError {
  public static func parameter(_ expected: String, got: String) -> StatisticsError {
    StatisticsError(kind: .parameter, expected: expected, got: .text(got))
  }

  public static func parameter(_ expected: String, got: Double) -> StatisticsError {
    StatisticsError(kind: .parameter, expected: expected, got: .number(got))
  }

  public static func probability(_ expected: String, got: Double) -> StatisticsError {
    StatisticsError(kind: .probability, expected: expected, got: .number(got))
  }

  public static func noData(_ expected: String, got: Int) -> StatisticsError {
    StatisticsError(kind: .noData, expected: expected, got: .count(got))
  }

  public static func data(_ expected: String, got: String) -> StatisticsError {
    StatisticsError(kind: .data, expected: expected, got: .text(got))
  }

  public static func data(_ expected: String, got: Double) -> StatisticsError {
    StatisticsError(kind: .data, expected: expected, got: .value(got))
  }

  /// A list whose element at an index, from 0, is wrong.
  public static func data(_ expected: String, got: Double, at index: Int) -> StatisticsError {
    StatisticsError(kind: .data, expected: expected, got: .element(got, index: index))
  }

  /// Two lists of these lengths.
  public static func data(_ expected: String, got: Int, and other: Int) -> StatisticsError {
    StatisticsError(kind: .data, expected: expected, got: .counts(got, other))
  }

  /// A value after another one.
  public static func data(_ expected: String, got: Double, after: Double) -> StatisticsError {
    StatisticsError(kind: .data, expected: expected, got: .pair(got, "after", after))
  }

  /// Values from one to another.
  public static func data(_ expected: String, got: Double, to last: Double) -> StatisticsError {
    StatisticsError(kind: .data, expected: expected, got: .pair(got, "to", last))
  }

  /// A whole number after another one.
  public static func data(_ expected: String, got: Int64, after: Int64) -> StatisticsError {
    StatisticsError(kind: .data, expected: expected, got: .whole(got, after: after))
  }

  public static func csv(line: Int, _ expected: String, got: String) -> StatisticsError {
    StatisticsError(kind: .csv, expected: expected, got: .line(line, got))
  }

  public static func numeric(_ expected: String, got: String) -> StatisticsError {
    StatisticsError(kind: .numeric, expected: expected, got: .text(got))
  }

  public static func numeric(_ expected: String, got: Double) -> StatisticsError {
    StatisticsError(kind: .numeric, expected: expected, got: .value(got))
  }

  /// A value and half the width of its interval.
  public static func numeric(
    _ expected: String, got: Double, plusMinus half: Double
  ) -> StatisticsError {
    StatisticsError(kind: .numeric, expected: expected, got: .pair(got, "±", half))
  }
}
