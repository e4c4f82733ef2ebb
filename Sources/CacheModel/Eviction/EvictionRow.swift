/// What all that names eviction policies reads of one: scenario keys, command lines, reports.
///
/// ``EvictionKind/rows`` has one for each policy. Texts are static, so that the models stay free of
/// strings that are put together.
public struct EvictionRow: Sendable {
  /// The word behind a tier's `kind`, and in front of the parameter on a command line.
  public let word: StaticString
  /// What it is, one line without a full stop.
  public let summary: StaticString
  /// What a scenario can say of it beside the word.
  public let parameter: EvictionParameter
  /// What a replay's command line can name; empty for a policy with a number.
  public let replays: [EvictionVariant]
  /// What a cache has to know of the policy.
  public let traits: EvictionTraits

  /// A policy without a parameter; `replays` are the names of its variants where there are some.
  init(
    _ word: StaticString, _ summary: StaticString, _ kind: EvictionKind,
    replays: [EvictionVariant]? = nil, traits: EvictionTraits = []
  ) {
    self.init(
      word, summary, .none(kind), replays ?? [EvictionVariant("", kind)], traits)
  }

  /// A policy with a whole number.
  init(
    _ word: StaticString, _ summary: StaticString, _ number: EvictionNumber,
    traits: EvictionTraits = []
  ) {
    self.init(word, summary, .number(number), [], traits)
  }

  /// A policy with a word of its own.
  init(
    _ word: StaticString, _ summary: StaticString, _ choice: EvictionChoice,
    replays: [EvictionVariant], traits: EvictionTraits = []
  ) {
    self.init(word, summary, .choice(choice), replays, traits)
  }

  private init(
    _ word: StaticString, _ summary: StaticString, _ parameter: EvictionParameter,
    _ replays: [EvictionVariant], _ traits: EvictionTraits
  ) {
    self.word = word
    self.summary = summary
    self.parameter = parameter
    self.replays = replays
    self.traits = traits
  }

  /// Whether a cache in front of viewers can have it: not when it has to know the future.
  public var isLive: Bool { !traits.contains(.clairvoyant) }

  /// One of each variant, or of each number that is usual.
  var samples: [EvictionKind] {
    if case .number(let number) = parameter { return number.usual.map { number.kind($0) } }
    return replays.map { $0.kind }
  }

  /// Whether the kind is of this row, with whichever parameter.
  func holds(_ kind: EvictionKind) -> Bool {
    if case .number(let number) = parameter { return number.value(kind) != nil }
    return replays.contains { $0.kind == kind }
  }
}

/// What a scenario can say of a policy.
public enum EvictionParameter: Sendable {
  /// Nothing but its word.
  case none(EvictionKind)
  /// A whole number.
  case number(EvictionNumber)
  /// One of a few words.
  case choice(EvictionChoice)
}

/// A policy's whole number.
public struct EvictionNumber: Sendable {
  /// Its key in a scenario, and what it counts: `bits`.
  public let key: StaticString
  /// What stands for it in a message about command lines: `BITS`.
  public let placeholder: StaticString
  /// What it may be.
  public let range: ClosedRange<Int>
  /// What it is where a scenario says nothing; assumed.
  public let preset: Int
  /// What it means, one line without a full stop.
  public let summary: StaticString
  /// Those that suites and benchmarks run with, the most usual last.
  public let usual: [Int]
  /// The kind with this number.
  public let kind: @Sendable (Int) -> EvictionKind
  /// The number of a kind; nil for kinds of other policies.
  public let value: @Sendable (EvictionKind) -> Int?
}

/// A policy's word: a key of a scenario with a few values.
public struct EvictionChoice: Sendable {
  /// One value.
  public struct Value: Sendable {
    /// The spelling.
    public let word: StaticString
    /// What it means.
    public let summary: StaticString
    /// The kind with it.
    public let kind: EvictionKind
  }

  /// The key.
  public let key: StaticString
  /// Its values in the order of the table; the first is the default.
  public let values: [Value]
  /// What it means, one line without a full stop.
  public let summary: StaticString
  /// Where the default comes from.
  public let source: StaticString
}

/// What a replay's command line can name: the word, and behind a colon the suffix.
public struct EvictionVariant: Sendable {
  /// Empty for the word alone.
  public let suffix: StaticString
  /// The kind of that name.
  public let kind: EvictionKind

  init(_ suffix: StaticString, _ kind: EvictionKind) {
    self.suffix = suffix
    self.kind = kind
  }
}

/// What a cache has to know of a policy.
public struct EvictionTraits: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt8

  /// Traits by their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It has to know the requests to come.
  public static let clairvoyant = EvictionTraits(rawValue: 1)
  /// It makes hashes of the objects.
  public static let hashesObjects = EvictionTraits(rawValue: 2)
  /// Nothing leaves, whatever the capacity.
  public static let ignoresCapacity = EvictionTraits(rawValue: 4)
}
