import Foundation
import Glibc
import LoadHarness
import Synchronization

/// Sends a number of bytes to everybody who connects and says a byte; blocking sockets, threads.
final class ByteServer: Sendable {
  struct Trouble: Error {}

  let port: Int
  private let listener: Int32

  init(bytes: Int) throws {
    let kind = Int32(SOCK_STREAM.rawValue)
    listener = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let code = withUnsafeMutableBytes(of: &address) { raw -> Int32 in
      let pointer = raw.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      if bind(descriptor, pointer, size) != 0 || listen(descriptor, 64) != 0 { return -1 }
      return getsockname(descriptor, pointer, &size)
    }
    if code != 0 { throw Trouble() }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread {
      while true {
        let client = accept(descriptor, nil, nil)
        if client < 0 { return }
        Thread {
          var byte: UInt8 = 0
          let block = [UInt8](repeating: 1, count: bytes)
          var sent = 0
          if recv(client, &byte, 1, 0) == 1 {
            while sent < bytes {
              let count = block[sent...].withUnsafeBytes {
                send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
              }
              if count <= 0 { break }
              sent += count
            }
          }
          Glibc.close(client)
        }.start()
      }
    }.start()
  }

  func close() {
    shutdown(listener, Int32(SHUT_RDWR))
    Glibc.close(listener)
  }

  /// Seconds from the connection's start to the first byte and to the last.
  static func fetch(
    from address: IPv4Address, port: Int, source: IPv4Address
  ) throws -> (first: Double, last: Double) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(descriptor) }
    let begin = Date()
    guard with(source, 0, { bind(descriptor, $0, $1) }) == 0,
      with(address, port, { connect(descriptor, $0, $1) }) == 0
    else { throw Trouble() }
    var byte: UInt8 = 1
    if send(descriptor, &byte, 1, 0) != 1 { throw Trouble() }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var first = 0.0
    while recv(descriptor, &buffer, buffer.count, 0) > 0 {
      if first == 0 { first = Date().timeIntervalSince(begin) }
    }
    return (first, Date().timeIntervalSince(begin))
  }

  private static func with(
    _ ip: IPv4Address, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = ip.bits.bigEndian
    return withUnsafeBytes(of: &address) {
      body(
        $0.baseAddress!.assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
