import Foundation
import Models
import Scenario
import SimulationKernel

/// Who ran a replication; no part of what it is.
public struct ShardOrigin: Sendable, Equatable, Codable {
  /// What tells builds of the program apart.
  public var build: String
  public var machine: String
  /// Processor time that it took; nil where nobody measured.
  public var seconds: Double?

  public init(build: String, machine: String, seconds: Double? = nil) {
    self.build = build
    self.machine = machine
    self.seconds = seconds
  }
}

/// One replication as a file: a line that says what it is, a line of JSON with its origin, the
/// content, and a checksum of the content together with the name.
struct ShardFile: Sendable, Equatable {
  private static let mark = "firstframe shard 1\n"
  private static let checksumSize = 32

  var origin: ShardOrigin
  var content: [UInt8]

  init(origin: ShardOrigin, content: [UInt8]) {
    self.origin = origin
    self.content = content
  }

  /// The name of a replication of the subject that has a key.
  static func name(_ key: String, _ replication: Int) -> String { "\(key)-\(replication)" }

  private static func checksum(_ content: [UInt8], name: String) -> [UInt8] {
    SHA256.bytes(of: Array(name.utf8) + [0] + content)
  }

  /// The bytes of the file called `name`.
  ///
  /// - Throws: what the encoder says; never of these members.
  func data(name: String) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    var data = Data(ShardFile.mark.utf8)
    data.append(try encoder.encode(origin))
    data.append(0x0A)
    data.append(contentsOf: content)
    data.append(contentsOf: ShardFile.checksum(content, name: name))
    return data
  }

  /// Reads the bytes of the file called `name`; nil for others than were written.
  init?(_ data: Data, name: String) {
    let mark = Array(ShardFile.mark.utf8)
    guard data.starts(with: mark) else { return nil }
    let rest = data.dropFirst(mark.count)
    guard let end = rest.firstIndex(of: 0x0A), rest.endIndex - end > ShardFile.checksumSize,
      let origin = try? JSONReader.decode(
        ShardOrigin.self, from: Data(rest[rest.startIndex..<end]), within: .line)
    else { return nil }
    let content = [UInt8](rest[(end + 1)..<(rest.endIndex - ShardFile.checksumSize)])
    let checksum = [UInt8](rest.suffix(ShardFile.checksumSize))
    guard checksum == ShardFile.checksum(content, name: name) else { return nil }
    self.init(origin: origin, content: content)
  }
}

/// That a replication ran into a limit of the simulation, which every build of the model version
/// finds: it is kept like a result, so that a study of shards ends as one on one machine does.
public struct KeptStop: Error, Sendable, Equatable {
  private static let mark = "stopped\n"

  /// The name of the limit.
  public var code: String
  /// What is said of it.
  public var message: String

  init(_ error: SimulationError) {
    code = "\(error.code)"
    message = error.message
  }

  /// As it is kept; words of a digest never begin so.
  var content: [UInt8] { Array("\(KeptStop.mark)\(code)\n\(message)".utf8) }

  /// - Returns: nil for what is another content.
  init?(_ content: [UInt8]) {
    guard content.starts(with: KeptStop.mark.utf8) else { return nil }
    let text = String(decoding: content.dropFirst(KeptStop.mark.utf8.count), as: UTF8.self)
    guard let end = text.firstIndex(of: "\n") else { return nil }
    code = String(text[..<end])
    message = String(text[text.index(after: end)...])
  }
}

/// Words in as many bytes as they need: seven bits each, the lowest first, and the eighth for "more
/// follow" (LEB128; DWARF 5, section 7.6).
enum PackedWords {
  static func bytes(of words: [UInt64]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(words.count * 2)
    for word in words {
      var rest = word
      while rest > 0x7F {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }
    return bytes
  }

  /// - Returns: nil for bytes that are no words.
  static func words(of bytes: [UInt8]) -> [UInt64]? {
    var words: [UInt64] = []
    var (word, shift) = (UInt64(0), UInt64(0))
    for byte in bytes {
      let part = UInt64(byte & 0x7F)
      if shift > 63 || (shift == 63 && part > 1) { return nil }
      word |= part << shift
      shift += 7
      if byte & 0x80 != 0 { continue }
      words.append(word)
      (word, shift) = (0, 0)
    }
    return shift == 0 ? words : nil
  }
}
