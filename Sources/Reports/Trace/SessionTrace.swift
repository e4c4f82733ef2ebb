import MediaUnits
import Models
import Scenario
import Studies

/// A watched session as tracks of slices, marks and counters, ready for a trace viewer.
///
/// On one track two slices either follow each other or one holds the other. Slices without a
/// length are left out. All times lie within the session.
public struct SessionTrace: Sendable {
  /// A line of the viewer's picture.
  struct Track: Sendable {
    var number: Int
    var name: String

    static let screen = 1
    static let prefetch = 2
    static let players = 10
    static let edgeConnections = 40
    static let feedConnections = 60
    static let requests = 100
  }

  /// Something that lasts.
  struct Slice: Sendable {
    var track: Int
    var name: String
    var category: String
    var begin: Instant
    var end: Instant
    var arguments: [JSONText.Member] = []
  }

  /// Something that happens at an instant.
  struct Mark: Sendable {
    var track: Int
    var name: String
    var at: Instant
    var arguments: [JSONText.Member] = []
  }

  /// A value from an instant on.
  struct Sample: Sendable {
    var counter: String
    var series: String
    var at: Instant
    var value: Double
  }

  /// The names of the counters.
  enum Counter {
    static let buffer = "buffer ahead"
    static let rung = "rung asked for"
    static let link = "link rate"
  }

  let session: WatchedSession
  var recording: SessionRecording { session.recording }
  let begin: Instant
  let end: Instant
  var tracks: [Track] = []
  private(set) var slices: [Slice] = []
  private(set) var marks: [Mark] = []
  var samples: [Sample] = []

  /// The trace of a session.
  public init(_ session: WatchedSession) {
    self.session = session
    begin = session.recording.beganAt ?? .zero
    end = session.recording.endedAt ?? begin
    addScreen()
    addPrefetches()
    addPlayers()
    addConnections()
    addRequests()
    addCounters()
    // A slice stands before those that it holds.
    slices = slices.enumerated().sorted { a, b in
      if a.element.track != b.element.track { return a.element.track < b.element.track }
      if a.element.begin != b.element.begin { return a.element.begin < b.element.begin }
      if a.element.end != b.element.end { return a.element.end > b.element.end }
      return a.offset < b.offset
    }.map(\.element)
  }

  /// Adds a slice, cut to the session.
  mutating func add(_ slice: Slice) {
    var cut = slice
    cut.begin = max(slice.begin, begin)
    cut.end = min(slice.end, end)
    if cut.begin < cut.end { slices.append(cut) }
  }

  mutating func add(_ piece: SessionPiece, _ category: String, track: Int) {
    add(
      Slice(
        track: track, name: piece.work.words, category: category, begin: piece.from,
        end: piece.until))
  }

  /// Adds slices that follow each other from `start` on, each up to its time; one whose time has
  /// passed is left out.
  mutating func add(
    _ steps: [(name: String, until: Instant)], from start: Instant, track: Int, category: String
  ) {
    var edge = start
    for step in steps where step.until > edge {
      add(
        Slice(track: track, name: step.name, category: category, begin: edge, end: step.until))
      edge = step.until
    }
  }

  mutating func add(_ mark: Mark) { marks.append(mark) }
}
