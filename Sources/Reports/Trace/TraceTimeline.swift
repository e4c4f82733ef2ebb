import MediaUnits
import Models
import Scenario
import Studies

/// A watched session as text: its views with their startup in parts and, below each, what the
/// screen, the requests, the players and the prefetch policy did meanwhile.
public struct TraceTimeline {
  private struct Line {
    var at: Instant
    var item: UInt32?
    var source: String
    var text: String
  }

  private let session: WatchedSession
  private let color: Bool
  private var lines: [Line] = []

  private var recording: SessionRecording { session.recording }
  private var begin: Instant { recording.beganAt ?? .zero }

  /// The text.
  ///
  /// - Parameter item: only the views of this item, and what concerns it; nil for all.
  public static func text(
    _ session: WatchedSession, item: UInt32? = nil, color: Bool = false
  ) -> String {
    TraceTimeline(session, color: color).text(item: item)
  }

  /// What happened, in order.
  static func events(
    _ session: WatchedSession
  ) -> [(at: Instant, item: UInt32?, source: String, text: String)] {
    TraceTimeline(session, color: false).lines.map { ($0.at, $0.item, $0.source, $0.text) }
  }

  /// A view: what it was, where its start went and, when it was late, why.
  static func headingLines(_ session: WatchedSession, view place: Int) -> [String] {
    let timeline = TraceTimeline(session, color: false)
    let text = timeline.heading(place, session.recording.views[place])
    return text.split(separator: "\n").map { line in
      let text = line.drop { $0 == " " }
      return text.prefix(1).uppercased() + text.dropFirst() + "."
    }
  }

  /// The session in a line.
  static func title(_ session: WatchedSession) -> String {
    let recording = session.recording
    let scenario = session.scenario
    return "session \(recording.session) of replication \(session.replication), "
      + "\(scenario.name): \(scenario.networks[recording.network]), "
      + "\(scenario.devices[recording.device]), "
      + "round trip \(TraceFigures.milliseconds(recording.roundTrip)), edge \(recording.edge)"
  }

  private init(_ session: WatchedSession, color: Bool) {
    self.session = session
    self.color = color
    for request in session.recording.requestsInOrder { add(request) }
    for change in session.recording.changes { add(change) }
    for view in session.recording.views { addEnds(of: view) }
    lines = lines.enumerated().sorted {
      $0.element.at != $1.element.at
        ? $0.element.at < $1.element.at : $0.offset < $1.offset
    }.map(\.element)
  }

  // MARK: Lines

  private mutating func add(_ request: RequestRecord) {
    var text = TraceFigures.name(request)
    if let item = request.item { text += " of item \(item)" }
    if request.isPrefetch { text += ", prefetch" }
    if request.retries > 0 { text += ", retry \(request.retries)" }
    text += ", \(Figures.bytes(request.bytes)): "
    text += TraceFigures.milliseconds(request.endedAt - request.sentAt)
    var edge = request.sentAt
    var waits: [String] = []
    for step in request.steps where step.until > edge {
      let name = SessionTrace.name(step.step, of: request)
      waits.append("\(name) \(Figures.decimal((step.until - edge).milliseconds, 1))")
      edge = step.until
    }
    if !waits.isEmpty { text += " = " + waits.joined(separator: " + ") }
    if request.outcome != .completed { text += "; " + SessionTrace.text(request.outcome) }
    if let answerer = SessionTrace.answerer(request), request.asset != .feed {
      text += request.isFromDisk ? " from the device's disk" : "; answered by \(answerer)"
      if request.isConditional && !request.isFromDisk { text += ", not modified" }
    }
    lines.append(Line(at: request.sentAt, item: request.item, source: "request", text: text))
  }

  private mutating func add(_ change: SessionChange) {
    guard let event = SessionEvent(change.kind) else { return }
    var text = event.words(of: SessionTrace.item(change.item))
    switch change.kind {
    case .decoder(_, let from, let until, _): text += ": " + TraceFigures.milliseconds(until - from)
    case .prefetchStarted: text = SessionTrace.prefetchText(change) ?? text
    default: break
    }
    let source = change.kind.player.map { "player \($0 + 1)" } ?? event.source
    lines.append(Line(at: change.at, item: change.item, source: source, text: text))
  }

