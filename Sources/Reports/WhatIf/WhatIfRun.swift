import Foundation
import Scenario
import SimulationKernel
import Studies

/// A finished run of a feed, from its folder, that a page may simulate again.
public struct WhatIfRun: Sendable {
  /// The scenario as it was run.
  public let study: FeedStudy
  /// Replications that were run.
  public let replications: Int
  private let record: RunRecord
  private let folder: String

  /// Reads a run folder.
  ///
  /// - Throws: ``DocumentRejected`` for a run that a page cannot make again: of another world, of a
  ///   mixed feed, against real servers, with policies of others, by another version;
  ///   ``ScenarioRejected`` where its scenario cannot be read any more.
  public init(_ folder: String) throws {
    let path = "\(folder)/result.json"
    let record = try ReadResult.load(folder).record
    try WhatIfRun.check(record, path)
    let scenario = try StudyScenario.load(
      "\(folder)/scenario.resolved.yaml", short: record.scenario.short)
    guard let study = scenario.fullScreenFeed else {
      throw DocumentRejected(
        path: path, expected: "a run of a feed of full-screen items", got: "another one")
    }
    if let policy = scenario.policies.first {
      throw WhatIfRun.foreign(path, "\(policy.name) \(policy.version)")
    }
    let options = WhatIfRun.options(record, threads: 1)
    let digest = RunIdentity(scenario, options: options).digest
    if digest != record.scenario.digest {
      throw DocumentRejected(
        path: path,
        expected: "a run of scenario.resolved.yaml beside it, whose digest is \(digest)",
        got: "one whose digest is \(record.scenario.digest)")
    }
    self.folder = folder
    self.record = record
    self.study = study
    replications = record.replications.run
  }

  /// How the run is made again.
  public func options(threads: Int) -> StudyOptions {
    WhatIfRun.options(record, threads: threads)
  }

  /// A single look is what a fixed number of replications has.
  private static func options(_ record: RunRecord, threads: Int) -> StudyOptions {
    let looks = record.replications.looks
    return StudyOptions(
      threads: threads, fixedReplications: looks.count == 1 ? looks.first : nil,
      seed: record.seed)
  }

  /// Refuses what the record itself says cannot be made again.
  private static func check(_ record: RunRecord, _ path: String) throws(DocumentRejected) {
    func rejected(_ expected: String, _ got: String) -> DocumentRejected {
      DocumentRejected(path: path, expected: expected, got: got)
    }
    if let world = record.world {
      throw rejected("a run of a feed", "one of the world \(world.name)")
    }
    if record.live != nil { throw rejected("a simulated run", "one against real servers") }
    if record.shuffleTies != nil {
      throw rejected("a run without --shuffle-ties", "one with it")
    }
    if let policy = record.scenario.policies?.first {
      throw foreign(path, "\(policy.name) \(policy.version)")
    }
    if record.replications.partial || record.replications.run < 1 {
      throw rejected("a run that came to its end", "one that was cut short")
    }
  }

  private static func foreign(_ path: String, _ name: String) -> DocumentRejected {
    DocumentRejected(
      path: path,
      expected: "a run whose policies are all the program's, since a page has no others",
      got: "one with \(Excerpt.oneLine(name))")
  }

  /// Refuses a run that this program does not come to again: one of another version of its models.
  ///
  /// - Parameter fingerprints: of its replications, run again, by number.
  public func check(_ fingerprints: [Fingerprint]) throws(DocumentRejected) {
    if fingerprints.count != replications {
      throw DocumentRejected(
        path: "\(folder)/result.json",
        expected: "a run that ends where run ends, after \(fingerprints.count) replications",
        got: "one of \(replications), such as a gate's")
    }
    var all = Fingerprint()
    for (number, value) in fingerprints.enumerated() {
      all.add(part: number, value)
    }
    let found = all.digits
    if found != record.fingerprint {
      throw DocumentRejected(
        path: "\(folder)/result.json",
        expected: "a run by this version of the program, whose fingerprint is \(found)",
        got: "one whose fingerprint is \(record.fingerprint); run it again")
    }
  }

  /// What the page says of the run.
  ///
  /// - Parameter hasReport: whether `report.html` stands beside it.
  func identity(hasReport: Bool) -> WhatIfPage.Identity {
    WhatIfPage.Identity(
      name: record.scenario.name, description: record.scenario.description,
      digest: record.scenario.digest, file: file,
      isShort: record.scenario.short, arguments: arguments, seed: record.seed,
      replications: replications,
      viewsPerReplication: Double(record.views) / Double(replications),
      report: hasReport ? HTMLReport.fileName : nil, viewers: Exemplars(record).shown)
  }

  /// What the command line has behind the scenario file.
  private var arguments: [String] {
    let (cap, looks) = (record.replications.cap, record.replications.looks)
    let isOwn = study.replications == cap && looks == Study.lookNumbers(cap: cap, isFixed: false)
    return (record.scenario.short ? ["--short"] : [])
      + (isOwn ? [] : ["--replications", "\(cap)"])
  }

  /// The scenario file for the command line: the one that was run, where it still says the same;
  /// else the resolved one.
  private var file: String {
    /// What of `provenance.json` says which file was run.
    struct Provenance: Decodable { var arguments: [String] }
    if let text = InputFile.text(at: "\(folder)/provenance.json"),
      let provenance = try? JSONReader.decode(
        Provenance.self, from: Data(text.utf8), within: .told),
      let file = provenance.arguments.dropFirst().first(where: { $0.hasSuffix(".yaml") }),
      let again = try? StudyScenario.load(file, short: record.scenario.short),
      again.resolvedText == study.resolvedText
    {
      return file
    }
    return "\(folder)/scenario.resolved.yaml"
  }
}
