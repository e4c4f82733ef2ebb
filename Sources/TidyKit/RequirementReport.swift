/// What `tidy requirements` prints: the table of rows, the counts by area, and what is left.
public struct RequirementReport: Sendable {
  /// Only the rows of this area; nil for all.
  public var area: String?
  /// Only rows that nothing names.
  public var isMissingOnly = false
  /// The rows as CSV, without the counts.
  public var isCSV = false

  /// Reads `[--area A] [--missing] [--csv]`.
  /// - Throws: what is wrong with the arguments.
  public init(arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--missing": isMissingOnly = true
      case "--csv": isCSV = true
      case "--area":
        guard let name = rest.popFirst() else {
          throw UsageError("expected the name of an area after --area, got nothing")
        }
        area = name
      default:
        throw UsageError("expected --area A, --missing or --csv, got \(argument)")
      }
    }
  }

  /// The text for these rows, with a line end.
  /// - Throws: when the area is none of the table's.
  public func text(of coverage: RequirementCoverage) throws(UsageError) -> String {
    if let area, !coverage.areas.contains(area) {
      let areas = coverage.areas.joined(separator: ", ")
      throw UsageError("expected one of the areas \(areas), got \(area)")
    }
    let entries = coverage.entries.filter { area == nil || $0.requirement.area == area }
    let shown = entries.filter { !isMissingOnly || !$0.isCovered }
    if isCSV { return csv(shown) }
    var lines = table(shown)
    lines.append("")
    for name in area.map({ [$0] }) ?? coverage.areas {
      lines += counts(of: name, entries.filter { $0.requirement.area == name })
    }
    if !isMissingOnly && !coverage.loose.isEmpty {
      lines += ["", "named in test files beside the tests (these do not count):"]
      lines += coverage.loose.map { "  \($0)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func table(_ entries: [RequirementCoverage.Entry]) -> [String] {
    let head = ["row", "asks", "tests", "scenarios", "answers"]
    let widths = [8, 74, 60, 24, 9]
    let rows = entries.map { entry in
      [
        entry.requirement.row, entry.requirement.asks, Self.first(of: entry.tests, 60),
        Self.first(of: entry.scenarios, 24), Self.first(of: entry.answers, 9),
      ]
    }
    return ([head] + rows).map { cells in
      var line = ""
      for (cell, width) in zip(cells, widths) {
        line += Self.fit(cell, width).padding(to: width) + "  "
      }
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }

  private func counts(of area: String, _ entries: [RequirementCoverage.Entry]) -> [String] {
    let covered = entries.count { $0.isCovered }
    let tests = entries.count { !$0.tests.isEmpty }
    let scenarios = entries.count { !$0.scenarios.isEmpty }
    let answers = entries.count { !$0.answers.isEmpty }
    var line = "\(area): covered \(covered) of \(entries.count)"
    line += " (\(tests) by tests, \(scenarios) by scenarios, \(answers) by answers)"
    let left = entries.filter { !$0.isCovered }.map(\.requirement.row)
    return left.isEmpty ? [line] : [line] + Self.wrapped("  left: ", Self.runs(left))
  }

  private func csv(_ entries: [RequirementCoverage.Entry]) -> String {
    var text = "row,kind,issue,asks,tests,scenarios,answers\n"
    for entry in entries {
      let row = entry.requirement
      let lists = [entry.tests, entry.scenarios, entry.answers].map {
        "\""
          + $0.joined(separator: "; ").split(separator: "\"", omittingEmptySubsequences: false)
          .joined(separator: "\"\"") + "\""
      }
      text += ([row.row, row.kind, row.area, row.asks] + lists).joined(separator: ",") + "\n"
    }
    return text
  }

  /// The first name, and how many more there are.
  private static func first(of names: [String], _ width: Int) -> String {
    guard let first = names.first else { return "" }
    let more = names.count > 1 ? " +\(names.count - 1)" : ""
    return fit(first, width - more.count) + more
  }

  private static func fit(_ text: String, _ width: Int) -> String {
    text.count <= width ? text : text.prefix(width - 1) + "…"
  }

  /// Neighbours joined: `SIG-029 to SIG-031`.
  private static func runs(_ rows: [String]) -> [String] {
    var runs: [(first: String, last: String)] = []
    for row in rows {
      if let run = runs.last, isNext(row, after: run.last) {
        runs[runs.count - 1].last = row
      } else {
        runs.append((row, row))
      }
    }
    return runs.map { run in
      if run.first == run.last { return run.first }
      return run.first + (isNext(run.last, after: run.first) ? ", " : " to ") + run.last
    }
  }

  private static func isNext(_ row: String, after other: String) -> Bool {
    let (a, b) = (other.split(separator: "-"), row.split(separator: "-"))
    guard a.count == 2, b.count == 2, a[0] == b[0], let low = Int(a[1]), let high = Int(b[1])
    else { return false }
    return high == low + 1
  }

  private static func wrapped(_ lead: String, _ words: [String]) -> [String] {
    var lines: [String] = []
    var line = lead
    for (index, word) in words.enumerated() {
      let piece = index + 1 < words.count ? word + ", " : word
      if line.count + piece.count > 100 && line.count > lead.count {
        while line.hasSuffix(" ") { line.removeLast() }
        lines.append(line)
        line = String(repeating: " ", count: lead.count)
      }
      line += piece
    }
    return lines + [line]
  }
}

/// Arguments that a command does not understand.
public struct UsageError: Error, Equatable, Sendable {
  public let message: String

  init(_ message: String) { self.message = message }
}

extension String {
  /// Spaces at the end up to this many characters.
  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