  private mutating func addEnds(of view: SessionRecording.View) {
    let record = view.record
    lines.append(
      Line(
        at: view.endedAt, item: record.item, source: "screen",
        text: "view ends: played \(Figures.decimal(record.played.seconds, 3)) s"
          + (record.stalls > 0
            ? ", \(record.stalls) stall\(record.stalls == 1 ? "" : "s") of "
              + TraceFigures.milliseconds(record.stalled) : "")
          + (record.flags.contains(.cut) ? "; cut by the end of the run" : "")))
  }

  // MARK: Text

  private func text(item: UInt32?) -> String {
    var text = TextStyle.bold.applied(to: TraceTimeline.title(session), color: color) + "\n"
    text += "from \(Figures.decimal(begin.seconds, 3)) s of the run"
    if let end = recording.endedAt {
      text += ", \(Figures.decimal((end - begin).seconds, 3)) s long"
    }
    text += ", \(recording.views.count) view\(recording.views.count == 1 ? "" : "s")"
    text += recording.isCut ? "; cut by the end of the run" : ""
    text += "; times in seconds of the session\n"
    var next = lines.startIndex
    for (index, view) in recording.views.enumerated() {
      let begin = view.record.settledAt
      // What comes before the view is of the one before, or of its own prefetch.
      append(&next, until: begin, inView: false, item, to: &text)
      let isShown = item == nil || view.record.item == item
      if isShown { text += heading(index, view) }
      append(&next, until: view.endedAt, isIncluded: true, inView: isShown, item, to: &text)
    }
    append(&next, until: .distantFuture, inView: false, item, to: &text)
    return text
  }

  private func append(
    _ next: inout Int, until end: Instant, isIncluded: Bool = false, inView: Bool,
    _ item: UInt32?, to text: inout String
  ) {
    while next < lines.endIndex, lines[next].at < end || isIncluded && lines[next].at == end {
      let line = lines[next]
      if item == nil || inView || line.item == item {
        let source = line.source.padding(8)
        text += "  \(Figures.decimal((line.at - begin).seconds, 3).leading(9))  "
        text += TextStyle.faint.applied(to: source, color: color) + "  \(line.text)\n"
      }
      next += 1
    }
  }

  private func heading(_ index: Int, _ view: SessionRecording.View) -> String {
    let record = view.record
    let flags = record.flags
    var title = "view \(index + 1), item \(record.item)"
    if record.title != .max {
      title += " (title \(record.title), \(Figures.decimal(view.duration.seconds, 1)) s)"
    }
    title +=
      flags.contains(.cold)
      ? (record.parts[.launch] > 0 ? ", app open" : ", feed opened")
      : flags.contains(.back) ? ", swipe back" : ", swipe"
    title += " at \(Figures.decimal((record.settledAt - begin).seconds, 3))"
    var text = "\n" + TextStyle.bold.applied(to: title, color: color) + "\n"
    let parts = StartupPart.allCases.filter { record.parts[$0] != 0 }.map {
      "\($0.label) \(Figures.decimal(record.part($0).milliseconds, 1))"
    }
    let total = TraceFigures.milliseconds(record.ttff)
    text += record.hasStarted ? "  first frame after \(total)" : "  no frame: left after \(total)"
    text += (parts.isEmpty ? "" : " = " + parts.joined(separator: " + ")) + "\n"
    if let cause = StartupCause(record, limit: session.lateLimit) {
      let limit = Figures.decimal(session.lateLimit.milliseconds, 0)
      let late = record.hasStarted ? "late (limit \(limit) ms)" : "never started"
      text += "  " + TextStyle.red.applied(to: "\(late): \(cause.text)", color: color) + "\n"
    }
    return text
  }
}

extension String {
  /// With blanks at the end, at least `width` characters.
  fileprivate func padding(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  /// With blanks in front.
  fileprivate func leading(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
