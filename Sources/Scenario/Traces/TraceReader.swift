import Models

/// What a user chooses about a trace.
public struct TraceOptions: Sendable, Equatable {
  /// What follows the last row; nil for the format's own rule, ``TraceFormat/defaultEnd``.
  public var end: TraceEnd?
  /// Where in the recording a session begins, nanoseconds, at least 0. A looping trace is turned by
  /// it, any other loses its beginning.
  public var start: Int64
  /// The name of one trace in a file of several.
  public var trace: String?
  /// How long one measurement of the FCC's files stands for, nanoseconds, greater than 0.
  public var sampleLength: Int64

  /// The defaults: the format's end, from the beginning, the only trace, samples of 5 s.
  public init(
    end: TraceEnd? = nil, start: Int64 = 0, trace: String? = nil,
    sampleLength: Int64 = 5_000_000_000
  ) {
    precondition(start >= 0 && sampleLength > 0, "a start of at least 0 and a sample length")
    self.end = end
    self.start = start
    self.trace = trace
    self.sampleLength = sampleLength
  }
}

/// Reads link traces in the formats of ``TraceFormat``.
public enum TraceReader {
  /// The longest file read.
  public static let byteLimit = 32 << 20

  /// The one trace of a file, or the one that the options name.
  ///
  /// - Parameter format: nil to find out from the content.
  public static func read(
    path: String, format: TraceFormat? = nil, options: TraceOptions = TraceOptions()
  ) throws(InputRejected) -> LinkTrace {
    try read(bytes: bytes(at: path), named: path, format: format, options: options)
  }

  /// The one trace of a text, or the one that the options name.
  ///
  /// - Parameter file: the name in messages; its last part is the trace's name.
  public static func read(
    bytes: [UInt8], named file: String, format: TraceFormat? = nil,
    options: TraceOptions = TraceOptions()
  ) throws(InputRejected) -> LinkTrace {
    var report = TraceReport(TraceText(bytes, file: file))
    let (format, all) = try rows(&report, format, options)
    guard let rows = choose(all, options.trace, &report) else { throw report.rejection! }
    return try trace(rows, format, options, &report)
  }

  /// Every trace of a text, in the order of their first rows.
  public static func readAll(
    bytes: [UInt8], named file: String, format: TraceFormat? = nil,
    options: TraceOptions = TraceOptions()
  ) throws(InputRejected) -> [LinkTrace] {
    var report = TraceReport(TraceText(bytes, file: file))
    let (format, all) = try rows(&report, format, options)
    var traces: [LinkTrace] = []
    for rows in all { traces.append(try trace(rows, format, options, &report)) }
    return traces
  }

  /// Every trace of a file, in the order of their first rows.
  public static func readAll(
    path: String, format: TraceFormat? = nil, options: TraceOptions = TraceOptions()
  ) throws(InputRejected) -> [LinkTrace] {
    try readAll(bytes: bytes(at: path), named: path, format: format, options: options)
  }

  private static func bytes(at path: String) throws(InputRejected) -> [UInt8] {
    do {
      return try InputFile.bytes(at: path, limit: byteLimit)
    } catch {
      let isLarge = error.code == .largeFile
      throw InputRejected(
        .trace,
        problems: [
          Problem(
            error.code, at: .file(path, line: 1, column: 1), keyPath: "",
            expected: isLarge ? "a trace of at most \(byteLimit >> 20) MiB" : error.expected,
            got: error.got)
        ])
    }
  }

  private static func rows(
    _ report: inout TraceReport, _ format: TraceFormat?, _ options: TraceOptions
  ) throws(InputRejected) -> (TraceFormat, [TraceRows]) {
    checkBytes(&report)
    if let rejection = report.rejection { throw rejection }
    let chosen = format ?? detect(&report)
    if let rejection = report.rejection { throw rejection }
    let rows = chosen!.reader.read(report.text, options, &report)
    if rows.isEmpty { report.addEmpty("rows of \(chosen!.rawValue)", got: "none") }
    if let rejection = report.rejection { throw rejection }
    return (chosen!, rows)
  }

