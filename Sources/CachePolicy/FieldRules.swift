/// Which header fields a cache keeps, forwards and updates.
///
/// Source: RFC 9110 section 7.6.1; RFC 9111 sections 3.1 and 3.2.
public enum FieldRules {
  /// Whether a field is meant for one connection and neither stored nor forwarded. `Connection`
  /// may name more.
  public static func isForOneConnection(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    isNamed(name, "connection") || isNamed(name, "keep-alive")
      || isNamed(name, "proxy-connection") || isNamed(name, "te") || isNamed(name, "trailer")
      || isNamed(name, "transfer-encoding") || isNamed(name, "upgrade")
  }

  /// Whether a field of a response is meant for the next proxy alone, and so not stored.
  public static func isForOneProxy(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    isNamed(name, "proxy-authenticate") || isNamed(name, "proxy-authentication-info")
      || isNamed(name, "proxy-authorization")
  }

  /// Whether a 304 leaves the stored field as it is: those that say how the stored body is framed
  /// and coded (RFC 9111 section 3.2).
  public static func isKeptOnValidation(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    isNamed(name, "content-length") || isNamed(name, "content-encoding")
      || isNamed(name, "content-range") || isNamed(name, "content-type")
  }

  /// Whether the cache says it anew in each answer, so that a stored one would be wrong.
  public static func isRewritten(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    isNamed(name, "age")
  }

  /// Whether a field of a client's request is about the client's own copy or part and is left out
  /// of a request for the whole response.
  public static func isClientCondition(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    isNamed(name, "if-none-match") || isNamed(name, "if-modified-since")
      || isNamed(name, "if-range") || isNamed(name, "range")
  }

  /// Whether a list such as `Connection`'s has a name.
  public static func lists(
    _ field: UnsafeBufferPointer<UInt8>, _ name: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    var text = FieldText(field)
    while let member = text.takeMember() {
      if isSameName(UnsafeBufferPointer(rebasing: field[member.name]), name) { return true }
    }
    return false
  }

  /// Whether two field names are the same, in any case.
  static func isSameName(
    _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    if a.count != b.count { return false }
    for index in 0..<a.count where FieldText.lowered(a[index]) != FieldText.lowered(b[index]) {
      return false
    }
    return true
  }

  /// Whether a name is the word, in any case. `word` is in lower case.
  public static func isNamed(
    _ name: UnsafeBufferPointer<UInt8>, _ word: StaticString
  ) -> Bool {
    FieldText.isEqual(name, 0..<name.count, word)
  }
}

extension FieldText {
  static func lowered(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
