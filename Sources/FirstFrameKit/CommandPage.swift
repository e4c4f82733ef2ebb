import Foundation

/// The program's commands as a page.
enum CommandPage {
  static func markdown(_ table: CommandTable) -> String {
    var lines = [
      "# Commands", "",
      "Every verb with its arguments, as the program's own parser has them",
      "(`firstframe reference commands`). Exit codes have a page of their own beside this one.",
    ]
    for command in table.command.subcommands ?? [] {
      add(command, below: "firstframe", level: 2, to: &lines)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func add(
    _ command: CommandTable.Command, below parent: String, level: Int, to lines: inout [String]
  ) {
    if command.shouldDisplay == false || command.commandName == "help" { return }
    let name = "\(parent) \(command.commandName)"
    lines += ["", "\(String(repeating: "#", count: level)) \(name)", ""]
    if let abstract = command.abstract { lines.append(abstract) }
    if let discussion = command.discussion {
      lines +=
        ["", "```text"]
        + discussion.split(
          separator: "\n", omittingEmptySubsequences: false
        ).map { trimmed(String($0)) } + ["```"]
    }
    let arguments = command.shown
    if !arguments.isEmpty {
      lines += ["", "| argument | meaning | default |", "|---|---|---|"]
      lines += arguments.map(row)
    }
    for below in command.subcommands ?? [] {
      add(below, below: name, level: level + 1, to: &lines)
    }
  }

  private static func trimmed(_ line: String) -> String {
    String(line.reversed().drop { $0 == " " }.reversed())
  }

  private static func row(_ argument: CommandTable.Argument) -> String {
    let value = argument.valueName.map { "<\($0)>" } ?? ""
    let name =
      switch argument.kind {
      case .positional: value
      case .flag: argument.spellings.joined(separator: ", ")
      case .option: argument.spellings.joined(separator: ", ") + " " + value
      }
    var meaning = argument.meaning
    if let words = argument.allValues, !words.isEmpty {
      meaning += " (\(words.joined(separator: ", ")))"
    }
    if argument.isRepeating && argument.kind != .flag { meaning += " Repeatable." }
    let preset = argument.defaultValue.map { "`\($0)`" } ?? (argument.isOptional ? "" : "required")
    let cells = ["`\(name)`", meaning, argument.kind == .flag ? "" : preset]
    return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
  }
}
