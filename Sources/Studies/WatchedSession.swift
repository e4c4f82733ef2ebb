import MediaUnits
import Models
import Scenario
import SimulationKernel

/// One replication made again with one of its sessions written down.
public struct WatchedSession: Sendable {
  public let scenario: FeedStudy
  public let seed: UInt64
  public let replication: UInt16
  public let recording: SessionRecording
  /// Of the replication: the same as in a run that watches nobody.
  public let fingerprint: Fingerprint
  /// Starts later than this are late, as in the run's report.
  public let lateLimit: TimeSpan

  /// Why there is nothing to show.
  public struct Missing: Error, Equatable, Sendable, CustomStringConvertible {
    public let expected: String
    public let got: String
    public var description: String { "expected \(expected), got \(got)" }
  }

  /// Runs a replication as ``Study`` does and writes one session down.
  ///
  /// - Parameter item: an item that the session must have viewed; nil for any.
  /// - Throws: ``Missing`` when the replication has no such session, or the session no such item;
  ///   or ``SimulationError``.
  public static func run(
    _ scenario: FeedStudy, session: UInt32, replication: UInt16, item: UInt32? = nil,
    pilots: Pilots = Pilots()
  ) throws -> WatchedSession {
    guard scenario.fullScreen != nil else {
      throw Missing(
        expected: "a scenario of full-screen items: the sessions of a mixed feed are not written "
          + "down step by step; its report and firstframe why RUN_FOLDER show where time goes",
        got: "\(scenario.name), which has a surface")
    }
    let plan = try pilots.plan(
      scenario.configuration, seed: scenario.seed, replication: replication)
    let result = try FeedRun.run(
      scenario.configuration, plan: plan, seed: scenario.seed, replication: replication,
      watching: session)
    guard let recording = result.recording, recording.beganAt != nil else {
      throw missing(session, replication, result.measures.views)
    }
    if let item { try check(item, recording) }
    return WatchedSession(
      scenario: scenario, seed: scenario.seed, replication: replication, recording: recording,
      fingerprint: result.fingerprint, lateLimit: Study.lateLimit(scenario.budgets))
  }

  private static func check(_ item: UInt32, _ recording: SessionRecording) throws(Missing) {
    let items = Set(recording.views.map(\.record.item)).sorted()
    if items.contains(item) { return }
    let range = items.isEmpty ? "none" : "\(items[0])...\(items[items.count - 1])"
    throw Missing(
      expected: "an item that session \(recording.session) viewed (\(range))", got: "\(item)")
  }

  /// Says how many sessions there are, and which stand nearest.
  private static func missing(
    _ session: UInt32, _ replication: UInt16, _ views: [ViewRecord]
  ) -> Missing {
    let sessions = Set(views.map(\.session)).sorted()
    guard let first = sessions.first, let last = sessions.last else {
      return Missing(
        expected: "a session of replication \(replication), which has none",
        got: "\(session)")
    }
    let near = sessions.sorted { a, b in
      let (left, right) = (abs(Int64(a) - Int64(session)), abs(Int64(b) - Int64(session)))
      return left != right ? left < right : a < b
    }
    let names = near.prefix(5).sorted().map { "\($0)" }.joined(separator: ", ")
    return Missing(
      expected: "one of the \(sessions.count) sessions with views in replication \(replication) "
        + "(\(first)...\(last)), for example \(names)",
      got: "\(session)")
  }
}
