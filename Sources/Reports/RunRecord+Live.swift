import Scenario
import Studies

extension RunRecord {
  /// What a live run adds.
  struct Live: RecordedObject, Equatable {
    struct Reading: RecordedObject, Equatable {
      var name = ""
      var value = 0.0
      var unit = ""
      var limit: Double?
      var good = false

      static let form = ResultForm<Reading>([
        .text("name", "what was read", \.name),
        .number("value", "the worst reading, in `unit`", \.value),
        .text("unit", "unit of value and limit", \.unit),
        .optionalNumber("limit", "beyond it the run is invalid; null: only told", \.limit),
        .boolean("good", "whether it is within the limit", \.good),
      ])
    }

    struct Latency: RecordedObject, Equatable {
      var `class` = ""
      var count: Int64 = 0
      var sentMilliseconds: [Double] = []
      var dueMilliseconds: [Double] = []

      static let form = ResultForm<Latency>([
        .text("class", "asset class", \.class),
        .count("count", "answers that came whole", \.count),
        .numbers(
          "sentMilliseconds", "p50, p95, p99 and max from sending to the last byte, milliseconds",
          \.sentMilliseconds),
        .numbers(
          "dueMilliseconds", "the same from the moment at which the request was due",
          \.dueMilliseconds),
      ])
    }

    struct Count: RecordedObject, Equatable {
      var kind = ""
      var count: Int64 = 0

      static let form = ResultForm<Count>([
        .text("kind", "what happened", \.kind), .count("count", "how often", \.count),
      ])
    }

    var target = ""
    var edge = ""
    var link = ""
    var seconds = 0.0
    var requests: Int64 = 0
    var bytes: Int64 = 0
    var starts: Int64 = 0
    var lateStarts: Int64 = 0
    var checkedBodies: Int64 = 0
    var lateAnswers: Int64 = 0
    var lateBytes: Int64 = 0
    var health: [Reading] = []
    var reasons: [String] = []
    var notes: [String] = []
    var latencies: [Latency] = []
    var failures: [Count] = []

    static let form = ResultForm<Live>([
      .text("target", "what was asked", \.target),
      .text("edge", "what stood there", \.edge),
      .text("link", "what carried the bytes", \.link),
      .number("seconds", "wall-clock seconds of the run", \.seconds),
      .count("requests", "requests that were sent", \.requests),
      .count("bytes", "body bytes that were received", \.bytes),
      .count("starts", "sessions that began", \.starts),
      .count("lateStarts", "sessions that began later than they were due", \.lateStarts),
      .count(
        "checkedBodies", "media bodies that were compared with the stand-in's, and right",
        \.checkedBodies
      ).later,
      .count(
        "lateAnswers", "pieces of answers that nobody waited for any more", \.lateAnswers
      ).later,
      .count("lateBytes", "bytes of their bodies", \.lateBytes).later,
      .list("health", "how the generator was", \.health),
      .texts(
        "reasons", "why the numbers cannot be believed; empty when they can", \.reasons),
      .texts("notes", "what else a reader has to know, a sentence each", \.notes).later,
      .list("latencies", "times of whole answers by class", \.latencies),
      .list("failures", "requests without a usable answer, by kind", \.failures),
    ])
  }
}

extension RunRecord.Live {
  init(_ facts: LiveFacts) {
    self.init(
      target: facts.target, edge: facts.edge, link: facts.link, seconds: facts.seconds,
      requests: facts.requests, bytes: facts.bytes, starts: facts.starts,
      lateStarts: facts.lateStarts, checkedBodies: facts.checked, lateAnswers: facts.lateAnswers,
      lateBytes: facts.lateBytes,
      health: facts.health.map {
        Reading(
          name: $0.name, value: $0.value, unit: $0.unit, limit: $0.limit, good: $0.isGood)
      }, reasons: facts.reasons, notes: facts.notes,
      latencies: facts.latencies.map {
        Latency(
          class: $0.name, count: $0.count, sentMilliseconds: $0.sent, dueMilliseconds: $0.due)
      }, failures: facts.failures.map { Count(kind: $0.name, count: $0.count) })
  }
}

extension RunRecord.Live.Latency {
  /// The 99th percentile from the moment at which requests were due; nothing without one.
  var dueText: String {
    dueMilliseconds.count > 2 ? Figures.decimal(dueMilliseconds[2], 1) : ""
  }
}
