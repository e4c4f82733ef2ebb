import Foundation
import Glibc
import LoadHarness
import Synchronization

/// An origin of a few paths over blocking sockets, and a client: what tests of edge servers need.
///
/// `/fresh` lives a minute, `/swr` a second and is usable a minute longer, `/sie` a second and is
/// usable a minute longer when the origin fails, `/none` is not stored, `/etag` lives a second and
/// is validated.
final class ScriptedOrigin: Sendable {
  struct Trouble: Error {}
  struct Answer: Sendable {
    var status: Int
    var fields: [String: String]
    var body: String
  }

  let port: Int
  private let listener: Int32
  private let state = Mutex(State())
  private struct State {
    var counts: [String: Int] = [:]
    var isFailing = false
    var delay = 0.0
  }

  var url: String { "http://127.0.0.1:\(port)" }
  func count(_ path: String) -> Int { state.withLock { $0.counts[path] ?? 0 } }
  func setFailing(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }
  func setDelay(_ seconds: Double) { state.withLock { $0.delay = seconds } }

  init(onAllAddresses: Bool = false) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(onAllAddresses ? 0 : 0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let code = withUnsafeMutableBytes(of: &address) { raw -> Int32 in
      let pointer = raw.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      if bind(descriptor, pointer, size) != 0 || listen(descriptor, 64) != 0 { return -1 }
      return getsockname(descriptor, pointer, &size)
    }
    if code != 0 { throw Trouble() }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread { [self] in
      while true {
        let client = accept(descriptor, nil, nil)
        if client < 0 { return }
        Thread { self.serve(client) }.start()
      }
    }.start()
  }

  func close() {
    shutdown(listener, Int32(SHUT_RDWR))
    Glibc.close(listener)
  }

  private func serve(_ client: Int32) {
    defer { Glibc.close(client) }
    while let head = ScriptedOrigin.readHead(client) {
      let path = head.first.split(separator: " ").dropFirst().first.map(String.init) ?? "/"
      let (isFailing, delay) = state.withLock { state in
        state.counts[path, default: 0] += 1
        return (state.isFailing, state.delay)
      }
      if delay > 0 { usleep(UInt32(delay * 1e6)) }
      let text = answer(path, head.fields, isFailing: isFailing)
      let bytes = Array(text.utf8)
      if send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) != bytes.count { return }
    }
  }

  private func answer(_ path: String, _ fields: [String: String], isFailing: Bool) -> String {
    if isFailing { return "HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy" }
    let control =
      switch path.split(separator: "?").first ?? "" {
      case "/fresh": "max-age=60"
      case "/swr": "max-age=1, stale-while-revalidate=60"
      case "/sie": "max-age=1, stale-if-error=60"
      case "/etag": "max-age=1"
      default: "no-store"
      }
    let tag = path == "/etag" ? "ETag: \"one\"\r\n" : ""
    if path == "/etag" && fields["if-none-match"] != nil {
      return "HTTP/1.1 304 Same\r\nCache-Control: \(control)\r\n\(tag)\r\n"
    }
    let body = "body of \(path)"
    return "HTTP/1.1 200 OK\r\nCache-Control: \(control)\r\n\(tag)"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  // MARK: Reading

  /// The first line and the fields, names in lower case; nil at the end of the stream.
  private static func readHead(
    _ descriptor: Int32
  ) -> (first: String, fields: [String: String])? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
      if recv(descriptor, &byte, 1, 0) != 1 { return nil }
      bytes.append(byte)
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon].lowercased()] =
        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    return (lines.first.map(String.init) ?? "", fields)
  }

  /// Asks a server, by default one of the loopback address.
  static func get(
    _ path: String, port: Int, host: IPv4Address = IPv4Address(bits: 0x7F00_0001)
  ) throws -> Answer {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = host.bits.bigEndian
    let code = withUnsafeBytes(of: &address) {
      connect(
        descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    let bytes = Array(
      "GET \(path) HTTP/1.1\r\nHost: edge.test\r\nConnection: close\r\n\r\n".utf8)
    guard code == 0, send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count,
      let head = readHead(descriptor),
      let status = head.first.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw Trouble() }
    var body: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    let length = head.fields["content-length"].flatMap { Int($0) } ?? .max
    while body.count < length {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { break }
      body += buffer[..<count]
    }
    return Answer(
      status: status, fields: head.fields, body: String(decoding: body, as: UTF8.self))
  }
}
