import Models
import Scenario
import SimulationKernel

/// A subject together with what it names, read again.
public struct OpenedSubject: Sendable {
  let subject: ShardSubject
  /// Nil: a protocol that is known by its name.
  let scenario: StudyScenario?

  /// ``ShardSubject/key``.
  public var key: String { subject.key }

  /// - Parameter subject: what it is of, given the scenario.
  /// - Throws: ``ScenarioRejected`` when the scenario cannot be loaded; what `subject` throws.
  init(
    _ source: ShardSubject.Source, _ subject: (StudyScenario?) throws -> ShardSubject
  ) throws {
    scenario =
      source.file.isEmpty
      ? nil
      : try StudyScenario.load(
        source.file, overrides: source.overrides, short: source.isShort)
    self.subject = try subject(scenario)
  }
}

/// Does replications of one subject, whatever is kept of them.
struct ShardWorker {
  private let opened: OpenedSubject
  private let pilots: Pilots
  /// Of subjects that are made of digests; or why there are none.
  private let runner: Result<ReplicationRunner, SimulationError>?

  /// Runs what replications have in common.
  init(_ opened: OpenedSubject, _ pilots: Pilots, threads: Int) {
    self.opened = opened
    self.pilots = pilots
    switch opened.subject.kind {
    case .views, .seeds: runner = nil
    case .digest, .record:
      runner = Result { () throws(SimulationError) in
        var made = try opened.runner(pilots)
        made.partThreads = threads
        return made
      }
    }
  }

  /// What is kept of a replication; nil when it was given up.
  ///
  /// - Throws: ``SimulationKernel/SimulationError`` of a record's replication; an error of the file
  ///   system.
  func content(_ number: Int, of series: ShardSeries, stop: StopRequest) throws -> [UInt8]? {
    switch (opened.subject.kind, runner) {
    case (.digest, let runner?), (.record, let runner?):
      do {
        return try runner.get().digest(number, stop: stop).map { try series.content($0) }
      } catch let error as SimulationError where opened.subject.kind == .digest {
        return KeptStop(error).content
      }
    case (.views, _):
      guard let study = opened.scenario?.feed, BacktestPrediction.predicts(study) else {
        preconditionFailure("views are those of a feed")
      }
      let found = try BacktestPrediction.replication(number, of: study, pilots)
      return PackedWords.bytes(of: found.words)
    case (.seeds, _):
      let search = FuzzBlock(opened.subject.block(number))
      let words =
        try opened.scenario.map { try $0.plan.studied.shown(to: search) }
        ?? FuzzCatalogue.visit(opened.subject.source.name, search)
      guard let words else { preconditionFailure("a search is of a protocol") }
      // A search with a machine that commanded what cannot be done says nothing.
      if opened.scenario?.plan.studied.hasFailed == true {
        stop.abandon()
        return nil
      }
      return PackedWords.bytes(of: words)
    case (.digest, nil), (.record, nil): preconditionFailure("digests have a runner")
    }
  }
}

extension OpenedSubject {
  /// Replications that end as a digest.
  ///
  /// - Throws: ``SimulationKernel/SimulationError`` when a pilot runs into a limit.
  fileprivate func runner(_ pilots: Pilots) throws(SimulationError) -> ReplicationRunner {
    guard let scenario else { preconditionFailure("replications are those of a scenario") }
    let peer = subject.network.flatMap { model in
      scenario.comparedNetworks.first { $0.model == model }?.plan
    }
    return try ReplicationRunner(
      peer ?? scenario.plan,
      ReplicationRequest(
        seed: subject.seed, metrics: subject.metrics,
        lateLimit: Study.lateLimit(scenario.budgets), shuffleTies: subject.shuffleTies,
        pilots: pilots))
  }
}
