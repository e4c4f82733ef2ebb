import MediaUnits
import Models
import Scenario
import SimulationKernel

/// What the clients of one replication would have posted to `/v1/events`, complete and in the order
/// in which the views settled: a line for each view, as `firstframe calibrate` reads it.
public enum SimulatedEvents {
  /// Milliseconds since 1970 of the run's beginning.
  static let epoch: Int64 = 1_700_000_000_000

  /// Runs one replication of a scenario.
  ///
  /// `dwell_ms` is first frame, play and stalls; of views that the end of the run cut, the end is
  /// missing, as in a log that stops.
  public static func lines(
    _ scenario: FeedStudy, replication: UInt16 = 0, pilots: Pilots = Pilots()
  ) throws(SimulationError) -> [String] {
    let rows = try SimulatedRows(
      scenario, replication: replication, keepsRequests: false, pilots: pilots)
    var next: [UInt32: Int] = [:]
    return rows.views.map { view in
      let number = next[view.session, default: 0]
      next[view.session] = number + 1
      return line(view, number: number)
    }
  }

  private static func line(_ view: ViewRecord, number: Int) -> String {
    let start = epoch + (view.settledAt - Instant.zero).nanoseconds / 1_000_000
    let first = view.ttff.nanoseconds / 1_000_000
    let dwell = first + (view.played + view.stalled).nanoseconds / 1_000_000
    let session = "s-\(view.session)"
    func event(_ kind: Int, _ name: String, _ at: Int64, _ properties: String) -> String {
      "{\"id\":\"\(session)-\(3 * number + kind)\",\"name\":\"\(name)\",\"at\":\(at),"
        + "\"view\":\(number),\"item\":\(view.item),\"props\":{\(properties)}}"
    }
    let video = "\"video_id\":\"t\(view.title)\""
    var events = [event(0, "view_start", start, video)]
    if view.hasStarted {
      events.append(event(1, "time_to_first_frame", start + first, "\"ms\":\(first)"))
    }
    if !view.flags.contains(.cut) {
      events.append(event(2, "view_end", start + dwell, "\(video),\"dwell_ms\":\(dwell)"))
    }
    return "{\"device_id\":\"d-\(view.session)\",\"session_id\":\"\(session)\","
      + "\"ts\":\(start / 1000),\"batch\":\"\(number)\",\"events\":["
      + events.joined(separator: ",") + "]}"
  }
}
