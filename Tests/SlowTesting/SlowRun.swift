import Foundation

/// The run of the longer tests: more replications, more cases, and tests that `make test` leaves
/// out. `.ci/slow.d/10-swift-tests` runs the suites of every file that asks for it.
public enum SlowRun {
  /// Whether FIRSTFRAME_SLOW is set.
  public static let isOn = ProcessInfo.processInfo.environment["FIRSTFRAME_SLOW"] != nil

  /// The number of what is tried: `usual` by `make test`, `slow` by the longer run.
  public static func count(_ usual: Int, slow: Int) -> Int { isOn ? slow : usual }

  /// The cases that are tried: the first `count` of them by `make test`, all by the longer run.
  public static func cases<Case>(_ all: [Case], usual count: Int) -> [Case] {
    isOn ? all : Array(all.prefix(count))
  }

  /// A whole number that a longer run is told by the environment, or the usual one.
  public static func number(_ name: String, _ usual: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
  }
}
