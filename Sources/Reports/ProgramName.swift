import Synchronization

/// What the program is called in the commands that it proposes: `firstframe`, or the name of a
/// program that was built with it (docs/decisions/0044).
public enum ProgramName {
  private static let name = Mutex("firstframe")

  /// The name.
  public static var own: String { name.withLock { $0 } }

  /// Gives it another name, before anybody asks.
  public static func call(_ name: String) { Self.name.withLock { $0 = name } }
}
