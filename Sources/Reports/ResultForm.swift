import Scenario

/// What `result.json` may hold at one place; the JSON Schema is written from it.
indirect enum ResultShape: Sendable {
  case integer
  /// A whole number that is never negative.
  case count
  case number
  case boolean
  case text(pattern: String?)
  case word([String])
  case fixed(JSONText)
  /// The shape, or `null` when there is no such value.
  case optional(ResultShape)
  /// The shape; where there is no such value the member is left out.
  case omissible(ResultShape)
  case list(ResultShape)
  /// A list of fixed length with a name for each place.
  case row([(name: String, shape: ResultShape)])
  case object([(name: String, summary: String, shape: ResultShape)])

  /// The JSON Schema (draft 2020-12) members of the shape.
  var schema: [JSONText.Member] {
    switch self {
    case .integer: [.init("type", "integer")]
    case .count: [.init("type", "integer"), .init("minimum", 0)]
    case .number: [.init("type", "number")]
    case .boolean: [.init("type", "boolean")]
    case .text(let pattern):
      [.init("type", "string")] + (pattern.map { [.init("pattern", .string($0))] } ?? [])
    case .word(let words): [.init("enum", .array(words.map { .string($0) }))]
    case .fixed(let value): [.init("const", value)]
    case .optional(let inner):
      [.init("anyOf", [.object(inner.schema), ["type": "null"]])]
    case .omissible(let inner): inner.schema
    case .list(let element):
      [.init("type", "array"), .init("items", .object(element.schema))]
    case .row(let places):
      [
        .init("type", "array"), .init("minItems", .integer(Int64(places.count))),
        .init(
          "prefixItems",
          .array(
            places.map { .object([.init("description", .string($0.name))] + $0.shape.schema) })),
        .init("items", false),
      ]
    case .object(let members):
      [
        .init("type", "object"),
        .init(
          "properties",
          .object(
            members.map { member in
              let summary = JSONText.Member("description", .string(member.summary))
              return .init(member.name, .object([summary] + member.shape.schema))
            })),
        .init(
          "required", .array(members.filter { !$0.shape.isOmissible }.map { .string($0.name) })),
        .init("additionalProperties", false),
      ]
    }
  }
}

extension ResultShape {
  fileprivate var isOmissible: Bool { if case .omissible = self { true } else { false } }
}

/// The name of a member of `result.json`, whatever it is.
struct MemberName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

/// One member of an object of `result.json`: its name, meaning and shape, how it is written and how
/// it is read.
struct ResultMember<Root>: Sendable {
  typealias Members = KeyedDecodingContainer<MemberName>
  typealias Place<Value> = WritableKeyPath<Root, Value> & Sendable

  let name: String
  let summary: String
  let shape: ResultShape
  /// `null` of an omissible member leaves it out.
  let write: @Sendable (Root) -> JSONText
  let read: @Sendable (inout Root, Members) throws -> Void

  init(
    name: String, summary: String, shape: ResultShape,
    write: @escaping @Sendable (Root) -> JSONText,
    read: @escaping @Sendable (inout Root, Members) throws -> Void
  ) {
    self.name = name
    self.summary = summary
    self.shape = shape
    self.write = write
    self.read = read
  }

  /// A member that is kept in one place of the record.
  init<Value: Decodable & SendableMetatype>(
    _ name: String, _ summary: String, _ shape: ResultShape, _ place: any Place<Value>,
    _ write: @escaping @Sendable (Value) -> JSONText
  ) {
    self.init(name: name, summary: summary, shape: shape) {
      write($0[keyPath: place])
    } read: { root, members in
      root[keyPath: place] = try members.decode(Value.self, forKey: MemberName(name))
    }
  }

  /// The same of a value that may be missing; `null` says so, or nothing at all.
  init<Value: Decodable & SendableMetatype>(
    optional name: String, _ summary: String, _ shape: ResultShape, _ place: any Place<Value?>,
    _ write: @escaping @Sendable (Value) -> JSONText
  ) {
    self.init(name: name, summary: summary, shape: shape) {
      $0[keyPath: place].map(write) ?? .null
    } read: { root, members in
      root[keyPath: place] = try members.decodeIfPresent(Value.self, forKey: MemberName(name))
    }
  }

  /// A member that is always the same; it is not read.
  static func fixed(_ name: String, _ summary: String, _ value: String) -> ResultMember {
    ResultMember(name: name, summary: summary, shape: .fixed(.string(value))) { _ in
      .string(value)
    } read: { _, _ in
    }
  }

  /// The same member, which results from before it was there lack: they read as the record's
  /// default.
  var later: ResultMember {
    ResultMember(name: name, summary: summary, shape: shape, write: write) { [read, name] in
      if $1.contains(MemberName(name)) { try read(&$0, $1) }
    }
  }

  static func count<Number: FixedWidthInteger & Decodable & Sendable>(
    _ name: String, _ summary: String, _ place: any Place<Number>
  ) -> ResultMember {
    ResultMember(name, summary, .count, place) { .integer(Int64(clamping: $0)) }
  }

  static func optionalCount<Number: FixedWidthInteger & Decodable & Sendable>(
    _ name: String, _ summary: String, _ place: any Place<Number?>
  ) -> ResultMember {
    ResultMember(optional: name, summary, .optional(.count), place) {
      .integer(Int64(clamping: $0))
    }
  }

  static func number(
    _ name: String, _ summary: String, _ place: any Place<Double>
  ) -> ResultMember {
    ResultMember(name, summary, .number, place) { .number($0) }
  }

  static func optionalNumber(
    _ name: String, _ summary: String, _ place: any Place<Double?>
  ) -> ResultMember {
    ResultMember(optional: name, summary, .optional(.number), place) { .number($0) }
  }

