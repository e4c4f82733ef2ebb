import Scenario
import Studies

/// `timelines.json`: some views of a run step by step, for the page beside the report. Times are
/// seconds since the view's clock started.
struct TimelineRecord: RecordedObject {
  /// The file of a run folder that holds it.
  static let fileName = "timelines.json"

  /// Someone who is busy: the screen, a player, a request.
  struct Row: RecordedObject {
    struct Piece: RecordedObject {
      var name = ""
      var kind = ""
      var from = 0.0
      var to = 0.0

      static let form = ResultForm<Piece>([
        .text("name", "with what", \.name),
        .word("kind", "what that is", TimelineKind.allCases.map(\.rawValue), \.kind),
        .number("from", "its begin", \.from), .number("to", "its end", \.to),
      ])
    }

    var name = ""
    var pieces: [Piece] = []

    static let form = ResultForm<Row>([
      .text("name", "who", \.name),
      .list("pieces", "with what and when; of several at a time the last one is seen", \.pieces),
    ])
  }

  /// Something that happened.
  struct Event: RecordedObject {
    var at = 0.0
    var source = ""
    var text = ""

    static let form = ResultForm<Event>([
      .number("at", "when", \.at), .text("source", "to whom", \.source),
      .text("text", "what", \.text),
    ])
  }

  struct View: RecordedObject {
    var replication: Int64 = 0
    var session: Int64 = 0
    var item: Int64 = 0
    var about = ""
    var start: [String] = []
    var from = 0.0
    var to = 0.0
    /// nil: it was left before.
    var firstFrame: Double?
    var rows: [Row] = []
    var events: [Event] = []
    var omittedRequests = 0
    var omittedEvents = 0

    static let form = ResultForm<View>([
      .count("replication", "the replication", \.replication),
      .count("session", "the session", \.session),
      .count("item", "the item of the session", \.item),
      .text("about", "the session: network, device, round trip, edge", \.about),
      .texts("start", "the view: what it was, where its start went, why it was late", \.start),
      .number("from", "begin of what is shown", \.from), .number("to", "its end", \.to),
      .optionalNumber("firstFrame", "the first frame; null: left before", \.firstFrame),
      .list("rows", "screen, players and requests", \.rows),
      .list("events", "what happened, in order", \.events),
      .count("omittedRequests", "requests of other items that are not shown", \.omittedRequests),
      .count("omittedEvents", "what happened and is not listed", \.omittedEvents),
    ])
  }

  private var schema = 1
  var views: [View] = []
  var omittedViews = 0

  static let form = ResultForm<TimelineRecord>([
    ResultMember(
      "schema", "version of this format", .fixed(.integer(1)), \.schema
    ) { .integer(Int64($0)) },
    .fixed("kind", "what this document is", "firstframe.timelines"),
    .list("views", "the views", \.views),
    .count("omittedViews", "views of the report without a timeline", \.omittedViews),
  ])

  /// The view of a report's table; nil where it has no timeline.
  func view(_ view: Exemplars.View) -> View? {
    views.first {
      $0.replication == view.replication && $0.session == view.session && $0.item == view.item
    }
  }
}

/// What a piece of a timeline is.
enum TimelineKind: String, CaseIterable {
  case transfer
  case behindEdge = "behind the edge"
  case plays
  case way = "to and from the edge"
  case waits = "waits for a frame"
  case player = "player works"
  case connection = "waits for a connection"
  case holds = "holds an item"
}

extension TimelineRecord.View {
  /// The place of the view on the page of timelines.
  var anchor: String { "view-\(replication)-\(session)-\(item)" }
  var title: String { "Replication \(replication), session \(session), item \(item)" }
}
