import FeedPolicy

/// The forms of all machines that have logs. `PolicyLogFormTests` hold each to the machine's own
/// reader and writer.
extension PolicyLogForm {
  /// In the order of ``PolicyLog/machines``.
  public static let all: [PolicyLogForm] = [
    pool, prefetch, gate, batcher, pager, scrub, stack, drafts, views,
  ]

  // MARK: Fields that many have

  private static let item = Piece.field("item", .number(ids), "item, by its place in the feed")
  private static let last = Piece.field("last", .number(ids), "last item that the feed has")
  private static let slot = Piece.field("slot", .number(ids), "player of the pool, from 0")
  private static let generation = Piece.field(
    "generation", .number(ids), "which preparation of it, so that late news can be told")
  private static let ids = 0...Int64(UInt32.max)
  private static let counts = 0...Int64.max

  private static func names<Case>(_ cases: [Case]) -> [Sort.Name]
  where Case: RawRepresentable<UInt8> {
    cases.map { Sort.Name(number: Int64($0.rawValue), text: "\($0)") }
  }

  // MARK: Machines

  private static let pool = PolicyLogForm(
    machine: "\(PlayerPool.logName)", summary: "Which items have a player, and which one plays",
    configuration: [
      .field("size", .number(1...1024), "players"),
      .field("ahead", .number(0...1024), "items ahead that get one"),
      .field("behind", .number(0...1024), "items behind that keep one"),
    ],
    events: [
      Row("current", "an item became the current one", [item, last]),
      Row("extended", "the feed grew", [last]),
      Row("ready", "a player has its first frame", [slot, generation]),
      Row("failed", "a player failed", [slot, generation]),
      Row("pressure", "the system asks for memory"),
    ],
    commands: [
      Row("prepare", "give the player this item", [slot, item, generation]),
      Row("play", "play", [slot]), Row("pause", "pause", [slot]),
      Row("release", "take the item away from the player", [slot]),
    ])

  private static let prefetch = PolicyLogForm(
    machine: "\(PrefetchPolicy.logName)",
    summary: "Which neighbouring items are fetched, how deep, in which order",
    configuration: [
      .field("headLength", .time(atLeast: 0), "media of the next item"),
      .field("itemsAhead", .number(0...1024), "items ahead that are considered"),
      .field("furtherLength", .time(atLeast: 0), "media of items beyond the next"),
      .field("previousLength", .time(atLeast: 0), "media of the item before"),
      .field(
        "previousThreshold", .bits, "throughput over bit rate from which that one is considered"),
      .field("concurrency", .number(counts), "fetches at once"),
      .field("pauseBelowBuffer", .time(), "buffer of the current item below which none starts"),
      .field("family", .code(names(PrefetchFamily.allCases)), "what decides"),
      .field("segmentLength", .time(atLeast: 1), "length of a segment"),
      .field("cover", .bits, "how many times slower a link may get; -1 for no such rule"),
      .field("leastWatched", .bits, "least share of viewers who get to what is fetched"),
      .field("bufferCover", .bits, "segments of the current item's buffer"),
      .field("viewsPerSession", .bits, "views of a session; -1 for sessions without end"),
      .field("suspendsOnStall", .flag, "whether fetches stop while the current item stalls"),
      .list(
        "curves", 1...64,
        [
          .field("below", .time(), "of items shorter than this, ascending"),
          .list(
            "values", 1...4096,
            [.field("left", .bits, "share of viewers left; the first is 1, none rises")],
            "after 0, 1, 2 … s"),
        ], "swipe curves by the length of the item"),
    ],
    events: [
      Row(
        "moved", "an item became the current one",
        [.field("current", .number(ids), "that item"), last]),
      Row("extended", "the feed grew", [last]),
      Row(
        "buffer", "media ahead of the playhead",
        [
          .field("ahead", .time(), "how much"),
          .field("complete", .flag, "whether the rest of the item is there"),
        ]),
      Row(
        "throughput", "a new estimate",
        [
          .field("throughput", .rate, "the estimate"),
          .field("bitrate", .rate, "at which items are fetched"),
        ]),
      Row(
        "reached", "media of an item is held",
        [item, .field("length", .time(), "from its beginning")]),
      Row("failed", "the fetch of an item failed for good", [item]),
      Row(
        "stage", "an item is at a stage below media",
        [item, .field("stage", .code(names(PrefetchStage.allCases)), "which")]),
      Row(
        "duration", "the length of an item is known",
        [item, .field("duration", .time(), "its length")]),
      Row("position", "the playhead moved", [.field("position", .time(), "in the current item")]),
      Row("withdrawn", "nothing of an item is wanted any more", [item]),
      Row("online", "the network went or came", [.field("online", .flag, "whether it is there")]),
      Row(
        "stalled", "the current item stalls, or goes on", [.field("stalled", .flag, "whether")]),
      Row(
        "held", "the app holds new starts, or lets them go on", [.field("held", .flag, "whether")]),
    ],
    commands: [
      Row(
        "start", "fetch media of an item",
        [item, .field("length", .time(), "from its beginning"), priority]),
      Row("cancel", "stop fetching an item", [item]),
      Row(
        "warm", "bring an item to a stage below media",
        [item, .field("stage", .code(names(PrefetchStage.allCases)), "which"), priority]),
      Row("suspend", "stop fetching an item for now", [item]),
      Row(
        "limit", "load the current item no further ahead than this",
        [.field("limit", .time(atLeast: -1), "how far; -1: as the player does")]),
    ])

