import Foundation
import Glibc

/// A connection without any protocol.
final class BareClient {
  struct Answer {
    var text: String
    /// Whether the server has closed the connection.
    var isClosed: Bool
  }

  struct Trouble: Error {}

  private let descriptor: Int32
  private var isOpen = true

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let descriptor = descriptor
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if code != 0 { throw Trouble() }
  }

  deinit { close() }

  func close() {
    if isOpen { Glibc.close(descriptor) }
    isOpen = false
  }

  /// Sends a text; false when the server takes no more.
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  /// Sends a text and reads until the server closes, at most so long.
  func ask(_ text: String, within seconds: Double) -> Answer {
    _ = send(text)
    var answer = Answer(text: "", isClosed: false)
    let limit = Date().addingTimeInterval(seconds)
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let left = limit.timeIntervalSinceNow
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if left <= 0 || Glibc.poll(&poll, 1, Int32(left * 1_000) + 1) <= 0 { return answer }
      let count = recv(descriptor, &block, block.count, 0)
      if count <= 0 {
        answer.isClosed = true
        return answer
      }
      answer.text += String(decoding: block[..<count], as: UTF8.self)
    }
  }

  /// Sends a text and reads until a word has come so many times; how often it has.
  func ask(_ text: String, until word: StaticString, times: Int, within seconds: Double) -> Int {
    guard send(text) else { return 0 }
    let wanted = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    let limit = Date().addingTimeInterval(seconds)
    var block = [UInt8](repeating: 0, count: 65_536)
    var (seen, place) = (0, 0)
    while seen < times {
      let left = limit.timeIntervalSinceNow
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if left <= 0 || Glibc.poll(&poll, 1, Int32(left * 1_000) + 1) <= 0 { return seen }
      let count = recv(descriptor, &block, block.count, 0)
      if count <= 0 { return seen }
      // The word begins with a byte that it has nowhere else.
      for byte in block[..<count] {
        place = byte == wanted[place] ? place + 1 : byte == wanted[0] ? 1 : 0
        if place == wanted.count { (seen, place) = (seen + 1, 0) }
      }
    }
    return seen
  }
}
