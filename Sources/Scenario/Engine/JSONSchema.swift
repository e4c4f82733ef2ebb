extension Schema {
  /// The JSON Schema (draft 2020-12) of scenario files, for editors.
  ///
  /// It accepts every file the table accepts, as far as a schema can say: numbers are not compared
  /// with each other, ranges of quantities and the key paths of variations are not checked. As a
  /// base file may supply any key, only a file without `extends` must have the required keys at the
  /// top; further down they are required inside lists, which are never merged.
  ///
  /// - Parameter isShared: what stands in it several times stands once and is referred to; without
  ///   it the schema of a feed is too long for some editors.
  public func jsonSchema(isShared: Bool = true) -> String {
    var writer = SchemaWriter()
    var members = writer.object(root, isInList: false, extra: [extends])
    let required = root.fields.filter { $0.presetNode == nil }.map { JSONText.string($0.name) }
    if !required.isEmpty {
      members.append(.init("if", ["not": ["required": ["extends"]]]))
      members.append(.init("then", ["required": .array(required)]))
    }
    var schema: [JSONText.Member] = [
      .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
      .init("title", .string(title)),
      .init("description", .string(summary)),
    ]
    schema += members
    let definitions = writer.definitions()
    if !definitions.isEmpty { schema.append(.init("$defs", .object(definitions))) }
    // A line for each element, so that versions can be compared, and no blanks before it.
    return JSONText.object(isShared ? SharedSchema.of(schema) : schema).text(indent: 1)
      .split(separator: "\n").map { $0.drop { $0 == " " } + "\n" }.joined()
  }

  private var extends: JSONText.Member {
    .init(
      "extends",
      [
        "description": "a base file, relative to this one, whose values show through",
        "type": "string", "minLength": 1,
      ])
  }
}

/// Turns shapes into schema members.
private struct SchemaWriter {
  private var laws: Set<LawUnit> = []

  mutating func object(
    _ object: ObjectShape, isInList: Bool, extra: [JSONText.Member] = [],
    required: [String] = []
  ) -> [JSONText.Member] {
    var properties = extra
    for field in object.fields {
      var description = field.summary
      switch field.preset {
      case .required: description += "; required"
      case .text(let text): description += "; default \(text) (\(field.source))"
      }
      var members: [JSONText.Member] = [.init("description", .string(description))]
      members += shape(field.shape, isInList: isInList)
      properties.append(.init(field.name, .object(members)))
    }
    var members: [JSONText.Member] = [
      .init("type", "object"), .init("properties", .object(properties)),
    ]
    let needed = required + object.fields.filter { $0.presetNode == nil }.map(\.name)
    if isInList && !needed.isEmpty {
      members.append(.init("required", .array(needed.map { .string($0) })))
    }
    members.append(.init("additionalProperties", false))
    return members
  }

  mutating func shape(_ shape: Shape, isInList: Bool) -> [JSONText.Member] {
    switch shape {
    case .time: return quantity(.time)
    case .bytes: return quantity(.bytes)
    case .bitRate: return quantity(.bitRate)
    case .ratio:
      return anyOf([
        ["type": "number", "minimum": 0, "maximum": 1],
        ["type": "string", "pattern": .string("^\(SchemaWriter.number)[ \\t]*%$")],
      ])
    case .integer(let range): return integer(range)
    case .real(let range): return real(range)
    case .boolean: return [.init("type", "boolean")]
    case .text(let rule):
      let pattern = rule.pattern.map { [JSONText.Member("pattern", .string($0))] } ?? []
      return [.init("type", ["string", "number", "boolean"])] + pattern
    case .word(let words): return self.words(words)
    case .optional(let inner):
      return anyOf([.object(self.shape(inner, isInList: isInList)), ["const": "none"]])
    case .law(let unit):
      laws.insert(unit)
      return [.init("$ref", .string("#/$defs/\(SchemaWriter.name(unit))"))]
    case .list(let element, let count): return list(element, count)
    case .map(let key, let value, let count):
      var members: [JSONText.Member] = [.init("type", "object")]
      if let pattern = key.pattern {
        members.append(.init("propertyNames", ["pattern": .string(pattern)]))
      }
      if count.lowerBound > 0 {
        members.append(.init("minProperties", .integer(Int64(count.lowerBound))))
      }
      members.append(.init("maxProperties", .integer(Int64(count.upperBound))))
      let inner = self.shape(value, isInList: isInList)
      return members + [.init("additionalProperties", .object(inner))]
    case .object(let object): return self.object(object, isInList: isInList)
    case .kinds(let kinds): return self.kinds(kinds, isInList: isInList)
    case .variations:
      let values: JSONText = ["type": "array", "minItems": 1]
      return [.init("type", "object"), .init("additionalProperties", values)]
    }
  }

