import ArgumentParser
import Foundation

/// The program's commands as its own parser describes them: one table for the reference and for
/// what agents may call.
struct CommandTable: Decodable {
  /// A command and those below it.
  struct Command: Decodable {
    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool?
    var subcommands: [Command]?
    var arguments: [Argument]?

    /// What it takes, as help shows it, without help and version themselves.
    var shown: [Argument] {
      (arguments ?? []).filter { argument in
        argument.shouldDisplay && argument.longName != "help" && argument.longName != "version"
      }
    }
  }

  /// An argument, option or flag.
  struct Argument: Decodable {
    enum Kind: String, Decodable {
      case positional, option, flag
    }

    struct Name: Decodable {
      var kind: String
      var name: String
    }

    var kind: Kind
    var shouldDisplay: Bool
    var isOptional: Bool
    var isRepeating: Bool
    var names: [Name]?
    var valueName: String?
    var defaultValue: String?
    var allValues: [String]?
    var abstract: String?
    var discussion: String?

    /// Without its dashes; nil for what stands at a place.
    var longName: String? { names?.first { $0.kind == "long" }?.name }

    /// All its names with dashes.
    var spellings: [String] {
      (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
    }

    /// What it means, in one line.
    var meaning: String {
      [abstract, discussion].compactMap(\.self).joined(separator: " ")
        .split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }
  }

  var command: Command

  /// The table of a program.
  ///
  /// - Precondition: the parser describes itself in the form that it is decoded in.
  static func of<Root: ParsableCommand>(_ root: Root.Type) -> CommandTable {
    do {
      return try JSONDecoder().decode(CommandTable.self, from: Data(Root._dumpHelp().utf8))
    } catch {
      preconditionFailure("the parser's own description is not as expected: \(error)")
    }
  }

  /// A verb of the program.
  func verb(_ name: String) -> Command? {
    command.subcommands?.first { $0.commandName == name }
  }
}
