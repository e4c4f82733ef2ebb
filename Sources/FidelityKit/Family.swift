import Scenario

/// Scenarios of one kind: the cases that our model is given, and what is made of its answers.
public struct Family: Sendable {
  public let name: String
  public let cases: [TransferCaseEntry]
  /// The report from the results of ``cases``, in their order.
  let evaluate: @Sendable ([TransferCaseResult]) -> FamilyReport

  init(
    _ name: String, _ cases: [TransferCaseEntry],
    evaluate: @escaping @Sendable ([TransferCaseResult]) -> FamilyReport
  ) {
    self.name = name
    self.cases = cases
    self.evaluate = evaluate
  }

  /// Reads what the repository has and makes every family; ``PublishedSet`` has more.
  public static func all(_ reference: Reference) throws(ReferenceError) -> [Family] {
    var families = try SingleFetch.families(reference)
    families += try RandomLoss.families(reference)
    families += try SharedBottleneckFamily.families(reference)
    families += [try TwoClasses.family(reference), try RateSteps.family(reference)]
    families += [try Persistent.family(reference)]
    families += try PoissonArrivals.families(reference)
    families += [try SecureFetch.family(reference), try Multiplexed.family(reference)]
    families.append(try Multiplexed.feed(reference))
    families += StaggeredResponses.families()
    families += QueuedConnections.families()
    families.append(try Emulation.family(reference, named: "emulation"))
    families += try QUICFetch.families(reference)
    return families
  }

  /// Runs the cases of all families side by side and reports in the order of `families`.
  public static func run(_ families: [Family], threads: Int) async -> [FamilyReport] {
    let results = await TransferCaseResult.run(families.flatMap(\.cases), threads: threads)
    var reports: [FamilyReport] = []
    var next = 0
    for family in families {
      reports.append(family.evaluate(Array(results[next..<next + family.cases.count])))
      next += family.cases.count
    }
    return reports
  }
}

/// Errors of several predictors, collected row by row.
struct ErrorTable {
  private var errors: [(name: String, values: [Double])] = []

  /// Notes a prediction against the truth; a prediction that does not exist is passed over.
  mutating func add(_ name: String, _ predicted: Double?, _ truth: Double) {
    guard let predicted else { return }
    let error = Sample.error(predicted, truth)
    if let place = errors.firstIndex(where: { $0.name == name }) {
      errors[place].values.append(error)
    } else {
      errors.append((name, [error]))
    }
  }

  mutating func add(_ peers: [PeerFormula: Double], _ truth: Double) {
    for peer in PeerFormula.allCases { add(peer.name, peers[peer], truth) }
  }

  /// In the order in which the names came.
  var lines: [FidelityLine?] { errors.map { FidelityLine($0.name, $0.values) } }

  /// The summary of a predictor that was added.
  func summary(_ name: String) -> ErrorSummary {
    guard let entry = errors.first(where: { $0.name == name }) else {
      preconditionFailure("no row was compared with \(name)")
    }
    return ErrorSummary(entry.values)
  }
}

/// The name of our model's line: with the tiers that ran.
func ours(_ results: [TransferCaseResult], _ part: String = "") -> String {
  var tiers: [String] = []
  for result in results where !tiers.contains(result.tier.word) { tiers.append(result.tier.word) }
  return "FirstFrame (\(tiers.joined(separator: ", ")))" + (part.isEmpty ? "" : " \(part)")
}

extension TransferCaseResult {
  /// Duration of a flow in the first replication, ms; infinite when it never ends.
  func duration(_ flow: Int = 0) -> Double {
    Sample.milliseconds(replications[0].timings[flow].duration)
  }

  /// Durations of a flow in all replications, ms.
  func durations(_ flow: Int = 0) -> [Double] {
    replications.map { Sample.milliseconds($0.timings[flow].duration) }
  }
}
