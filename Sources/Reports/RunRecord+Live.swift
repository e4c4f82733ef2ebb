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

    struct ClientData: RecordedObject, Equatable {
      var way = "headers"
      var version = 1
      var requests: Int64 = 0

      static let form = ResultForm<ClientData>([
        .word("way", "where it was", ["headers", "query"], \.way),
        .count("version", "1: CTA-5004, 2: CTA-5004-A", \.version),
        .count("requests", "requests that carried it", \.requests),
      ])
    }

    struct Hop: RecordedObject, Equatable {
      var name = ""
      var answers: Int64 = 0
      var throughputKbps: [Double] = []
      var roundTripMilliseconds: [Double] = []
      var responseDelayMilliseconds: [Double] = []
      var suggestedKbps: Double?
      var duress: Int64 = 0

      static let form = ResultForm<Hop>([
        .text("name", "as the server calls itself", \.name),
        .count("answers", "answers that passed it", \.answers),
        .numbers(
          "throughputKbps", "p5, p50 and p95 of `etp`; empty: it said none", \.throughputKbps),
        .numbers("roundTripMilliseconds", "the same of `rtt`", \.roundTripMilliseconds),
        .numbers("responseDelayMilliseconds", "the same of `rd`", \.responseDelayMilliseconds),
        .optionalNumber("suggestedKbps", "the least `mb`; null: it said none", \.suggestedKbps),
        .count("duress", "answers with `du`", \.duress),
      ])
    }

    struct ServerData: RecordedObject, Equatable {
      var answers: Int64 = 0
      var objects: Int64 = 0
      var dynamics: Int64 = 0
      var otherBitrates: Int64 = 0
      var malformed: Int64 = 0
      var examples: [String] = []
      var unknown: Int64 = 0
      var custom: Int64 = 0
      var hops: [Hop] = []
      var compared: Int64 = 0
      var estimatedKbps: [Double] = []
      var measuredKbps: [Double] = []
      var estimatedByMeasured: [Double] = []
      var suggested: Int64 = 0
      var exceeded: Int64 = 0

      static let form = ResultForm<ServerData>([
        .count("answers", "answers with either header", \.answers),
        .count("objects", "answers with CMSD-Static", \.objects),
        .count("dynamics", "answers with CMSD-Dynamic", \.dynamics),
        .count(
          "otherBitrates", "segments of another `br` than the one that was asked for",
          \.otherBitrates),
        .count("malformed", "members and keys that cannot be", \.malformed),
        .texts("examples", "the first of them", \.examples),
        .count("unknown", "keys that nobody has defined", \.unknown),
        .count("custom", "keys that are somebody's own", \.custom),
        .list("hops", "servers on the way, by name", \.hops),
        .count("compared", "segments whose last server estimated a throughput", \.compared),
        .numbers("estimatedKbps", "of these, p5, p50 and p95 of `etp`", \.estimatedKbps),
        .numbers(
          "measuredKbps",
          "what came of them, from sending to the last byte and without `rd`", \.measuredKbps),
        .numbers(
          "estimatedByMeasured", "the estimate in parts of what came", \.estimatedByMeasured),
        .count("suggested", "segments asked for after a server had said `mb`", \.suggested),
        .count("exceeded", "those of them above it", \.exceeded),
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
    var clientData: ClientData?
    var serverData: ServerData?

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
      .omissibleObject(
        "clientData", "what players told servers of themselves (CMCD), if anything", \.clientData),
      .omissibleObject(
        "serverData", "what servers said of their answers (CMSD), if anything", \.serverData),
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
      }, failures: facts.failures.map { Count(kind: $0.name, count: $0.count) },
      clientData: facts.clientData.map {
        ClientData(way: $0.way, version: $0.version, requests: $0.requests)
      }, serverData: facts.serverData.map { ServerData($0) })
  }
}

extension RunRecord.Live.ServerData {
  init(_ data: LiveFacts.ServerData) {
    self.init(
      answers: data.answers, objects: data.objects, dynamics: data.dynamics,
      otherBitrates: data.otherBitrates, malformed: data.malformed, examples: data.examples,
      unknown: data.unknown, custom: data.custom,
      hops: data.hops.map {
        RunRecord.Live.Hop(
          name: $0.name, answers: $0.answers, throughputKbps: $0.throughputKbps,
          roundTripMilliseconds: $0.roundTripMilliseconds,
          responseDelayMilliseconds: $0.responseDelayMilliseconds,
          suggestedKbps: $0.suggestedKbps, duress: $0.duress)
      }, compared: data.compared, estimatedKbps: data.estimatedKbps,
      measuredKbps: data.measuredKbps, estimatedByMeasured: data.estimatedByMeasured,
      suggested: data.suggested, exceeded: data.exceeded)
  }
}

extension RunRecord.Live.Latency {
  /// The 99th percentile from the moment at which requests were due; nothing without one.
  var dueText: String {
    dueMilliseconds.count > 2 ? Figures.decimal(dueMilliseconds[2], 1) : ""
  }
}
