import Foundation

/// Reads what clients and caches wrote down: events as `POST /v1/events` takes them, CSV, and the
/// access logs of content delivery networks.
///
/// A file of events holds JSON values one after another, a line each or not: a batch
/// `{"session_id":…, "events":[…]}`, an event by itself, or an array of either. What cannot be read
/// is counted and named by its line, and the reader goes on with the next line.
public struct TelemetryReader: Sendable {
  public var files: [String]
  /// How many parts of a URL's path name a title, the first ones.
  public var titleParts: Int

  /// Bytes of a file at most; it is read as a whole.
  static let limit = 1 << 30

  public init(files: [String], titleParts: Int = 2) {
    self.files = files
    self.titleParts = titleParts
  }

  /// Reads all files.
  /// - Throws: ``InputRejected`` for a file that is missing, unreadable or of no known format.
  public func read() throws(InputRejected) -> TelemetryReading {
    var reading = TelemetryReading()
    var events = TelemetryEvents()
    var report = CacheTraceReport(.telemetry)
    for file in files {
      do {
        let bytes = try TelemetryReader.contents(file)
        reading.digest(bytes)
        read(file, bytes, &events, &reading, &report)
      } catch {
        report.add(error, file: file)
      }
    }
    if let rejection = report.rejection { throw rejection }
    events.finish(&reading)
    return reading
  }

  private static func contents(_ file: String) throws(InputFile.Failure) -> [UInt8] {
    var source = try ByteSource(file)
    var bytes: [UInt8] = []
    while true {
      let isMore = try source.fill()
      if bytes.count + source.count > TelemetryReader.limit {
        throw InputFile.Failure(
          code: .largeFile,
          expected: "a file of at most \(TelemetryReader.limit >> 20) MiB, or --format or --map, "
            + "which read files of any length", got: "more")
      }
      bytes += source.waiting(source.count)
      source.skip(source.count)
      if !isMore { return bytes }
    }
  }

  private func read(
    _ file: String, _ bytes: [UInt8], _ events: inout TelemetryEvents,
    _ reading: inout TelemetryReading, _ report: inout CacheTraceReport
  ) {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let first = bytes[start...].first { $0 > 0x20 } ?? 0
    if first == 0x7B || first == 0x5B {
      note("events", &reading)
      TelemetryJSON(file: file, bytes: bytes).read(from: start, &events, &reading)
      return
    }
    let head = Array(bytes[start...].prefix(1 << 16))
    let text = String(decoding: head.prefix { $0 != 0x0A }, as: UTF8.self)
    if TelemetryTable.fits(text) {
      note("csv", &reading)
      TelemetryTable(file: file).read(bytes, from: start, &events, &reading, &report)
      return
    }
    guard let format = CacheTraceFormat.detected(name: file, head: head), format.hasQueries else {
      report.add(
        InputFile.Failure(
          code: head.isEmpty ? .emptyFile : .wrongType,
          expected: "events as JSON, CSV with name,at,session_id,view or quantity,value, a "
            + "CloudFront or common access log, or --map or --format to say what the columns are",
          got: head.isEmpty ? "an empty file" : "an unknown format"), file: file)
      return
    }
    note(format.rawValue, &reading)
    TelemetryLog(file: file, format: format, titleParts: titleParts).read(bytes, &reading)
  }

  private func note(_ format: String, _ reading: inout TelemetryReading) {
    if !reading.formats.contains(format) { reading.formats.append(format) }
  }
}

/// Where a byte of a file stands.
struct TelemetryPlace {
  let file: String
  let bytes: [UInt8]
  private var line = 1
  private var scanned = 0
  private var lineStart = 0

  init(file: String, bytes: [UInt8]) {
    self.file = file
    self.bytes = bytes
  }

  /// A problem at a byte; bytes are asked for in rising order.
  mutating func problem(
    _ byte: Int, _ key: String, expected: String, _ code: Problem.Code = .syntax
  ) -> Problem {
    let place = min(byte, bytes.count)
    while scanned < place {
      if bytes[scanned] == 0x0A {
        line += 1
        lineStart = scanned + 1
      }
      scanned += 1
    }
    // What stands there may name somebody.
    let isNothing = place == bytes.count || bytes[place] == 0x0A
    return Problem(
      code, at: .file(file, line: line, column: max(1, place - lineStart + 1)), keyPath: key,
      expected: expected, got: isNothing ? "nothing" : "other text")
  }
}

