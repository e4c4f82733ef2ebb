import FeedPolicy
import ForeignPolicies
import Foundation

/// Plays recorded events of policies through the machines of this program.
public enum PolicyLogReplay {
  /// What came of one log.
  public enum Outcome: Sendable, Equatable {
    /// The machine gave the same commands.
    case equal(events: Int, commands: Int)
    /// The machine gave another command than the line has; lines count from 1.
    case differs(line: Int)
    /// The line is none of a log.
    case malformed(line: Int)
    /// The log names a machine that this program does not know.
    case unknownMachine
    /// There is no file that can be read, and why.
    case unreadable(DocumentRejected)
  }

  /// The names of the machines whose logs can be played.
  public static var machines: [String] {
    PolicyLog.machines.map { "\($0)" } + PolicyPackages.installed.prefetch.map(\.row.word)
  }

  /// Plays the log of a file.
  public static func outcome(ofLog path: String) -> Outcome {
    do throws(DocumentRejected) {
      return outcome(of: try bytes(ofLog: path))
    } catch {
      return .unreadable(error)
    }
  }

  /// The bytes of a log's file.
  public static func bytes(ofLog path: String) throws(DocumentRejected) -> [UInt8] {
    [UInt8](try DocumentRejected.bytes(of: path, expected: "a log"))
  }

  /// Plays a log.
  public static func outcome(of bytes: [UInt8]) -> Outcome {
    switch PolicyLog.replay(bytes) {
    case .equal(let events, let commands): .equal(events: events, commands: commands)
    case .differs(let line): .differs(line: line)
    case .malformed(let line): .malformed(line: line)
    case nil: outcome(ofPackage: bytes)
    }
  }

  /// Plays a log of a package's policy.
  private static func outcome(ofPackage bytes: [UInt8]) -> Outcome {
    guard let name = PolicyLogComparison.name(in: bytes),
      PolicyPackages.installed.prefetch.contains(where: { $0.row.word == name })
    else { return .unknownMachine }
    if !bytes.starts(with: PolicyLog.firstLine) { return .malformed(line: 1) }
    guard let comparison = PolicyLogComparison.of(bytes, limit: 1) else {
      return .malformed(line: 3)
    }
    if let line = comparison.told.first?.differences.first?.line { return .differs(line: line) }
    if let line = comparison.malformed { return .malformed(line: line) }
    return .equal(events: comparison.events, commands: comparison.commands)
  }

  /// The paths of the logs in a folder and below, sorted; a folder `<session>.part` is not whole
  /// and is passed over.
  public static func logs(in folder: String) -> [String] {
    let root = URL(fileURLWithPath: folder)
    guard let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    else { return [] }
    var paths: [String] = []
    for case let url as URL in found {
      if url.pathExtension == "part" { found.skipDescendants() }
      if url.pathExtension == "log" { paths.append(url.path) }
    }
    return paths.sorted()
  }
}
