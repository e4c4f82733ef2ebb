import Foundation

/// The command line as a page shows it: without the options that change no result, so that the
/// page has the same bytes however it was made.
enum MadeBy {
  /// Options with a value that say how fast, or where to.
  private static let options: Set<String> = [
    "--threads", "--output", "-o", "--notebook", "--page", "--progress", "--memory-limit",
    "--time-limit",
  ]
  private static let flags: Set<String> = [
    "--quiet", "--json", "--no-shared-prefix", "--no-pilot-cache", "--full",
  ]

  /// Of this process, or of the plan that it merges.
  static var words: [String] {
    words(PlannedStudy.words ?? Array(CommandLine.arguments.dropFirst()))
  }

  /// Of arguments without the program's name.
  static func words(_ arguments: [String]) -> [String] {
    var kept = [Program.name]
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--" { return kept + [word] + rest }
      if flags.contains(word) { continue }
      if options.contains(word) {
        _ = rest.popFirst()
        continue
      }
      let name = word.prefix { $0 != "=" }
      if name != word, options.contains(String(name)) { continue }
      kept.append(word)
      // The value of another option is no option, whatever it looks like.
      if word.hasPrefix("--"), !word.contains("="), valued.contains(word),
        let value = rest.popFirst()
      {
        kept.append(value)
      }
    }
    return kept
  }

  /// Options whose value is a text of the user's.
  private static let valued: Set<String> = [
    "--set", "--vary", "--base", "--with", "--metric", "--front", "--subject-to", "--target",
    "--minimise", "--maximise", "--assume", "--design",
  ]
}
