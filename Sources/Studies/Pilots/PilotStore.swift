import Foundation
import Synchronization

/// Words on disk by the name of their content (``ContentKey``), for as long as there is room.
///
/// A file is written beside its place and moved there, and has its own name and a checksum in it. A
/// file that is not as it was written counts as absent and is replaced; where nothing can be
/// written nothing is kept. Neither is ever an error: what is kept can always be computed.
public final class PilotStore: Sendable {
  /// The folder with the files.
  public let folder: String
  /// What tells this build of the program from others; asked for when something is looked for.
  private let programDigest: @Sendable () -> String?
  private let writes = Atomic<Int>(0)
  private let names = Atomic<Int>(0)

  /// Most files, and most bytes of them all; beyond either those go that were not used for longest,
  /// down to three quarters. The folder is looked through every ``writesBetween`` files.
  let mostFiles: Int
  let mostBytes: Int
  /// So many files are written before the folder is looked through again.
  private static let writesBetween = 64
  /// Largest file that is read.
  private static let largest = 16 << 20
  private static let ending = ".pilot"
  /// Says what a file is, and in which form: `FFPILOT` and a number.
  private static let mark = UInt64(bigEndian: 0x4646_5049_4C4F_5401)

  /// - Parameter program: what tells this build of the program from others; nil where nobody knows,
  ///   and nothing is kept.
  public init(
    folder: String, mostFiles: Int = 4000, mostBytes: Int = 256 << 20,
    program: @escaping @Sendable () -> String?
  ) {
    self.folder = folder
    self.mostFiles = mostFiles
    self.mostBytes = mostBytes
    programDigest = program
  }

  /// What tells this build of the program from others; nil where nobody knows.
  var program: String? { programDigest() }

  func path(_ key: ContentKey) -> String { "\(folder)/\(key)\(PilotStore.ending)" }

  /// The words that were kept under a name; nil where there are none, or others than were written.
  func words(_ key: ContentKey) -> [UInt64]? {
    // Not mapped: another process may replace it meanwhile, but whoever damages it must not make
    // this one fail.
    guard let file = FileHandle(forReadingAtPath: path(key)) else { return nil }
    defer { try? file.close() }
    guard let data = try? file.read(upToCount: PilotStore.largest), data.count % 8 == 0 else {
      return nil
    }
    let words = data.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 8).map {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
      }
    }
    let head = PilotStore.head(key)
    guard words.count >= head.count + 2, words.prefix(head.count).elementsEqual(head) else {
      return nil
    }
    let content = Array(words[head.count..<words.count - 2])
    let sum = PilotStore.checksum(key, content)
    guard words[words.count - 2] == sum.high, words[words.count - 1] == sum.low else { return nil }
    // So that what is used stays longest.
    try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: path(key))
    return content
  }

  /// Keeps words under a name, where it can.
  func keep(_ words: [UInt64], as key: ContentKey) {
    HeldSignals.during { write(words, as: key) }
  }

  private func write(_ words: [UInt64], as key: ContentKey) {
    let sum = PilotStore.checksum(key, words)
    let all = PilotStore.head(key) + words + [sum.high, sum.low]
    let data = all.map(\.littleEndian).withUnsafeBytes { Data($0) }
    if data.count > PilotStore.largest { return }
    let number = names.add(1, ordering: .relaxed).newValue
    let process = ProcessInfo.processInfo.processIdentifier
    let draft = "\(folder)/\(key)-\(process)-\(number)\(PilotStore.ending)"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try data.write(to: URL(fileURLWithPath: draft))
    } catch {
      try? FileManager.default.removeItem(atPath: draft)
      return
    }
    if rename(draft, path(key)) != 0 {
      try? FileManager.default.removeItem(atPath: draft)
      return
    }
    let count = writes.add(1, ordering: .relaxed).oldValue
    if count % PilotStore.writesBetween == 0 { makeRoom() }
  }

  private static func head(_ key: ContentKey) -> [UInt64] { [mark, key.high, key.low] }

  private static func checksum(_ key: ContentKey, _ words: [UInt64]) -> ContentKey {
    var hash = ContentHash()
    for word in head(key) { hash.add(word) }
    words.withUnsafeBytes { hash.add($0) }
    return hash.key
  }

  /// Whether a file is one of these: 32 hexadecimal digits, and of an unfinished one the process.
  private static func isOwn(_ name: String) -> Bool {
    guard name.hasSuffix(ending) else { return false }
    let stem = name.dropLast(ending.count)
    return stem.prefix(32).count == 32 && stem.prefix(32).allSatisfy(\.isHexDigit)
      && stem.dropFirst(32).allSatisfy { $0 == "-" || $0.isNumber }
  }

  /// Removes the files that were not used for longest where there are too many, unfinished ones of
  /// killed processes among them.
  private func makeRoom() {
    let keys: Set<URLResourceKey> = [
      .contentModificationDateKey, .fileSizeKey, .isRegularFileKey,
    ]
    guard
      let found = try? FileManager.default.contentsOfDirectory(
        at: URL(fileURLWithPath: folder), includingPropertiesForKeys: Array(keys))
    else { return }
    var files: [(name: URL, date: Date, bytes: Int)] = []
    for name in found where PilotStore.isOwn(name.lastPathComponent) {
      guard let values = try? name.resourceValues(forKeys: keys), values.isRegularFile == true
      else { continue }
      files.append((name, values.contentModificationDate ?? .distantPast, values.fileSize ?? 0))
    }
    var bytes = files.reduce(0) { $0 + $1.bytes }
    if files.count <= mostFiles && bytes <= mostBytes { return }
    files.sort { $0.date > $1.date }
    while let oldest = files.last,
      files.count > mostFiles / 4 * 3 || bytes > mostBytes / 4 * 3
    {
      try? FileManager.default.removeItem(at: oldest.name)
      bytes -= oldest.bytes
      files.removeLast()
    }
  }
}
