/// Why a link or a server of the live harness cannot be had: what was expected, what was seen and
/// what to do.
public struct HarnessFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of trouble; decides the exit code (contract.md section 2).
  public enum Kind: Sendable, Equatable {
    /// A program or a right is missing: 69.
    case missing
    /// Something does not answer, or ended: 69.
    case unreachable
    /// The operating system refused: 1.
    case system
  }

  public var kind: Kind
  public var message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  public var description: String { message }
  /// The exit code of a program that cannot go on.
  public var exitCode: Int32 { kind == .system ? 1 : 69 }
}
