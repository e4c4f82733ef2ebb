import Scenario
import Studies

/// What a live run adds to `result.json`.
extension ResultForms {
  private static let reading = ResultForm<LiveFacts.Reading>([
    .text("name", "what was read") { $0.name },
    .number("value", "the worst reading, in `unit`") { $0.value },
    .text("unit", "unit of value and limit") { $0.unit },
    .optionalNumber("limit", "beyond it the run is invalid; null: only told") { $0.limit },
    .boolean("good", "whether it is within the limit") { $0.isGood },
  ])

  private static let liveLatency = ResultForm<LiveFacts.Latency>([
    .text("class", "asset class") { $0.name },
    .count("count", "answers that came whole") { $0.count },
    ResultMember(
      name: "sentMilliseconds",
      summary: "p50, p95, p99 and max from sending to the last byte, milliseconds",
      shape: .list(.number)
    ) { .array($0.sent.map { .number($0) }) },
    ResultMember(
      name: "dueMilliseconds", summary: "the same from the moment at which the request was due",
      shape: .list(.number)
    ) { .array($0.due.map { .number($0) }) },
  ])

  private static let liveCount = ResultForm<LiveFacts.Count>([
    .text("kind", "what happened") { $0.name },
    .count("count", "how often") { $0.count },
  ])

  static let live = ResultForm<LiveFacts>([
    .text("target", "what was asked") { $0.target },
    .text("edge", "what stood there") { $0.edge },
    .text("link", "what carried the bytes") { $0.link },
    .number("seconds", "wall-clock seconds of the run") { $0.seconds },
    .count("requests", "requests that were sent") { $0.requests },
    .count("bytes", "body bytes that were received") { $0.bytes },
    .count("starts", "sessions that began") { $0.starts },
    .count("lateStarts", "sessions that began later than they were due") { $0.lateStarts },
    .count("checkedBodies", "media bodies that were compared with the stand-in's, and right") {
      $0.checked
    },
    .count("lateAnswers", "pieces of answers that nobody waited for any more") { $0.lateAnswers },
    .count("lateBytes", "bytes of their bodies") { $0.lateBytes },
    .list("health", "how the generator was", reading) { $0.health },
    ResultMember(
      name: "reasons", summary: "why the numbers cannot be believed; empty when they can",
      shape: .list(.text(pattern: nil))
    ) { .array($0.reasons.map { .string($0) }) },
    ResultMember(
      name: "notes", summary: "what else a reader has to know, a sentence each",
      shape: .list(.text(pattern: nil))
    ) { .array($0.notes.map { .string($0) }) },
    .list("latencies", "times of whole answers by class", liveLatency) { $0.latencies },
    .list("failures", "requests without a usable answer, by kind", liveCount) { $0.failures },
  ])
}
