/// The file formats of cache traces that are read as they are.
///
/// Without a stated format the end of the file's name decides for the binary ones, `.u32le`,
/// `.rec17`, `.oracleGeneral` and `.oracleGeneral.bin`, because every file could be one of them;
/// the text formats are known by their first line.
public enum CacheTraceFormat: String, Sendable, Hashable, CaseIterable {
  /// Columns under a header.
  case csv
  /// libCacheSim's binary records of 24 bytes.
  case oracleGeneral
  /// Identities alone.
  case u32le
  /// Records of 17 bytes with size, lifetime and edge.
  case rec17
  /// Standard logs of Amazon CloudFront.
  case cloudfront
  /// The common and the combined log format of HTTP servers.
  case common

  /// One line for a list of formats.
  public var summary: String {
    switch self {
    case .csv:
      "a header with id and any of time, size, ttl, node; seconds and bytes; no size is 1"
    case .oracleGeneral:
      "24 bytes: u32 time (s), u64 id, u32 size, i64 next request; size 0 is left out"
    case .u32le: "4 bytes: u32 id"
    case .rec17: "17 bytes: u32 time (s), u32 id, u32 size, u32 ttl (s; 0 never expires), u8 node"
    case .cloudfront: "CloudFront standard log: cs-uri-stem, cs-uri-query, sc-bytes, date, time"
    case .common: "common or combined log format: request target, bytes, time"
    }
  }

  /// Bytes of a record; nil for text.
  var recordLength: Int? {
    switch self {
    case .oracleGeneral: 24
    case .u32le: 4
    case .rec17: 17
    case .csv, .cloudfront, .common: nil
    }
  }

  /// Whether its records may stand out of the order of time: servers write a line when the
  /// response ends, CloudFront in batches.
  var sortsByTime: Bool { self == .cloudfront || self == .common }

  /// The format of a file that begins with `head`; nil when it cannot be told.
  static func detected(name: String, head: [UInt8]) -> CacheTraceFormat? {
    for (suffix, format) in CacheTraceFormat.suffixes where name.hasSuffix(suffix) {
      return format
    }
    let bytes = head.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(head.dropFirst(3)) : head
    var end = bytes.firstIndex(of: 0x0A) ?? bytes.count
    if end > 0 && bytes[end - 1] == 0x0D { end -= 1 }
    let line = ByteSource.Line(start: 0, end: end, number: 1, isCutOff: false)
    let first = CacheTraceLine(file: name, bytes: bytes, line: line)
    if CloudFrontLogFormat.fits(first) { return .cloudfront }
    if CommonLogFormat.fits(first) { return .common }
    if CacheCSVFormat.fits(first) || name.hasSuffix(".csv") { return .csv }
    return nil
  }

  private static let suffixes: [(String, CacheTraceFormat)] = [
    (".u32le", .u32le), (".rec17", .rec17), (".oracleGeneral", .oracleGeneral),
    (".oracleGeneral.bin", .oracleGeneral),
  ]

  /// Whether its requests are URLs, which may have a query.
  public var hasQueries: Bool { self == .cloudfront || self == .common }

  /// Reads a text format; nil for the binary ones.
  func lines(dropsQueries: Bool) -> (any CacheLineFormat)? {
    switch self {
    case .csv: CacheCSVFormat()
    case .cloudfront: CloudFrontLogFormat(dropsQueries: dropsQueries)
    case .common: CommonLogFormat(dropsQueries: dropsQueries)
    case .oracleGeneral, .u32le, .rec17: nil
    }
  }
}
