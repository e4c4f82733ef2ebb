import Scenario

/// Keys of scenarios for reading, for a page, and for programs.
public enum KeyListing {
  /// For a terminal: a line with the key and what may stand there, and what it means below it.
  ///
  /// - Parameter worlds: those with at least one key are shown.
  public static func text(_ worlds: [WorldKeys]) -> String {
    let shown = worlds.filter { !$0.keys.isEmpty }
    return shown.map { world in
      let head = shown.count > 1 ? "\(world.world.uppercased())  \(world.summary)\n\n" : ""
      return head + world.keys.map(block).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private static func block(_ key: KeyEntry) -> String {
    var lines = [key.path + (key.kinds.isEmpty ? "" : "  (\(kinds(key)))")]
    lines += wrapped(key.meaning)
    lines += wrapped("unit: \(key.unit); \(key.form)")
    lines += wrapped("default: \(preset(key))")
    for word in key.words where !word.summary.isEmpty {
      lines += wrapped("\(word.spelling): \(word.summary)", indent: 6)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func kinds(_ key: KeyEntry) -> String {
    "only of kind " + key.kinds.joined(separator: ", ")
  }

  private static func preset(_ key: KeyEntry) -> String {
    guard let preset = key.preset else { return "none, the file must say" }
    // A mapping's keys have defaults of their own.
    if preset == "{}" { return "that of each key below" }
    return "\(preset.oneLine)  (\(key.source))"
  }

  private static func wrapped(_ text: String, indent: Int = 4) -> [String] {
    let margin = String(repeating: " ", count: indent)
    return TextWrap.lines(text, first: margin, rest: margin + "  ", width: 80)
  }

  /// For a page: a table for each world.
  public static func markdown(_ worlds: [WorldKeys]) -> String {
    var lines = [
      "# Keys of scenarios", "",
      "Every key by world, as the program knows it (`firstframe keys --format markdown`). `[]`",
      "stands for any place of a list, `*` for a name that the file chooses. A key that only some",
      "kinds have names them. Keys below `\(KeyEntry.lawPath)` stand at any key that takes a",
      "distribution. Where the default of a mapping is `{}` each key below it has its own. What",
      "other worlds have as the feed has it stands with the feed.",
    ]
    for world in worlds where !world.keys.isEmpty {
      lines += [
        "", "## \(world.world)", "", "\(world.summary).", "",
        "| key | meaning | unit | may be | default | source |", "|---|---|---|---|---|---|",
      ]
      lines += world.keys.map(row)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func row(_ key: KeyEntry) -> String {
    let only = key.kinds.isEmpty ? "" : " (\(kinds(key)))"
    let words = key.words.filter { !$0.summary.isEmpty }
    let told = words.map { "`\($0.spelling)`: \($0.summary)" }.joined(separator: "; ")
    let form = told.isEmpty ? key.form : told
    let preset = key.preset.map { "`\($0.oneLine)`" } ?? "the file must say"
    let cells = ["`\(key.path)`\(only)", key.meaning, key.unit, form, preset, key.source]
    return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
  }

  /// For programs.
  public static func json(_ worlds: [WorldKeys]) -> JSONText {
    .object([
      .init("schema", 1), .init("kind", "keys"),
      .init(
        "worlds",
        .array(
          worlds.filter { !$0.keys.isEmpty }.map { world in
            [
              "world": .string(world.world), "summary": .string(world.summary),
              "keys": .array(world.keys.map(json)),
            ]
          })),
    ])
  }

  private static func json(_ key: KeyEntry) -> JSONText {
    [
      "key": .string(key.path), "kinds": .array(key.kinds.map { .string($0) }),
      "meaning": .string(key.meaning), "unit": .string(key.unit), "form": .string(key.form),
      "words": .array(
        key.words.map { ["word": .string($0.spelling), "meaning": .string($0.summary)] }),
      "default": key.preset.map { .string($0) } ?? .null, "source": .string(key.source),
    ]
  }
}

extension String {
  /// The text with every run of blanks and line ends as one blank.
  fileprivate var oneLine: String {
    split(whereSeparator: { $0 == " " || $0 == "\n" }).joined(separator: " ")
  }
}
