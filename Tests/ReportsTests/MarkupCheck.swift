/// Reads markup as strictly as an XML parser: elements nest, attributes are quoted and different,
/// every `&` begins one of the five entities or a number.
struct MarkupCheck {
  /// Elements by name, in the order of their ends.
  private(set) var elements: [String: Int] = [:]
  /// Values of `id`.
  private(set) var ids: [String] = []
  /// Targets of `href`.
  private(set) var links: [String] = []
  /// What stands between elements, outside `style`.
  private(set) var text = ""

  struct Fault: Error, CustomStringConvertible {
    var description: String
  }

  private var rest: Substring
  private var open: [String] = []

  init(_ markup: String) throws {
    rest = Substring(markup)
    for head in ["<!DOCTYPE html>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    where rest.hasPrefix(head) {
      rest.removeFirst(head.count)
    }
    while !rest.isEmpty {
      if rest.first == "<" {
        try readTag()
      } else {
        let piece = rest.prefix { $0 != "<" }
        rest.removeFirst(piece.count)
        if open.last != "style" { text += try decoded(piece) }
        if open.isEmpty && !piece.allSatisfy(\.isWhitespace) {
          throw Fault(description: "text outside of every element: \(piece)")
        }
      }
    }
    if let name = open.last { throw Fault(description: "\(name) is never closed") }
  }

  private mutating func readTag() throws {
    guard let end = rest.firstIndex(of: ">") else { throw Fault(description: "no end of a tag") }
    var tag = rest[rest.index(after: rest.startIndex)..<end]
    rest = rest[rest.index(after: end)...]
    if tag.first == "/" {
      let name = String(tag.dropFirst())
      guard open.popLast() == name else { throw Fault(description: "</\(name)> closes nothing") }
      return
    }
    let isEmpty = tag.last == "/"
    if isEmpty { tag.removeLast() }
    let name = String(tag.prefix { $0 != " " })
    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" }) else {
      throw Fault(description: "expected a name, got \(tag.prefix(40))")
    }
    elements[name, default: 0] += 1
    try readAttributes(tag.dropFirst(name.count), of: name)
    if !isEmpty { open.append(name) }
  }

  private mutating func readAttributes(_ text: Substring, of element: String) throws {
    var rest = text
    var names: [String] = []
    while !rest.isEmpty {
      guard rest.first == " " else { throw Fault(description: "expected a blank in \(element)") }
      rest.removeFirst()
      let name = String(rest.prefix { $0 != "=" })
      rest.removeFirst(name.count)
      guard rest.hasPrefix("=\""), !name.isEmpty, !names.contains(name) else {
        throw Fault(description: "expected one quoted \(name) in \(element)")
      }
      names.append(name)
      rest.removeFirst(2)
      let value = rest.prefix { $0 != "\"" }
      rest.removeFirst(value.count)
      guard rest.first == "\"", !value.contains("<") else {
        throw Fault(description: "expected the end of \(name) in \(element)")
      }
      rest.removeFirst()
      let decoded = try decoded(value)
      if name == "id" { ids.append(decoded) }
      if name == "href" || name == "src" { links.append(decoded) }
    }
  }

  private func decoded(_ text: Substring) throws -> String {
    var result = ""
    var rest = text
    while let place = rest.firstIndex(of: "&") {
      result += rest[..<place]
      rest = rest[place...]
      let entities = [
        ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"),
      ]
      guard let entity = entities.first(where: { rest.hasPrefix($0.0) }) else {
        throw Fault(description: "expected an entity, got \(rest.prefix(12))")
      }
      result += entity.1
      rest.removeFirst(entity.0.count)
    }
    return result + rest
  }
}
