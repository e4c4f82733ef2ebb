import Foundation
import Scenario

/// Takes posts of events: checks and counts them, each event once by its `id` (SIG-052).
struct EventIntake: Sendable {
  private(set) var counts = EventCounts()
  /// Identifiers that have come, as hashes of 64 bits: two among a million are equal by chance
  /// once in 40 million cases.
  private var seen: Set<UInt64> = []
  private var batches: Set<UInt64> = []
  static let largestMemory = 4_000_000

  /// The names of SIG-050.
  private static let names: Set<String> = [
    "view_start", "view_end", "tap_play_pause", "preview_scrub_start", "preview_scrub_commit",
    "playback_error", "time_to_first_frame", "rebuffer", "selected_bitrate",
  ]

  private struct Post: Decodable {
    struct Event: Decodable {
      struct Properties: Decodable {
        enum CodingKeys: String, CodingKey {
          case dwell = "dwell_ms"
          case percent = "percent_complete"
          case time = "ms"
          case count
          case total = "total_ms"
        }
        var dwell, time, count, total: Int64?
        var percent: Double?
      }

      var id: String?
      var name: String
      /// Milliseconds since 1970.
      var at: Int64?
      var props: Properties?

      /// Whether identifier and numbers are what they can be. Who sends no `id` asks for none of
      /// its repetitions to be told.
      var isValid: Bool {
        if let id, id.isEmpty || id.utf8.count > 128 { return false }
        let numbers = [at, props?.dwell, props?.time, props?.count, props?.total]
        if numbers.contains(where: { ($0 ?? 0) < 0 }) { return false }
        return (0...100).contains(props?.percent ?? 0)
      }
    }

    enum CodingKeys: String, CodingKey {
      case session = "session_id"
      case batch, events
    }
    var session: String?
    var batch: String?
    var events: [Event]
  }

  /// Takes one post.
  /// - Returns: new events and repeated ones; nil for what is no post.
  mutating func take(_ body: Data) -> (accepted: Int64, duplicates: Int64)? {
    counts.posts += 1
    guard let post = try? JSONReader.decode(Post.self, from: body, within: .message) else {
      counts.refused += 1
      return nil
    }
    if let batch = post.batch, batches.count < EventIntake.largestMemory,
      !batches.insert(EventIntake.hash("\(post.session ?? "") \(batch)")).inserted
    {
      counts.repeatedBatches += 1
    }
    var (accepted, duplicates): (Int64, Int64) = (0, 0)
    for event in post.events {
      if !event.isValid {
        counts.invalid += 1
        continue
      }
      if let id = event.id, seen.count < EventIntake.largestMemory,
        !seen.insert(EventIntake.hash(id)).inserted
      {
        duplicates += 1
        continue
      }
      accepted += 1
      counts.byName[EventIntake.names.contains(event.name) ? event.name : "other", default: 0] += 1
    }
    counts.accepted += accepted
    counts.duplicates += duplicates
    return (accepted, duplicates)
  }

  mutating func refuse() {
    counts.posts += 1
    counts.refused += 1
  }

  private static func hash(_ text: String) -> UInt64 { Checksum.of(text.utf8) }
}
