import MediaUnits

/// Collects a ``ResponseHead`` from header fields in the order in which they came.
///
/// Total over any bytes. `Cache-Control` lines count as one list; of other fields the first line
/// counts, valid or not (RFC 9111 section 4.2.1); of several members of `Age` the first
/// (section 5.1). Unknown fields, `Pragma` among them, change nothing. A valid `CDN-Cache-Control`
/// takes the place of `Cache-Control` and `Expires` where it is asked for (RFC 9213 section 2.1).
public struct ResponseHeadReader: Sendable {
  /// What the fields so far say.
  public var head: ResponseHead {
    var result = partial
    result.directives = directives.directives
    if isTargeted, let targeted = targeted.directives {
      result.directives = targeted
      result.expires = .absent
    }
    return result
  }

  private var partial: ResponseHead
  private var directives = CacheControlParser()
  private var targeted = TargetedControl()
  private let isTargeted: Bool
  private let receivedAt: Int64
  private var hasDate = false
  private var hasExpires = false
  private var hasLastModified = false
  private var hasAge = false

  /// - Parameters:
  ///   - status: the status code.
  ///   - receivedAt: when the response came, seconds since 1970.
  ///   - isTargeted: whether `CDN-Cache-Control` is for this cache.
  public init(status: UInt16, receivedAt: Int64, isTargeted: Bool = false) {
    self.isTargeted = isTargeted
    partial = ResponseHead(status: status)
    self.receivedAt = receivedAt
  }

  /// Reads one field; the name in any case.
  public mutating func add(name: [UInt8], value: [UInt8]) {
    name.withUnsafeBufferPointer { name in
      value.withUnsafeBufferPointer { add(name: name, value: $0) }
    }
  }

  /// Reads one field; the name in any case.
  public mutating func add(
    name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
  ) {
    func isNamed(_ word: StaticString) -> Bool {
      FieldText.isEqual(name, 0..<name.count, word)
    }
    if isNamed("cache-control") {
      directives.add(value)
    } else if isNamed("date") {
      if !hasDate { partial.date = HTTPDate.parse(value, receivedAt: receivedAt) }
      hasDate = true
    } else if isNamed("expires") {
      if !hasExpires {
        let date = HTTPDate.parse(value, receivedAt: receivedAt)
        partial.expires = date.map(ResponseHead.Expires.at) ?? .invalid
      }
      hasExpires = true
    } else if isNamed("last-modified") {
      if !hasLastModified { partial.lastModified = HTTPDate.parse(value, receivedAt: receivedAt) }
      hasLastModified = true
    } else if isNamed("age") {
      if !hasAge { partial.age = ResponseHeadReader.firstSeconds(value) }
      hasAge = true
    } else if isNamed("cdn-cache-control") {
      targeted.add(value)
    } else if isNamed("vary") {
      if ResponseHeadReader.hasStar(value) { partial.variesOnEverything = true }
    }
  }

  /// The first list member as delta-seconds.
  private static func firstSeconds(_ value: UnsafeBufferPointer<UInt8>) -> TimeSpan? {
    var text = FieldText(value)
    text.skipBlanks()
    let number = text.takeToken()
    text.skipBlanks()
    if !text.isAtEnd && text.next != UInt8(ascii: ",") { return nil }
    return FieldText.deltaSeconds(value, number)
  }

  private static func hasStar(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
    var text = FieldText(value)
    while !text.isAtEnd {
      text.skipBlanks()
      let name = text.takeToken()
      text.skipBlanks()
      if name.count == 1 && value[name.lowerBound] == UInt8(ascii: "*")
        && (text.isAtEnd || text.next == UInt8(ascii: ","))
      {
        return true
      }
      text.skipMember()
      _ = text.take(UInt8(ascii: ","))
    }
    return false
  }
}
