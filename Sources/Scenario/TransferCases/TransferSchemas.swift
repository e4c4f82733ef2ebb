/// The JSON Schemas (draft 2020-12) of `firstframe model transfer`.
public enum TransferSchemas {
  private static let dialect: JSONText = "https://json-schema.org/draft/2020-12/schema"

  /// Of the cases file. It accepts every file that the reader accepts; which keys exclude each
  /// other and what `after` may be, it does not say.
  public static func cases() -> String {
    let schema: [JSONText.Member] = [
      .init("$schema", dialect),
      .init("title", "firstframe transfer cases"),
      .init(
        "description",
        "transfers over one bottleneck each; a key set to null is a key left out"),
    ]
    return JSONText.object(schema + members(TransferCaseTable.file)).text()
  }

  /// Of the results.
  public static func results() -> String {
    let time: JSONText = ["type": ["number", "null"]]
    func times(_ summary: String) -> JSONText {
      [
        "description": .string(summary),
        "anyOf": [time, ["type": "array", "minItems": 2, "items": time]],
      ]
    }
    let flow: [JSONText.Member] = [
      .init("startMs", times("start on the case's clock")),
      .init("connectMs", times("the path is ready: TCP connected or QUIC's handshake done")),
      .init("secureMs", times("TLS is done; null without TLS")),
      .init("firstByteMs", times("first byte of the response")),
      .init("durationMs", times("last byte; null when it never comes")),
    ]
    let entry: [JSONText.Member] = [
      .init("id", ["type": "string"]),
      .init("tier", ["enum": ["closed", "rounds", "chunks"]]),
      .init("flows", ["type": "array", "minItems": 1, "items": .object(object(flow))]),
    ]
    let schema: JSONText = [
      "$schema": dialect, "title": "firstframe transfer results",
      "description": .string(
        "in the order of the cases; times in ms from the flow's own start; with several "
          + "replications a time is a list in their order"),
      "type": "array", "items": .object(object(entry)),
    ]
    return schema.text()
  }

  private static func object(_ properties: [JSONText.Member]) -> [JSONText.Member] {
    [
      .init("type", "object"), .init("properties", .object(properties)),
      .init("required", .array(properties.map { .string($0.name) })),
      .init("additionalProperties", false),
    ]
  }

  private static func field(_ field: Field) -> JSONText {
    var description = field.summary
    var value = JSONText.object(members(field.shape))
    switch field.preset {
    case .required: description += "; required"
    case .text("none"), .text("{}"): value = ["anyOf": [value, ["type": "null"]]]
    case .text(let text):
      description += "; default \(text)"
      value = ["anyOf": [value, ["type": "null"]]]
    }
    guard case .object(let members) = value else { return value }
    return .object([.init("description", .string(description))] + members)
  }

  private static func members(_ shape: Shape) -> [JSONText.Member] {
    switch shape {
    case .optional(let inner): return members(inner)
    case .boolean: return [.init("type", "boolean")]
    case .text: return [.init("type", ["string", "number", "boolean"])]
    case .word(let words):
      // A word that looks like a number may stand without quotes.
      let choices = words.map { JSONText.string($0.spelling) }
      let numbers = words.compactMap { Double($0.spelling) }.map { JSONText.number($0) }
      return [.init("enum", .array(choices + numbers))]
    case .integer(let range):
      var result: [JSONText.Member] = [
        .init("type", "integer"), .init("minimum", .integer(range.lowerBound)),
      ]
      if range.upperBound != .max { result.append(.init("maximum", .integer(range.upperBound))) }
      return result
    case .real(let range):
      return [
        .init("type", "number"), .init("minimum", .number(range.minimum)),
        .init("maximum", .number(range.maximum)),
      ]
    case .list(let element, let count):
      return [
        .init("type", "array"), .init("minItems", .integer(Int64(count.lowerBound))),
        .init("maxItems", .integer(Int64(count.upperBound))),
        .init("items", .object(members(element))),
      ]
    case .object(let shape):
      let required = shape.fields.filter { $0.presetNode == nil }.map { JSONText.string($0.name) }
      return [
        .init("type", "object"),
        .init("properties", .object(shape.fields.map { .init($0.name, field($0)) })),
        .init("required", .array(required)), .init("additionalProperties", false),
      ]
    default: preconditionFailure("the table of transfer cases has no such shape")
    }
  }
}
