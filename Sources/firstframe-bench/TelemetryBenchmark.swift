import Foundation
import Scenario

/// How fast `firstframe calibrate` reads events.
enum TelemetryBenchmark {
  private static let views = 30_000

  /// A file of batches, a view's three events each, against Foundation's parser of JSON on the same
  /// lines, which knows nothing of events.
  static func row() throws -> BenchmarkRow {
    let lines = (0..<views).map { line($0) }
    let data = lines.map { Data($0.utf8) }
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).jsonl")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return BenchmarkRow(
      "telemetry/events", unit: "events/s", units: Double(3 * views),
      against: "Foundation's JSONSerialization on the same lines",
      {
        var count = 0
        for line in data {
          let value = try? JSONSerialization.jsonObject(with: line) as? [String: Any]
          count += (value?["events"] as? [Any])?.count ?? 0
        }
        Stopwatch.keep(UInt64(count))
      },
      subject: {
        let reading = try? TelemetryReader(files: [file.path]).read()
        precondition(reading?.records == 3 * views, "the events are not read")
        Stopwatch.keep(UInt64(reading?.records ?? 0))
      })
  }

  private static func line(_ view: Int) -> String {
    let (session, number) = ("s-\(view / 12)", view % 12)
    let at = 1_700_000_000_000 + view * 37
    func event(_ kind: Int, _ name: String, _ properties: String) -> String {
      "{\"id\":\"\(session)-\(3 * number + kind)\",\"name\":\"\(name)\",\"at\":\(at + kind),"
        + "\"view\":\(number),\"item\":\(number),\"props\":{\(properties)}}"
    }
    let video = "\"video_id\":\"t\(view * view % 9_973)\""
    return "{\"device_id\":\"d-\(view / 12)\",\"session_id\":\"\(session)\",\"events\":["
      + [
        event(0, "view_start", video), event(1, "time_to_first_frame", "\"ms\":\(view % 900)"),
        event(2, "view_end", video + ",\"dwell_ms\":\(view % 20_000)"),
      ].joined(separator: ",") + "]}"
  }
}
