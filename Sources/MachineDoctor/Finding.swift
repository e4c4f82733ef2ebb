/// One thing that was looked at.
public struct Finding: Sendable, Equatable, Codable {
  /// How it is.
  public enum State: String, Sendable, Equatable, Codable {
    case ok
    /// Live runs are possible, and may be slower or less exact than they could be.
    case warn
    /// It is not there.
    case missing
  }

  /// Short name, also what `--require` takes.
  public var name: String
  public var state: State
  /// What was seen.
  public var seen: String
  /// What to do about it; empty when all is well.
  public var advice: String

  public init(_ name: String, _ state: State, _ seen: String, advice: String = "") {
    self.name = name
    self.state = state
    self.seen = seen
    self.advice = advice
  }
}

/// What was found on this machine.
public struct Examination: Sendable, Equatable, Codable {
  /// Version of this form.
  public var schema = 1
  public var findings: [Finding]

  public init(_ findings: [Finding]) { self.findings = findings }

  /// The finding of a name.
  public subscript(name: String) -> Finding? { findings.first { $0.name == name } }

  /// Those of the names whose findings are missing, or that are no findings.
  public func lacking(_ names: [String]) -> [String] {
    names.filter { name in (self[name]?.state ?? .missing) == .missing }
  }

  /// A table of name, state and what was seen, with the advice below each line that has one.
  public var text: String {
    let width = findings.map(\.name.count).max() ?? 0
    var lines: [String] = []
    for finding in findings {
      let name = finding.name + String(repeating: " ", count: width - finding.name.count)
      let state = finding.state.rawValue
      let pad = String(repeating: " ", count: 7 - state.count)
      lines.append("\(name)  \(state)\(pad)  \(finding.seen)")
      if !finding.advice.isEmpty {
        lines.append(String(repeating: " ", count: width + 11) + "-> " + finding.advice)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
