import MediaUnits
import Synchronization

/// What the table of keys and a run's identity need of a policy that the program was built with.
public struct PackageRow: Sendable {
  /// A parameter without its configuration's type.
  public struct Parameter: Sendable {
    public let name: String
    public let form: PolicyForm
    public let preset: PolicyValue
    public let summary: String
    public let source: String

    init<Configuration>(
      _ parameter: PolicyParameter<Configuration>, _ defaults: Configuration
    ) {
      name = parameter.name
      form = parameter.form
      preset = parameter.get(defaults)
      summary = parameter.summary
      source = parameter.source
    }
  }

  private final class KnownIdentity: Sendable {
    let identity = Mutex<PolicyIdentity?>(nil)
  }

  /// The word behind `kind`.
  public let word: String
  /// What its author calls this state of it; part of a run's identity.
  public let version: String
  /// What it does, one line without a full stop.
  public let summary: String
  /// Its keys, in their order.
  public let parameters: [Parameter]
  /// What it decides, in the words of a result.
  let decides: String
  private let answers: @Sendable () -> [UInt8]
  private let known = KnownIdentity()

  init(
    _ word: String, version: String, _ summary: String, decides: String, _ parameters: [Parameter],
    answers: @escaping @Sendable () -> [UInt8]
  ) {
    self.word = word
    self.version = version
    self.summary = summary
    self.decides = decides
    self.parameters = parameters
    self.answers = answers
  }

  /// Its word, its version, and a digest of what it answers to what is always the same, with its
  /// defaults: a policy that was changed and not given another version seldom answers the same.
  public var identity: PolicyIdentity {
    known.identity.withLock { identity in
      if let identity { return identity }
      let made = PolicyIdentity(decides, name: word, version: version, answers: answers())
      identity = made
      return made
    }
  }

  /// What is wrong with it, one text for each.
  ///
  /// - Parameter reserved: keys that every kind has.
  func faults(reserved: Set<String>) -> [String] {
    var faults: [String] = []
    func isName(_ text: String) -> Bool {
      func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
      return text.utf8.first.map(isLetter) ?? false
        && text.utf8.allSatisfy {
          isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
        }
    }
    let name = "a name of letters, digits, - and _ that begins with a letter"
    if !isName(word) { faults.append("expected \(name), got \"\(word)\"") }
    if !PolicyIdentity.isLabel(version) {
      faults.append("version: expected 1 to 64 letters, digits and signs, got \"\(version)\"")
    }
    if summary.isEmpty {
      faults.append("summary: expected a line that says what it does, got none")
    }
    var known: Set<String> = []
    for parameter in parameters {
      if !isName(parameter.name) {
        faults.append("\(parameter.name): expected \(name), got \"\(parameter.name)\"")
      }
      if reserved.contains(parameter.name) {
        faults.append(
          "\(parameter.name): expected a key that its kind does not have already, got "
            + parameter.name)
      } else if !known.insert(parameter.name).inserted {
        faults.append("\(parameter.name): expected each key once, got it twice")
      }
      if parameter.summary.isEmpty {
        faults.append("\(parameter.name): expected a line that says what it means, got none")
      }
      if !parameter.form.accepts(parameter.preset) {
        faults.append("\(parameter.name): expected a default within its range, got one outside")
      }
    }
    return faults
  }
}
