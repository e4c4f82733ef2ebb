import Foundation
import Models
import Scenario
import Synchronization

/// Finished replications on disk, by what they depend on: a study that was killed goes on where it
/// was, and one that several machines share takes what each has found.
///
/// One file holds one replication. It is written beside its place, brought to the disk and moved
/// there, so that it is whole or absent; one that is not as it was written counts as absent.
public final class ShardStore: Sendable {
  /// Whose replications are taken.
  public enum Builds: Sendable {
    /// Those of this build of the program: what a developer changes is seen at once.
    case own
    /// Those of every build of the same model version.
    case any
    /// None: all that is asked for counts as missing.
    case nobody
  }

  /// The folder with the files.
  public let folder: String
  private let origin: ShardOrigin
  private let builds: Builds
  /// Nothing is simulated: what is not there is listed as ``wanted``.
  public let isClosed: Bool
  /// Whether all that is asked for counts as missing, so that it will be planned.
  var isEmpty: Bool { builds == .nobody }
  private let listed = Mutex<Listed>(Listed())
  private let drafts = Atomic<Int>(0)

  private struct Listed {
    var wanted: [WantedReplication] = []
    var names: Set<String> = []
  }

  public init(
    folder: String, origin: ShardOrigin, builds: Builds = .own, isClosed: Bool = false
  ) {
    self.folder = folder
    self.origin = origin
    self.builds = builds
    self.isClosed = isClosed
  }

  /// Of one machine.
  ///
  /// - Parameter program: what tells this build of the program from others.
  public convenience init(folder: String, program: String) {
    self.init(folder: folder, origin: ShardOrigin(build: program, machine: ""))
  }

  /// The replications of a subject.
  public func series(_ subject: ShardSubject) -> ShardSeries { ShardSeries(self, subject) }

  /// Those of a scenario.
  func series(
    _ scenario: StudyScenario, seed: UInt64, metrics: [MetricReference], kind: ShardSubject.Kind,
    shuffleTies: UInt64? = nil, network: NetworkModel? = nil
  ) -> ShardSeries {
    series(
      ShardSubject(
        scenario, seed: seed, metrics: metrics, kind: kind, shuffleTies: shuffleTies,
        network: network, isPlanned: isClosed))
  }

  /// What was asked for and is not there, in the order in which it was asked for.
  public var wanted: [WantedReplication] { listed.withLock { $0.wanted } }

  /// - Throws: ``ReplicationsMissing`` when something was asked for that is not there, and nothing
  ///   is to be simulated.
  public func checkNothingIsMissing() throws(ReplicationsMissing) {
    let wanted = wanted
    if isClosed && !wanted.isEmpty { throw ReplicationsMissing(wanted) }
  }

  fileprivate func want(_ wanted: WantedReplication) {
    listed.withLock { listed in
      guard listed.names.insert(wanted.name).inserted else { return }
      listed.wanted.append(wanted)
    }
  }

  /// Bytes of a file at most.
  private static let largest = 1 << 30

  fileprivate func path(_ name: String) -> String { "\(folder)/\(name.prefix(2))/\(name).shard" }

  /// What lies under a name.
  enum Found: Sendable, Equatable {
    case file(ShardFile)
    case absent
    /// There is a file, and not as it was written.
    case damaged
  }

  func found(_ name: String) -> Found {
    do throws(InputFile.Failure) {
      let data = Data(try InputFile.bytes(at: path(name), limit: ShardStore.largest))
      return ShardFile(data, name: name).map { .file($0) } ?? .damaged
    } catch {
      return error.code == .largeFile ? .damaged : .absent
    }
  }

  fileprivate func content(_ name: String) -> [UInt8]? {
    if builds == .nobody { return nil }
    guard case .file(let file) = found(name) else { return nil }
    return builds == .any || file.origin.build == origin.build ? file.content : nil
  }

  /// Keeps a file, and returns when it is on the disk.
  ///
  /// - Throws: an error of the file system.
  fileprivate func keep(_ content: [UInt8], as name: String, seconds: Double?) throws {
    try HeldSignals.during { try write(content, as: name, seconds: seconds) }
  }

