/// A text format: requests from lines.
protocol CacheLineFormat {
  /// Whether a file that begins with this line has the format.
  static func fits(_ first: CacheTraceLine) -> Bool
  /// Takes a line of a file, blank ones left out.
  mutating func read(
    _ line: CacheTraceLine, _ builder: inout CacheTraceBuilder, _ report: inout CacheTraceReport)
  /// Says what only the whole file shows.
  func finish(file: String, _ report: inout CacheTraceReport)
}
