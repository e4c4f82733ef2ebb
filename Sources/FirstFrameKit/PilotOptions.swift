import ArgumentParser
import Foundation
import Studies

/// `--no-pilot-cache`, and where pilots are kept.
struct PilotOptions: ParsableArguments {
  @Flag(
    name: .customLong("no-pilot-cache"),
    help: ArgumentHelp(
      "Do not keep what a feed's pilot counts for later runs; results are the same.",
      discussion: "The folder is ~/.cache/firstframe/pilots; see firstframe run --help."))
  var isOff = false

  func validate() throws {
    guard !isOff, let word = Console.environment(PilotOptions.variable), !word.isEmpty,
      word != "off", !word.contains("/")
    else { return }
    throw ValidationError(
      "\(PilotOptions.variable): expected off, or a folder's path with a slash, got \(word)")
  }

  /// Names the folder, or is `off`.
  static let variable = "FIRSTFRAME_PILOTS"

  static let help = """
    What the pilot of a feed counts is kept by its content in $XDG_CACHE_HOME/firstframe/pilots, or \
    ~/.cache/firstframe/pilots, for the next run that would count the same; FIRSTFRAME_PILOTS names \
    another folder (a path with a slash in it, not a folder that others may write to), or is "off". \
    The folder may be removed at any time.
    """

  /// Where pilots come from.
  var pilots: Pilots {
    let folder = isOff ? nil : PilotOptions.folder(Console.environment)
    return Pilots(
      store: folder.map { folder in
        PilotStore(folder: folder) { Program.known.map { "\(ModelVersion.current) \($0)" } }
      })
  }

  /// The folder for pilots; nil for none.
  ///
  /// - Parameter environment: the value of a variable.
  static func folder(_ environment: (String) -> String?) -> String? {
    if let chosen = environment(variable), !chosen.isEmpty {
      return chosen == "off" ? nil : chosen
    }
    // A relative path is to be ignored (XDG Base Directory Specification 0.8).
    for (name, below) in [("XDG_CACHE_HOME", ""), ("HOME", "/.cache")] {
      if let base = environment(name), base.hasPrefix("/") {
        return "\(base)\(below)/firstframe/pilots"
      }
    }
    return nil
  }
}
