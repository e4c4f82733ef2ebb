import MediaUnits
import Models
import Studies

/// What a page says of its session at the end.
struct BrowserSession: Decodable {
  /// What the page's requests came to.
  struct Counts: Decodable {
    var requests, answered, bytes, silent: Int64
    /// By the name of the exception.
    var failures: [String: Int64]
  }

  /// Frames of all its players, as the elements count them.
  struct Frames: Decodable {
    var shown, dropped: Int64
  }

  var session: UInt32
  /// Of ``PageMeasures``.
  var measures: String
  /// For each machine a line with its name and the bytes of its log, and these.
  var logs: String
  var counts: Counts
  /// For each request: class, when it was due, when it began, was sent, had its first byte and its
  /// last, milliseconds since the session's begin, bytes of its body, 1 for a new connection.
  var requests: [[Double]]
  var players: [PlayerUse]
  var frames: Frames
  /// What the elements have loaded by themselves: objects, those of them that came over the
  /// network, and their bytes there; missing in older sessions.
  var loads: [Int64]?
  var problems: [String]
  var seconds: Double

  /// The logs by machine.
  var machineLogs: [(machine: String, lines: [UInt8])] {
    var found: [(String, [UInt8])] = []
    var rest = Array(logs.utf8)[...]
    while let end = rest.firstIndex(of: 0x0A) {
      let head = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
      let begin = end + 1
      guard head.count == 2, let count = Int(head[1]), count <= rest.endIndex - begin
      else { break }
      found.append((String(head[0]), Array(rest[begin..<begin + count])))
      rest = rest[(begin + count)...]
    }
    return found
  }
}