  private static let priority = Piece.field(
    "priority", .code(names(PrefetchPolicy.Priority.allCases)), "how urgent")

  private static let gate = PolicyLogForm(
    machine: "\(ReadinessGate.logName)",
    summary: "Whether a swipe may reach an item that has no frame yet",
    configuration: [
      .field(
        "rule", .code(names([ReadinessGate.Rule.off, .gate])), "whether swipes are held"),
      .field("attempts", .number(counts), "snaps at one item after which a swipe passes"),
      .field("timeout", .time(), "time after the first snap after which a swipe passes"),
      .field(
        "escape", .code(names([ReadinessGate.Escape.letThrough, .skip])),
        "where a swipe that passes goes"),
      .field("recordLimit", .number(1...1024), "items whose readiness is remembered"),
    ],
    events: [
      Row("jumped", "a swipe was let go towards an item", [item]),
      Row("preparing", "an item is being prepared", [item, generation]),
      Row("ready", "an item has its first frame", [item, generation]),
      Row("dropped", "an item has no frame any more", [item, generation]),
    ],
    commands: [
      Row("pause", "pause an item", [item]),
      Row("activate", "make an item the current one", [item]),
      Row(
        "snap", "go back",
        [item, .field("from", .number(ids), "item that the swipe was aimed at")]),
      Row("cover", "cover an item without a frame", [item]), Row("play", "play an item", [item]),
    ])

  private static let telemetry: [Piece] = [
    .field("name", .code(names(TelemetryName.allCases)), "which event"),
    .field("view", .number(ids), "view of the session, from 0"), item,
    .field("at", .time(), "when it happened"),
    .field("value", .number(.min ... .max), "what the event says"),
    .field("second", .number(.min ... .max), "what else it says"),
  ]

  private static let timer = Piece.field(
    "timer", .code(names([TelemetryBatcher.TimerID.flush, .retry])), "which timer")
  private static let batch = Piece.field("batch", .number(ids), "which batch")
  private static let attempt = Piece.field("attempt", .number(counts), "which attempt, from 0")

  private static let batcher = PolicyLogForm(
    machine: "\(TelemetryBatcher.logName)", summary: "When events are sent, and what is sent again",
    configuration: [
      .choice([
        Row(
          "trailing", "when nothing was recorded for a while",
          [.field("quiet", .time(), "the while")]),
        Row("window", "so long after the first event", [.field("length", .time(), "how long")]),
        Row(
          "bounded", "as trailing, with bounds",
          [
            .field("quiet", .time(), "the while"), .field("longest", .time(), "longest wait"),
            .field("count", .number(counts), "largest batch"),
          ]),
      ]),
      .choice([
        Row("drop", "a batch that fails is thrown away"), Row("retry", "it is sent again"),
        Row("numbers", "it is sent again, and the ingest drops repeats"),
      ]),
      .field("queueLimit", .number(1...Int64.max), "events that wait at most"),
      .field("batchLimit", .number(1...Int64.max), "events of a batch at most"),
      .field(
        "retry", .code(names([RetryPolicy.Kind.none, .backoff, .tap])), "what follows a failure"),
      .field("firstWait", .time(atLeast: 0), "first wait"),
      .field("longestWait", .time(atLeast: 0), "longest wait"),
      .field("jitter", .bits, "most jitter over the wait, at least 0"),
      .field("retries", .number(counts), "times"),
      .field("asks", .flag, "whether the viewer is asked afterwards"),
    ],
    events: [
      Row("recorded", "an event was recorded", telemetry), Row("timer", "a timer fired", [timer]),
      Row("accepted", "a batch was taken", [batch]),
      Row("failed", "a batch was not taken", [batch, attempt]),
      Row("background", "the app left the screen"), Row("foreground", "the app came back"),
    ],
    commands: [
      Row(
        "post", "send a batch",
        [
          batch, .field("first", .number(.min ... .max), "its first event"),
          .field("count", .number(counts), "its events"), attempt,
          .maybe([
            .choice([
              Row(
                "number", "by which the ingest knows repeats",
                [.field("of", .number(ids), "the number")])
            ])
          ]),
        ]),
      Row(
        "timer", "set a timer",
        [
          timer, .field("at", .time(), "when"),
          .field("jitter", .time(), "most that the host adds by chance"),
        ]),
      Row("cancel", "cancel a timer", [timer]),
    ])

