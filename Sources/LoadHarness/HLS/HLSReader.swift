import MediaUnits

extension HLSPlaylist {
  /// Reads a playlist from its bytes.
  ///
  /// Total: any bytes give a result. Work and memory are bounded by `limits`. Every problem is
  /// listed with its line, all in one pass. Unknown tags, comments, I-frame streams and the tags
  /// of low latency are passed over. `EXT-X-DEFINE` variables are put in.
  ///
  /// - Parameters:
  ///   - imports: what `EXT-X-DEFINE:IMPORT` may take: ``HLSMultivariant/variables``.
  ///   - query: of the playlist's own URI, for `EXT-X-DEFINE:QUERYPARAM`.
  public static func parse(
    _ bytes: [UInt8], limits: HLSLimits = HLSLimits(), imports: [HLSVariable] = [],
    query: String? = nil
  ) -> HLSParsing {
    var reader = HLSReader(limits: limits, imports: imports, query: query)
    reader.read(bytes)
    return reader.finish()
  }
}

/// The state of a read: what the lines before have said.
struct HLSReader {
  /// The highest `EXT-X-VERSION` that is understood (RFC 8216bis section 8).
  static let highestVersion: Int64 = 13

  enum Kind {
    case multivariant, media
  }

  /// What lines say of the segment whose URI comes next.
  struct Next {
    var range: (length: Int64, offset: Int64?)?
    var dateTime: Int64?
    var isDiscontinuity = false
    var isGap = false
  }

  let limits: HLSLimits
  let imports: [HLSVariable]
  let query: String?

  var line = 0
  var problems: [HLSProblem] = []
  var ignoredTags = 0
  var kind: Kind?
  /// Names of tags seen that may stand once.
  var seen: [String] = []
  var version = 1
  var hasIndependentSegments = false
  var startOffset: TimeSpan?
  var variables: [HLSVariable] = []

  var multivariant = HLSMultivariant()
  /// `EXT-X-STREAM-INF` that waits for its URI, and its line.
  var pendingVariant: (variant: HLSVariant, line: Int)?
  /// Lines of the variants, for problems that show at the end.
  var variantLines: [Int] = []

  var media = HLSMedia()
  var hasTargetDuration = false
  /// `EXTINF` that waits for its URI, and its line.
  var pendingDuration: (duration: TimeSpan, title: String, line: Int)?
  var next = Next()
  var currentMap: Int?
  var currentKey: Int?
  var isStopped = false

  init(limits: HLSLimits, imports: [HLSVariable], query: String?) {
    self.limits = limits
    self.imports = imports
    self.query = query
  }

  mutating func report(_ code: HLSProblem.Code, _ detail: String, at line: Int? = nil) {
    if problems.count == limits.problems {
      problems.append(
        HLSProblem(
          line: line ?? self.line, code: .tooManyProblems, detail: "the rest is not listed"))
    }
    if problems.count > limits.problems {
      isStopped = true
      return
    }
    problems.append(HLSProblem(line: line ?? self.line, code: code, detail: detail))
  }

