import MediaUnits
import Models
import Scenario
import Studies

/// The timelines of the views that a run's report names: each session simulated again, as
/// `firstframe trace` does.
public struct Timelines: Sendable {
  let record: TimelineRecord

  /// Events that are simulated again at most: a sixteenth of the run's, or what takes less than
  /// half a second; of one session alone what takes two or three.
  private static let share: UInt64 = 16
  private static let least: UInt64 = 300_000
  private static let ofOne: UInt64 = 2_000_000

  /// How many sessions a run with so many events may simulate again.
  static func limit(events: UInt64, replications: Int) -> Int {
    let each = max(1, events / UInt64(max(1, replications)))
    return Int(clamping: max(max(events / share, least) / each, each <= ofOne ? 1 : 0))
  }

  /// nil for a run whose sessions cannot be simulated again from the scenario alone: a live run,
  /// one of another world, one that was stopped or whose ties were shuffled.
  ///
  /// - Throws: what ``WatchedSession`` throws.
  public static func of(_ result: StudyResult, pilots: Pilots = Pilots()) throws -> Timelines? {
    guard let study = result.scenario.feed, study.fullScreen != nil, result.live == nil,
      !result.isPartial, result.seed == study.seed, result.shuffleTies == nil
    else { return nil }
    let views = Exemplars(RunRecord(result)).shown
    let most = limit(events: result.events, replications: result.replications)
    var record = TimelineRecord()
    var sessions: [WatchedSession] = []
    for view in views {
      let (session, replication) = (UInt32(view.session), UInt16(view.replication))
      var watched = sessions.first {
        $0.recording.session == session && $0.replication == replication
      }
      if watched == nil && sessions.count < most {
        let made = try WatchedSession.run(
          study, session: session, replication: replication, pilots: pilots)
        sessions.append(made)
        watched = made
      }
      let known = record.view(view) != nil
      guard let watched, let timeline = SessionTimeline(watched, item: UInt32(view.item)) else {
        record.omittedViews += 1
        continue
      }
      if !known { record.views.append(timeline.record) }
    }
    return Timelines(record: record)
  }

  /// The text of `timelines.json`.
  func text() -> String { JSONLayout.text(record.json) }
}
