import Foundation

/// The bytes of a file, a pipe or standard input (`-`), front to back.
public struct InputBytes: ~Copyable {
  private let descriptor: Int32
  private let isOwned: Bool
  /// Whether nothing is left to be read.
  public private(set) var isAtEnd = false

  /// Opens the file at `path`.
  public init(_ path: String) throws(InputFile.Failure) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw InputFile.failure(ENOENT) }
    if path == "-" {
      (descriptor, isOwned) = (STDIN_FILENO, false)
      return
    }
    let opened = open(path, O_RDONLY | O_CLOEXEC)
    if opened < 0 { throw InputFile.failure(errno) }
    (descriptor, isOwned) = (opened, true)
  }

  deinit { if isOwned { close(descriptor) } }

  /// Reads on until there is no more room or no more to read.
  /// - Returns: how many bytes are new.
  public mutating func fill(
    _ room: UnsafeMutableRawBufferPointer
  ) throws(InputFile.Failure) -> Int {
    guard let base = room.baseAddress else { return 0 }
    var filled = 0
    while filled < room.count && !isAtEnd {
      let count = read(descriptor, base + filled, room.count - filled)
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw InputFile.failure(errno) }
      if count == 0 { isAtEnd = true }
      filled += count
    }
    return filled
  }
}

/// Files that have to be unpacked before they can be read.
public enum PackedFile {
  private static let beginnings: [(bytes: [UInt8], program: String)] = [
    ([0x1F, 0x8B], "gunzip"), ([0x28, 0xB5, 0x2F, 0xFD], "unzstd"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "unxz"), ([0x42, 0x5A, 0x68], "bunzip2"),
    ([0x50, 0x4B, 0x03, 0x04], "unzip"), ([0x50, 0x4B, 0x05, 0x06], "unzip"),
    ([0x50, 0x4B, 0x07, 0x08], "unzip"),
  ]

  /// The program that unpacks a file that begins with `head`; nil where nothing is packed.
  public static func unpacker(_ head: some Collection<UInt8>) -> String? {
    beginnings.first { head.starts(with: $0.bytes) }?.program
  }
}
