import Dispatch
import Foundation
import Synchronization

/// Writes the logs of a run's players: `<folder>/<session>/<machine>.log`, one log for each machine
/// that a player drives, as `firstframe replay policy` reads it.
///
/// A session's folder is called `<session>.part` until the session is over, so that whatever has a
/// plain number is whole. Lines are written by a thread of their own, a bounded number of bytes
/// after they came; the caller waits when the disk is slower than that. No file stays open.
///
/// Unchecked: the fields that change belong to the caller's thread, ``writer``'s to its queue.
public final class PolicyLogFolder: @unchecked Sendable {
  /// Lines that are collected before they go to the writer, bytes, and how many such parcels may be
  /// under way (assumed: 64 MB is little beside what a run holds, and is seconds of a slow disk).
  private static let parcelBytes = 1 << 20
  private static let parcels = 64

  private enum Step: Sendable {
    case lines(session: UInt32, machine: String, [UInt8])
    case end(session: UInt32)
  }

  private let writer: Writer
  private let queue = DispatchQueue(label: "policy-logs")
  private let room = DispatchSemaphore(value: PolicyLogFolder.parcels)
  private var steps: [Step] = []
  private var bytes = 0

  /// Makes the folder.
  ///
  /// - Throws: ``HarnessFailure`` when it cannot be made, or holds something.
  public init(_ path: String) throws(HarnessFailure) {
    try EmptyFolder.make(path)
    writer = Writer(path)
  }

  /// Adds lines to a machine's log.
  func add(_ lines: [UInt8], session: UInt32, machine: StaticString) {
    add(lines, session: session, named: "\(machine)")
  }

  /// Likewise; the name is one of a machine.
  func add(_ lines: [UInt8], session: UInt32, named machine: String) {
    steps.append(.lines(session: session, machine: machine, lines))
    bytes += lines.count
    if bytes >= Self.parcelBytes { send() }
  }

  /// A session is over: its logs are whole.
  func end(session: UInt32) { steps.append(.end(session: session)) }

  private func send() {
    if steps.isEmpty { return }
    room.wait()
    let parcel = steps
    steps = []
    bytes = 0
    queue.async { [writer, room] in
      writer.write(parcel)
      room.signal()
    }
  }

  /// Writes what is left.
  ///
  /// - Returns: sessions whose logs are whole.
  /// - Throws: ``HarnessFailure`` when something could not be written, now or before.
  @discardableResult
  public func close() throws(HarnessFailure) -> Int {
    send()
    let outcome = queue.sync { (writer.problem, writer.sessions) }
    if let problem = outcome.0 { throw HarnessFailure(.output, problem) }
    return outcome.1
  }

  /// What writes; only on the queue.
  private final class Writer: @unchecked Sendable {
    private let path: String
    /// Sessions that have a folder.
    private var begun: Set<UInt32> = []
    /// The first thing that went wrong; nothing is written after it.
    private(set) var problem: String?
    private(set) var sessions = 0

    init(_ path: String) { self.path = path }

    func write(_ steps: [Step]) {
      // One write for each log: lines of a parcel are put together first.
      var logs: [String: [UInt8]] = [:]
      for step in steps {
        if problem != nil { return }
        switch step {
        case .lines(let session, let machine, let lines):
          if begun.insert(session).inserted { makeFolder(session) }
          logs["\(folder(session))/\(machine).log", default: []] += lines
        case .end(let session):
          let prefix = "\(folder(session))/"
          for (file, lines) in logs where file.hasPrefix(prefix) {
            append(lines, to: file)
            logs[file] = nil
          }
          finish(session)
        }
      }
      for (file, lines) in logs { append(lines, to: file) }
    }

    private func folder(_ session: UInt32) -> String { "\(path)/\(session).part" }

    private func makeFolder(_ session: UInt32) {
      do {
        try FileManager.default.createDirectory(
          atPath: folder(session), withIntermediateDirectories: true)
      } catch {
        problem = "\(folder(session)): expected a folder that can be made, got \(error)"
      }
    }

    private func append(_ lines: [UInt8], to file: String) {
      if problem != nil { return }
      let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
      if descriptor < 0 {
        problem = "\(file): expected a file that can be written, got error \(errno)"
        return
      }
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      do {
        try handle.write(contentsOf: Data(lines))
        try handle.close()
      } catch {
        problem = "\(file): expected a file that can be written, got \(error)"
      }
    }

    private func finish(_ session: UInt32) {
      if problem != nil || begun.remove(session) == nil { return }
      if rename(folder(session), "\(path)/\(session)") != 0 {
        problem = "\(path)/\(session): expected a name that is free, got error \(errno)"
        return
      }
      sessions += 1
    }
  }
}
