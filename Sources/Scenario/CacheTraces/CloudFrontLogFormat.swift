/// Standard (access) logs of Amazon CloudFront, W3C extended format: lines of tab-separated fields,
/// named by the last `#Fields:` before them.
///
/// The identity is `cs-uri-stem` with its `%xx` decoded and, unless it is `-` or queries are
/// dropped, `?` and `cs-uri-query`; the size `sc-bytes` (at least 1), the time `date` and `time`
/// (UTC), the node `x-edge-location`. Fields beside `cs-uri-stem` may be absent.
struct CloudFrontLogFormat: CacheLineFormat {
  /// Where the fields stand; nil for one that is not there.
  private struct Places {
    var stem, query, bytes, date, time, edge, method: Int?
    var count = 0
  }

  private let dropsQueries: Bool
  private var places: Places?
  private var hasComplained = false
  private var fields: [Range<Int>] = []
  private var scratch: [UInt8] = []
  private var others = 0

  init(dropsQueries: Bool) { self.dropsQueries = dropsQueries }

  static func fits(_ first: CacheTraceLine) -> Bool {
    let text = first.bytes[first.range]
    return text.starts(with: "#Version:".utf8) || text.starts(with: "#Fields:".utf8)
  }

  mutating func read(
    _ line: CacheTraceLine, _ builder: inout CacheTraceBuilder, _ report: inout CacheTraceReport
  ) {
    if line.bytes[line.line.start] == 0x23 {
      if line.bytes[line.range].starts(with: "#Fields:".utf8) { header(line, &report) }
      return
    }
    guard let places else {
      if !hasComplained {
        hasComplained = true
        report.add(
          line.problem(
            .missingKey, line.range, "#Fields", expected: "a line #Fields: before the first record")
        )
      }
      return
    }
    guard let stem = places.stem else { return }
    split(line)
    guard fields.count == places.count else {
      report.add(
        line.problem(
          .wrongCount, at: line.line.start, "",
          expected: "\(places.count) fields, separated by tabs", got: "\(fields.count)"))
      return
    }
    record(line, places, stem: stem, &builder, &report)
  }

  func finish(file: String, _ report: inout CacheTraceReport) {
    if others > 0 {
      report.notes.append(
        "\(file): \(others) requests are neither GET nor HEAD; they are replayed like the others")
    }
  }

  private mutating func header(_ line: CacheTraceLine, _ report: inout CacheTraceReport) {
    let names = line.text((line.line.start + 8)..<line.line.end)
      .split { $0 == " " || $0 == "\t" }
    var found = Places(count: names.count)
    found.stem = names.firstIndex(of: "cs-uri-stem")
    found.query = names.firstIndex(of: "cs-uri-query")
    found.bytes = names.firstIndex(of: "sc-bytes")
    found.date = names.firstIndex(of: "date")
    found.time = names.firstIndex(of: "time")
    found.edge = names.firstIndex(of: "x-edge-location")
    found.method = names.firstIndex(of: "cs-method")
    if found.stem == nil {
      report.add(
        line.problem(
          .missingKey, line.range, "#Fields", expected: "a field cs-uri-stem among the names"))
    }
    places = found
  }

  private mutating func record(
    _ line: CacheTraceLine, _ places: Places, stem: Int, _ builder: inout CacheTraceBuilder,
    _ report: inout CacheTraceReport
  ) {
    var request = CacheTraceBuilder.Request(object: 0)
    if let field = places.bytes.map({ fields[$0] }), !isAbsent(field, line) {
      guard let size = CacheTraceText.whole(line.bytes, field) else {
        report.add(
          line.problem(.wrongType, field, "sc-bytes", expected: "a whole number of bytes or -"))
        return
      }
      request.size = max(size, 1)
    }
    if let date = places.date.map({ fields[$0] }), let time = places.time.map({ fields[$0] }) {
      guard let instant = CloudFrontLogFormat.instant(line.bytes, date, time) else {
        report.add(
          line.problem(
            .wrongType, date, "date",
            expected: "a date such as 2026-04-30 and a time such as "
              + "21:02:31, from 1970 to 2114"))
        return
      }
      request.time = instant
    }
    if let edge = places.edge.map({ fields[$0] }) {
      let node = builder.nodeNames.handle(of: line.bytes, edge)
      guard let node = UInt16(exactly: node) else {
        report.add(
          line.problem(.outOfRange, edge, "x-edge-location", expected: "at most 65536 locations"))
        return
      }
      request.node = node
    }
    if let method = places.method.map({ line.bytes[fields[$0]] }),
      !method.elementsEqual("GET".utf8), !method.elementsEqual("HEAD".utf8)
    {
      others += 1
    }
    scratch.removeAll(keepingCapacity: true)
    CacheTraceText.decodePercent(line.bytes, fields[stem], into: &scratch)
    if !dropsQueries, let query = places.query.map({ fields[$0] }), !isAbsent(query, line) {
      scratch.append(0x3F)
      CacheTraceText.decodePercent(line.bytes, query, into: &scratch)
    }
    request.object = builder.identities.handle(of: scratch, 0..<scratch.count)
    if let fault = builder.append(request) {
      report.add(
        line.problem(
          .outOfRange, line.range, "", expected: fault.expectation(latest: builder.latest)))
    }
  }

  /// `YYYY-MM-DD` and `HH:MM:SS`, nanoseconds since 1970.
  private static func instant(
    _ bytes: [UInt8], _ date: Range<Int>, _ time: Range<Int>
  ) -> Int64? {
    let day = date.lowerBound
    guard date.count == 10, time.count == 8, bytes[day + 4] == 0x2D, bytes[day + 7] == 0x2D,
      let century = CacheTraceText.pair(bytes, day), let year = CacheTraceText.pair(bytes, day + 2),
      let month = CacheTraceText.pair(bytes, day + 5),
      let ofMonth = CacheTraceText.pair(bytes, day + 8),
      let days = CacheTraceText.days(year: century * 100 + year, month: month, day: ofMonth),
      let seconds = CacheTraceText.clock(bytes, time.lowerBound)
    else { return nil }
    return (days * 86_400 + seconds) * 1_000_000_000
  }

  private func isAbsent(_ field: Range<Int>, _ line: CacheTraceLine) -> Bool {
    field.isEmpty || field.count == 1 && line.bytes[field.lowerBound] == 0x2D
  }

  private mutating func split(_ line: CacheTraceLine) {
    fields.removeAll(keepingCapacity: true)
    var first = line.line.start
    for index in line.range where line.bytes[index] == 0x09 {
      fields.append(first..<index)
      first = index + 1
    }
    fields.append(first..<line.line.end)
  }
}