  private static let number = "[+-]?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?"

  private func quantity(_ family: Quantity) -> [JSONText.Member] {
    let units = family.units.map(\.name).joined(separator: "|")
    let pattern = "^(\(SchemaWriter.number)[ \\t]*(\(units))|[+-]?0+(\\.0+)?)$"
    return anyOf([["type": "string", "pattern": .string(pattern)], ["const": 0]])
  }

  private func anyOf(_ choices: [JSONText]) -> [JSONText.Member] {
    [.init("anyOf", .array(choices))]
  }

  private func integer(_ range: ClosedRange<Int64>) -> [JSONText.Member] {
    var members: [JSONText.Member] = [.init("type", "integer")]
    if range.lowerBound != .min { members.append(.init("minimum", .integer(range.lowerBound))) }
    if range.upperBound != .max { members.append(.init("maximum", .integer(range.upperBound))) }
    return members
  }

  private func real(_ range: RealRange) -> [JSONText.Member] {
    var members: [JSONText.Member] = [.init("type", "number")]
    if range.minimum.isFinite {
      let name = range.excludesMinimum ? "exclusiveMinimum" : "minimum"
      members.append(.init(name, .number(range.minimum)))
    }
    if range.maximum.isFinite { members.append(.init("maximum", .number(range.maximum))) }
    return members
  }

  private func words(_ words: [Word]) -> [JSONText.Member] {
    if words.allSatisfy({ $0.summary.isEmpty }) {
      return [.init("enum", .array(words.map { .string($0.spelling) }))]
    }
    return [
      .init(
        "oneOf",
        .array(
          words.map { ["const": .string($0.spelling), "description": .string($0.summary)] }))
    ]
  }

  private mutating func list(_ element: Shape, _ count: ClosedRange<Int>) -> [JSONText.Member] {
    var members: [JSONText.Member] = [.init("type", "array")]
    if count.lowerBound > 0 { members.append(.init("minItems", .integer(Int64(count.lowerBound)))) }
    members.append(.init("maxItems", .integer(Int64(count.upperBound))))
    members.append(.init("items", .object(shape(element, isInList: true))))
    return members
  }

  private mutating func kinds(_ kinds: [Kind], isInList: Bool) -> [JSONText.Member] {
    var choices: [JSONText] = []
    for kind in kinds {
      let word: JSONText.Member = .init("kind", ["const": .string(kind.word)])
      let members = object(kind.object, isInList: isInList, extra: [word], required: ["kind"])
      choices.append(.object([.init("description", .string(kind.summary))] + members))
    }
    return anyOf(choices)
  }

  private static func name(_ unit: LawUnit) -> String { "\(unit.rawValue)Law" }

  /// The laws that were referred to, and those they refer to, in fixed order.
  mutating func definitions() -> [JSONText.Member] {
    var result: [JSONText.Member] = []
    for unit in LawUnit.allCases where laws.contains(unit) {
      let value = JSONText.object(shape(unit.value, isInList: false))
      let mapping = JSONText.object(kinds(LawTable.kinds(unit), isInList: false))
      result.append(.init(SchemaWriter.name(unit), .object(anyOf([value, mapping]))))
    }
    return result
  }
}