  private static let request = Piece.field("request", .number(ids), "which request, from 1")
  private static let keys = Piece.field("key", .natural, "an item's key")

  private static let pager = PolicyLogForm(
    machine: "\(CursorPager.logName)", summary: "When the feed's next page is asked for",
    configuration: [
      .field("trigger", .number(ids), "items left at which it is"),
      .field("memory", .number(1...Int64.max), "keys that are remembered, against repeats"),
      .field("emptyPages", .number(counts), "pages without news in a row that are followed"),
    ],
    events: [
      Row("opened", "the feed was opened"), Row("moved", "an item became the current one", [item]),
      Row(
        "page", "a page arrived",
        [
          request, .list("keys", counts, [keys], "its items"),
          .choice([
            Row("next", "there is more", [.field("cursor", .natural, "of the next page")]),
            Row("end", "it is the last"),
          ]),
        ]),
      Row("failed", "a request failed", [request]),
    ],
    commands: [
      Row(
        "request", "ask for a page",
        [request, .maybe([.field("cursor", .natural, "from here; without it the first")])]),
      Row(
        "append", "add items to the feed",
        [.field("first", .number(ids), "place of the first"), .rest([keys])]),
    ])

  private static let scrub = PolicyLogForm(
    machine: "\(ScrubSession.logName)", summary: "A long press with previews, and its seek",
    configuration: [.field("interval", .time(atLeast: 0), "least time between two previews")],
    events: [
      Row(
        "pressed", "a long press began",
        [
          item, .field("playhead", .time(), "where the item was"),
          .field("duration", .time(), "its length"),
        ]),
      Row("moved", "the finger moved", [.field("position", .time(), "to this position")]),
      Row("released", "it was let go"), Row("cancelled", "it was broken off"),
      Row("timer", "the timer fired"),
    ],
    commands: [
      Row("begin", "pause the item for the scrub", [item]),
      Row("show", "show the preview over the item", [item]),
      Row("lookup", "find the preview", [.field("position", .time(), "of this position")]),
      Row("hide", "hide the preview", [item]),
      Row("seek", "go on from here", [item, .field("position", .time(), "the place")]),
      Row("end", "the scrub's pause is over", [item]),
      Row("timer", "set the timer", [.field("at", .time(), "when")]), Row("cancel", "cancel it"),
    ])

  private static let reason = Piece.field(
    "reason", .code(names(PauseStack.Reason.allCases)), "why")

  private static let stack = PolicyLogForm(
    machine: "\(PauseStack.logName)",
    summary: "Whether the current item plays, of several who pause it",
    configuration: [
      .field(
        "resuming",
        .set(
          PauseStack.Reason.allCases.map {
            Sort.Name(number: 1 << Int64($0.rawValue), text: "\($0)")
          }),
        "reasons after whose end playback goes on by itself")
    ],
    events: [
      Row("item", "another item is on the screen", [item]),
      Row("began", "a reason began", [reason]),
      Row("ended", "a reason ended", [reason]), Row("tapped", "the viewer tapped"),
    ],
    commands: [Row("play", "play", [item]), Row("pause", "pause", [item])])

  private static let draft = Piece.field("draft", .natural, "the draft's number")

  private static let drafts = PolicyLogForm(
    machine: "\(DraftStore.logName)", summary: "Messages that were begun and not sent, by item",
    configuration: [.field("limit", .number(1...Int64.max), "drafts that are kept")],
    events: [
      Row("edited", "a draft was changed", [item, draft]), Row("cleared", "it was sent", [item]),
      Row("shown", "the item came on the screen", [item]),
    ],
    commands: [
      Row("restore", "put the draft back", [item, draft]), Row("forget", "throw it away", [draft]),
    ])

  private static let views = PolicyLogForm(
    machine: "\(ViewLog.logName)", summary: "The events that telemetry tells of a view",
    configuration: [],
    events: [
      Row("began", "a view began", [item, .field("duration", .time(), "length of the item")]),
      Row("frame", "its first frame is on the display", [item]),
      Row("stalled", "it stalls", [item]), Row("resumed", "it goes on", [item]),
      Row("bitrate", "a rendition was chosen", [item, .field("rate", .rate, "its rate")]),
      Row("tapped", "the viewer tapped", [item, .field("plays", .flag, "whether it plays now")]),
      Row("scrub", "a scrub began", [item]),
      Row(
        "committed", "a scrub ended",
        [item, .field("position", .time(), "where playback goes on")]),
      Row(
        "failed", "playback failed",
        [item, .field("code", .number(.min ... .max), "the app's own number")]),
      Row("ended", "the view ended", [item, .field("played", .time(), "media played")]),
    ],
    commands: [Row("emit", "record an event", telemetry)])
}
