import Foundation
import MediaUnits
import SimulationKernel

/// The sessions that a run in a browser has ended, kept as they end, so that a run which was
/// stopped goes on with those that are missing.
///
/// A file of JSON lines: whose sessions they are, a line for each session, and one for each begin
/// and end of a piece of the run. A line counts when its line feed is there: what was cut off in
/// the middle is dropped when the file is opened. One run at a time keeps in a folder.
public struct BrowserSessionStore: Sendable {
  /// The name of the file in its folder.
  public static let fileName = "sessions.jsonl"

  /// One session that has ended.
  struct Kept: Codable, Equatable {
    var session: UInt32
    /// Nanoseconds of the run.
    var begin: Int64
    var isLate: Bool
    /// What the page returned; nil for one that failed.
    var report: String?
    var failure: String?
    var hasCrashed = false
  }

  private struct Head: Codable, Equatable {
    var schema = 1
    var kind = "firstframe.sessions"
    var identity: String
  }

  /// The end of a piece.
  private struct Piece: Codable {
    /// Why the generator was not healthy in it.
    var reasons: [String]
  }

  private struct Line: Codable {
    var kept: Kept?
    var piece: Piece?
    /// A piece begins.
    var begins: Bool?
  }

  private let file: FileHandle
  /// In the order in which they ended.
  private(set) var kept: [Kept] = []
  /// Pieces that have begun, and those that have ended; why their generators were not healthy.
  private(set) var pieces = 0
  private var endedPieces = 0
  private(set) var reasons: [String] = []

  /// Opens the store in a folder, which is made where there is none.
  ///
  /// - Parameter identity: of all that decides what a session is; a store of another one is
  ///   refused.
  public init(_ folder: String, identity: String) throws(HarnessFailure) {
    let path = "\(folder)/\(Self.fileName)"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      if !FileManager.default.fileExists(atPath: path) {
        try Data().write(to: URL(fileURLWithPath: path))
      }
      file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    } catch {
      throw HarnessFailure(.output, "\(path): expected a file that can be written, got \(error)")
    }
    if flock(file.fileDescriptor, LOCK_EX | LOCK_NB) != 0 {
      throw HarnessFailure(.output, "\(path): expected no other run that keeps here, got one")
    }
    let bytes: Data
    do {
      bytes = try file.readToEnd() ?? Data()
    } catch {
      throw HarnessFailure(.input, "\(path): expected a file that can be read, got \(error)")
    }
    let whole = bytes.lastIndex(of: 0x0A).map { bytes[...$0] } ?? Data()
    let lines = whole.split(separator: 0x0A)
    let decoder = JSONDecoder()
    if let first = lines.first {
      guard let head = try? decoder.decode(Head.self, from: first),
        head.kind == Head(identity: "").kind, head.schema == 1
      else {
        throw HarnessFailure(
          .data, "\(path):1:1: expected the sessions of a run in a browser, got another file")
      }
      if head.identity != identity {
        throw HarnessFailure(
          .data,
          "\(path):1:1: identity: expected the sessions of this scenario, seed, page, edge, link "
            + "and viewers, got those of others; take another folder")
      }
    } else if !bytes.isEmpty && bytes.first != UInt8(ascii: "{") {
      throw HarnessFailure(
        .data, "\(path):1:1: expected the sessions of a run in a browser, got another file")
    }
    for (number, line) in lines.enumerated().dropFirst() {
      guard let line = try? decoder.decode(Line.self, from: line) else {
        throw HarnessFailure(.data, "\(path):\(number + 1):1: expected a session, got another line")
      }
      if let session = line.kept { kept.append(session) }
      if line.begins == true { pieces += 1 }
      if let piece = line.piece {
        endedPieces += 1
        reasons += piece.reasons
      }
    }
    if pieces > endedPieces {
      reasons.append("it was killed, and nobody knows how healthy its generator was")
    }
    do {
      try file.truncate(atOffset: UInt64(whole.count))
      try file.seekToEnd()
      if lines.isEmpty { try file.write(contentsOf: Self.line(Head(identity: identity))) }
    } catch {
      throw HarnessFailure(.output, "\(path): expected a file that can be cut, got \(error)")
    }
  }

  /// Names all that decides what a session is.
  public static func identity(_ configuration: [UInt8], _ more: [String]) -> String {
    Checksum.text(configuration + Array("\n\(more.joined(separator: "\n"))".utf8))
  }

  /// Keeps a session; it is on the disk when this returns.
  mutating func add(_ session: Kept) throws {
    try write(Line(kept: session))
    kept.append(session)
  }

  /// A piece of the run begins.
  mutating func beginPiece() throws {
    try write(Line(begins: true))
    pieces += 1
  }

  /// It is over.
  mutating func endPiece(reasons: [String]) throws {
    try write(Line(piece: Piece(reasons: reasons)))
    endedPieces += 1
  }

  private func write(_ line: Line) throws {
    try file.write(contentsOf: try Self.line(line))
    try file.synchronize()
  }

  private static func line(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(value)) + [0x0A]
  }
}
