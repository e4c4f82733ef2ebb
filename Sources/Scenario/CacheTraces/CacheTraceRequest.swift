import Models

/// Which files make a cache trace, and how to read them.
public struct CacheTraceRequest: Sendable, Equatable {
  /// The files in order; `-` is standard input. They all have one format and are joined; times
  /// must not go back from one to the next, except in logs, which are sorted by time as a whole.
  public var files: [String]
  /// The format; nil: ``CacheTraceFormat`` says how it is told.
  public var format: CacheTraceFormat?
  /// A file of sizes for `u32le`; see ``ObjectSizeTable``.
  public var sizeTable: String?
  /// Whether URLs in logs that differ in their query only are one object, as where a cache's key
  /// has no query.
  public var dropsQueries: Bool

  /// A request.
  public init(
    files: [String], format: CacheTraceFormat? = nil, sizeTable: String? = nil,
    dropsQueries: Bool = false
  ) {
    self.files = files
    self.format = format
    self.sizeTable = sizeTable
    self.dropsQueries = dropsQueries
  }

  /// What the files hold.
  public struct Loaded: Sendable {
    /// The requests.
    public var trace: CacheTrace
    /// The format of the files.
    public var format: CacheTraceFormat
    /// What the user should know although nothing is wrong, one line each.
    public var notes: [String]
  }

  /// Reads all files.
  /// - Parameter progress: gets the bytes read so far, about every mebibyte.
  /// - Throws: what is wrong with them: the first 20 problems of one pass, the others counted.
  public func load(
    progress: (Int) -> Void = { _ in }
  ) throws(InputRejected) -> Loaded {
    var report = CacheTraceReport()
    var builder = CacheTraceBuilder()
    var chosen = format
    let sizes = sizeTable.flatMap { ObjectSizeTable($0, &report) }
    var earlier = 0
    for file in files {
      do {
        var source = try ByteSource(file)
        _ = try source.fill()
        let head = source.waiting(1 << 16)
        guard let found = decide(file, head, chosen, &report) else { continue }
        builder.sortsByTime = found.sortsByTime
        chosen = found
        let count = builder.count
        let known = report.problems.count
        try read(file, found, &source, sizes, &builder, &report) { progress(earlier + $0) }
        earlier += source.offset
        if builder.count == count && report.problems.count == known {
          report.add(
            InputFile.Failure(
              code: .emptyFile, expected: "at least one request", got: "none"), file: file)
        }
      } catch {
        report.add(error, file: file)
      }
    }
    if let rejection = report.rejection { throw rejection }
    return Loaded(trace: builder.finish(), format: chosen ?? .csv, notes: report.notes)
  }

  /// The format of one file; nil after adding a problem.
  private func decide(
    _ file: String, _ head: [UInt8], _ chosen: CacheTraceFormat?,
    _ report: inout CacheTraceReport
  ) -> CacheTraceFormat? {
    let detected = CacheTraceFormat.detected(name: file, head: head)
    let isBinary = (format ?? detected)?.recordLength != nil
    // A binary record may begin with any bytes; then only the name tells a compressed file.
    let endings = [".gz", ".zst", ".xz", ".bz2", ".zip"]
    if let program = PackedFile.unpacker(head),
      !isBinary || endings.contains(where: { file.hasSuffix($0) })
    {
      report.add(
        Problem(
          .binary, at: .file(file, line: 1, column: 1), keyPath: "",
          expected: "a trace that is not compressed: unpack it with \(program) first",
          got: "a compressed file"))
      return nil
    }
    if let format { return format }
    guard let detected else {
      let names = CacheTraceFormat.allCases.map(\.rawValue).joined(separator: ", ")
      report.add(
        Problem(
          head.isEmpty ? .emptyFile : .wrongType, at: .file(file, line: 1, column: 1), keyPath: "",
          expected: head.isEmpty
            ? "at least one request"
            : "a format that can be told, or --format"
              + " with one of \(names)",
          got: head.isEmpty ? "an empty file" : "an unknown one"))
      return nil
    }
    if let chosen, chosen != detected {
      report.add(
        Problem(
          .inconsistent, at: .file(file, line: 1, column: 1), keyPath: "",
          expected: "the format of the files before it, \(chosen.rawValue)",
          got: detected.rawValue))
      return nil
    }
    return detected
  }

  private func read(
    _ file: String, _ format: CacheTraceFormat, _ source: inout ByteSource,
    _ sizes: ObjectSizeTable?, _ builder: inout CacheTraceBuilder,
    _ report: inout CacheTraceReport, progress: (Int) -> Void
  ) throws(InputFile.Failure) {
    guard var lines = format.lines(dropsQueries: dropsQueries) else {
      var reader = CacheRecordReader(file: file, format: format, sizes: sizes)
      try reader.read(&source, &builder, &report)
      progress(source.offset)
      return
    }
    if source.waiting(3) == [0xEF, 0xBB, 0xBF] { source.skip(3) }
    var shown = 0
    while let line = try source.nextLine() {
      if line.isTooLong {
        report.add(
          Problem(
            .syntax, at: .file(file, line: line.number, column: 1), keyPath: "",
            expected: "a line of at most \(ByteSource.capacity) bytes", got: "a longer one"))
        continue
      }
      if line.start == line.end { continue }
      lines.read(
        CacheTraceLine(file: file, bytes: source.buffer, line: line), &builder, &report)
      if source.offset - shown >= ByteSource.capacity {
        shown = source.offset
        progress(shown)
      }
    }
    lines.finish(file: file, &report)
  }
}
