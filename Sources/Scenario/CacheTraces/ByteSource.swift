import Foundation

/// What ``InputBytes`` has, read through one buffer, so that a trace of any length takes the memory
/// of the buffer.
struct ByteSource: ~Copyable {
  /// A line without its end (LF or CRLF): a range of the buffer, and its number from 1.
  struct Line {
    var start, end, number: Int
    /// Whether the file stops inside the line.
    var isCutOff: Bool
    /// Whether the line is longer than the buffer; then only its beginning is there.
    var isTooLong = false
  }

  /// Bytes of the buffer, and so the longest line.
  static let capacity = 1 << 20

  private var input: InputBytes
  /// What is read now; the bytes from ``start`` to ``end`` are not used up yet.
  private(set) var buffer = [UInt8](repeating: 0, count: ByteSource.capacity)
  private(set) var start = 0
  private(set) var end = 0
  /// The byte of the file that stands at ``start``, from 0.
  private(set) var offset = 0
  private var lineNumber = 0

  /// Opens the file at `path`.
  init(_ path: String) throws(InputFile.Failure) { input = try InputBytes(path) }

  /// How many bytes wait in the buffer.
  var count: Int { end - start }

  /// The first of the waiting bytes, at most `limit`.
  func waiting(_ limit: Int) -> [UInt8] { Array(buffer[start..<min(end, start + limit)]) }

  /// Uses up bytes of the buffer.
  mutating func skip(_ count: Int) {
    precondition(count <= self.count, "\(count) bytes used up of \(self.count)")
    start += count
    offset += count
  }

  /// Reads on behind the waiting bytes, until the buffer is full or the file ends.
  /// - Returns: whether there is anything new.
  mutating func fill() throws(InputFile.Failure) -> Bool {
    if input.isAtEnd { return false }
    if start > 0 {
      buffer.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        _ = memmove(base, base + start, end - start)
      }
      end -= start
      start = 0
    }
    let before = end
    end += try buffer.withUnsafeMutableBufferPointer { buffer throws(InputFile.Failure) in
      try input.fill(
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[before...]))
    }
    return end > before
  }

  /// The next line; nil at the end. It stands in ``buffer`` until the next call.
  mutating func nextLine() throws(InputFile.Failure) -> Line? {
    var searched = 0
    while true {
      if let feed = lineFeed(from: start + searched) {
        lineNumber += 1
        let line = Line(
          start: start, end: withoutReturn(feed), number: lineNumber, isCutOff: false)
        skip(feed + 1 - start)
        return line
      }
      searched = count
      if count == buffer.count { return try tooLong() }
      if try !fill() { break }
    }
    if count == 0 { return nil }
    lineNumber += 1
    let line = Line(start: start, end: withoutReturn(end), number: lineNumber, isCutOff: true)
    skip(count)
    return line
  }

  /// Passes over a line that is longer than the buffer.
  private mutating func tooLong() throws(InputFile.Failure) -> Line {
    lineNumber += 1
    while true {
      if let feed = lineFeed(from: start) {
        skip(feed + 1 - start)
        break
      }
      skip(count)
      if try !fill() { break }
    }
    return Line(start: 0, end: 0, number: lineNumber, isCutOff: false, isTooLong: true)
  }

  private func lineFeed(from first: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, first < end,
        let found = memchr(base + first, 0x0A, end - first)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  private func withoutReturn(_ lineEnd: Int) -> Int {
    lineEnd > start && buffer[lineEnd - 1] == 0x0D ? lineEnd - 1 : lineEnd
  }
}
