/// The common log format of HTTP servers, `host ident user [date] "request" status bytes`, and the
/// combined one, which goes on with referrer and user agent.
///
/// The identity is the request's target as written, without what follows a `?` where queries are
/// dropped, the size the bytes sent (`-` and 0 are 1), the
/// time the date with its offset from UTC. A request that is no method and target, as broken
/// clients send, is left out and counted.
struct CommonLogFormat: CacheLineFormat {
  /// What a line is made of.
  private struct Parts {
    var date, request, bytes: Range<Int>
  }

  private static let form =
    "host ident user [10/Oct/2026:13:55:36 +0000] \"GET /target HTTP/1.1\" 200 bytes"

  private let dropsQueries: Bool
  private var broken = 0
  private var others = 0

  init(dropsQueries: Bool) { self.dropsQueries = dropsQueries }

  static func fits(_ first: CacheTraceLine) -> Bool {
    guard let parts = parts(first.bytes, first.range) else { return false }
    return instant(first.bytes, parts.date) != nil
  }

  mutating func read(
    _ line: CacheTraceLine, _ builder: inout CacheTraceBuilder, _ report: inout CacheTraceReport
  ) {
    if line.bytes[line.line.start] == 0x23 { return }
    guard let parts = CommonLogFormat.parts(line.bytes, line.range) else {
      report.add(line.problem(.syntax, line.range, "", expected: CommonLogFormat.form))
      return
    }
    guard let time = CommonLogFormat.instant(line.bytes, parts.date) else {
      report.add(
        line.problem(
          .wrongType, parts.date, "date",
          expected: "a date such as 10/Oct/2026:13:55:36 +0000, from 1970 to 2114"))
      return
    }
    var size: Int64 = 1
    if parts.bytes.count != 1 || line.bytes[parts.bytes.lowerBound] != 0x2D {
      guard let sent = CacheTraceText.whole(line.bytes, parts.bytes) else {
        report.add(
          line.problem(.wrongType, parts.bytes, "bytes", expected: "a whole number of bytes or -"))
        return
      }
      size = max(sent, 1)
    }
    guard let target = target(line.bytes, parts.request) else {
      broken += 1
      return
    }
    let object = builder.identities.handle(of: line.bytes, target)
    if let fault = builder.append(
      CacheTraceBuilder.Request(object: object, size: size, time: time))
    {
      report.add(
        line.problem(
          .outOfRange, line.range, "", expected: fault.expectation(latest: builder.latest)))
    }
  }

  func finish(file: String, _ report: inout CacheTraceReport) {
    if broken > 0 {
      report.notes.append("\(file): \(broken) lines whose request has no target are left out")
    }
    if others > 0 {
      report.notes.append(
        "\(file): \(others) requests are neither GET nor HEAD; they are replayed like the others")
    }
  }

  /// The second word of a request.
  private mutating func target(_ bytes: [UInt8], _ request: Range<Int>) -> Range<Int>? {
    var index = request.lowerBound
    while index < request.upperBound && bytes[index] != 0x20 { index += 1 }
    let method = bytes[request.lowerBound..<index]
    guard !method.isEmpty, method.allSatisfy({ (0x41...0x5A).contains($0) }),
      index < request.upperBound
    else { return nil }
    let first = index + 1
    index = first
    while index < request.upperBound && bytes[index] != 0x20 { index += 1 }
    if index == first { return nil }
    if !method.elementsEqual("GET".utf8) && !method.elementsEqual("HEAD".utf8) { others += 1 }
    if dropsQueries, let mark = bytes[first..<index].firstIndex(of: 0x3F), mark > first {
      return first..<mark
    }
    return first..<index
  }

  private static func parts(_ bytes: [UInt8], _ line: Range<Int>) -> Parts? {
    guard !line.isEmpty, bytes[line.lowerBound] != 0x5B,
      let open = bytes[line].firstIndex(of: 0x5B),
      let close = bytes[open..<line.upperBound].firstIndex(of: 0x5D),
      close + 2 < line.upperBound, bytes[close + 1] == 0x20, bytes[close + 2] == 0x22
    else { return nil }
    let request = close + 3
    var end = request
    while end < line.upperBound && bytes[end] != 0x22 {
      end += bytes[end] == 0x5C ? 2 : 1
    }
    // After the closing quote: blank, three digits, blank, bytes.
    guard end + 6 < line.upperBound, bytes[end + 1] == 0x20, bytes[end + 5] == 0x20,
      bytes[(end + 2)..<(end + 5)].allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let size = end + 6
    let last = bytes[size..<line.upperBound].firstIndex(of: 0x20) ?? line.upperBound
    if last == size { return nil }
    return Parts(date: (open + 1)..<close, request: request..<end, bytes: size..<last)
  }

  private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

  /// `10/Oct/2026:13:55:36 -0700`, nanoseconds since 1970.
  private static func instant(_ bytes: [UInt8], _ date: Range<Int>) -> Int64? {
    let first = date.lowerBound
    guard date.count == 26, bytes[first + 2] == 0x2F, bytes[first + 6] == 0x2F,
      bytes[first + 11] == 0x3A, bytes[first + 20] == 0x20,
      bytes[first + 21] == 0x2B || bytes[first + 21] == 0x2D,
      let day = CacheTraceText.pair(bytes, first),
      let month = (0..<12).first(where: { month in
        bytes[(first + 3)..<(first + 6)].elementsEqual(months[(month * 3)..<(month * 3 + 3)])
      }),
      let century = CacheTraceText.pair(bytes, first + 7),
      let year = CacheTraceText.pair(bytes, first + 9),
      let days = CacheTraceText.days(
        year: century * 100 + year, month: Int64(month) + 1, day: day),
      let seconds = CacheTraceText.clock(bytes, first + 12),
      let hours = CacheTraceText.pair(bytes, first + 22),
      let minutes = CacheTraceText.pair(bytes, first + 24), hours < 24, minutes < 60
    else { return nil }
    let offset = (hours * 60 + minutes) * 60
    let utc = days * 86_400 + seconds - (bytes[first + 21] == 0x2B ? offset : -offset)
    return utc < 0 ? nil : utc * 1_000_000_000
  }
}
