import Foundation

/// Validates JSON against the part of JSON Schema 2020-12 that the published schema uses. An
/// unknown keyword is a fault, so the schema cannot say more than is checked.
struct SchemaCheck {
  private(set) var faults: [String] = []

  init(_ value: Any, _ schema: [String: Any]) { check(value, schema, "$") }

  private static let known: Set<String> = [
    "$schema", "title", "description", "type", "minimum", "pattern", "enum", "const", "anyOf",
    "items", "minItems", "prefixItems", "properties", "required", "additionalProperties",
  ]

  private mutating func check(_ value: Any, _ schema: [String: Any], _ path: String) {
    for keyword in schema.keys where !SchemaCheck.known.contains(keyword) {
      faults.append("\(path): keyword \(keyword) is not known")
    }
    if let type = schema["type"] as? String, !SchemaCheck.has(value, type) {
      faults.append("\(path): expected \(type), got \(value)")
    }
    if let choices = schema["enum"] as? [String], !choices.contains(value as? String ?? "") {
      faults.append("\(path): expected one of \(choices), got \(value)")
    }
    if let constant = schema["const"], "\(constant)" != "\(value)" {
      faults.append("\(path): expected \(constant), got \(value)")
    }
    if let least = schema["minimum"] as? Double, let number = value as? Double, number < least {
      faults.append("\(path): expected at least \(least), got \(number)")
    }
    if let pattern = schema["pattern"] as? String, let text = value as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      faults.append("\(path): expected \(pattern), got \(text)")
    }
    if let choices = schema["anyOf"] as? [[String: Any]],
      !choices.contains(where: { SchemaCheck(value, $0).faults.isEmpty })
    {
      faults.append("\(path): none of \(choices.count) choices holds for \(value)")
    }
    if let object = value as? [String: Any] { checkMembers(object, schema, path) }
    if let list = value as? [Any] { checkElements(list, schema, path) }
  }

  private mutating func checkMembers(
    _ object: [String: Any], _ schema: [String: Any], _ path: String
  ) {
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    for name in schema["required"] as? [String] ?? [] where object[name] == nil {
      faults.append("\(path): \(name) is missing")
    }
    for (name, member) in object {
      if let inner = properties[name] {
        check(member, inner, "\(path).\(name)")
      } else if schema["additionalProperties"] as? Bool == false {
        faults.append("\(path): \(name) is not in the schema")
      }
    }
  }

  private mutating func checkElements(_ list: [Any], _ schema: [String: Any], _ path: String) {
    let places = schema["prefixItems"] as? [[String: Any]] ?? []
    if list.count < schema["minItems"] as? Int ?? 0 { faults.append("\(path): too short") }
    for (index, element) in list.enumerated() {
      if index < places.count {
        check(element, places[index], "\(path)[\(index)]")
      } else if let inner = schema["items"] as? [String: Any] {
        check(element, inner, "\(path)[\(index)]")
      } else if schema["items"] as? Bool == false {
        faults.append("\(path): too long")
      }
    }
  }

  private static func has(_ value: Any, _ type: String) -> Bool {
    switch type {
    case "null": value is NSNull
    case "string": value is String
    case "array": value is [Any]
    case "object": value is [String: Any]
    case "boolean": value as? Bool != nil && isBoolean(value)
    case "integer":
      !isBoolean(value) && (value as? Double).map { $0 == $0.rounded() } ?? false
    default: !isBoolean(value) && value is Double
    }
  }

  /// JSON's numbers and Booleans are both `NSNumber`.
  private static func isBoolean(_ value: Any) -> Bool {
    (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? (value is Bool)
  }
}
