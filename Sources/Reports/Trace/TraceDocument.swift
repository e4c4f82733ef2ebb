import MediaUnits
import Models
import Scenario
import Studies

/// A session's trace in the Trace Event Format of Chrome's trace viewer, its JSON object form
/// (Google, "Trace Event Format"); Perfetto reads it, too.
///
/// `X` events have a begin and a length, `i` events are instants of a track, `C` events counters,
/// `M` events names. Times are microseconds from the beginning of the session, to the nanosecond.
public enum TraceDocument {
  private static let process: JSONText = 1

  /// The text: one event a line, the same on every machine.
  public static func text(_ trace: SessionTrace) -> String {
    var lines = names(trace)
    for slice in trace.slices {
      lines.append(
        event(
          slice.name, "X", track: slice.track, at: slice.begin - trace.begin,
          [
            .init("dur", .number(microseconds(slice.end - slice.begin))),
            .init("cat", .string(slice.category)), .init("args", .object(slice.arguments)),
          ]))
    }
    for mark in trace.marks {
      lines.append(
        event(
          mark.name, "i", track: mark.track, at: mark.at - trace.begin,
          [.init("s", "t"), .init("args", .object(mark.arguments))]))
    }
    for sample in trace.samples {
      lines.append(
        event(
          sample.counter, "C", track: nil, at: sample.at - trace.begin,
          [.init("args", .object([.init(sample.series, .number(sample.value))]))]))
    }
    return "{\"displayTimeUnit\":\"ms\",\n\"otherData\":\(about(trace).text(indent: 0)),\n"
      + "\"traceEvents\":[\n"
      + lines.map { $0.text(indent: 0) }.joined(separator: ",\n") + "\n]}\n"
  }

  private static func event(
    _ name: String, _ phase: String, track: Int?, at time: TimeSpan, _ more: [JSONText.Member]
  ) -> JSONText {
    var members: [JSONText.Member] = [
      .init("name", .string(name)), .init("ph", .string(phase)), .init("pid", process),
    ]
    if let track { members.append(.init("tid", .integer(Int64(track)))) }
    members.append(.init("ts", .number(microseconds(time))))
    return .object(members + more)
  }

  /// The names of the session and its tracks, in their order.
  private static func names(_ trace: SessionTrace) -> [JSONText] {
    func name(_ kind: String, _ track: Int?, _ argument: JSONText.Member) -> JSONText {
      var members: [JSONText.Member] = [
        .init("name", .string(kind)), .init("ph", "M"), .init("pid", process),
      ]
      if let track { members.append(.init("tid", .integer(Int64(track)))) }
      return .object(members + [.init("args", .object([argument]))])
    }
    var names = [
      name("process_name", nil, .init("name", .string(TraceTimeline.title(trace.session))))
    ]
    for track in trace.tracks {
      names.append(name("thread_name", track.number, .init("name", .string(track.name))))
      names.append(
        name(
          "thread_sort_index", track.number,
          .init("sort_index", .integer(Int64(track.number)))))
    }
    return names
  }

  private static func about(_ trace: SessionTrace) -> JSONText {
    let session = trace.session
    return [
      "scenario": .string(session.scenario.name), "seed": .integer(Int64(session.seed)),
      "replication": .integer(Int64(session.replication)),
      "session": .integer(Int64(session.recording.session)),
      "short": .boolean(session.scenario.isShort),
      "begin_s": .number(trace.begin.seconds),
      "fingerprint": .string(session.fingerprint.digits),
    ]
  }

  /// Microseconds that a reader finds to be the same nanoseconds whether it rounds or cuts off.
  static func microseconds(_ span: TimeSpan) -> Double {
    let nearest = Double(span.nanoseconds) / 1000
    return Int64(nearest * 1000) == span.nanoseconds ? nearest : nearest.nextUp
  }
}
