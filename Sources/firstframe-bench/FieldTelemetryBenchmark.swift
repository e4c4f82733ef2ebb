import Foundation
import Telemetry

/// How fast `firstframe calibrate --map` and `--format` read what a team has.
enum FieldTelemetryBenchmark {
  private static let rows = 300_000
  private static let lines = 100_000

  static func rowsOfSheet() throws -> [BenchmarkRow] { [try table(), try cmcd()] }

  /// Rows of a table, three to a view, against counting the line feeds of the same file, as `wc -l`
  /// does.
  private static func table() throws -> BenchmarkRow {
    var text = "at,sid,vid,video,device,ttff_ms,dwell_s\n"
    for row in 0..<rows {
      let (view, part) = (row / 3, row % 3)
      text +=
        "\(1_774_745_999_000 + row * 7),session-\(view / 12),\(view),title-\(view * 31 % 9_973),"
      text += "phone-\(view % 7),\(part == 1 ? "\(40 + view % 900)" : ""),"
      text += "\(part == 2 ? "\(1 + view % 20)" : "")\n"
    }
    var mapping = ColumnMapping(
      name: "bench",
      columns: [
        ColumnMapping.Column(.session, "sid"), ColumnMapping.Column(.view, "vid"),
        ColumnMapping.Column(.title, "video"), ColumnMapping.Column(.device, "device"),
        ColumnMapping.Column(.time, "at", .epochMilliseconds),
        ColumnMapping.Column(.ttff, "ttff_ms", .milliseconds),
        ColumnMapping.Column(.dwell, "dwell_s", .seconds),
      ])
    mapping.records = .delimited(0x2C, hasQuotes: true)
    return try row("telemetry/table", "rows/s", text, rows, mapping)
  }

  /// Lines of a log with CMCD in their queries, against the same.
  private static func cmcd() throws -> BenchmarkRow {
    var text = ""
    for line in 0..<lines {
      let second = line % 60
      text +=
        "192.0.2.\(line % 250) - - [10/Oct/2026:13:55:\(second < 10 ? "0" : "")\(second) +0000]"
      text += " \"GET /v/t\(line * 31 % 997)/s\(line % 5).mp4?CMCD=bl%3D\(line % 90)00%2Cbr%3D3200"
      text += "%2Cbs%2Ccid%3D%22t\(line % 997)%22%2Cd%3D4004%2Cmtp%3D48100%2Cot%3Dv%2Csid%3D%22"
      text += "6e2fb550-c457-11e9-bb97-\(100_000 + line / 40)%22%2Ctb%3D6000 HTTP/1.1\" 200 123456"
      text += " \"-\" \"player/1.0\"\n"
    }
    return try row("telemetry/cmcd", "lines/s", text, lines, BuiltInMapping.common.mapping)
  }

  private static func row(
    _ name: String, _ unit: String, _ text: String, _ count: Int, _ mapping: ColumnMapping
  ) throws -> BenchmarkRow {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).csv")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return BenchmarkRow(
      name, unit: unit, units: Double(count), against: "line feeds counted, as wc -l does",
      { Stopwatch.keep(UInt64(lineFeeds(file.path))) },
      subject: {
        let telemetry = try? FieldTelemetryReader(files: [file.path], mapping: mapping).read()
        precondition(telemetry?.reading.records == count, "the records are not read")
        Stopwatch.keep(UInt64(telemetry?.reading.records ?? 0))
      })
  }

  private static func lineFeeds(_ path: String) -> Int {
    let descriptor = open(path, O_RDONLY)
    if descriptor < 0 { return 0 }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var feeds = 0
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count <= 0 { return feeds }
      feeds += buffer.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return 0 }
        var (found, start) = (0, 0)
        while let feed = memchr(base + start, 0x0A, count - start) {
          found += 1
          start = UnsafeRawPointer(feed) - base + 1
        }
        return found
      }
    }
  }
}
