/// The five parts of a URI or of a relative reference, and how one is resolved against another.
///
/// Splitting never fails: every text has a path, perhaps an empty one. Nothing is decoded or
/// checked beyond the scheme. Source: RFC 3986 section 3, sections 5.2 and 5.3, appendix B.
public struct URIReference: Hashable, Sendable, CustomStringConvertible {
  /// Without its colon; nil for a relative reference.
  public var scheme: String?
  /// What stands after `//`: host, port, user; nil when there is no `//`.
  public var authority: String?
  public var path: String
  /// Without its question mark.
  public var query: String?
  /// Without its number sign.
  public var fragment: String?

  public init(
    scheme: String? = nil, authority: String? = nil, path: String = "", query: String? = nil,
    fragment: String? = nil
  ) {
    self.scheme = scheme
    self.authority = authority
    self.path = path
    self.query = query
    self.fragment = fragment
  }

  /// Splits a text into its parts.
  public init(_ text: some StringProtocol) {
    var rest = Array(text.utf8)[...]
    func cut(at index: Int) -> String {
      let head = String(decoding: rest[rest.startIndex..<index], as: UTF8.self)
      rest = rest[index...]
      return head
    }
    if let colon = URIReference.schemeEnd(rest) {
      scheme = cut(at: colon)
      rest = rest.dropFirst()
    } else {
      scheme = nil
    }
    if rest.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) {
      rest = rest.dropFirst(2)
      let isEnd = { (byte: UInt8) in
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
      }
      authority = cut(at: rest.firstIndex(where: isEnd) ?? rest.endIndex)
    } else {
      authority = nil
    }
    let isAfterPath = { (byte: UInt8) in byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
    path = cut(at: rest.firstIndex(where: isAfterPath) ?? rest.endIndex)
    if rest.first == UInt8(ascii: "?") {
      rest = rest.dropFirst()
      query = cut(at: rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex)
    } else {
      query = nil
    }
    fragment =
      rest.first == UInt8(ascii: "#") ? String(decoding: rest.dropFirst(), as: UTF8.self) : nil
  }

  /// The place of the colon after a scheme: a letter, then letters, digits, `+`, `-` and `.`.
  private static func schemeEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    for index in bytes.indices {
      let byte = bytes[index]
      let folded = byte | 0x20
      if folded >= UInt8(ascii: "a") && folded <= UInt8(ascii: "z") { continue }
      if index == bytes.startIndex { return nil }
      if byte == UInt8(ascii: ":") { return index }
      let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
      let isMark =
        byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      if !isDigit && !isMark { return nil }
    }
    return nil
  }

  /// What this reference means in a document at `base` (section 5.2.2, the strict rule).
  public func resolved(against base: URIReference) -> URIReference {
    var target = URIReference(fragment: fragment)
    if scheme != nil {
      target.scheme = scheme
      target.authority = authority
      target.path = URIReference.withoutDots(path)
      target.query = query
      return target
    }
    target.scheme = base.scheme
    if authority != nil {
      target.authority = authority
      target.path = URIReference.withoutDots(path)
      target.query = query
      return target
    }
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      target.query = query ?? base.query
      return target
    }
    let merged = path.utf8.first == UInt8(ascii: "/") ? path : merge(after: base)
    target.path = URIReference.withoutDots(merged)
    target.query = query
    return target
  }

  /// The path of `base` up to its last slash, then this one (section 5.2.3).
  private func merge(after base: URIReference) -> String {
    if base.authority != nil && base.path.isEmpty { return "/" + path }
    guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return base.path[...slash] + path
  }

  /// Takes `.` and `..` out of a path (section 5.2.4). Linear in its length.
  static func withoutDots(_ path: String) -> String {
    let input = Array(path.utf8)
    let slash = UInt8(ascii: "/")
    let dot = UInt8(ascii: ".")
    var output: [UInt8] = []
    output.reserveCapacity(input.count)
    var index = 0
    func isNext(_ word: [UInt8]) -> Bool { input[index...].starts(with: word) }
    while index < input.count {
      if isNext([dot, dot, slash]) {
        index += 3
      } else if isNext([dot, slash]) || isNext([slash, dot, slash]) {
        index += 2
      } else if input.count - index == 2 && isNext([slash, dot]) {
        output.append(slash)
        index = input.count
      } else if isNext([slash, dot, dot, slash])
        || (input.count - index == 3 && isNext([slash, dot, dot]))
      {
        while let last = output.popLast(), last != slash {}
        if input.count - index == 3 { output.append(slash) }
        index += 3
      } else if input[index...].elementsEqual([dot]) || input[index...].elementsEqual([dot, dot]) {
        index = input.count
      } else {
        output.append(input[index])
        index += 1
        while index < input.count && input[index] != slash {
          output.append(input[index])
          index += 1
        }
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// What goes into a request line: path and query, `/` for an empty path (RFC 9112 section 3.2.1).
  public var requestTarget: String {
    let path = path.isEmpty ? "/" : path
    guard let query else { return path }
    return path + "?" + query
  }

  /// The parts put together again (section 5.3).
  public var description: String {
    var text = ""
    if let scheme { text += scheme + ":" }
    if let authority { text += "//" + authority }
    text += path
    if let query { text += "?" + query }
    if let fragment { text += "#" + fragment }
    return text
  }
}
