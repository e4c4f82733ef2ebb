/// Why a link, a server or a browser of the live harness cannot be had: what was expected, what was
/// seen and what to do.
public struct HarnessFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of trouble; decides the exit code (contract.md section 2).
  public enum Kind: Sendable, Equatable {
    /// A program or a right is missing: 69.
    case missing
    /// Something does not answer, or ended: 69.
    case unreachable
    /// The operating system refused: 1.
    case system
    /// An input file cannot be read: 66.
    case input
    /// What was read cannot be used: 65.
    case data
    /// Something cannot be written: 73.
    case output
    /// A page's script threw: 1.
    case script
  }

  public var kind: Kind
  public var message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  public var description: String { message }
  /// The exit code of a program that cannot go on.
  public var exitCode: Int32 {
    switch kind {
    case .missing, .unreachable: 69
    case .system, .script: 1
    case .input: 66
    case .data: 65
    case .output: 73
    }
  }
}
