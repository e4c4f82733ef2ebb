/// When an answer to a request makes what is stored invalid.
///
/// Source: RFC 9111 section 4.4.
public enum CacheInvalidation {
  /// Whether a method is safe: GET, HEAD, OPTIONS and TRACE (RFC 9110 section 9.2.1). The case of
  /// a method counts.
  public static func isSafe(_ method: UnsafeBufferPointer<UInt8>) -> Bool {
    matches(method, "GET") || matches(method, "HEAD") || matches(method, "OPTIONS")
      || matches(method, "TRACE")
  }

  /// Whether what is stored for the request's address, and for the addresses of `Location` and
  /// `Content-Location` at the same host, is invalid now: after an answer to an unsafe method that
  /// is no error.
  public static func invalidates(
    method: UnsafeBufferPointer<UInt8>, status: UInt16
  ) -> Bool {
    !isSafe(method) && status >= 200 && status < 400
  }

  private static func matches(
    _ method: UnsafeBufferPointer<UInt8>, _ word: StaticString
  ) -> Bool {
    word.withUTF8Buffer { method.elementsEqual($0) }
  }
}
