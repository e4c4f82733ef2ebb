import Scenario
import Studies

/// What tells one run from another: everything its result depends on, and nothing else.
public struct RunIdentity: Hashable, Sendable {
  /// The scenario's name.
  public let name: String
  /// Eight hexadecimal digits over the resolved scenario, its trace files, what policies that are
  /// processes say of themselves, the seed, the numbers of
  /// replications after which the rule looks, the short form and the seed for simultaneous events.
  public let digest: String

  /// The name of the run folder (contract.md section 7).
  public var folderName: String { "\(name)-\(digest)" }

  /// Of a run that is about to be made.
  public init(_ scenario: StudyScenario, options: StudyOptions) {
    let looks = Study.lookNumbers(
      cap: options.fixedReplications ?? scenario.replications,
      isFixed: options.fixedReplications != nil)
    self.init(
      scenario, seed: options.seed ?? scenario.seed, looks: looks,
      shuffleTies: options.shuffleTies)
  }

  /// Of a run that was made.
  public init(_ result: StudyResult) {
    self.init(
      result.scenario, seed: result.seed, looks: result.looks, shuffleTies: result.shuffleTies,
      live: result.live.map { "\($0.edge)\n\($0.link)" })
  }

  /// Of a live run that is about to be made with ``Study/judge(_:parts:seed:isPartial:)``.
  public init(_ scenario: StudyScenario, seed: UInt64, parts: Int, edge: String, link: String) {
    self.init(scenario, seed: seed, looks: [parts], shuffleTies: nil, live: "\(edge)\n\(link)")
  }

  private init(
    _ scenario: StudyScenario, seed: UInt64, looks: [Int], shuffleTies: UInt64?,
    live: String? = nil
  ) {
    name = scenario.name
    let ties = shuffleTies.map { "\($0)" } ?? "none"
    digest = Digest.digest8(
      scenario.resolvedText
        + "\nseed \(seed)\nlooks \(looks)\nshort \(scenario.isShort)\nties \(ties)\n"
        + scenario.sources.joined(separator: "\n")
        + (live.map { "\nlive\n\($0)" } ?? ""))
  }
}
