import ForeignPolicies

/// What a scenario says whatever world it is of: its name, how it is run and judged, and where it
/// was read from.
public struct StudyHeader: Sendable {
  public var name: String
  public var description: String
  public var seed: UInt64
  /// Most replications.
  public var replications: Int
  public var budgets: [Budget]
  /// From which change on a metric's change matters, where that is not the default.
  public var thresholds: [MetricThreshold]
  /// Network models of published simulators to put beside ours.
  public var comparedNetworks: [ComparedNetwork] = []
  /// How the traffic is priced; nil: it is not.
  public var cost: CostPlan?
  /// What a sweep of the scenario varies.
  public var sweep: SweepPlan
  /// Whether this is the short form.
  public var isShort: Bool
  /// Keys that a page of the scenario turns beside the usual ones.
  public var whatIf: [String] = []
  /// Every key that says what is run, with its value; what a digest is over.
  public var resolvedText: String
  public var file: ScenarioFile
  /// The keys that were set after the file.
  public internal(set) var overrides: [Override] = []
  /// The text that the scenario was parsed from; nil for one that was loaded.
  var text: String?
  /// Names and digests of the other files that the scenario was built from.
  public var inputs: [String] = []
  /// Those files.
  public var inputFiles: [ScenarioInput] = []
  /// Policies that are processes, as they call themselves: what runs depends on beside the files.
  public var policies: [PolicyIdentity] = []

  /// What a result depends on beside the resolved scenario: the other files and the policies, each
  /// by name and digest.
  public var sources: [String] { inputs + policies.map(\.words) }

  /// The text of `scenario.resolved.yaml`: ``resolvedText``, and the keys that say only what is
  /// shown.
  public var writtenText: String { resolvedText + file.shownText }

  /// Eight hexadecimal digits over the resolved scenario, the seed and the replications; part of
  /// the result folder's name.
  public var digest: String {
    Digest.digest8(
      "\(resolvedText)\nseed \(seed)\nreplications \(replications)\nshort \(isShort)\n"
        + sources.joined(separator: "\n"))
  }

  /// The header of a checked file.
  init(
    _ file: ScenarioFile, short: Bool, budgets: [Budget], thresholds: [MetricThreshold],
    sweep: SweepPlan
  ) {
    let tree = file.tree
    name = tree.text("name")
    description = tree.text("description")
    seed = UInt64(tree.integer("seed"))
    replications = Int(tree.integer(short ? "short.replications" : "replications"))
    self.budgets = budgets
    self.thresholds = thresholds
    self.sweep = sweep
    isShort = short
    resolvedText = file.resolvedText
    if tree.hasKey("whatIf") { whatIf = tree.elements("whatIf").map { $0.text() } }
    self.file = file
  }
}