  /// Rejects what is no text, or has no content.
  private static func checkBytes(_ report: inout TraceReport) {
    let bytes = report.text.bytes
    var line = 1
    var start = 0
    for (index, byte) in bytes.enumerated() {
      if byte == 0x0A {
        line += 1
        start = index + 1
      } else if byte < 0x20 && byte != 0x09 && byte != 0x0D {
        report.add(
          .binary, line: line, column: index - start + 1, "", expected: "a text file",
          got: "the control byte \(byte)")
        return
      }
    }
    if String(validating: bytes, as: UTF8.self) == nil {
      var number = 1
      for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
        if String(validating: line, as: UTF8.self) == nil { break }
        number += 1
      }
      report.add(
        .encoding, line: number, "", expected: "UTF-8 text", got: "other bytes in this line")
    } else if report.text.lines.isEmpty {
      report.add(
        .emptyFile, "", expected: "a trace", got: bytes.isEmpty ? "an empty file" : "no rows")
    }
  }

  private static func detect(_ report: inout TraceReport) -> TraceFormat? {
    let formats = TraceFormat.fitting(report.text)
    if formats.count == 1 { return formats[0] }
    let line = report.text.lines[0]
    if formats.isEmpty {
      let all = TraceFormat.allCases.map(\.rawValue).joined(separator: ", ")
      let first = TraceText.Field(start: Int(line.start), end: Int(line.end))
      report.add(
        .wrongType, first, line, "", expected: "a trace in one of the formats \(all)",
        got: "rows like \"\(Excerpt.oneLine(report.text.string(first), limit: 40))\"")
    } else {
      let names = formats.map(\.rawValue).joined(separator: " and ")
      report.add(
        .inconsistent, line: Int(line.number), "format", expected: "format: with one name",
        got: "rows that fit \(names)")
    }
    return nil
  }

  private static func choose(
    _ all: [TraceRows], _ name: String?, _ report: inout TraceReport
  ) -> TraceRows? {
    let names = all.compactMap(\.name)
    guard let name else {
      if all.count == 1 { return all[0] }
      report.add(
        .missingKey, "trace", expected: "the name of one of \(all.count) traces: \(list(names))",
        got: "no name")
      return nil
    }
    if let rows = all.first(where: { $0.name == name }) { return rows }
    report.add(
      .wrongWord, "trace",
      expected: names.isEmpty ? "no name, as the file is one trace" : "one of \(list(names))",
      got: Excerpt.oneLine(name), suggestion: Spelling.nearest(to: name, in: names))
    return nil
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).map { Excerpt.oneLine($0) }.joined(separator: ", ")
    return names.count > 8 ? shown + ", …" : shown
  }

  private static func trace(
    _ rows: TraceRows, _ format: TraceFormat, _ options: TraceOptions, _ report: inout TraceReport
  ) throws(InputRejected) -> LinkTrace {
    let end = options.end ?? format.defaultEnd
    let (offset, isBeyond) = rows.origin.addingReportingOverflow(options.start)
    if isBeyond || (end != .loop && offset >= rows.end) {
      report.add(
        .outOfRange, "start",
        expected: "a start before the end of the trace, \(rows.end - rows.origin) ns",
        got: "\(options.start) ns")
      throw report.rejection!
    }
    let start = offset % rows.end
    let duration = end == .loop ? rows.end : rows.end - start
    // Only the rates fall silent; a round trip and a loss rate keep their last value.
    let held = end == .silence ? TraceEnd.hold : end
    let rate = rows.steps(rows.rates, from: start, end: end)
    return LinkTrace(
      name: rows.name ?? String(report.text.file.split(separator: "/").last ?? ""),
      format: format, rate: rate,
      roundTripMs: rows.roundTrips.isEmpty
        ? nil : StepFunction(rows.steps(rows.roundTrips, from: start, end: held)),
      uplink: rows.uplinks.isEmpty ? nil : rows.steps(rows.uplinks, from: start, end: end),
      loss: rows.losses.isEmpty
        ? nil : StepFunction(rows.steps(rows.losses, from: start, end: held)),
      duration: duration,
      statistics: TraceStatistics(
        rate, duration: duration, window: format.reader.statisticsWindow))
  }
}