  mutating func read(_ bytes: [UInt8]) {
    if bytes.count > limits.bytes {
      line = 1
      report(.overLimit, "at most \(limits.bytes) bytes, got \(bytes.count)")
      isStopped = true
      return
    }
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) {
      report(.byteOrderMark, "no byte order mark", at: 1)
      rest = rest.dropFirst(3)
    }
    while !rest.isEmpty && !isStopped {
      line += 1
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      var text = rest[rest.startIndex..<end]
      rest = end < rest.endIndex ? rest[(end + 1)...] : []
      if text.last == UInt8(ascii: "\r") { text = text.dropLast() }
      if line == 1 && !isHeader(text) {
        report(.notAPlaylist, "the first line has to be #EXTM3U")
        isStopped = true
        return
      }
      take(text)
    }
  }

  /// `#EXTM3U`, blanks after it forgiven.
  private func isHeader(_ text: ArraySlice<UInt8>) -> Bool {
    text.starts(with: "#EXTM3U".utf8)
      && text.dropFirst(7).allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  /// One line: blank, comment, tag or URI.
  private mutating func take(_ text: ArraySlice<UInt8>) {
    if text.isEmpty { return }
    let isTag = text.starts(with: "#EXT".utf8)
    if let reason = HLSReader.textProblem(text) {
      report(.badText, reason)
      if text.first != UInt8(ascii: "#") { dropPending() }
      return
    }
    if text.first == UInt8(ascii: "#") && !isTag { return }
    if text.count > limits.lineBytes {
      report(.overLimit, "a line of at most \(limits.lineBytes) bytes, got \(text.count)")
      if !isTag { dropPending() }
      return
    }
    if isTag {
      let colon = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
      let name = text[text.startIndex..<colon].dropFirst().prefix(64)
      tag(String(decoding: name, as: UTF8.self), colon < text.endIndex ? text[(colon + 1)...] : [])
    } else {
      takeURI(HLSReader.trimmed(text))
    }
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text
    while text.last == UInt8(ascii: " ") { text = text.dropLast() }
    return text
  }

  /// Control characters and bytes that are no UTF-8 (section 4).
  private static func textProblem(_ text: ArraySlice<UInt8>) -> String? {
    var isASCII = true
    for byte in text {
      if byte < 0x20 && byte != 0x09 || byte == 0x7F { return "no control characters" }
      if byte >= 0x80 { isASCII = false }
    }
    if isASCII { return nil }
    guard let string = String(validating: text, as: UTF8.self) else { return "no UTF-8" }
    let hasControl = string.unicodeScalars.contains { $0.value >= 0x80 && $0.value <= 0x9F }
    return hasControl ? "no control characters" : nil
  }

  private mutating func takeURI(_ text: ArraySlice<UInt8>) {
    if text.isEmpty { return }
    guard let uri = substituted(text) else {
      dropPending()
      return
    }
    if let pending = pendingVariant {
      pendingVariant = nil
      finishVariant(pending, uri: uri)
    } else if let pending = pendingDuration {
      pendingDuration = nil
      finishSegment(pending, uri: uri)
    } else {
      report(.uriWithoutTag, "EXTINF or EXT-X-STREAM-INF before a URI")
    }
  }

  /// A URI line was there, but cannot be used: that is one problem and no second one.
  private mutating func dropPending() {
    pendingVariant = nil
    pendingDuration = nil
    next.range = nil
  }

  /// Notes that a tag belongs to one kind of playlist only.
  mutating func belongs(to kind: Kind) -> Bool {
    if self.kind == nil { self.kind = kind }
    if self.kind == kind { return true }
    report(.mixedKinds, "tags of a media and of a multivariant playlist do not mix")
    return false
  }

  /// Whether a tag that may stand once stands for the first time.
  mutating func isFirst(_ name: String) -> Bool {
    if seen.contains(name) {
      report(.repeatedTag, "\(name) once")
      return false
    }
    seen.append(name)
    return true
  }

  mutating func finish() -> HLSParsing {
    if line == 0 {
      line = 1
      if problems.isEmpty { report(.notAPlaylist, "the first line has to be #EXTM3U") }
    }
    if !isStopped && problems.first?.code != .notAPlaylist { finishKind() }
    let isBad = problems.contains { !$0.code.isWarning }
    var playlist: HLSPlaylist?
    if !isBad {
      playlist = kind == .media ? .media(media) : .multivariant(multivariant)
    }
    return HLSParsing(playlist: playlist, problems: problems, ignoredTags: ignoredTags)
  }

  private mutating func finishKind() {
    if let pending = pendingVariant {
      report(.tagWithoutURI, "a URI after EXT-X-STREAM-INF", at: pending.line)
    }
    if let pending = pendingDuration {
      report(.tagWithoutURI, "a URI after EXTINF", at: pending.line)
    }
    switch kind {
    case .multivariant: finishMultivariant()
    case .media: finishMedia()
    case nil: report(.unknownKind, "EXT-X-STREAM-INF or EXT-X-TARGETDURATION")
    }
  }
}
