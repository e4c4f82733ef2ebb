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

  /// A request's values of the fields that `Vary` names, in the form in which they are compared, as
  /// one text: for each field whether it is there, its length and its bytes.
  static func key(_ vary: VariantFields, _ request: HTTPHeaders) -> [UInt8] {
    if vary.names.isEmpty { return [] }
    var key: [UInt8] = []
    for name in vary.names {
      guard let value = value(name, request) else {
        key.append(0)
        continue
      }
      key.append(1)
      withUnsafeBytes(of: UInt32(clamping: value.count).bigEndian) { key.append(contentsOf: $0) }
      key.append(contentsOf: value)
    }
    return key
  }

  private static func value(_ name: [UInt8], _ request: HTTPHeaders) -> [UInt8]? {
    VariantFields.comparable(
      name: name, lines: EdgeFields.lines(request, EdgeFields.text(name)))
  }
}