/// Events as JSON.
struct TelemetryJSON {
  let file: String
  let bytes: [UInt8]

  func read(
    from start: Int, _ events: inout TelemetryEvents, _ reading: inout TelemetryReading
  ) {
    var place = TelemetryPlace(file: file, bytes: bytes)
    var scanner = JSONScanner(bytes, start..<bytes.count)
    while !scanner.isAtEnd {
      let begin = scanner.index
      do throws(JSONScanner.Failure) {
        try value(&scanner, TelemetryEvents.Event(), 0, &events, &reading, &place)
      } catch {
        let at = min(max(error.at, begin), bytes.count)
        reading.reject(place.problem(at, "", expected: error.expected))
        // The next line is the next chance.
        scanner.index = max(at, begin)
        while scanner.index < bytes.count && bytes[scanner.index] != 0x0A { scanner.index += 1 }
      }
    }
  }

  private func value(
    _ scanner: inout JSONScanner, _ outer: TelemetryEvents.Event, _ depth: Int,
    _ events: inout TelemetryEvents, _ reading: inout TelemetryReading,
    _ place: inout TelemetryPlace
  ) throws(JSONScanner.Failure) {
    try scanner.checkDepth(depth)
    if scanner.next == 0x5B {
      try scanner.array { scanner throws(JSONScanner.Failure) in
        try value(&scanner, outer, depth + 1, &events, &reading, &place)
      }
      return
    }
    let begin = scanner.index
    var event = outer
    var inner: Int?
    try fields(&scanner, &event, &inner, depth)
    guard let inner else {
      if let fault = events.add(event, bytes, &reading) {
        reading.reject(
          place.problem(begin, fault.key, expected: fault.expected, .missingKey))
      }
      return
    }
    // The members of the batch are known now, wherever its events stood.
    var list = JSONScanner(bytes, inner..<scanner.index)
    event.name = nil
    event.at = nil
    try list.array { scanner throws(JSONScanner.Failure) in
      try value(&scanner, event, depth + 1, &events, &reading, &place)
    }
  }

  /// Members at any depth by their own names; `inner` is where a list of events begins.
  private func fields(
    _ scanner: inout JSONScanner, _ event: inout TelemetryEvents.Event, _ inner: inout Int?,
    _ depth: Int
  ) throws(JSONScanner.Failure) {
    try scanner.checkDepth(depth)
    try scanner.object { scanner, key throws(JSONScanner.Failure) in
      switch scanner.next {
      case 0x7B: try fields(&scanner, &event, &inner, depth + 1)
      case 0x5B:
        if bytes[key].elementsEqual("events".utf8) {
          scanner.skipBlanks()
          inner = scanner.index
        }
        try scanner.skip()
      default: set(key, try scanner.scalar(), &event)
      }
    }
  }

  private func set(
    _ key: Range<Int>, _ value: JSONScanner.Scalar, _ event: inout TelemetryEvents.Event
  ) {
    func number() -> Double? {
      if case .number(let range) = value { return JSONScanner.number(bytes, range) }
      return nil
    }
    func text() -> Range<Int>? {
      switch value {
      case .text(let range), .number(let range): range
      case .word: nil
      }
    }
    let name = bytes[key]
    switch key.count {
    case 2:
      if name.elementsEqual("id".utf8) { event.id = text() }
      if name.elementsEqual("at".utf8) { event.at = number() }
      if name.elementsEqual("ms".utf8) { event.milliseconds = number() }
    case 4:
      if name.elementsEqual("name".utf8) { event.name = text() }
      if name.elementsEqual("view".utf8) { event.view = number() }
      if name.elementsEqual("item".utf8) { event.item = number() }
    case 8:
      if name.elementsEqual("video_id".utf8) { event.video = text() }
      if name.elementsEqual("dwell_ms".utf8) { event.dwell = number() }
    case 10:
      if name.elementsEqual("session_id".utf8) { event.session = text() }
    default: break
    }
  }
}
