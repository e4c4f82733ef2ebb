import MediaUnits
import Models
import Scenario

/// What the viewer sees: views with their startup in parts, playing, stalls, swipes.
extension SessionTrace {
  mutating func addScreen() {
    tracks.append(Track(number: Track.screen, name: "screen"))
    for (index, view) in recording.views.enumerated() {
      let record = view.record
      add(
        Slice(
          track: Track.screen, name: "view \(index + 1): item \(record.item)", category: "view",
          begin: record.settledAt, end: view.endedAt, arguments: arguments(of: view)))
      addStartup(view)
      for piece in recording.playback(of: view) { add(piece, "playback", track: Track.screen) }
      let next =
        index + 1 < recording.views.count ? recording.views[index + 1].record.settledAt : end
      add(
        Slice(
          track: Track.screen, name: "between items", category: "swipe", begin: view.endedAt,
          end: next))
    }
    for change in recording.changes {
      if case .handOver = change.kind {
        add(Mark(track: Track.screen, name: "hand-over", at: change.at))
      }
    }
  }

  /// The startup slice; its parts follow each other in it and fill it.
  private mutating func addStartup(_ view: SessionRecording.View) {
    let record = view.record
    add(
      Slice(
        track: Track.screen, name: record.hasStarted ? "startup" : "no frame",
        category: "startup", begin: record.settledAt, end: record.settledAt + record.ttff,
        arguments: startupArguments(record)))
    for piece in recording.start(of: view) { add(piece, "startup part", track: Track.screen) }
    if record.hasStarted {
      add(
        Mark(
          track: Track.screen, name: "first frame of item \(record.item)",
          at: record.settledAt + record.ttff))
    }
  }

  private func arguments(of view: SessionRecording.View) -> [JSONText.Member] {
    let record = view.record
    var arguments = [JSONText.Member("item", .integer(Int64(record.item)))]
    if record.title != .max {
      arguments.append(.init("title", .integer(Int64(record.title))))
      arguments.append(.init("title_s", .number(view.duration.seconds)))
    }
    arguments += [
      .init("played_ms", .number(record.played.milliseconds)),
      .init("stalls", .integer(Int64(record.stalls))),
      .init("stalled_ms", .number(record.stalled.milliseconds)),
    ]
    if record.firstRung != .max {
      arguments.append(.init("first_rung", .integer(Int64(record.firstRung))))
    }
    for (flag, name) in [
      (ViewRecord.Flags.cold, "cold"), (.back, "back"), (.edgeMiss, "edge_miss"), (.cut, "cut"),
      (.ready, "ready"), (.last, "last"),
    ] where record.flags.contains(flag) {
      arguments.append(.init(name, true))
    }
    return arguments
  }

  private func startupArguments(_ record: ViewRecord) -> [JSONText.Member] {
    var arguments = [JSONText.Member("ttff_ms", .number(record.ttff.milliseconds))]
    for part in StartupPart.allCases where record.parts[part] != 0 {
      arguments.append(.init("\(part.name)_ns", .integer(record.parts[part])))
    }
    if let cause = StartupCause(record, limit: session.lateLimit) {
      arguments.append(.init("late", .string(cause.text)))
    }
    return arguments
  }
}
