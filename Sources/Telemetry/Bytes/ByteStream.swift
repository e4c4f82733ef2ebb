import Foundation
import Scenario

/// A file, a pipe or standard input (`-`), read front to back through one buffer: a file of any
/// length takes the memory of the buffer.
struct ByteStream: ~Copyable {
  /// Bytes of the buffer, and so the longest record.
  static let capacity = 1 << 20

  private let descriptor: Int32
  private let isOwned: Bool
  /// The buffer; the bytes from ``start`` to ``end`` are not used up yet.
  let base: UnsafeMutablePointer<UInt8>
  private(set) var start = 0
  private(set) var end = 0
  /// Whether nothing comes behind ``end``.
  private(set) var isAtEnd = false
  private(set) var digest: WordDigest

  /// Opens the file at `path`; its bytes go on with `digest`.
  init(_ path: String, digest: WordDigest) throws(InputFile.Failure) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw InputFile.failure(ENOENT) }
    if path == "-" {
      (descriptor, isOwned) = (STDIN_FILENO, false)
    } else {
      let opened = open(path, O_RDONLY | O_CLOEXEC)
      if opened < 0 { throw InputFile.failure(errno) }
      (descriptor, isOwned) = (opened, true)
    }
    self.digest = digest
    base = .allocate(capacity: ByteStream.capacity)
  }

  deinit {
    base.deallocate()
    if isOwned { close(descriptor) }
  }

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
    while end < ByteStream.capacity && !isAtEnd {
      let count = Foundation.read(descriptor, base + end, ByteStream.capacity - end)
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw InputFile.failure(errno) }
      if count == 0 { isAtEnd = true }
      end += count
    }
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
    let packers: [(UInt8, UInt8, String)] = [
      (0x1F, 0x8B, "gunzip"), (0x28, 0xB5, "unzstd"), (0xFD, 0x37, "unxz"), (0x42, 0x5A, "bunzip2"),
      (0x50, 0x4B, "unzip"),
    ]
    for (first, second, program) in packers where head[0] == first && head[1] == second {
      // Two letters may begin a text.
      if first == 0x42 && head[2] != 0x68 || first == 0x50 && head[2] > 0x08 { continue }
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