  static func numbers(
    _ name: String, _ summary: String, _ place: any Place<[Double]>
  ) -> ResultMember {
    ResultMember(name, summary, .list(.number), place) { .array($0.map { .number($0) }) }
  }

  /// A lower and an upper end; null without.
  static func interval(
    _ name: String, _ summary: String, _ place: any Place<[Double]?>
  ) -> ResultMember {
    ResultMember(
      optional: name, summary,
      .optional(.row([(name: "lower end", shape: .number), (name: "upper end", shape: .number)])),
      place
    ) { .array($0.map { .number($0) }) }
  }

  static func boolean(
    _ name: String, _ summary: String, _ place: any Place<Bool>
  ) -> ResultMember {
    ResultMember(name, summary, .boolean, place) { .boolean($0) }
  }

  static func text(
    _ name: String, _ summary: String, pattern: String? = nil, _ place: any Place<String>
  ) -> ResultMember {
    ResultMember(name, summary, .text(pattern: pattern), place) { .string($0) }
  }

  static func texts(
    _ name: String, _ summary: String, _ place: any Place<[String]>
  ) -> ResultMember {
    ResultMember(name, summary, .list(.text(pattern: nil)), place) {
      .array($0.map { .string($0) })
    }
  }

  static func word(
    _ name: String, _ summary: String, _ words: [String], _ place: any Place<String>
  ) -> ResultMember {
    ResultMember(name, summary, .word(words), place) { .string($0) }
  }

  static func object<Inner: RecordedObject>(
    _ name: String, _ summary: String, _ place: any Place<Inner>
  ) -> ResultMember {
    ResultMember(name, summary, Inner.form.shape, place) { $0.json }
  }

  /// An object, or `null` where there is none.
  static func optionalObject<Inner: RecordedObject>(
    _ name: String, _ summary: String, _ place: any Place<Inner?>
  ) -> ResultMember {
    ResultMember(optional: name, summary, .optional(Inner.form.shape), place) { $0.json }
  }

  /// An object that is left out where there is none.
  static func omissibleObject<Inner: RecordedObject>(
    _ name: String, _ summary: String, _ place: any Place<Inner?>
  ) -> ResultMember {
    ResultMember(optional: name, summary, .omissible(Inner.form.shape), place) { $0.json }
  }

  static func list<Inner: RecordedObject>(
    _ name: String, _ summary: String, _ place: any Place<[Inner]>
  ) -> ResultMember {
    ResultMember(name, summary, .list(Inner.form.shape), place) { .array($0.map(\.json)) }
  }

  static func counts<Source>(
    _ name: String, _ summary: String, _ table: CountTable<Source>, _ place: any Place<NamedCounts>
  ) -> ResultMember {
    ResultMember(name, summary, table.shape, place) { table.json($0) }
  }
}

/// An object of `result.json`. One table describes, writes and reads it, so that the three cannot
/// disagree.
struct ResultForm<Root>: Sendable {
  let members: [ResultMember<Root>]

  init(_ members: [ResultMember<Root>]) { self.members = members }

  var shape: ResultShape {
    .object(members.map { (name: $0.name, summary: $0.summary, shape: $0.shape) })
  }

  func json(_ root: Root) -> JSONText {
    .object(
      members.compactMap { member in
        let value = member.write(root)
        return member.shape.isOmissible && value == .null ? nil : .init(member.name, value)
      })
  }

  /// The members among those of an object that has this one's, too, without a name of its own.
  func within<Outer>(_ place: any ResultMember<Outer>.Place<Root>) -> [ResultMember<Outer>] {
    members.map { member in
      ResultMember(name: member.name, summary: member.summary, shape: member.shape) {
        member.write($0[keyPath: place])
      } read: {
        try member.read(&$0[keyPath: place], $1)
      }
    }
  }
}

/// A part of a run's record that is an object of `result.json`.
protocol RecordedObject: Decodable, Sendable {
  static var form: ResultForm<Self> { get }
  /// With defaults, for what a result of before lacks.
  init()
}

extension RecordedObject {
  init(from decoder: any Decoder) throws {
    self.init()
    let members = try decoder.container(keyedBy: MemberName.self)
    for member in Self.form.members { try member.read(&self, members) }
  }

  /// What `result.json` holds of it.
  var json: JSONText { Self.form.json(self) }
}

/// Whole numbers by name; those that are not there are 0.
struct NamedCounts: Decodable, Sendable, Equatable {
  /// In a result of another version some may have names that this one does not know.
  private(set) var byName: [String: Int64] = [:]

  init() {}

  init(from decoder: any Decoder) throws {
    byName = try decoder.singleValueContainer().decode([String: Int64].self)
  }

  subscript(name: String) -> Int64 {
    get { byName[name] ?? 0 }
    set { byName[name] = newValue }
  }
}

/// An object of `result.json` whose members are all counts: their names, meanings, and where their
/// values come from.
struct CountTable<Source>: Sendable {
  struct Row: Sendable {
    let name: String
    let summary: String
    let value: @Sendable (Source) -> Int64

    static func count(
      _ name: String, _ summary: String, _ value: @escaping @Sendable (Source) -> Int64
    ) -> Row {
      Row(name: name, summary: summary, value: value)
    }
  }

  let rows: [Row]

  init(_ rows: [Row]) { self.rows = rows }

  var shape: ResultShape {
    .object(rows.map { (name: $0.name, summary: $0.summary, shape: .count) })
  }

  func counts(_ source: Source) -> NamedCounts {
    rows.reduce(into: NamedCounts()) { $0[$1.name] = $1.value(source) }
  }

  func json(_ counts: NamedCounts) -> JSONText {
    .object(rows.map { .init($0.name, .integer(counts[$0.name])) })
  }
}
