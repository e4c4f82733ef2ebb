import ArgumentParser
import Reports
import Scenario

/// `firstframe keys`
struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print keys of scenarios with meaning, unit, default and source.",
    discussion: """
      Example: firstframe keys prefetch
               firstframe keys 'cdn.*.capacity' --format json

      Without a pattern every key of every world is printed. In a path [] stands for any place of a \
      list, * for a name that the file chooses; keys below \(KeyEntry.lawPath) stand at any key \
      that takes a distribution. Exit codes: 0 something was found; 64 usage, or no such key.
      """)

  @Argument(
    help: ArgumentHelp(
      "Print only keys whose path, meaning, unit or words have this text; with a * it is a pattern "
        + "of the whole path."))
  var pattern: String?

  @Option(
    help: ArgumentHelp(
      "Print the keys of this world only: " + WorldKeys.names.joined(separator: ", ") + ".",
      valueName: "name"), transform: { try WorldName.checked($0) })
  var world: String?

  /// How the keys are printed.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, markdown, json
  }

  @Option(help: "How to print them: text, markdown or json.")
  var format = Format.text

  func run() throws {
    let worlds = selected()
    let found = worlds.map { world in
      var own = world
      if let pattern { own.keys.removeAll { !$0.matches(pattern) } }
      return own
    }
    if let pattern, found.allSatisfy({ $0.keys.isEmpty }) {
      let names = worlds.flatMap(\.keys).map(\.path)
      let near =
        Spelling.nearest(to: pattern, in: names)
        ?? Spelling.nearest(
          to: pattern, in: names.map { String($0.split(separator: ".").last ?? "") })
      throw ValidationError(
        "expected a part of a key or of its meaning, got \(pattern)"
          + (near.map { " (did you mean \($0)?)" } ?? ""))
    }
    switch format {
    case .text: try emit(KeyListing.text(found))
    case .markdown: try emit(KeyListing.markdown(found))
    case .json: try emit(KeyListing.json(found).text())
    }
  }

  /// The worlds asked for. Of all worlds, what one has as the feed has it is left to the feed.
  private func selected() -> [WorldKeys] {
    if let world { return [WorldKeys.named(world)].compactMap(\.self) }
    return WorldKeys.distinct
  }
}

/// The names of worlds on the command line.
enum WorldName {
  /// - Throws: a `ValidationError` for a name that no world has.
  static func checked(_ name: String) throws -> String {
    let names = WorldKeys.names
    if names.contains(name) { return name }
    let near = Spelling.nearest(to: name, in: names).map { " (did you mean \($0)?)" } ?? ""
    throw ValidationError(
      "expected a world: \(names.joined(separator: ", ")), got \(name)\(near)")
  }
}
