/// Access logs of content delivery networks: how often each title was asked for.
///
/// A title is the first parts of a URL's path; a view asks for many objects of it, each once at
/// most, so that the object of a title that was asked for most often stands for its views.
struct TelemetryLog {
  let file: String
  let format: CacheTraceFormat
  let titleParts: Int

  func read(_ bytes: [UInt8], _ reading: inout TelemetryReading) {
    guard var lines = format.lines(dropsQueries: true) else { return }
    var builder = CacheTraceBuilder()
    builder.sortsByTime = format.sortsByTime
    var report = CacheTraceReport()
    var (start, number) = (0, 0)
    while start < bytes.count {
      var end = start
      while end < bytes.count && bytes[end] != 0x0A { end += 1 }
      number += 1
      let stop = end > start && bytes[end - 1] == 0x0D ? end - 1 : end
      if stop > start {
        let line = ByteSource.Line(
          start: start, end: stop, number: number, isCutOff: end == bytes.count)
        lines.read(CacheTraceLine(file: file, bytes: bytes, line: line), &builder, &report)
      }
      start = end + 1
    }
    lines.finish(file: file, &report)
    for var problem in report.problems {
      // A line of a log begins with somebody's address.
      if problem.code != .wrongCount { problem.got = "other text" }
      reading.reject(problem)
    }
    reading.malformed += report.omitted
    reading.notes += report.notes
    reading.records += builder.count
    var most: [String: Int] = [:]
    var counts = [Int](repeating: 0, count: builder.identities.count)
    for object in builder.objects { counts[Int(object)] += 1 }
    for (handle, count) in counts.enumerated() {
      let title = title(builder.identities.text(of: UInt32(handle)))
      most[title] = max(most[title] ?? 0, count)
    }
    reading.data.titleCounts += most.sorted { $0.key < $1.key }.map(\.value)
    reading.data.span += builder.span
  }

  private func title(_ path: String) -> String {
    let parts = path.split(separator: "/").prefix { !$0.hasPrefix("?") }
    return parts.prefix(max(1, min(titleParts, parts.count - 1))).joined(separator: "/")
  }
}
