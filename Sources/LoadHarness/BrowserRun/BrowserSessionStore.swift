import Foundation
import MediaUnits
import Scenario
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
    /// Of what was played alone; missing in older files.
    var played: String?
    /// What the draws were of; missing in older files.
    var seed: UInt64?
  }

  /// What a store holds.
  public struct Contents: Sendable {
    /// What was played, as ``identity(_:_:)`` has it; nil where an older run has not said.
    public var played: String?
    /// What its draws were of; nil where an older run has not said.
    public var seed: UInt64?
    /// In the order in which they ended.
    var kept: [Kept] = []
    /// Pieces that have begun, and those that have ended; why their generators were not healthy.
    var pieces = 0
    var endedPieces = 0
    var reasons: [String] = []
    var versions: Set<String> = []
    var decoders: Set<String> = []

    /// How many sessions there are.
    public var count: Int { kept.count }
  }

  /// The end of a piece.
  private struct Piece: Codable {
    /// Why the generator was not healthy in it.
    var reasons: [String]
    /// The browser, as it calls itself, and what the first session's players decoded with; missing
    /// in older files.
    var version: String?
    var decoders: [String]?
  }

  private struct Line: Codable {
    var kept: Kept?
    var piece: Piece?
    /// A piece begins.
    var begins: Bool?
  }

  private let file: FileHandle
  private var contents = Contents()
  var kept: [Kept] { contents.kept }
  var pieces: Int { contents.pieces }
  var reasons: [String] { contents.reasons }

  /// Opens the store in a folder, which is made where there is none.
  ///
  /// - Parameters:
  ///   - identity: of all that decides what a session is; a store of another one is refused.
  ///   - played: of what is played alone, for ``read(_:)``.
  ///   - seed: what the draws are of, for ``read(_:)``.
  public init(
    _ folder: String, identity: String, played: String? = nil, seed: UInt64? = nil
  ) throws(HarnessFailure) {
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
    if let head = try Self.head(of: whole, path) {
      if head.identity != identity {
        throw HarnessFailure(
          .data,
          "\(path):1:1: identity: expected the sessions of this scenario, seed, page, edge, link "
            + "and viewers, got those of others; take another folder")
      }
    } else if !bytes.isEmpty && bytes.first != UInt8(ascii: "{") {
      throw Self.isAnotherFile(path)
    }
    contents = try Self.contents(of: whole, path)
    do {
      try file.truncate(atOffset: UInt64(whole.count))
      try file.seekToEnd()
      if whole.isEmpty {
        try file.write(contentsOf: Self.line(Head(identity: identity, played: played, seed: seed)))
      }
    } catch {
      throw HarnessFailure(.output, "\(path): expected a file that can be cut, got \(error)")
    }
  }

  /// Reads the sessions of a run that is over, whatever program has made it.
  public static func read(_ folder: String) throws(HarnessFailure) -> Contents {
    let path = "\(folder)/\(fileName)"
    let bytes: Data
    do throws(InputFile.Failure) {
      bytes = Data(try InputFile.bytes(at: path, limit: JSONReader.Limits.document.bytes))
    } catch {
      let got = error.code == .missingFile ? "no file" : error.got
      throw HarnessFailure(
        .input, "\(path): expected the sessions of a run with --keep, got \(got)")
    }
    let whole = bytes.lastIndex(of: 0x0A).map { bytes[...$0] } ?? Data()
    guard let head = try Self.head(of: whole, path) else { throw isAnotherFile(path) }
    var contents = try Self.contents(of: whole, path)
    contents.played = head.played
    contents.seed = head.seed
    return contents
  }

  /// - Returns: nil where there is no whole line.
  private static func head(of whole: Data, _ path: String) throws(HarnessFailure) -> Head? {
    guard let first = whole.split(separator: 0x0A).first else { return nil }
    guard let head = try? JSONReader.decode(Head.self, from: Data(first), within: .message),
      head.kind == Head(identity: "").kind, head.schema == 1
    else { throw isAnotherFile(path) }
    return head
  }

  private static func isAnotherFile(_ path: String) -> HarnessFailure {
    HarnessFailure(
      .data, "\(path):1:1: expected the sessions of a run in a browser, got another file")
  }

  private static func contents(
    of whole: Data, _ path: String
  ) throws(HarnessFailure) -> Contents {
    var contents = Contents()
    let decoder = JSONDecoder()
    for (number, line) in whole.split(separator: 0x0A).enumerated().dropFirst() {
      guard
        let line = try? JSONReader.decode(
          Line.self, from: Data(line), within: .message, by: decoder)
      else {
        throw HarnessFailure(.data, "\(path):\(number + 1):1: expected a session, got another line")
      }
      if let session = line.kept { contents.kept.append(session) }
      if line.begins == true { contents.pieces += 1 }
      if let piece = line.piece {
        contents.endedPieces += 1
        contents.reasons += piece.reasons
        if let version = piece.version { contents.versions.insert(version) }
        contents.decoders.formUnion(piece.decoders ?? [])
      }
    }
    if contents.pieces > contents.endedPieces {
      contents.reasons.append("it was killed, and nobody knows how healthy its generator was")
    }
    return contents
  }

  /// Names all that decides what a session is.
  public static func identity(_ configuration: [UInt8], _ more: [String]) -> String {
    Checksum.text(configuration + Array("\n\(more.joined(separator: "\n"))".utf8))
  }

  /// Keeps a session; it is on the disk when this returns.
  mutating func add(_ session: Kept) throws {
    try write(Line(kept: session))
    contents.kept.append(session)
  }

  /// A piece of the run begins.
  mutating func beginPiece() throws {
    try write(Line(begins: true))
    contents.pieces += 1
  }

  /// It is over.
  mutating func endPiece(
    reasons: [String], version: String? = nil, decoders: Set<String> = []
  ) throws {
    try write(
      Line(piece: Piece(reasons: reasons, version: version, decoders: decoders.sorted())))
    contents.endedPieces += 1
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
