/// What may stand at one place of a scenario. One table of shapes gives validation, defaults,
/// `explain` and the JSON Schema.
public indirect enum Shape: Sendable {
  /// A time in nanoseconds; written with a unit.
  case time(ClosedRange<Int64> = 0...Int64.max)
  /// A size in bytes; written with a unit.
  case bytes(ClosedRange<Int64> = 0...Int64.max)
  /// A bit rate in bits per second; written with a unit.
  case bitRate(ClosedRange<Int64> = 0...Int64.max)
  /// A share from 0 to 1, or in percent.
  case ratio
  /// A whole number.
  case integer(ClosedRange<Int64> = 0...Int64.max)
  /// A number.
  case real(RealRange = .finite)
  /// `true` or `false`.
  case boolean
  /// Text.
  case text(TextRule = .any)
  /// One of a few words.
  case word([Word])
  /// The shape, or the word `none`.
  case optional(Shape)
  /// A distribution of values of a unit: a bare value, or a mapping with a `kind` of ``LawTable``.
  case law(LawUnit)
  /// A list.
  case list(Shape, count: ClosedRange<Int> = 0...10_000)
  /// A mapping whose keys the user chooses; order is kept.
  case map(key: TextRule = .any, value: Shape, count: ClosedRange<Int> = 0...10_000)
  /// A mapping with the keys of the table.
  case object(ObjectShape)
  /// A mapping whose `kind` picks a plug-in and with it the other keys.
  case kinds([Kind])
  /// A mapping from key paths of this same scenario to lists of values that may stand there, as
  /// `sweep` has it. Only reachable from the top through objects.
  case variations
}

/// A range of `Double`.
public struct RealRange: Hashable, Sendable {
  /// The least value, or minus infinity for no bound.
  public var minimum: Double
  /// The greatest value, or infinity for no bound.
  public var maximum: Double
  /// Whether `minimum` itself is refused.
  public var excludesMinimum: Bool

  /// A range with its ends, the lower one perhaps without.
  public init(_ minimum: Double, _ maximum: Double, excludesMinimum: Bool = false) {
    self.minimum = minimum
    self.maximum = maximum
    self.excludesMinimum = excludesMinimum
  }

  /// Any finite number.
  public static let finite = RealRange(-.infinity, .infinity)
  /// Zero or more.
  public static let nonNegative = RealRange(0, .infinity)
  /// More than zero.
  public static let positive = RealRange(0, .infinity, excludesMinimum: true)

  func contains(_ value: Double) -> Bool {
    value <= maximum && (excludesMinimum ? value > minimum : value >= minimum)
  }

  /// `a number above 0`, `a number from 0 to 1`.
  var expectation: String {
    let (low, high) = (PlainNumber.text(minimum), PlainNumber.text(maximum))
    switch (minimum.isFinite, maximum.isFinite) {
    case (false, false): return "a number such as 0.5"
    case (true, false): return "a number \(excludesMinimum ? "above" : "of at least") \(low)"
    case (false, true): return "a number of at most \(high)"
    case (true, true):
      return excludesMinimum
        ? "a number above \(low) and at most \(high)" : "a number from \(low) to \(high)"
    }
  }
}

/// What a text or a chosen key must look like.
public struct TextRule: Sendable {
  /// The words after `expected`, e.g. `a file name`.
  public let expectation: String
  /// The same as a regular expression for the JSON Schema (ECMA-262), when there is one.
  public let pattern: String?
  /// Whether a text will do.
  public let accepts: @Sendable (String) -> Bool

  /// A rule in words, in a pattern and in code.
  public init(
    _ expectation: String, pattern: String? = nil, accepts: @escaping @Sendable (String) -> Bool
  ) {
    self.expectation = expectation
    self.pattern = pattern
    self.accepts = accepts
  }

  /// Any text but the empty one.
  public static let any = TextRule("a text", pattern: "^[\\s\\S]+$") { !$0.isEmpty }

  /// A name: letters, digits, `_`, `-`; it begins with a letter.
  public static let name = TextRule(
    "a name of letters, digits, - and _ that begins with a letter",
    pattern: "^[A-Za-z][A-Za-z0-9_-]*$"
  ) { text in
    var isFirst = true
    for byte in text.utf8 {
      let isLetter = (0x61...0x7A).contains(byte | 0x20)
      let isOther = (0x30...0x39).contains(byte) || byte == 0x5F || byte == 0x2D
      if !isLetter && (isFirst || !isOther) { return false }
      isFirst = false
    }
    return !isFirst
  }
}

/// One word of a closed set.
public struct Word: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The spelling.
  public let spelling: String
  /// What it means, for the JSON Schema; may be empty.
  public let summary: String

  /// A word with its meaning.
  public init(_ spelling: String, _ summary: String = "") {
    self.spelling = spelling
    self.summary = summary
  }

  /// A word that needs no explanation.
  public init(stringLiteral value: String) { self.init(value) }
}

/// One plug-in of a family: the word behind `kind` and the keys that come with it.
public struct Kind: Sendable {
  /// The word.
  public let word: String
  /// What it is, one line.
  public let summary: String
  /// Its keys, without `kind`.
  public let object: ObjectShape

  /// A plug-in and its keys.
  public init(_ word: String, _ summary: String, _ fields: [Field] = []) {
    self.word = word
    self.summary = summary
    object = ObjectShape(fields)
  }
}

