import Glibc

/// Small uses of sockets on the loopback address.
enum ReadyProbe {
  /// Whether a server on a port of the loopback address takes connections and, when asked for
  /// ``EdgeServerSetup/readyPath``, says something; blocks for a second at most.
  ///
  /// A TLS server answers plain text with 400: that is an answer.
  static func answers(port: Int, asks: Bool) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if descriptor < 0 { return false }
    defer { close(descriptor) }
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
    guard withLoopback(port, { connect(descriptor, $0, $1) }) == 0 else { return false }
    if !asks { return true }
    let request =
      "GET \(EdgeServerSetup.readyPath) HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n\r\n"
    let bytes = Array(request.utf8)
    if send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) != bytes.count {
      return false
    }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) == 1
  }

  /// A port of the loopback address that nobody has at present; nil when there is none.
  static func freePort() -> Int? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    guard withLoopback(0, { bind(descriptor, $0, $1) }) == 0 else { return nil }
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutableBytes(of: &address) {
      getsockname(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &size)
    }
    return code == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }

  private static func withLoopback(
    _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafeBytes(of: &address) {
      body(
        $0.baseAddress!.assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
