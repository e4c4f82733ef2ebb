/// A rule that one word can break.
struct WordRule: Sendable {
  /// Where the rule holds.
  enum Scope: Sendable {
    case everywhere
    case belowL3
    case embedded

    func covers(_ zone: Zone) -> Bool {
      switch self {
      case .everywhere: true
      case .belowL3: zone.isBelowL3
      case .embedded: zone.isEmbedded
      }
    }

    var phrase: String {
      switch self {
      case .everywhere: "everywhere"
      case .belowL3: "below L3"
      case .embedded: "in Embedded Swift code"
      }
    }
  }

  /// What must stand around the word for it to count.
  enum Form: Sendable {
    /// As a type or keyword: not a member, a declared name or a label.
    case always
    /// Any occurrence.
    case mention
    /// `word(` that is neither a member call nor a declaration.
    case freeCall
    /// `word(` or `Glibc.word(`.
    case libraryCall
    /// `.word(`.
    case memberCall
    /// `Task {`, `Task.`, `Task(`, `Task<`.
    case task
    /// A keyword followed by a name on the same line.
    case declaration
    /// `word!`.
    case bang
    /// `throws` without a type.
    case untyped
    /// `Date(` or `Date.now`.
    case date
    /// `@word`.
    case attribute
    /// `word(unsafe)`.
    case unsafeArgument
  }

  let name: String
  let scope: Scope
  let form: Form
  let use: String

  static let systemModules: Set<String> = ["Foundation", "Glibc", "Musl", "Darwin"]

  func message(_ word: String) -> String {
    let shown: String
    switch form {
    case .freeCall, .libraryCall: shown = "\(word)("
    case .memberCall: shown = ".\(word)("
    case .bang: shown = "\(word)!"
    case .untyped: shown = "untyped \(word)"
    case .attribute: shown = "@\(word)"
    case .unsafeArgument: shown = "\(word)(unsafe)"
    default: shown = word
    }
    return "'\(shown)' is banned \(scope.phrase), use \(use)"
  }

  static func dictionaryMessage(_ shown: String) -> String {
    "'\(shown)' is banned \(Scope.belowL3.phrase), use \(tableHint)"
  }

  private static let tableHint = "LookupTable or a sorted array"

  private static let table: [([String], WordRule)] = [
    (["Dictionary"], WordRule(name: "dictionary", scope: .belowL3, form: .always, use: tableHint)),
    (["Set"], WordRule(name: "set", scope: .belowL3, form: .always, use: tableHint)),
    (
      ["random", "randomElement", "shuffled", "shuffle"],
      WordRule(name: "random", scope: .belowL3, form: .memberCall, use: "a keyed random stream")
    ),
    (
      ["SystemRandomNumberGenerator"],
      WordRule(name: "random", scope: .belowL3, form: .mention, use: "a keyed random stream")
    ),
    (["Date"], WordRule(name: "clock", scope: .belowL3, form: .date, use: "the 'now' handed in")),
    (
      [
        "ContinuousClock", "SuspendingClock", "DispatchTime", "DispatchWallTime", "clock_gettime",
        "gettimeofday",
      ],
      WordRule(name: "clock", scope: .belowL3, form: .mention, use: "the 'now' handed in")
    ),
    (
      ["Task"],
      WordRule(name: "concurrency", scope: .belowL3, form: .task, use: "events and commands")
    ),
    (
      ["async", "await"],
      WordRule(name: "concurrency", scope: .belowL3, form: .always, use: "events and commands")
    ),
    (
      ["actor"],
      WordRule(
        name: "concurrency", scope: .belowL3, form: .declaration, use: "events and commands")
    ),
    (
      ["print", "debugPrint", "dump"],
      WordRule(name: "print", scope: .belowL3, form: .freeCall, use: "a probe or a counter")
    ),
    (
      ["any"],
      WordRule(
        name: "existential", scope: .embedded, form: .declaration,
        use: "a generic, an enum or a class-bound protocol")
    ),
    (
      [
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "sqrt", "cbrt", "hypot",
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "erf",
        "erfc", "lgamma", "tgamma", "fmod",
      ],
      WordRule(
        name: "libm", scope: .embedded, form: .libraryCall, use: "PortableMath or a quantile table")
    ),
    (
      ["unchecked"],
      WordRule(
        name: "unchecked-sendable", scope: .belowL3, form: .attribute, use: "value types")
    ),
    (
      ["nonisolated"],
      WordRule(
        name: "unchecked-sendable", scope: .belowL3, form: .unsafeArgument, use: "value types")
    ),
    (
      ["Codable", "Encodable", "Decodable", "CodingKey"],
      WordRule(
        name: "codable", scope: .embedded, form: .always, use: "encoding code at L3 or above")
    ),
    (
      ["throws"],
      WordRule(
        name: "untyped-throws", scope: .embedded, form: .untyped, use: "throws(SomeError)")
    ),
    (
      ["try"],
      WordRule(name: "try-bang", scope: .everywhere, form: .bang, use: "'try' or a 'do' block")
    ),
    (
      ["assert", "assertionFailure"],
      WordRule(
        name: "assertion", scope: .everywhere, form: .freeCall, use: "'precondition' with values")
    ),
  ]

  static let byWord: [String: [WordRule]] = {
    var rules: [String: [WordRule]] = [:]
    for (words, rule) in table { for word in words { rules[word, default: []].append(rule) } }
    return rules
  }()
}
