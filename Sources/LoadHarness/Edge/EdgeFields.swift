import CachePolicy
import MediaUnits
import NIOHTTP1

/// Header fields of NIO as bytes, which is what the cache's rules read.
enum EdgeFields {
  /// Calls `body` with the bytes of a text.
  @inline(__always)
  static func withBytes<Result>(
    _ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = text
    return copy.withUTF8(body)
  }

  /// The text of bytes that the cache's rules have written.
  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// All lines of a name as bytes.
  static func lines(_ fields: HTTPHeaders, _ name: String) -> [[UInt8]] {
    fields[name].map { Array($0.utf8) }
  }

  /// What an answer's fields say about caching.
  static func head(
    _ status: UInt16, _ fields: HTTPHeaders, receivedAt: Int64, isTargeted: Bool
  ) -> ResponseHead {
    var reader = ResponseHeadReader(
      status: status, receivedAt: receivedAt, isTargeted: isTargeted)
    for (name, value) in fields {
      withBytes(name) { name in withBytes(value) { reader.add(name: name, value: $0) } }
    }
    return reader.head
  }

  /// The fields that go on beyond this connection: without those of the connection and those that
  /// `Connection` names.
  static func endToEnd(_ fields: HTTPHeaders, isAnswer: Bool) -> HTTPHeaders {
    let named = fields["connection"]
    var kept = HTTPHeaders()
    kept.reserveCapacity(fields.count + 4)
    for (name, value) in fields {
      let isDropped = withBytes(name) { bytes in
        FieldRules.isForOneConnection(bytes)
          || isAnswer && (FieldRules.isForOneProxy(bytes) || FieldRules.isRewritten(bytes))
          || named.contains { withBytes($0) { FieldRules.lists($0, bytes) } }
      }
      if !isDropped { kept.add(name: name, value: value) }
    }
    return kept
  }

  /// Members of `Vary` that are told apart; an answer that names more varies by everything
  /// (assumed: origins name a few).
  static let mostNames = 64

  /// What `Vary` of an answer names.
  static func variant(_ fields: HTTPHeaders) -> VariantFields {
    var variant = VariantFields()
    let members = fields["vary"].reduce(0) { sum, value in
      sum + 1 + value.utf8.count { $0 == UInt8(ascii: ",") }
    }
    if members > mostNames {
      withBytes("*") { variant.add($0) }
      return variant
    }
    for value in fields["vary"] { withBytes(value) { variant.add($0) } }
    return variant
  }

  /// The stored fields after a 304: its own in place of those of the same names (RFC 9111 section
  /// 3.2).
  static func updated(_ stored: HTTPHeaders, by fresh: HTTPHeaders) -> HTTPHeaders {
    var result = stored
    var replaced: [String] = []
    for (name, value) in fresh where !withBytes(name, FieldRules.isKeptOnValidation) {
      let folded = name.lowercased()
      if replaced.contains(folded) {
        result.add(name: name, value: value)
      } else {
        replaced.append(folded)
        result.replaceOrAdd(name: name, value: value)
      }
    }
    return result
  }
}

/// What the cache reads from a request, in one pass over its fields.
struct EdgeRequestFields {
  var directives = RequestDirectives()
  var conditions = ClientConditions()
  var range: String?
  var ifRange: String?
  var isAuthorized = false
  /// Names of the fields by which a proxy tells an origin what was asked of it, and which an origin
  /// may answer by.
  var forwarding: [String] = []

  init(_ fields: HTTPHeaders, obeysRequests: Bool, receivedAt: Int64) {
    var reader = RequestDirectivesReader()
    for (name, value) in fields {
      if EdgeRequestFields.isForwarding(name) { forwarding.append(name.lowercased()) }
      // Lengths of the names that matter: few fields are compared at all.
      switch name.utf8.count {
      case 5 where isNamed(name, "range"): range = value
      case 6 where obeysRequests && isNamed(name, "pragma"):
        EdgeFields.withBytes(value) { reader.addPragma($0) }
      case 8 where isNamed(name, "if-range"): ifRange = value
      case 13:
        if obeysRequests && isNamed(name, "cache-control") {
          EdgeFields.withBytes(value) { reader.addControl($0) }
        } else if isNamed(name, "if-none-match") {
          let before = conditions.noneMatch
          conditions.noneMatch =
            before.map { $0 + [UInt8(ascii: ",")] + value.utf8 } ?? Array(value.utf8)
        } else if isNamed(name, "authorization") {
          isAuthorized = true
        }
      case 17 where isNamed(name, "if-modified-since"):
        conditions.modifiedSince = EdgeFields.withBytes(value) {
          HTTPDate.parse($0, receivedAt: receivedAt)
        }
      default: break
      }
    }
    directives = reader.directives
  }

  private static let forwardingFields: Set<String> = [
    "forwarded", "x-forwarded-host", "x-forwarded-server", "x-forwarded-scheme",
    "x-forwarded-proto", "x-forwarded-protocol", "x-forwarded-port", "x-forwarded-prefix",
    "x-forwarded-path", "x-forwarded-ssl", "x-forwarded-uri", "x-host", "x-original-host",
    "x-original-url", "x-original-uri", "x-rewrite-url", "x-http-host-override",
    "x-http-method", "x-http-method-override", "x-method-override", "x-url-scheme",
  ]

  private static func isForwarding(_ name: String) -> Bool {
    switch name.utf8.first {
    case UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "f"), UInt8(ascii: "F"):
      forwardingFields.contains(name.lowercased())
    default: false
    }
  }

  /// Whether one of them is not among those that tell an address's answers apart.
  func isForwarded(beside vary: VariantFields?) -> Bool {
    if forwarding.isEmpty { return false }
    let names = vary?.names ?? []
    return forwarding.contains { !names.contains(Array($0.utf8)) }
  }

  private func isNamed(_ name: String, _ word: StaticString) -> Bool {
    EdgeFields.withBytes(name) { FieldRules.isNamed($0, word) }
  }
}
