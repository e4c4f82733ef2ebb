import CachePolicy
import MediaUnits
import NIOCore
import NIOHTTP1

/// A response of the origin as the cache has it: head, body and what follows for caching.
final class EdgeAnswer {
  let status: HTTPResponseStatus
  /// End-to-end fields, without `Age`; with `Date`.
  let fields: HTTPHeaders
  let head: ResponseHead
  let body: EdgeBody
  /// Bytes of the body when they are known from the head.
  let length: Int64?
  let tag: [UInt8]?
  let vary: VariantFields
  /// What the cache remembers; nil when it may not be stored.
  let stored: StoredResponse?
  /// `Age` as it came, for an answer that is passed on.
  let initialAge: TimeSpan

  init(
    status: HTTPResponseStatus, fields: HTTPHeaders, head: ResponseHead, body: EdgeBody,
    length: Int64?, stored: StoredResponse?, initialAge: TimeSpan
  ) {
    self.status = status
    self.fields = fields
    self.head = head
    self.body = body
    self.length = length
    self.stored = stored
    self.initialAge = initialAge
    tag = fields.first(name: "etag").map { Array($0.utf8) }
    vary = EdgeFields.variant(fields)
  }

  /// What a client's `If-Modified-Since` is compared with (RFC 9110 section 13.1.3 and RFC 9111
  /// section 4.3.2).
  var modified: Int64? { head.lastModified ?? head.date }

  /// Whether it can be asked at the origin whether it is still good.
  var hasValidator: Bool { tag != nil || head.lastModified != nil }

  /// Whether an answer to a request with these fields may be this one (RFC 9111 section 4.1).
  func matches(_ request: HTTPHeaders, values: [[UInt8]?]) -> Bool {
    if vary.isEverything { return false }
    for (name, value) in zip(vary.names, values) where EdgeAnswer.value(name, request) != value {
      return false
    }
    return true
  }

  /// A request's values of the fields that `Vary` names.
  static func values(_ vary: VariantFields, _ request: HTTPHeaders) -> [[UInt8]?] {
    vary.names.map { value($0, request) }
  }

  private static func value(_ name: [UInt8], _ request: HTTPHeaders) -> [UInt8]? {
    VariantFields.comparable(
      name: name, lines: EdgeFields.lines(request, EdgeFields.text(name)))
  }
}
