import FeedModel
import MediaUnits

/// The stretch of a session around one of its views: who was busy with what.
public struct ViewTimeline {
  /// Somebody who is busy; of several pieces at a time the last one is seen.
  public struct Row<Who> {
    public var who: Who
    public var pieces: [SessionPiece]
  }

  /// What is shown before the clock starts and behind the first frame, at most.
  private static let lead = TimeSpan.seconds(15)
  private static let tail = TimeSpan.seconds(3)
  private static let mostRequests = 30

  public let view: SessionRecording.View
  public let begin: Instant
  public let end: Instant
  public private(set) var screen: [SessionPiece] = []
  /// By player, counted from 0; one that does nothing has no row.
  public private(set) var players: [Row<UInt32>] = []
  /// Those of the view's item, then the first of the others, in their order.
  public private(set) var requests: [Row<RequestRecord>] = []
  /// Requests that have no row.
  public private(set) var omittedRequests = 0

  /// - Parameter place: of the view in the recording.
  public init(_ recording: SessionRecording, view place: Int) {
    let view = recording.views[place]
    let record = view.record
    self.view = view
    var early = record.settledAt
    for request in recording.requests where request.item == record.item {
      early = min(early, request.sentAt)
    }
    let limit = record.settledAt.advanced(saturatingBy: -ViewTimeline.lead)
    begin = max(recording.beganAt ?? .zero, max(limit, early))
    end = min(view.endedAt, record.settledAt + record.ttff + ViewTimeline.tail)
    for view in recording.views {
      add(recording.start(of: view) + recording.playback(of: view), of: recording, to: &screen)
    }
    for player in 0..<recording.players {
      var pieces: [SessionPiece] = []
      add(recording.pieces(ofPlayer: player), of: recording, to: &pieces)
      if !pieces.isEmpty { players.append(Row(who: player, pieces: pieces)) }
    }
    addRequests(recording.requestsInOrder)
  }

  /// Whether something of the time between two is shown.
  public func shows(_ from: Instant, _ until: Instant) -> Bool { until >= begin && from <= end }

  /// Seconds since the view's clock started.
  public func seconds(_ time: Instant) -> Double { (time - view.record.settledAt).seconds }

  /// The piece as far as it is shown.
  private func cut(_ piece: SessionPiece) -> SessionPiece {
    var cut = piece
    cut.from = max(piece.from, begin)
    cut.until = min(piece.until, end)
    return cut
  }

  /// Adds what is shown, as it begins; of two that begin at once the longer one comes first. What
  /// has no length within the session is left out.
  private func add(
    _ pieces: [SessionPiece], of recording: SessionRecording, to row: inout [SessionPiece]
  ) {
    let first = recording.beganAt ?? .zero
    let last = recording.endedAt ?? first
    var sorted: [SessionPiece] = []
    for piece in pieces {
      let (from, until) = (max(piece.from, first), min(piece.until, last))
      if from >= until || !shows(from, until) { continue }
      var place = sorted.count
      while place > 0 {
        let other = sorted[place - 1]
        if from > other.from || from == other.from && until <= other.until { break }
        place -= 1
      }
      var own = piece
      (own.from, own.until) = (from, until)
      sorted.insert(own, at: place)
    }
    for piece in sorted { row.append(cut(piece)) }
  }

  private mutating func addRequests(_ all: [RequestRecord]) {
    var isChosen = all.map { _ in false }
    var left = ViewTimeline.mostRequests
    for isOwn in [true, false] {
      for (place, request) in all.enumerated()
      where (request.item == view.record.item) == isOwn && shows(request.sentAt, request.endedAt) {
        isChosen[place] = left > 0
        if left > 0 { left -= 1 } else { omittedRequests += 1 }
      }
    }
    for (place, request) in all.enumerated() where isChosen[place] {
      var pieces: [SessionPiece] = []
      for piece in request.pieces where shows(piece.from, piece.until) { pieces.append(cut(piece)) }
      requests.append(Row(who: request, pieces: pieces))
    }
  }
}