  private func write(_ content: [UInt8], as name: String, seconds: Double?) throws {
    var own = origin
    own.seconds = seconds
    let place = path(name)
    let parent = String(place.dropLast(name.count + ".shard".count + 1))
    try FileManager.default.createDirectory(
      atPath: parent, withIntermediateDirectories: true)
    let process = ProcessInfo.processInfo.processIdentifier
    let number = drafts.add(1, ordering: .relaxed).newValue
    let draft = "\(parent)/\(name)-\(origin.machine.hashed)-\(process)-\(number).draft"
    do {
      try ShardFile(origin: own, content: content).data(name: name)
        .write(to: URL(fileURLWithPath: draft))
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: draft))
      try file.synchronize()
      try file.close()
      if rename(draft, place) != 0 { throw CocoaError(.fileWriteUnknown) }
    } catch {
      try? FileManager.default.removeItem(atPath: draft)
      throw error
    }
    // The name, too: a file whose folder is not on the disk is gone after a power cut.
    if let folder = FileHandle(forReadingAtPath: parent) {
      try? folder.synchronize()
      try? folder.close()
    }
  }
}

extension String {
  /// Eight hexadecimal digits for a name that may hold anything.
  fileprivate var hashed: String { String(SHA256.text(of: utf8).prefix(8)) }
}

/// A replication that a study asks for and that is not kept.
public struct WantedReplication: Sendable {
  public let subject: ShardSubject
  public let replication: Int

  var name: String { ShardFile.name(subject.key, replication) }
}

/// A study asked for replications that are not kept, and may simulate none.
public struct ReplicationsMissing: Error, Sendable {
  /// In the order in which they were asked for.
  public let wanted: [WantedReplication]

  public init(_ wanted: [WantedReplication]) { self.wanted = wanted }
}

/// The kept replications of one subject.
public struct ShardSeries: Sendable {
  private let store: ShardStore
  let subject: ShardSubject

  fileprivate init(_ store: ShardStore, _ subject: ShardSubject) {
    self.store = store
    self.subject = subject
  }

  /// Nothing is simulated.
  public var isClosed: Bool { store.isClosed }

  private func name(_ replication: Int) -> String { ShardFile.name(subject.key, replication) }

  /// A replication that was finished before, of a subject whose digests are kept.
  func digest(_ replication: Int) -> ReplicationDigest? {
    guard let content = store.content(name(replication)),
      let words = PackedWords.words(of: content), let digest = ReplicationDigest(words: words),
      Int(digest.replication) == replication
    else { return nil }
    return digest
  }

  /// What was kept of a replication that ran into a limit of the simulation.
  func stop(_ replication: Int) -> KeptStop? {
    store.content(name(replication)).flatMap { KeptStop($0) }
  }

  /// What is kept of a replication, of whatever kind.
  public func content(_ replication: Int) -> [UInt8]? { store.content(name(replication)) }

  /// Its record: what is kept, or what follows from the digest, with its times.
  func record(_ replication: Int) -> ReplicationRecord? {
    if subject.kind == .digest {
      return digest(replication).map { ReplicationRecord($0, keepsTimes: true) }
    }
    guard let content = store.content(name(replication)),
      let record = try? JSONReader.decode(ReplicationRecord.self, from: Data(content)),
      record.replication == replication
    else { return nil }
    return record
  }

  /// What is kept of a replication.
  func content(_ digest: ReplicationDigest) throws -> [UInt8] {
    switch subject.kind {
    case .digest: return PackedWords.bytes(of: digest.words)
    case .record: return try content(ReplicationRecord(digest))
    case .views, .seeds: preconditionFailure("\(subject.kind) is not made of digests")
    }
  }

  private func content(_ record: ReplicationRecord) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return [UInt8](try encoder.encode(record))
  }

  /// Keeps a replication, and returns when it is on the disk.
  ///
  /// - Throws: an error of the file system.
  func keep(_ digest: ReplicationDigest, seconds: Double? = nil) throws {
    try store.keep(
      content(digest), as: name(Int(digest.replication)), seconds: seconds)
  }

  /// Keeps what was found of a replication.
  ///
  /// - Throws: an error of the file system.
  func keep(_ content: [UInt8], of replication: Int, seconds: Double? = nil) throws {
    try store.keep(content, as: name(replication), seconds: seconds)
  }

  /// Keeps a record.
  ///
  /// - Precondition: records are what is kept of the subject.
  /// - Throws: an error of the file system.
  func keep(_ record: ReplicationRecord) throws {
    precondition(subject.kind == .record)
    try store.keep(content(record), as: name(record.replication), seconds: nil)
  }

  /// Lists a replication as missing.
  public func want(_ replication: Int) {
    store.want(WantedReplication(subject: subject, replication: replication))
  }

  /// What lies under a replication's name.
  func found(_ replication: Int) -> ShardStore.Found { store.found(name(replication)) }
}