/// The keys of a mapping in table order.
public struct ObjectShape: Sendable {
  /// The keys.
  public let fields: [Field]

  /// A mapping of these keys.
  public init(_ fields: [Field]) { self.fields = fields }

  func field(_ name: String) -> Field? { fields.first { $0.name == name } }
}

/// One key of the table.
public struct Field: Sendable {
  /// What stands where the file says nothing.
  public enum Default: Hashable, Sendable, ExpressibleByStringLiteral {
    /// Nothing does: the file, or one it extends, must say.
    case required
    /// This text, written as in YAML: `40 ms`, `none`, `{kind: lru}`; `{}` for a mapping whose keys
    /// have defaults of their own.
    case text(String)

    /// The text as written in YAML.
    public init(stringLiteral value: String) { self = .text(value) }
  }

  /// The key.
  public let name: String
  /// What may stand there.
  public let shape: Shape
  /// What stands there otherwise.
  public let preset: Default
  /// What it means, one line without a full stop.
  public let summary: String
  /// Where the default comes from (a section of `parameters.md`, a standard) or `assumed`.
  public let source: String
  /// Whether it says what is shown of a run and nothing of what is run: a run is the same with and
  /// without it, and so is its digest. Such keys stand at the top.
  public let isShownOnly: Bool
  /// Whether the resolved scenario has it at its default. Where it has not, a scenario that says
  /// nothing of the key is what it was before there was the key, and so is its digest.
  public let isSaidAtDefault: Bool
  /// The default as a tree; nil when it is required.
  let presetNode: Node?
  /// What is wrong with the default's text as YAML.
  let presetProblems: [Problem]

  /// A key. The default is read at once; ``Schema/faults()`` reports one that does not fit.
  public init(
    _ name: String, _ shape: Shape, default preset: Default, _ summary: String,
    source: String = "assumed", isShownOnly: Bool = false, isSaidAtDefault: Bool = true
  ) {
    self.name = name
    self.shape = shape
    self.preset = preset
    self.summary = summary
    self.source = source
    self.isShownOnly = isShownOnly
    self.isSaidAtDefault = isSaidAtDefault
    var problems = Problems()
    switch preset {
    case .required: presetNode = nil
    case .text(let text):
      presetNode = YAMLReader.read(text, from: .preset(source: source), into: &problems)
    }
    presetProblems = problems.sorted
  }
}

extension Shape {
  /// The words after `expected` for a value of the wrong form.
  var expectation: String {
    switch self {
    case .time(let range): Quantity.time.expectation(range)
    case .bytes(let range): Quantity.bytes.expectation(range)
    case .bitRate(let range): Quantity.bitRate.expectation(range)
    case .ratio: "a ratio from 0 to 1 or such as \"5 %\""
    case .integer(let range): Shape.integerExpectation(range)
    case .real(let range): range.expectation
    case .boolean: "true or false"
    case .text(let rule): rule.expectation
    case .word(let words): Shape.oneOf(words.map(\.spelling))
    case .optional(let inner): inner.expectation + " or none"
    case .law(let unit): "\(unit.expectation) or a mapping with a kind"
    case .list(_, let count): "a list" + Shape.countText(count)
    case .map(_, _, let count): "a mapping" + Shape.countText(count)
    case .object: "a mapping"
    case .kinds: "a mapping with a kind"
    case .variations: "a mapping from key paths to lists of values"
    }
  }

  static func countText(_ count: ClosedRange<Int>) -> String {
    if count.lowerBound == count.upperBound { return " of \(count.lowerBound)" }
    if count.upperBound < 10_000 { return " of \(count.lowerBound) to \(count.upperBound)" }
    return count.lowerBound > 0 ? " of at least \(count.lowerBound)" : ""
  }

  static func integerExpectation(_ range: ClosedRange<Int64>) -> String {
    if range.upperBound != .max {
      return "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
    if range.lowerBound == .min || range.lowerBound == 0 { return "a whole number such as 8" }
    return "a whole number of at least \(range.lowerBound)"
  }

  static func oneOf(_ words: [String]) -> String {
    words.count == 1 ? words[0] : "one of " + words.joined(separator: ", ")
  }

  /// The shape without `optional` around it.
  var withoutOptional: Shape {
    if case .optional(let inner) = self { return inner.withoutOptional }
    return self
  }

  /// The fields a mapping of this shape may have, when the table says; `kind` is among them.
  func fields(kind: String?) -> [Field]? {
    switch withoutOptional {
    case .object(let object): object.fields
    case .kinds(let kinds): kinds.first { $0.word == kind }?.object.fields
    case .law(let unit): LawTable.kinds(unit).first { $0.word == kind }?.object.fields
    default: nil
    }
  }
}

extension Quantity {
  /// The words after `expected` for a value outside `range`.
  func expectation(_ range: ClosedRange<Int64>) -> String {
    let (low, high) = (text(range.lowerBound), text(range.upperBound))
    switch (range.lowerBound <= 0, range.upperBound == .max) {
    case (true, true): return form
    case (false, true): return "\(noun) of at least \(low)"
    case (_, false): return "\(noun) from \(low) to \(high)"
    }
  }

  /// The same when a value of the right form is out of range; names the bound.
  func rangeExpectation(_ range: ClosedRange<Int64>) -> String {
    if range.upperBound != .max { return expectation(range) }
    return "\(noun) of at least \(text(range.lowerBound))"
  }
}
