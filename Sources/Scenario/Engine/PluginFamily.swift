/// The plug-ins of one family: each a row of word, meaning, keys and what is built of them.
///
/// The table of keys, and with it `schema`, `explain` and messages, reads the same rows as the
/// builder, so that a word that a file may say is a word that builds something.
struct PluginFamily<Value: Sendable>: Sendable {
  /// One plug-in.
  struct Row: Sendable {
    /// The word behind `kind`, what it means, and the keys that come with it.
    let kind: Kind
    /// What it stands for: the model itself, or what builds it of the keys.
    let value: Value

    /// A plug-in with its keys.
    init(_ word: String, _ summary: String, _ fields: [Field] = [], value: Value) {
      self.init(Kind(word, summary, fields), value: value)
    }

    /// A plug-in whose kind is at hand.
    init(_ kind: Kind, value: Value) {
      self.kind = kind
      self.value = value
    }
  }

  /// The plug-ins in the order of the table.
  let rows: [Row]
  /// What the table of keys has to know.
  let kinds: [Kind]

  /// A family of these plug-ins.
  init(_ rows: [Row]) {
    self.rows = rows
    kinds = rows.map(\.kind)
  }

  /// What the kind at a place stands for.
  /// - Precondition: the place was resolved with ``kinds``, which lets no other word through.
  func value(_ part: ResolvedTree, _ path: String = "") -> Value { value(of: part.kind(path)) }

  /// What a word stands for.
  /// - Precondition: the word is one of ``kinds``.
  func value(of word: String) -> Value {
    guard let row = rows.first(where: { $0.kind.word == word }) else {
      preconditionFailure("\(word) is none of \(rows.map(\.kind.word))")
    }
    return row.value
  }
}

/// The words of one key, each with what it stands for.
struct Choice<Value: Sendable>: Sendable {
  /// One word.
  struct Row: Sendable {
    /// The spelling and what it means.
    let word: Word
    /// What it stands for.
    let value: Value

    /// A word with its meaning and what it stands for.
    init(_ spelling: String, _ summary: String = "", value: Value) {
      word = Word(spelling, summary)
      self.value = value
    }
  }

  /// The words in the order of the table.
  let rows: [Row]
  /// What the table of keys has to know.
  let words: [Word]

  /// A choice of these words.
  init(_ rows: [Row]) {
    self.rows = rows
    words = rows.map(\.word)
  }

  /// What a word stands for.
  /// - Precondition: the word is one of ``words``.
  func value(of word: String) -> Value {
    guard let row = rows.first(where: { $0.word.spelling == word }) else {
      preconditionFailure("\(word) is none of \(rows.map(\.word.spelling))")
    }
    return row.value
  }

  /// What the word at a place stands for.
  func value(_ part: ResolvedTree, _ path: String = "") -> Value { value(of: part.word(path)) }
}
