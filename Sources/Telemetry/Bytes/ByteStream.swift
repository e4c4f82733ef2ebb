import Foundation
import Scenario

/// What `InputBytes` has, read through one buffer that stays where it is, so that a file of any
/// length takes the memory of the buffer.
struct ByteStream: ~Copyable {
  /// Bytes of the buffer, and so the longest record.
  static let capacity = 1 << 20

  private var input: InputBytes
  /// The buffer; the bytes from ``start`` to ``end`` are not used up yet.
  let base: UnsafeMutablePointer<UInt8>
  private(set) var start = 0
  private(set) var end = 0
  private(set) var digest: WordDigest

  /// Opens the file at `path`; its bytes go on with `digest`.
  init(_ path: String, digest: WordDigest) throws(InputFile.Failure) {
    input = try InputBytes(path)
    self.digest = digest
    base = .allocate(capacity: ByteStream.capacity)
  }

  deinit { base.deallocate() }

  /// Whether nothing comes behind ``end``.
  var isAtEnd: Bool { input.isAtEnd }

  /// What waits in the buffer.
  var waiting: TextSpan { TextSpan(UnsafePointer(base) + start, end - start) }

  /// Uses up the bytes in front of a place of the buffer.
  mutating func skip(to place: Int) {
    precondition(place >= start && place <= end, "\(place) is not between \(start) and \(end)")
    start = place
  }

  /// Reads on behind the waiting bytes, until the buffer is full or the file ends. What waits moves
  /// to the front of the buffer.
  /// - Returns: whether there is anything new.
  mutating func fill() throws(InputFile.Failure) -> Bool {
    if isAtEnd { return false }
    if start > 0 {
      memmove(base, base + start, end - start)
      (start, end) = (0, end - start)
    }
    let before = end
    end += try input.fill(
      UnsafeMutableRawBufferPointer(start: base + end, count: ByteStream.capacity - end))
    digest.add(UnsafePointer(base) + before, end - before)
    if isAtEnd { digest.endFile() }
    return end > before
  }

  /// The place of the first line feed that waits; nil when there is none.
  func lineFeed() -> Int? { waiting.firstIndex(of: 0x0A).map { start + $0 } }

  /// Passes over the rest of a line, however long.
  mutating func skipLine() throws(InputFile.Failure) {
    while true {
      if let feed = lineFeed() {
        skip(to: feed + 1)
        return
      }
      skip(to: end)
      if try !fill() && isAtEnd { return }
    }
  }
}

extension ByteStream {
  /// Looks at the first bytes and passes over the mark of UTF-8; a file that is no text is refused.
  mutating func begin() throws(InputFile.Failure) {
    _ = try fill()
    if waiting.hasByteOrderMark { skip(to: start + 3) }
    if let failure = foreignFile { throw failure }
  }

  /// Why what waits is not the beginning of a text; nil for text.
  private var foreignFile: InputFile.Failure? {
    let head = waiting
    let bytes = UnsafeBufferPointer(start: head.base, count: head.count)
    if let program = PackedFile.unpacker(bytes) {
      return InputFile.Failure(
        code: .wrongType, expected: "text (unpack it with \(program))", got: "a packed file")
    }
    if head[0] == 0xFF && head[1] == 0xFE || head[0] == 0xFE && head[1] == 0xFF {
      return InputFile.Failure(code: .encoding, expected: "UTF-8 text", got: "UTF-16 text")
    }
    if head.starts(with: "PAR1") || head.part(0, 512).firstIndex(of: 0) != nil {
      return InputFile.Failure(
        code: .binary, expected: "UTF-8 text", got: "a binary file (a NUL byte)")
    }
    return nil
  }
}
