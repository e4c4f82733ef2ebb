import Foundation
import Glibc
import Synchronization

/// A server on loopback that answers whatever comes with the bytes that it was told, or with bytes
/// that have no end; blocking sockets, a thread for each connection.
final class HostileServer: Sendable {
  enum Manner: Sendable {
    /// These bytes, then nothing; the connection stays open.
    case says(String)
    /// Nothing at all.
    case silent
    /// The bytes one by one, so many milliseconds apart.
    case dribbles(String, every: Int)
    /// The first bytes, and the second ones again and again.
    case repeats(String, String)
  }

  struct Trouble: Error {}

  let port: Int
  private let listener: Int32
  private let manner: Manner
  private let open = Mutex<[Int32]>([])
  private let isOver = Atomic<Bool>(false)
  private let accepted = Atomic<Int>(0)
  private let sent = Atomic<Int>(0)

  /// Connections so far.
  var connections: Int { accepted.load(ordering: .relaxed) }
  /// Those that are open.
  var openConnections: Int { open.withLock { $0.count } }
  /// Bytes that the system has taken.
  var sentBytes: Int { sent.load(ordering: .relaxed) }

  init(_ manner: Manner) throws {
    self.manner = manner
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let code = withUnsafeMutableBytes(of: &address) { raw -> Int32 in
      let pointer = raw.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      if bind(descriptor, pointer, size) != 0 || listen(descriptor, 256) != 0 { return -1 }
      return getsockname(descriptor, pointer, &size)
    }
    if code != 0 { throw Trouble() }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread { self.serve() }.start()
  }

  var url: String { "http://127.0.0.1:\(port)" }

  /// Ends the server and its connections.
  func stop() {
    isOver.store(true, ordering: .relaxed)
    shutdown(listener, Int32(SHUT_RDWR))
    for client in open.withLock({ $0 }) { shutdown(client, Int32(SHUT_RDWR)) }
  }

  private func serve() {
    defer { close(listener) }
    while !isOver.load(ordering: .relaxed) {
      let client = accept(listener, nil, nil)
      if client < 0 { return }
      accepted.wrappingAdd(1, ordering: .relaxed)
      open.withLock { $0.append(client) }
      let thread = Thread {
        self.answer(client)
        self.open.withLock { $0.removeAll { $0 == client } }
        close(client)
      }
      thread.stackSize = 256 << 10
      thread.start()
    }
  }

  /// Answers each request that comes.
  private func answer(_ client: Int32) {
    var block = [UInt8](repeating: 0, count: 4_096)
    var tail: [UInt8] = []
    while !isOver.load(ordering: .relaxed) {
      let count = recv(client, &block, block.count, 0)
      if count <= 0 { return }
      tail = (tail + block[..<count]).suffix(4_096)
      // Requests of these tests have no body.
      guard tail.suffix(4) == Array("\r\n\r\n".utf8)[...] else { continue }
      tail = []
      switch manner {
      case .silent: break
      case .says(let text): if !send(text, to: client) { return }
      case .dribbles(let text, let pause):
        for byte in text.utf8 {
          if !send(String(decoding: [byte], as: UTF8.self), to: client) { return }
          usleep(UInt32(pause) * 1_000)
        }
      case .repeats(let first, let again):
        if !send(first, to: client) { return }
        while send(again, to: client) {}
        return
      }
    }
  }

  private func send(_ text: String, to client: Int32) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      if isOver.load(ordering: .relaxed) { return false }
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
      self.sent.wrappingAdd(count, ordering: .relaxed)
    }
    return true
  }
}
