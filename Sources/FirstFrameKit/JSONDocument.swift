import Foundation
import Scenario

/// A JSON text as a value that can be a part of another one. Members are in the order of their
/// names, because that of the text is not kept.
struct JSONDocument {
  let value: JSONText

  /// Nil for a text that is no JSON.
  init?(_ text: String) {
    guard let read = try? JSONReader.object(from: Data(text.utf8)) else { return nil }
    value = JSONDocument.value(read)
  }

  private static func value(_ read: Any) -> JSONText {
    if let list = read as? [Any] { return .array(list.map { value($0) }) }
    if let members = read as? [String: Any] {
      return .object(members.keys.sorted().map { .init($0, value(members[$0] ?? NSNull())) })
    }
    if let text = read as? String { return .string(text) }
    if let boolean = JSONValue.boolean(read) { return .boolean(boolean) }
    guard let number = read as? NSNumber else { return .null }
    return Int64(exactly: number).map { .integer($0) } ?? .number(number.doubleValue)
  }
}
