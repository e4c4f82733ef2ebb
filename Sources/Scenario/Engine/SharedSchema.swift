/// Makes a JSON Schema short: what stands in it more than once stands under `$defs` instead, with
/// references from where it stood: keys with their description, and what several descriptions are
/// followed by.
struct SharedSchema {
  /// Shapes of a text this short stay where they are, in bytes; a reference takes some forty.
  private static let least = 80

  /// Members of a schema whose value is a schema.
  private static let single: Set<String> = [
    "items", "additionalProperties", "propertyNames", "not", "if", "then", "else",
  ]
  /// Members whose value is a list of schemas.
  private static let listed: Set<String> = ["anyOf", "oneOf", "allOf"]
  /// Members whose value is a mapping of schemas.
  private static let named: Set<String> = ["properties", "$defs"]

  private var counts: [JSONText: Int] = [:]
  /// Of what stands behind a description, among schemas that differ.
  private var shapeCounts: [JSONText: Int] = [:]
  private var names: [JSONText: String] = [:]
  private var definitions: [JSONText.Member] = []

  /// The schema, which means the same. Names are given in the order of the first place.
  static func of(_ members: [JSONText.Member]) -> [JSONText.Member] {
    var sharing = SharedSchema()
    // The top has no place to be referred to from.
    sharing.countMembers(members)
    var result = members.map { sharing.sharedMember($0) }
    if sharing.definitions.isEmpty { return result }
    let own = result.firstIndex { $0.name == "$defs" }
    if let own, case .object(let known) = result[own].value {
      result[own].value = .object(known + sharing.definitions)
    } else {
      result.append(.init("$defs", .object(sharing.definitions)))
    }
    return result
  }

  /// A schema without what only describes it.
  private static func shape(_ members: [JSONText.Member]) -> JSONText {
    .object(members.filter { $0.name != "description" })
  }

  private mutating func count(_ schema: JSONText) {
    guard case .object(let members) = schema else { return }
    counts[schema, default: 0] += 1
    if counts[schema] != 1 { return }
    shapeCounts[SharedSchema.shape(members), default: 0] += 1
    countMembers(members)
  }

  private mutating func countMembers(_ members: [JSONText.Member]) {
    for member in members {
      switch member.value {
      case .object(let inner) where SharedSchema.named.contains(member.name):
        for schema in inner { count(schema.value) }
      case .object where SharedSchema.single.contains(member.name): count(member.value)
      case .array(let elements) where SharedSchema.listed.contains(member.name):
        for element in elements { count(element) }
      default: break
      }
    }
  }

  private mutating func shared(_ schema: JSONText) -> JSONText {
    guard case .object(let members) = schema else { return schema }
    if let known = names[schema] { return .object([reference(known)]) }
    if isWorthwhile(schema, counts) {
      let name = define(schema) { $0.described(members) }
      return .object([reference(name)])
    }
    return .object(described(members))
  }

  /// The members, with a reference to what stands behind the description where others have it, too.
  private mutating func described(_ members: [JSONText.Member]) -> [JSONText.Member] {
    let description = members.filter { $0.name == "description" }
    let shape = SharedSchema.shape(members)
    if !description.isEmpty {
      if let known = names[shape] { return description + [reference(known)] }
      if isWorthwhile(shape, shapeCounts), case .object(let own) = shape {
        let name = define(shape) { sharing in own.map { sharing.sharedMember($0) } }
        return description + [reference(name)]
      }
    }
    return members.map { sharedMember($0) }
  }

  private func isWorthwhile(_ schema: JSONText, _ counts: [JSONText: Int]) -> Bool {
    (counts[schema] ?? 0) > 1 && schema.text(indent: 0).utf8.count > SharedSchema.least
  }

  /// Gives a schema a name, and then makes what it is.
  private mutating func define(
    _ schema: JSONText, _ members: (inout SharedSchema) -> [JSONText.Member]
  ) -> String {
    let name = "shape\(names.count + 1)"
    names[schema] = name
    let place = definitions.count
    definitions.append(.init(name, .null))
    definitions[place].value = .object(members(&self))
    return name
  }

  private func reference(_ name: String) -> JSONText.Member {
    .init("$ref", .string("#/$defs/\(name)"))
  }

  private mutating func sharedMember(_ member: JSONText.Member) -> JSONText.Member {
    switch member.value {
    case .object(let inner) where SharedSchema.named.contains(member.name):
      return .init(member.name, .object(inner.map { .init($0.name, shared($0.value)) }))
    case .object where SharedSchema.single.contains(member.name):
      return .init(member.name, shared(member.value))
    case .array(let elements) where SharedSchema.listed.contains(member.name):
      return .init(member.name, .array(elements.map { shared($0) }))
    default: return member
    }
  }
}
