/// Entity tags and the conditions that a client's request makes of them.
///
/// A tag is compared as the bytes that stand in the field, `W/` apart; one that is not quoted,
/// which RFC 9110 does not know, is equal only to itself.
///
/// Source: RFC 9110 sections 8.8.3 and 13.1.
public enum EntityTag {
  /// Whether a tag is weak.
  public static func isWeak(_ tag: UnsafeBufferPointer<UInt8>) -> Bool {
    tag.count >= 2 && tag[0] == UInt8(ascii: "W") && tag[1] == UInt8(ascii: "/")
  }

  /// Whether two tags are the same, weak or not (section 8.8.3.2).
  public static func isWeaklyEqual(
    _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let (a, b) = (opaque(a), opaque(b))
    return !a.isEmpty && a.elementsEqual(b)
  }

  /// Whether two tags are the same and strong.
  public static func isStronglyEqual(
    _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    !isWeak(a) && !isWeak(b) && isWeaklyEqual(a, b)
  }

  /// Whether `If-None-Match` has the tag of a response, or `*` (section 13.1.2). Weak comparison.
  ///
  /// - Parameters:
  ///   - tag: of the response; nil when it has none.
  ///   - field: the value of the request's `If-None-Match`.
  public static func isListed(
    _ tag: UnsafeBufferPointer<UInt8>?, in field: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var text = FieldText(field)
    while true {
      text.skipBlanks()
      if text.isAtEnd { return false }
      if text.take(UInt8(ascii: ",")) { continue }
      let member = takeTag(&text)
      let found = UnsafeBufferPointer(rebasing: field[member])
      if found.count == 1 && found[0] == UInt8(ascii: "*") { return true }
      if let tag, isWeaklyEqual(found, tag) { return true }
    }
  }

  /// A member of a list of tags: commas inside quotes do not end it, an escape is not known
  /// (section 8.8.3). A quote that never ends takes no more than to the next comma.
  private static func takeTag(_ text: inout FieldText) -> Range<Int> {
    let start = text.position
    while let byte = text.next, byte != UInt8(ascii: ",") {
      text.position += 1
      if byte != UInt8(ascii: "\"") { continue }
      var end = text.position
      while end < text.bytes.count && text.bytes[end] != UInt8(ascii: "\"") { end += 1 }
      if end < text.bytes.count { text.position = end + 1 }
    }
    var end = text.position
    while end > start && (text.bytes[end - 1] == 0x20 || text.bytes[end - 1] == 0x09) { end -= 1 }
    return start..<end
  }

  private static func opaque(_ tag: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>>
  {
    isWeak(tag) ? tag[2...] : tag[...]
  }
}

/// The conditions of a client's request that a cache judges.
///
/// `If-Match` and `If-Unmodified-Since` are for the origin (RFC 9111 section 4.3.2) and not looked
/// at.
public struct ClientConditions: Sendable, Equatable {
  /// `If-None-Match`; several lines joined by a comma.
  public var noneMatch: [UInt8]?
  /// `If-Modified-Since`, seconds since 1970; nil when absent or no date.
  public var modifiedSince: Int64?

  public init(noneMatch: [UInt8]? = nil, modifiedSince: Int64? = nil) {
    self.noneMatch = noneMatch
    self.modifiedSince = modifiedSince
  }

  /// Whether the client's copy is as good as this response, so that 304 answers (RFC 9111 section
  /// 4.3.2; RFC 9110 section 13.2.2). `If-Modified-Since` counts only without `If-None-Match`.
  ///
  /// - Parameters:
  ///   - tag: `ETag` of the response; nil when it has none.
  ///   - lastModified: of the response, or else its `Date`, seconds since 1970; nil when neither
  ///     is there.
  public func isMet(tag: [UInt8]?, lastModified: Int64?) -> Bool {
    if let noneMatch {
      return noneMatch.withUnsafeBufferPointer { field in
        guard let tag else { return EntityTag.isListed(nil, in: field) }
        return tag.withUnsafeBufferPointer { EntityTag.isListed($0, in: field) }
      }
    }
    guard let modifiedSince, let lastModified else { return false }
    return lastModified <= modifiedSince
  }
}
