import ArgumentParser
import Foundation
import Scenario

/// Days of what was observed, or those with a value of a cohort's key: `3`, `1-5`, `version=b`.
enum ObservedPart: Equatable {
  /// From 0.
  case days(ClosedRange<Int>)
  case cohort(ObservedViews.CohortKey, String)

  /// - Throws: a `ValidationError`.
  static func period(_ text: String) throws -> ObservedPart {
    guard let days = range(text) else {
      throw ValidationError(
        "expected days of the files from 1 on, such as 3 or 1-5, got \(Excerpt.oneLine(text))")
    }
    return .days(days)
  }

  /// - Throws: a `ValidationError`.
  static func named(_ text: String) throws -> ObservedPart {
    if let days = range(text) { return .days(days) }
    let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard sides.count == 2, let key = ObservedViews.CohortKey(rawValue: sides[0]) else {
      throw ValidationError(
        "expected days such as 1-5, or a cohort such as version=b (device, network, region, "
          + "version), got \(Excerpt.oneLine(text))")
    }
    return .cohort(key, sides[1])
  }

  private static func range(_ text: String) -> ClosedRange<Int>? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil,
      first >= 1, last >= first, last <= 100_000
    else { return nil }
    return first - 1...last - 1
  }

  /// As it was written.
  var text: String {
    switch self {
    case .days(let days):
      days.count == 1
        ? "day \(days.lowerBound + 1)" : "days \(days.lowerBound + 1)-\(days.upperBound + 1)"
    case .cohort(let key, let value): "\(key.rawValue)=\(value)"
    }
  }

  var isPeriod: Bool {
    if case .days = self { true } else { false }
  }

  /// Whether some view may be in both.
  func overlaps(_ other: ObservedPart) -> Bool {
    switch (self, other) {
    case (.days(let a), .days(let b)): a.overlaps(b)
    case (.cohort(let a, let left), .cohort(let b, let right)): a != b || left == right
    case (.days, .cohort), (.cohort, .days): true
    }
  }

  /// What was observed in it.
  ///
  /// - Parameter option: that names it.
  /// - Throws: an `ExitCode` 65 with the reason on standard error: nothing is in it.
  func of(_ observed: ObservedViews, option: String) throws -> ObservedViews {
    let found: ObservedViews
    let there: String
    switch self {
    case .days(let days):
      if !observed.hasTimes {
        throw ObservedPart.rejection("\(option): expected files whose lines have a time, got none")
      }
      found = observed.days(days)
      there = "the files have days 1-\(observed.dayCount), from \(ObservedPart.date(observed))"
    case .cohort(let key, let value):
      found = observed.only(key, value)
      there = "the files have \(ObservedPart.list(observed.cohorts.map(key.value), "no \(key)"))"
    }
    if found.views.isEmpty && found.traffic.isEmpty {
      throw ObservedPart.rejection(
        "\(option) \(Excerpt.oneLine(text)): expected views or requests there, got none: \(there)")
    }
    return found
  }

  /// The seconds since 1970 that its days are; nil of a cohort.
  func seconds(of observed: ObservedViews) -> Range<Double>? {
    guard case .days(let days) = self else { return nil }
    let begin = Double(observed.firstDay + days.lowerBound) * ObservedViews.day
    return begin..<begin + Double(days.count) * ObservedViews.day
  }

  /// The first day (UTC).
  private static func date(_ observed: ObservedViews) -> String {
    let begin = Date(timeIntervalSince1970: Double(observed.firstDay) * ObservedViews.day)
    return begin.formatted(.iso8601.year().month().day())
  }

  /// The first words of a list, without those that are empty or come again.
  static func list(_ words: [String], _ none: String) -> String {
    var seen: Set<String> = [""]
    let all = words.filter { seen.insert($0).inserted }
    if all.isEmpty { return none }
    let shown = all.prefix(5).map { Excerpt.oneLine($0, limit: 40) }.joined(separator: ", ")
    return all.count > 5 ? "\(shown) and \(all.count - 5) more" : shown
  }

  static func rejection(_ message: String) -> ExitCode {
    Console.error(message)
    return ExitCode(ExitStatus.badData)
  }
}
