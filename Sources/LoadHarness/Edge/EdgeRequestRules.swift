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
    let hosts = head.headers["host"]
    let isOlder = head.version.major == 1 && head.version.minor == 0
    if hosts.count > 1 || (hosts.isEmpty && head.version.major == 1 && !isOlder) {
      return .badRequest
    }
    if let host = hosts.first, !isAuthority(host) { return .badRequest }
    return nil
  }

  /// Whether a text can be host and port: nothing that would end it, and no list.
  private static func isAuthority(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      byte > 0x20 && byte < 0x7F && !"/?#@,\\\"<>".utf8.contains(byte)
    }
  }
}
