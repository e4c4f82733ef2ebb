/// Why a law, an estimate or a table could not be made.
///
/// The `code` is stable and meant for programs; the `message` reads `expected …, got …`. An
/// estimator that has no data throws: it never returns a number that stands for "nothing".
public struct StatisticsError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One of the codes below, for example `statistics.no-data`.
  public let code: String
  /// `expected …, got …`, lower case, without a full stop.
  public let message: String

  public var description: String { "\(code): \(message)" }

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

  static func parameter(_ expected: String, got: String) -> StatisticsError {
    StatisticsError(code: parameterCode, message: "expected \(expected), got \(got)")
  }

  static func parameter(_ expected: String, got: Double) -> StatisticsError {
    parameter(expected, got: format(got))
  }

  static func probability(_ expected: String, got: Double) -> StatisticsError {
    StatisticsError(code: probabilityCode, message: "expected \(expected), got \(format(got))")
  }

  static func noData(_ expected: String, got: Int) -> StatisticsError {
    StatisticsError(code: noDataCode, message: "expected \(expected), got \(got)")
  }

  static func data(_ expected: String, got: String) -> StatisticsError {
    StatisticsError(code: dataCode, message: "expected \(expected), got \(got)")
  }

  static func csv(line: Int, _ expected: String, got: String) -> StatisticsError {
    StatisticsError(code: csvCode, message: "line \(line): expected \(expected), got \(got)")
  }

  static func numeric(_ expected: String, got: String) -> StatisticsError {
    StatisticsError(code: numericCode, message: "expected \(expected), got \(got)")
  }
}

/// The shortest text that reads back as `value`, without a trailing `.0`.
func format(_ value: Double) -> String {
  let text = "\(value)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// Refuses a parameter that is not a finite number.
func requireFinite(_ value: Double, _ name: String) throws(StatisticsError) {
  if !value.isFinite { throw .parameter("a finite \(name)", got: value) }
}

/// Refuses a parameter that is not a finite number above 0.
func requirePositive(_ value: Double, _ name: String) throws(StatisticsError) {
  if !(value > 0 && value.isFinite) { throw .parameter("a finite \(name) above 0", got: value) }
}

/// Refuses a confidence level that is not strictly between 0 and 1.
func requireLevel(_ level: Double) throws(StatisticsError) {
  if !(level > 0 && level < 1) {
    throw .parameter("a confidence level strictly between 0 and 1", got: level)
  }
}

/// Refuses data with a NaN or an infinity in it.
func requireFinite(data values: [Double]) throws(StatisticsError) {
  for index in values.indices where !values[index].isFinite {
    throw .data("finite values", got: "\(values[index]) at index \(index)")
  }
}
