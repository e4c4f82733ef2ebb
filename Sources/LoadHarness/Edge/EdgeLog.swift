import Foundation
import MediaUnits
import NIOHTTP1
import Scenario
import Synchronization

/// The edge's access log: a JSON object a line, under the names of nginx's variables, which
/// `firstframe calibrate --format json-log` reads. It has no address and no name of a client.
public final class EdgeLog: Sendable {
  private struct State {
    var lines: [UInt8] = []
    /// Bytes of the file, all of them whole lines.
    var size: UInt64 = 0
    var isClosed = false
    /// What the system said first when a line could not be written.
    var failure: (any Error)?
  }

  private static let room = 1 << 16
  private let file: FileHandle
  private let state = Mutex(State())
  /// Headers that are logged, by their names as variables.
  private static let fields = ["object", "request", "session", "status"].map {
    (member: "http_cmcd_\($0)", name: "cmcd-\($0)")
  }

  /// - Throws: what the system says when the file cannot be written.
  public init(path: String) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }

  /// Writes what is still held back.
  ///
  /// - Throws: what the system says where a line, this one or one before, could not be written.
  public func close() throws {
    try state.withLock { state in
      if !state.isClosed {
        flush(&state)
        state.isClosed = true
        try file.close()
      }
      if let failure = state.failure { throw failure }
    }
  }

  func write(_ exchange: EdgeExchange, at now: Instant) {
    let request = exchange.request
    let milliseconds = WallClock.nanoseconds() / 1_000_000
    var members: [JSONText.Member] = [
      .init("msec", .number(Double(milliseconds) / 1_000)),
      .init("request", .string("\(request.method.rawValue) \(request.uri) HTTP/1.1")),
      // 499: nginx's word for a client that was gone before there was an answer.
      .init("status", .integer(Int64(exchange.answered?.status.code ?? 499))),
      .init("body_bytes_sent", .integer(exchange.sentBytes)),
      .init("request_time", .number((now - exchange.arrivedAt).seconds)),
    ]
    if let status = exchange.answered?.headers["cache-status"].last {
      members.append(.init("cache_status", .string(status)))
    }
    for (member, name) in EdgeLog.fields {
      if let value = request.headers.first(name: name) {
        members.append(.init(member, .string(value)))
      }
    }
    let line = JSONText.object(members).text(indent: 0) + "\n"
    state.withLock { state in
      state.lines += Array(line.utf8)
      if state.lines.count >= EdgeLog.room { flush(&state) }
    }
  }

  private func flush(_ state: inout State) {
    if state.lines.isEmpty || state.isClosed { return }
    do {
      try file.write(contentsOf: Data(state.lines))
      state.size += UInt64(state.lines.count)
    } catch {
      state.failure = state.failure ?? error
      // A part of them may be there, up to within a line; what has no length is no file.
      try? file.truncate(atOffset: state.size)
    }
    state.lines.removeAll(keepingCapacity: true)
  }
}
