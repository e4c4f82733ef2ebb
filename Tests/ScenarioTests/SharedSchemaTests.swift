import Foundation
import Testing

@testable import Scenario

@Suite struct SharedSchemaTests {
  @Test(arguments: WorldKeys.names) func `a schema is short, and means what it meant`(
    name: String
  ) throws {
    let schema = try #require(WorldKeys.schema(named: name))
    let shared = schema.jsonSchema()
    #expect(shared.utf8.count < 300_000, "\(shared.utf8.count)")
    let short = try Self.parsed(shared)
    let long = try Self.parsed(schema.jsonSchema(isShared: false))
    let definitions = try #require(short["$defs"] as? [String: Any])
    let own = definitions.filter { $0.key.hasPrefix("shape") }
    #expect(!own.isEmpty)
    var expanded = Self.expanded(short, own) as? [String: Any] ?? [:]
    let rest = (expanded["$defs"] as? [String: Any])?.filter { !$0.key.hasPrefix("shape") }
    expanded["$defs"] = rest
    #expect(NSDictionary(dictionary: expanded) == NSDictionary(dictionary: long))
  }

  @Test(arguments: WorldKeys.names) func `every property of a schema has a description`(
    name: String
  ) throws {
    let schema = try #require(WorldKeys.schema(named: name)).jsonSchema(isShared: false)
    #expect(Self.undescribed(try Self.parsed(schema), "") == [])
  }

  private static func parsed(_ text: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// The value with what references of ours lead to in their place.
  private static func expanded(_ value: Any, _ definitions: [String: Any]) -> Any {
    if let list = value as? [Any] { return list.map { expanded($0, definitions) } }
    guard var members = value as? [String: Any] else { return value }
    if let place = members["$ref"] as? String,
      let target = definitions[place.replacing("#/$defs/", with: "")] as? [String: Any]
    {
      members["$ref"] = nil
      members.merge(target) { own, _ in own }
      return expanded(members, definitions)
    }
    return members.mapValues { expanded($0, definitions) }
  }

  /// The places of properties without a description; `kind` is told by the choice that it is in.
  private static func undescribed(_ value: Any, _ path: String) -> [String] {
    if let list = value as? [Any] { return list.flatMap { undescribed($0, path) } }
    guard let members = value as? [String: Any] else { return [] }
    var found: [String] = []
    for (name, member) in members {
      if name == "properties", let properties = member as? [String: [String: Any]] {
        for (key, property) in properties where key != "kind" && property["description"] == nil {
          found.append("\(path).\(key)")
        }
      }
      found += undescribed(member, "\(path).\(name)")
    }
    return found
  }
}
