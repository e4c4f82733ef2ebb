internal import CCommit
import Statistics
import Studies

/// What `--version` says of the program.
public enum ProgramVersion {
  /// The version by SemVer 2.0.0; of programs and packages, never of results.
  ///
  /// A change that breaks somebody who keeps to the contract raises the first number (the second
  /// while the first is 0), a changed prediction or something new at least the second, anything
  /// else the third. `Sources/python/pyproject.toml` has it once more; a test compares the two.
  public static let number = "0.1.0"

  /// The commit that the program was built from, `-changed` behind it when files differed from it;
  /// nil for a build that was not told, which is any but a package's.
  public static var commit: String? {
    let text = String(cString: firstframe_commit())
    return text.isEmpty ? nil : text
  }

  /// The lines of `--version`.
  ///
  /// - Parameter program: the program's name.
  public static func text(of program: String) -> String {
    """
    \(program) \(number)
    model version: \(ModelVersion.feed) of feeds, \(ModelVersion.current) of other worlds
    commit: \(commit ?? "none, a source build")
    build: \(Toolchain.build), \(Toolchain.version), GSL \(GSLBoundary.version)
    licence: GPL-3.0-or-later, which GSL asks for
    """
  }
}
