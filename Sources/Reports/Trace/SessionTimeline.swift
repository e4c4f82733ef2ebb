import Models
import Scenario
import Studies

/// The stretch of a watched session around one of its views, in words.
struct SessionTimeline {
  private static let mostEvents = 150

  private let session: WatchedSession
  private let place: Int
  private let timeline: ViewTimeline

  /// Of the item's latest start; nil when the session has no view of the item.
  init?(_ session: WatchedSession, item: UInt32) {
    let views = session.recording.views
    let own = views.indices.filter { views[$0].record.item == item }
    guard let place = own.max(by: { views[$0].record.ttff < views[$1].record.ttff }) else {
      return nil
    }
    self.session = session
    self.place = place
    timeline = ViewTimeline(session.recording, view: place)
  }

  var record: TimelineRecord.View {
    var shown = TimelineRecord.View()
    let record = timeline.view.record
    shown.replication = Int64(session.replication)
    shown.session = Int64(session.recording.session)
    shown.item = Int64(record.item)
    shown.about = TraceTimeline.title(session)
    shown.start = TraceTimeline.headingLines(session, view: place)
    (shown.from, shown.to) = (timeline.seconds(timeline.begin), timeline.seconds(timeline.end))
    shown.firstFrame = record.hasStarted ? record.ttff.seconds : nil
    shown.rows = [row("screen", timeline.screen)]
    shown.rows += timeline.players.map { row("player \($0.who + 1)", $0.pieces) }
    shown.rows += timeline.requests.map { row($0.who, $0.pieces) }
    shown.omittedRequests = timeline.omittedRequests
    (shown.events, shown.omittedEvents) = events
    return shown
  }

  // MARK: Rows

  private func row(
    _ name: String, _ pieces: [SessionPiece], of request: RequestRecord? = nil
  ) -> TimelineRecord.Row {
    let pieces = pieces.map { piece in
      var name = piece.work.words
      if case .request(let step) = piece.work, let request {
        name = SessionTrace.name(step, of: request)
      }
      if piece.work.kind == .holds { name = SessionTrace.item(piece.item) }
      return TimelineRecord.Row.Piece(
        name: name, kind: piece.work.kind.rawValue, from: timeline.seconds(piece.from),
        to: timeline.seconds(piece.until))
    }
    return TimelineRecord.Row(name: name, pieces: pieces)
  }

  private func row(_ request: RequestRecord, _ pieces: [SessionPiece]) -> TimelineRecord.Row {
    var name = TraceFigures.name(request)
    if let item = request.item { name += ", item \(item)" }
    if request.isPrefetch { name += ", prefetch" }
    return row(name, pieces, of: request)
  }

  // MARK: Events

  private var events: (shown: [TimelineRecord.Event], omitted: Int) {
    let item = timeline.view.record.item
    let all = TraceTimeline.events(session).filter { timeline.shows($0.at, $0.at) }
    let isTooMany = all.count > SessionTimeline.mostEvents
    let near = isTooMany ? all.filter { $0.item == nil || $0.item == item } : all
    let listed = near.prefix(SessionTimeline.mostEvents).map {
      TimelineRecord.Event(at: timeline.seconds($0.at), source: $0.source, text: $0.text)
    }
    return (listed, all.count - listed.count)
  }
}
