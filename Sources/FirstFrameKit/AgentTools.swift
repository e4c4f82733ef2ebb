import Foundation
import Scenario

/// A verb that agents may call, with what it takes.
struct AgentTool {
  /// A property of its input and the argument that it becomes.
  struct Property {
    var name: String
    var argument: CommandTable.Argument
  }

  /// What cannot be called so, each a sentence.
  struct Rejected: Error {
    var faults: [String]
  }

  var command: CommandTable.Command
  /// Whether it writes nothing.
  var isReadOnly: Bool

  /// The verbs, in the order in which they are used, and whether they only read.
  private static let verbs = [
    ("validate", true), ("explain", true), ("run", false), ("compare", true), ("why", true),
    ("audit", true),
  ]

  /// Options that say where to write, or how to show it on a terminal. Results go to `results` in
  /// the folder that the server was started in.
  private static let withheld: Set<String> = [
    "output", "page", "events", "requests", "junit", "quiet", "progress", "shuffle-ties",
  ]

  /// All of them.
  static func all(of table: CommandTable) -> [AgentTool] {
    verbs.compactMap { name, isReadOnly in
      table.verb(name).map { AgentTool(command: $0, isReadOnly: isReadOnly) }
    }
  }

  var properties: [Property] {
    command.shown.compactMap { argument in
      guard let name = argument.longName ?? argument.valueName else { return nil }
      if AgentTool.withheld.contains(name) { return nil }
      return Property(name: name.replacing("-", with: "_"), argument: argument)
    }
  }

  /// How `tools/list` describes it.
  var json: JSONText {
    let text = [command.abstract, command.discussion].compactMap(\.self).joined(separator: "\n\n")
    let required = properties.filter { !$0.argument.isOptional && $0.argument.kind != .flag }
    return [
      "name": .string(command.commandName), "title": .string("firstframe \(command.commandName)"),
      "description": .string(text),
      "inputSchema": [
        "type": "object",
        "properties": .object(properties.map { .init($0.name, AgentTool.schema($0.argument)) }),
        "required": .array(required.map { .string($0.name) }), "additionalProperties": false,
      ],
      "annotations": [
        "readOnlyHint": .boolean(isReadOnly), "destructiveHint": false, "idempotentHint": true,
        "openWorldHint": false,
      ],
    ]
  }

  private static func schema(_ argument: CommandTable.Argument) -> JSONText {
    var value: [JSONText.Member] = []
    if argument.kind == .flag {
      value.append(.init("type", "boolean"))
    } else if let words = argument.allValues {
      value.append(.init("enum", .array(words.map { .string($0) })))
    } else {
      value.append(.init("type", ["string", "number"]))
    }
    if argument.isRepeating {
      value = [.init("type", "array"), .init("items", .object(value)), .init("maxItems", 100)]
    }
    let usual = argument.defaultValue.map { " Default: \($0)." } ?? ""
    return .object([.init("description", .string(argument.meaning + usual))] + value)
  }

  // MARK: Calls

  /// The words of the command for an input.
  ///
  /// Values stand behind `=` or `--`, so that none can be taken for an option.
  ///
  /// - Throws: ``Rejected`` with everything that is wrong with it.
  func words(_ input: [String: Any]) throws(Rejected) -> [String] {
    var faults: [String] = []
    var (options, places): ([String], [String]) = ([], [])
    let known = properties
    for name in input.keys.sorted() where !known.contains(where: { $0.name == name }) {
      let near = Spelling.nearest(to: name, in: known.map(\.name))
      faults.append(
        "\(name): expected one of \(known.map(\.name).joined(separator: ", "))"
          + (near.map { " (did you mean \($0)?)" } ?? ""))
    }
    for property in known {
      let argument = property.argument
      guard let value = input[property.name], !(value is NSNull) else {
        if !argument.isOptional && argument.kind != .flag {
          faults.append("\(property.name): expected \(argument.meaning), got nothing")
        }
        continue
      }
      guard let texts = AgentTool.texts(value, argument) else {
        faults.append("\(property.name): expected \(AgentTool.form(argument)), got another value")
        continue
      }
      switch argument.kind {
      case .flag: options += texts.map { _ in "--\(argument.longName ?? "")" }
      case .option: options += texts.map { "--\(argument.longName ?? "")=\($0)" }
      case .positional: places += texts
      }
    }
    if !faults.isEmpty { throw Rejected(faults: faults) }
    let isQuiet = command.shown.contains { $0.longName == "quiet" } ? ["--quiet"] : []
    return [command.commandName] + isQuiet + options + (places.isEmpty ? [] : ["--"] + places)
  }

  private static func form(_ argument: CommandTable.Argument) -> String {
    if argument.kind == .flag { return "true or false" }
    let one = argument.allValues.map { "one of \($0.joined(separator: ", "))" }
    return argument.isRepeating
      ? "a list of texts" : one ?? "a text or a number"
  }

  /// The values of an argument as texts, one for each time that it is given; nil for another form.
  private static func texts(_ value: Any, _ argument: CommandTable.Argument) -> [String]? {
    if argument.kind == .flag { return JSONValue.boolean(value).map { $0 ? [""] : [] } }
    if argument.isRepeating {
      guard let list = value as? [Any], list.count <= 100 else { return nil }
      let texts = list.compactMap { JSONValue.text($0) }
      return texts.count == list.count ? texts : nil
    }
    guard let text = JSONValue.text(value) else { return nil }
    if let words = argument.allValues, !words.contains(text) { return nil }
    return [text]
  }
}

/// Values that `JSONSerialization` has read.
enum JSONValue {
  /// `true` or `false`; nil for anything else, numbers among it.
  static func boolean(_ value: Any) -> Bool? {
    guard let number = value as? NSNumber, isBoolean(number) else { return nil }
    return number.boolValue
  }

  /// A text, or a number as text; nil for anything else, and for a text with a NUL.
  static func text(_ value: Any) -> String? {
    if let text = value as? String { return text.utf8.contains(0) ? nil : text }
    guard let number = value as? NSNumber, !isBoolean(number) else { return nil }
    if let whole = Int64(exactly: number) { return "\(whole)" }
    return number.doubleValue.isFinite ? "\(number.doubleValue)" : nil
  }

  private static func isBoolean(_ number: NSNumber) -> Bool {
    String(cString: number.objCType) == "c" || number === NSNumber(value: true)
      || number === NSNumber(value: false)
  }
}
