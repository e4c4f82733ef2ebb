import CachePolicy
import NIOHTTP1

/// Requests that no cache has to look at.
enum EdgeRequestRules {
  /// What `Allow` says of methods (RFC 9110 section 10.2.1).
  static let allowed = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

  /// The status that refuses a request; nil for one that is taken.
  ///
  /// HTTP/1.1 wants exactly one `Host` (RFC 9112 section 3.2). A proxy for one origin is no tunnel
  /// (CONNECT), and nobody learns from it what others have sent (TRACE).
  static func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
    if head.method == .CONNECT || head.method == .TRACE { return .methodNotAllowed }
    var hosts = 0
    for (name, value) in head.headers where name.utf8.count == 4 {
      let isHost = EdgeFields.withBytes(name) { FieldRules.isNamed($0, "host") }
      if !isHost { continue }
      hosts += 1
      if hosts > 1 || !EdgeFields.withBytes(value, isAuthority) { return .badRequest }
    }
    let isOlder = head.version.major == 1 && head.version.minor == 0
    return hosts == 0 && head.version.major == 1 && !isOlder ? .badRequest : nil
  }

  /// Whether a text can be host and port: nothing that would end it, and no list.
  private static func isAuthority(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"),
        UInt8(ascii: ","), UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "<"),
        UInt8(ascii: ">"):
        false
      default: byte > 0x20 && byte < 0x7F
      }
    }
  }
}
