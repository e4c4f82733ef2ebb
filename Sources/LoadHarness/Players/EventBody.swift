import FeedPolicy
import MediaUnits
import Models

/// The body of a batch of events, as `POST /v1/events` takes it (SIG-048 to SIG-052).
///
/// ```text
/// {"device_id":"d-1024","session_id":"lr6n0jcw-1024","ts":1700000000,"batch":"3","events":[
/// {"id":"lr6n0jcw-1024-12","name":"view_end","at":1700000000250,"view":4,"item":4,
///  "props":{"video_id":"t7","dwell_ms":1543,"percent_complete":76}}]}
/// ```
/// `ts` is in seconds and `at` in milliseconds since 1970. `batch` and every `id` are the same in
/// every attempt, so that a server can tell a repetition, and no other run has them. Blanks, which
/// JSON allows, fill the body up to the size that the world's batch has.
struct EventBody: Sendable {
  /// The time of day at the run's beginning, nanoseconds since 1970.
  let epoch: Int64
  /// Tells the run from others: the same in milliseconds, to the base 36.
  private let run: String
  /// The target's own name of a title.
  private let name: @Sendable (UInt32) -> String

  init(epoch: Int64, name: @escaping @Sendable (UInt32) -> String = MediaLayout.videoID) {
    self.epoch = epoch
    self.name = name
    run = String(epoch / 1_000_000, radix: 36)
  }

  func text(_ request: OutsideRequest) -> [UInt8] {
    let seconds = (epoch + request.dueAt.nanoseconds) / 1_000_000_000
    let session = session(request)
    var text = Array(
      ("{\"device_id\":\"d-\(request.token.session)\",\"session_id\":\"\(session)\","
        + "\"ts\":\(seconds),\"batch\":\"\(request.batch)\",\"events\":["
        + request.events.map { event($0, session) }.joined(separator: ",") + "]").utf8)
    while text.count + 1 < Int(request.bodyBytes) { text.append(UInt8(ascii: " ")) }
    text.append(UInt8(ascii: "}"))
    return text
  }

  /// What names a batch in every attempt: the value of `Idempotency-Key`.
  func key(_ request: OutsideRequest) -> String { "\(session(request))-\(request.batch)" }

  private func session(_ request: OutsideRequest) -> String { "\(run)-\(request.token.session)" }

  private func event(_ posted: OutsideEvent, _ session: String) -> String {
    let event = posted.event
    let at = (epoch + event.at.nanoseconds) / 1_000_000
    return "{\"id\":\"\(session)-\(posted.sequence)\",\"name\":\"\(event.name.text)\","
      + "\"at\":\(at),\"view\":\(event.view),\"item\":\(event.item.index),\"props\":{"
      + properties(posted).joined(separator: ",") + "}}"
  }

  private func properties(_ posted: OutsideEvent) -> [String] {
    let event = posted.event
    let title = posted.title.map { ["\"video_id\":\"\(Self.escaped(name($0)))\""] } ?? []
    return switch event.name {
    case .viewStart: title
    case .viewEnd:
      title + ["\"dwell_ms\":\(event.value)", "\"percent_complete\":\(event.second / 100)"]
    case .tapPlayPause: ["\"playing\":\(event.value == 1)"]
    case .previewScrubStart: []
    case .previewScrubCommit: ["\"seconds\":\(event.value / 1000)"]
    case .playbackError: title + ["\"code\":\"\(event.value)\""]
    case .timeToFirstFrame: ["\"ms\":\(event.value)"]
    case .rebuffer: ["\"count\":\(event.value)", "\"total_ms\":\(event.second)"]
    case .selectedBitrate: ["\"kbps\":\(event.value)"]
    }
  }

  /// A text inside the quotation marks of a JSON string (RFC 8259 section 7).
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": escaped += "\\\(scalar)"
      case "\0"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
