import Scenario
import Studies

/// A log of a policy held against the machine, for people.
public enum PolicyLogReport {
  /// A line for each command that differs, as `file:line:column: expected …, got …`: the log's
  /// command is expected, the machine's was given.
  public static func differences(_ comparison: PolicyLogComparison, path: String) -> [String] {
    comparison.told.flatMap(\.differences).map { difference in
      let expected =
        difference.log.map { "the command \(word($0)) of the log" } ?? "no command by the log"
      return "\(path):\(difference.line):1: expected \(expected), "
        + "got \(difference.machine.map { word($0) } ?? "none")"
    }
  }

  private static func word(_ command: String) -> String {
    VisibleText.escaped(Excerpt.oneLine(command))
  }

  /// What was told of each event: in words, with what the machine knew before.
  public static func explanation(_ comparison: PolicyLogComparison, path: String) -> String {
    guard let form = PolicyLogForm.named(comparison.form) else { return "" }
    let configuration =
      comparison.parameters
      ?? form.configuration(comparison.configuration.split(separator: " ")) ?? []
    return comparison.told.map { event in
      var lines = [
        "\(path):\(event.line): \(comparison.machine), "
          + (event.differences.isEmpty ? "the same commands" : "other commands")
      ]
      lines += wrapped("event", [self.event(event, form)])
      lines += wrapped("commands of the log", event.log.map { self.command($0, form) })
      lines += wrapped("commands here", event.machine.map { self.command($0, form) })
      lines += wrapped("configuration", [told(configuration)])
      lines.append("  snapshot: what the machine held before the event")
      lines += table(event.snapshot)
      if !event.changed.isEmpty {
        lines.append("  changed by the event")
        lines += table(event.changed)
      }
      return lines.joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  private static func event(_ event: PolicyLogComparison.Event, _ form: PolicyLogForm) -> String {
    let words = event.words.split(separator: " ")
    guard let first = words.first, let now = Int64(first),
      let line = PolicyLogForm.line(Array(words.dropFirst()), of: form.events)
    else { return VisibleText.escaped(event.words) }
    return "\(line.row.word) at \(PolicyLogForm.time(now)): \(line.row.meaning)"
      + (line.told.isEmpty ? "" : "; " + told(line.told))
  }

  private static func command(_ text: String, _ form: PolicyLogForm) -> String {
    guard let line = PolicyLogForm.line(text.split(separator: " "), of: form.commands) else {
      return VisibleText.escaped(Excerpt.oneLine(text)) + ": no command of this machine"
    }
    return line.row.word
      + (line.row.word == line.row.meaning ? "" : ": \(line.row.meaning)")
      + (line.told.isEmpty ? "" : "; " + told(line.told))
  }

  private static func told(_ fields: [PolicyLogForm.Told]) -> String {
    if fields.isEmpty { return "none" }
    return fields.map { $0.value.isEmpty ? $0.name : "\($0.name) \($0.value)" }
      .joined(separator: ", ")
  }

  private static func wrapped(_ name: String, _ texts: [String]) -> [String] {
    if texts.isEmpty { return ["  \(name): none"] }
    return texts.flatMap {
      TextWrap.lines($0, first: "  \(name): ", rest: "    ", width: 100)
    }
  }

  private static func table(_ fields: [PolicyLogForm.Told]) -> [String] {
    let width = min(fields.map(\.name.count).max() ?? 0, 40)
    return fields.map { field in
      let pad = String(repeating: " ", count: max(0, width - field.name.count))
      return "    \(field.name)\(pad)  \(VisibleText.escaped(field.value))"
    }
  }
}

/// The form of policies' logs, for whoever writes one.
public enum PolicyLogListing {
  /// The page.
  public static func markdown() -> String {
    var lines = [
      "# Logs of policies", "",
      "What `firstframe replay policy` reads, and apps write (`firstframe reference policy-logs`;",
      "`firstframe schema --policy-log` has the same as JSON). How an app writes one is told in",
      "[from an app's log to a test](../../how-to/policy-logs.md).", "",
      "A log is ASCII, one line after the other, each ended by a line feed. A line is words of",
      "small letters and whole numbers with one blank between, no zeros in front. The first three",
      "are:",
      "", "```text", "firstframe-policy-log 1", "machine <name>", "configuration <fields>", "```",
      "",
      "Then come events, each followed by the commands that it led to:", "", "```text",
      "event <time> <word> <fields>", "command <word> <fields>", "```", "",
      "Times are nanoseconds from any beginning, and never go back. A number by its 64 bits is the",
      "pattern of an IEEE 754 double as a whole number without a sign: `bitPattern` in Swift,",
      "`toRawBits` in Kotlin, `getBigUint64` of a `DataView` in JavaScript.",
    ]
    for form in PolicyLogForm.all {
      lines += [
        "", "## \(form.machine)", "", "\(form.summary).", "", "| line | meaning | fields |",
        "|---|---|---|",
      ]
      lines.append(row("configuration", "", form.configuration))
      lines += form.events.map { row("event … \($0.word)", $0.meaning, $0.pieces) }
      lines += form.commands.map { row("command \($0.word)", $0.meaning, $0.pieces) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func row(
    _ line: String, _ meaning: String, _ pieces: [PolicyLogForm.Piece]
  ) -> String {
    let fields = pieces.map { text($0) }.joined(separator: "; ")
    return "| `\(line)` | \(meaning) | \(fields.isEmpty ? "none" : fields) |"
  }

  private static func text(_ piece: PolicyLogForm.Piece) -> String {
    switch piece {
    case .field(let name, let sort, let meaning): "`\(name)`: \(meaning) (\(sort.words))"
    case .list(let name, let range, let pieces, let meaning):
      "`\(name)`: how many (\(PolicyLogForm.Sort.number(range).words)), and as often, \(meaning): "
        + pieces.map { text($0) }.joined(separator: "; ")
    case .rest(let pieces):
      "as often as there are: " + pieces.map { text($0) }.joined(separator: "; ")
    case .maybe(let pieces):
      "perhaps " + pieces.map { text($0) }.joined(separator: "; ")
    case .choice(let rows):
      rows.map { row in
        "`\(row.word)`" + (row.meaning.isEmpty ? "" : ": \(row.meaning)")
          + (row.pieces.isEmpty
            ? "" : ", with " + row.pieces.map { text($0) }.joined(separator: ", "))
      }.joined(separator: " — or ")
    }
  }

  /// The same for programs.
  public static func json() -> JSONText {
    [
      "schema": 1, "signature": "firstframe-policy-log", "version": 1,
      "machines": .array(
        PolicyLogForm.all.map { form in
          [
            "machine": .string(form.machine), "summary": .string(form.summary),
            "configuration": .array(form.configuration.map { json($0) }),
            "events": .array(form.events.map { json($0) }),
            "commands": .array(form.commands.map { json($0) }),
          ]
        }),
    ]
  }

  private static func json(_ row: PolicyLogForm.Row) -> JSONText {
    [
      "word": .string(row.word), "meaning": .string(row.meaning),
      "fields": .array(row.pieces.map { json($0) }),
    ]
  }

  private static func json(_ piece: PolicyLogForm.Piece) -> JSONText {
    switch piece {
    case .field(let name, let sort, let meaning):
      .object(
        [.init("field", .string(name))] + json(sort) + [.init("meaning", .string(meaning))])
    case .list(let name, let range, let pieces, let meaning):
      [
        "list": .string(name), "least": .integer(range.lowerBound),
        "most": .integer(range.upperBound), "of": .array(pieces.map { json($0) }),
        "meaning": .string(meaning),
      ]
    case .rest(let pieces): ["rest": .array(pieces.map { json($0) })]
    case .maybe(let pieces): ["maybe": .array(pieces.map { json($0) })]
    case .choice(let rows): ["choice": .array(rows.map { json($0) })]
    }
  }

  private static func json(_ sort: PolicyLogForm.Sort) -> [JSONText.Member] {
    func names(_ names: [PolicyLogForm.Sort.Name]) -> JSONText {
      .object(names.map { .init("\($0.number)", .string($0.text)) })
    }
    return switch sort {
    case .number(let range):
      [
        .init("sort", "number"), .init("least", .integer(range.lowerBound)),
        .init("most", .integer(range.upperBound)),
      ]
    case .natural: [.init("sort", "natural")]
    case .time(let least):
      [.init("sort", "time"), .init("unit", "ns"), .init("least", .integer(least))]
    case .rate: [.init("sort", "rate"), .init("unit", "bps"), .init("least", 0)]
    case .flag: [.init("sort", "flag")]
    case .bits: [.init("sort", "bits")]
    case .code(let list): [.init("sort", "code"), .init("values", names(list))]
    case .set(let list): [.init("sort", "set"), .init("values", names(list))]
    }
  }
}
