import Foundation

/// A file that a scenario names: a trace, a price list.
public struct ScenarioInput: Sendable, Equatable {
  /// As the scenario says it, and for a file of a folder with the file's own name.
  public let name: String
  /// Where it was read.
  public let path: String

  public init(name: String, path: String) {
    self.name = name
    self.path = path
  }

  /// Whether the same name leads to the file in another folder that it is copied to.
  public var isCopyable: Bool {
    !name.hasPrefix("/") && !name.split(separator: "/").contains { $0 == ".." || $0 == "." }
  }

  /// What the file says; nil when it cannot be read any more or is no text.
  public var text: String? { InputFile.text(at: path) }
}
