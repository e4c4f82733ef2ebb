import MediaUnits
import Models
import Scenario
import Studies

/// The stretch of a watched session around one of its views.
struct SessionTimeline {
  /// What is shown before the clock starts and behind the first frame, at most.
  private static let lead = TimeSpan.seconds(15)
  private static let tail = TimeSpan.seconds(3)
  private static let mostRequests = 30
  private static let mostEvents = 150

  private let session: WatchedSession
  private let trace: SessionTrace
  private let place: Int
  private let begin: Instant
  private let end: Instant

  private var view: SessionRecording.View { session.recording.views[place] }
  private var clock: Instant { view.record.settledAt }

  /// Of the item's latest start; nil when the session has no view of the item.
  init?(_ session: WatchedSession, item: UInt32) {
    let views = session.recording.views
    let own = views.indices.filter { views[$0].record.item == item }
    guard let place = own.max(by: { views[$0].record.ttff < views[$1].record.ttff }) else {
      return nil
    }
    self.session = session
    self.place = place
    trace = SessionTrace(session)
    let record = views[place].record
    let first = session.recording.requests.filter { $0.item == item }.map(\.sentAt).min()
    let early = record.settledAt.advanced(saturatingBy: -SessionTimeline.lead)
    begin = max(trace.begin, early, min(first ?? record.settledAt, record.settledAt))
    end = min(views[place].endedAt, record.settledAt + record.ttff + SessionTimeline.tail)
  }

  var record: TimelineRecord.View {
    var shown = TimelineRecord.View()
    let record = view.record
    shown.replication = Int64(session.replication)
    shown.session = Int64(session.recording.session)
    shown.item = Int64(record.item)
    shown.about = TraceTimeline.title(session)
    shown.start = TraceTimeline.headingLines(session, view: place)
    (shown.from, shown.to) = (seconds(begin), seconds(end))
    shown.firstFrame = record.hasStarted ? record.ttff.seconds : nil
    let (requests, omitted) = requestRows
    shown.rows = [screen] + players + requests
    shown.omittedRequests = omitted
    (shown.events, shown.omittedEvents) = events
    return shown
  }

  private func seconds(_ time: Instant) -> Double { (time - clock).seconds }

  private func piece(
    _ name: String, _ kind: TimelineKind, _ from: Instant, _ to: Instant
  ) -> TimelineRecord.Row.Piece {
    .init(
      name: name, kind: kind.rawValue, from: seconds(max(from, begin)), to: seconds(min(to, end)))
  }

  private func isShown(_ from: Instant, _ to: Instant) -> Bool { to >= begin && from <= end }

  // MARK: Rows

  private var screen: TimelineRecord.Row {
    let slices = trace.slices.filter {
      $0.track == SessionTrace.Track.screen && isShown($0.begin, $0.end)
        && ["startup part", "playback"].contains($0.category)
    }
    return .init(
      name: "screen",
      pieces: slices.map {
        piece($0.name, $0.name == "playing" ? .plays : .waits, $0.begin, $0.end)
      })
  }

  private var players: [TimelineRecord.Row] {
    trace.tracks.filter { $0.name.hasPrefix("player ") }.compactMap { track in
      let slices = trace.slices.filter { $0.track == track.number && isShown($0.begin, $0.end) }
      if slices.isEmpty { return nil }
      // What holds the other comes first.
      return .init(
        name: track.name,
        pieces: slices.map {
          piece($0.name, $0.name.hasPrefix("item ") ? .holds : .player, $0.begin, $0.end)
        })
    }
  }

  private var requestRows: (rows: [TimelineRecord.Row], omitted: Int) {
    let all = SessionTrace.inOrder(session.recording.requests).filter {
      isShown($0.sentAt, $0.endedAt)
    }
    // Those of the item, then the first of the others.
    let own = all.indices.filter { all[$0].item == view.record.item }
    let others = all.indices.filter { all[$0].item != view.record.item }
    let chosen = (own + others).prefix(SessionTimeline.mostRequests).sorted()
    return (chosen.map { row(all[$0]) }, all.count - chosen.count)
  }

  private func row(_ request: RequestRecord) -> TimelineRecord.Row {
    var name = TraceFigures.name(request)
    if let item = request.item { name += ", item \(item)" }
    if request.isPrefetch { name += ", prefetch" }
    var pieces: [TimelineRecord.Row.Piece] = []
    var edge = request.sentAt
    for step in SessionTrace.steps(of: request) where step.until > edge {
      if isShown(edge, step.until) {
        pieces.append(piece(step.name, SessionTimeline.kind(step.name), edge, step.until))
      }
      edge = step.until
    }
    if request.isFromDisk {
      pieces = [piece("device's disk", .transfer, request.sentAt, request.endedAt)]
    }
    return .init(name: name, pieces: pieces)
  }

  private static func kind(_ step: String) -> TimelineKind {
    switch step {
    case "waits for a connection", "connection": .connection
    case "to the edge", "from the edge", "answer": .way
    case "slow start, recovery", "transfer": .transfer
    default: .behindEdge
    }
  }

  // MARK: Events

  private var events: (shown: [TimelineRecord.Event], omitted: Int) {
    let all = TraceTimeline.events(session).filter { isShown($0.at, $0.at) }
    let isTooMany = all.count > SessionTimeline.mostEvents
    let near = isTooMany ? all.filter { $0.item == nil || $0.item == view.record.item } : all
    let listed = near.prefix(SessionTimeline.mostEvents).map {
      TimelineRecord.Event(at: seconds($0.at), source: $0.source, text: $0.text)
    }
    return (listed, all.count - listed.count)
  }
}
