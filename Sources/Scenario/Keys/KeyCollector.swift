extension Schema {
  /// The keys of the table in its order, every one once; behind them those of distributions, which
  /// stand below any key whose unit is one: their paths begin with ``KeyEntry/lawPath``.
  public func keys() -> [KeyEntry] {
    var collector = KeyCollector()
    collector.add(
      Field(
        "extends", .text(), default: "none",
        "A base file, relative to this one, whose values show through", source: "the file"),
      below: "", KeyCollector.Scope())
    collector.object(root, below: "", KeyCollector.Scope())
    collector.laws()
    return collector.entries
  }
}

extension KeyEntry {
  /// What paths of the keys of distributions begin with.
  public static let lawPath = "<distribution>"
}

/// Walks a table and puts together what is the same for several kinds.
struct KeyCollector {
  /// The nearest `kind` above: its word, and how many there are.
  struct Scope {
    var word: String?
    var count = 0
  }

  /// What has to be the same for two keys to be one entry.
  private struct Identity: Hashable {
    var path: String
    var meaning: String
    var unit: String
    var form: String
    var preset: String?
    var source: String
  }

  private(set) var entries: [KeyEntry] = []
  private var places: [Identity: Int] = [:]
  private var kindCounts: [Int] = []
  private var hasLaws = false
  private var isInLaw = false

  mutating func object(_ object: ObjectShape, below path: String, _ scope: Scope) {
    for field in object.fields { add(field, below: path, scope) }
  }

  mutating func add(_ field: Field, below path: String, _ scope: Scope) {
    let own = path.isEmpty ? field.name : "\(path).\(field.name)"
    var preset: String?
    if case .text(let text) = field.preset { preset = text }
    add(
      KeyEntry(
        path: own, kinds: [], meaning: field.summary,
        unit: isOfKeysUnit(field.shape) ? "as the key" : field.shape.unitText,
        form: isOfKeysUnit(field.shape)
          ? "a value in the key's unit" : field.shape.expectation,
        words: field.shape.choices, preset: preset, source: field.source), scope)
    walk(field.shape, own, scope)
  }

  /// Whether a key of a distribution has the unit of the key that the distribution stands at.
  private func isOfKeysUnit(_ shape: Shape) -> Bool {
    if !isInLaw { return false }
    switch shape.withoutOptional {
    case .time, .law: return true
    case .list(.time, _): return true
    default: return false
    }
  }

  private mutating func add(_ entry: KeyEntry, _ scope: Scope) {
    let identity = Identity(
      path: entry.path, meaning: entry.meaning, unit: entry.unit, form: entry.form,
      preset: entry.preset, source: entry.source)
    var place = entries.count
    if let known = places[identity] {
      place = known
    } else {
      places[identity] = place
      entries.append(entry)
      kindCounts.append(scope.count)
    }
    guard let word = scope.word, !entries[place].kinds.contains(word) else { return }
    entries[place].kinds.append(word)
  }

  private mutating func walk(_ shape: Shape, _ path: String, _ scope: Scope) {
    switch shape {
    case .optional(let inner): walk(inner, path, scope)
    case .list(let element, _): walk(element, path + "[]", scope)
    case .map(_, let value, _):
      let own = path + ".*"
      switch value.withoutOptional {
      case .object, .kinds: walk(value, own, scope)
      default:
        add(
          KeyEntry(
            path: own, kinds: [], meaning: "One of the names that the file chooses",
            unit: value.unitText, form: value.expectation, words: value.choices, preset: nil,
            source: "the file"), scope)
        walk(value, own, scope)
      }
    case .object(let object): self.object(object, below: path, scope)
    case .kinds(let kinds): self.kinds(kinds, path, scope)
    case .law: hasLaws = true
    default: break
    }
  }

  private mutating func kinds(_ kinds: [Kind], _ path: String, _ scope: Scope) {
    add(
      KeyEntry(
        path: "\(path).kind", kinds: [],
        meaning: "Which kind stands here; the keys beside it follow",
        unit: "word", form: Shape.oneOf(kinds.map(\.word)),
        words: kinds.map { Word($0.word, $0.summary) }, preset: nil, source: "the file"), scope)
    for kind in kinds {
      object(kind.object, below: path, Scope(word: kind.word, count: kinds.count))
    }
  }

  /// The keys of distributions, once for all units; and of every entry the kinds only where some
  /// lack it.
  mutating func laws() {
    if hasLaws {
      // Those of times stand for all; what is a time there is of the key's own unit.
      isInLaw = true
      kinds(LawTable.kinds(.time), KeyEntry.lawPath, Scope())
      isInLaw = false
    }
    for place in entries.indices where entries[place].kinds.count == kindCounts[place] {
      entries[place].kinds = []
    }
  }
}

extension Shape {
  /// What values of this shape measure, in a word or two.
  var unitText: String {
    switch self {
    case .time: "time"
    case .bytes: "bytes"
    case .bitRate: "bit rate"
    case .ratio: "ratio"
    case .integer: "whole number"
    case .real: "number"
    case .boolean: "true or false"
    case .text: "text"
    case .word: "word"
    case .optional(let inner): inner.unitText
    case .law(.time): "time, or a distribution of times"
    case .law(.bytes): "bytes, or a distribution of bytes"
    case .law(.bitRate): "bit rate, or a distribution of bit rates"
    case .law(.real): "number, or a distribution of numbers"
    case .list(let element, _): "list: \(element.unitText)"
    case .map, .object, .kinds, .variations: "mapping"
    }
  }

  /// The words that may stand here.
  var choices: [Word] {
    switch withoutOptional {
    case .word(let words): words
    case .list(let element, _): element.choices
    default: []
    }
  }
}
