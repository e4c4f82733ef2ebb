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

/// One member of an object of `result.json`: its name, meaning, shape, and where its value comes
/// from.
struct ResultMember<Root>: Sendable {
  let name: String
  let summary: String
  let shape: ResultShape
  let value: @Sendable (Root) -> JSONText

  static func count(
    _ name: String, _ summary: String, _ value: @escaping @Sendable (Root) -> Int64
  ) -> ResultMember {
    ResultMember(name: name, summary: summary, shape: .count) { .integer(value($0)) }
  }

  static func number(
    _ name: String, _ summary: String, _ value: @escaping @Sendable (Root) -> Double
  ) -> ResultMember {
    ResultMember(name: name, summary: summary, shape: .number) { .number(value($0)) }
  }

  static func optionalNumber(
    _ name: String, _ summary: String, _ value: @escaping @Sendable (Root) -> Double?
  ) -> ResultMember {
    ResultMember(name: name, summary: summary, shape: .optional(.number)) {
      value($0).map { .number($0) } ?? .null
    }
  }

  static func boolean(
    _ name: String, _ summary: String, _ value: @escaping @Sendable (Root) -> Bool
  ) -> ResultMember {
    ResultMember(name: name, summary: summary, shape: .boolean) { .boolean(value($0)) }
  }

  static func text(
    _ name: String, _ summary: String, pattern: String? = nil,
    _ value: @escaping @Sendable (Root) -> String
  ) -> ResultMember {
    ResultMember(name: name, summary: summary, shape: .text(pattern: pattern)) {
      .string(value($0))
    }
  }

  static func word(
    _ name: String, _ summary: String, _ words: [String],
    _ value: @escaping @Sendable (Root) -> String
  ) -> ResultMember {
    ResultMember(name: name, summary: summary, shape: .word(words)) { .string(value($0)) }
  }

  static func object<Inner>(
    _ name: String, _ summary: String, _ form: ResultForm<Inner>,
    _ value: @escaping @Sendable (Root) -> Inner
  ) -> ResultMember {
    ResultMember(name: name, summary: summary, shape: form.shape) { form.json(value($0)) }
  }

  static func list<Inner>(
    _ name: String, _ summary: String, _ form: ResultForm<Inner>,
    _ value: @escaping @Sendable (Root) -> [Inner]
  ) -> ResultMember {
    ResultMember(name: name, summary: summary, shape: .list(form.shape)) {
      .array(value($0).map { form.json($0) })
    }
  }
}

/// An object of `result.json`. One table writes it and describes it, so the two cannot disagree.
struct ResultForm<Root>: Sendable {
  let members: [ResultMember<Root>]

  init(_ members: [ResultMember<Root>]) { self.members = members }

  /// What the schema says of each member.
  var parts: [(name: String, summary: String, shape: ResultShape)] {
    members.map { (name: $0.name, summary: $0.summary, shape: $0.shape) }
  }

  var shape: ResultShape { .object(parts) }

  /// The members with their values.
  func fields(_ root: Root) -> [JSONText.Member] {
    members.compactMap { member in
      let value = member.value(root)
      return member.shape.isOmissible && value == .null ? nil : .init(member.name, value)
    }
  }

  func json(_ root: Root) -> JSONText { .object(fields(root)) }
}
