import CachePolicy
import Models
import Scenario
import Statistics
import Studies

/// Caches and origin beyond the outcomes: late views one by one, what tiers fetched, the origin,
/// staleness, and what a month costs.
extension ResultForms {
  private static let reasonNames = MissReason.allCases.map { "\($0.name)" }
  private static let answererNames = AnsweringTier.allCases.map { "\($0.name)" }

  struct AnswerRow: Sendable {
    var tier: AnsweringTier
    var reason: MissReason
    var sum: LateAnswers.Sum
  }

  static func answerRows(_ answers: LateAnswers) -> [AnswerRow] {
    AnsweringTier.allCases.flatMap { tier in
      MissReason.allCases.compactMap { reason in
        let sum = answers[tier, reason]
        return sum.views == 0 ? nil : AnswerRow(tier: tier, reason: reason, sum: sum)
      }
    }
  }

  static let lateAnswer = ResultForm<AnswerRow>([
    .word("tier", "who answered the request that waited longest behind the edge", answererNames) {
      "\($0.tier.name)"
    },
    .word("reason", "why the edge did not; none: nothing waited behind the edge", reasonNames) {
      "\($0.reason.name)"
    },
    .count("views", "late views") { $0.sum.views },
    .count("waitNanoseconds", "sum of those waits") { $0.sum.wait },
  ])

  static let lateView = ResultForm<LateView>([
    .count("replication", "the replication") { Int64($0.replication) },
    .count("session", "the session") { Int64($0.session) },
    .count("item", "the item of the session") { Int64($0.item) },
    .boolean("started", "whether a first frame was rendered") { $0.hasStarted },
    .count("waitedNanoseconds", "to the first frame, or to when the view was left") { $0.waited },
    .word("part", "the part that took longest", StartupPart.allCases.map { "\($0.name)" }) {
      "\($0.part.name)"
    },
    .word(
      "class", "class of the request that waited longest behind the edge",
      MetricReference.classes
    ) { MetricReference.classes[Int($0.answer.asset.rawValue)] },
    .word("tier", "who answered it", answererNames) { "\($0.answer.tier.name)" },
    .word("reason", "why the edge did not; none: nothing waited behind the edge", reasonNames) {
      "\($0.answer.reason.name)"
    },
    .count("waitNanoseconds", "how long it waited behind the edge") { max(0, $0.answer.wait) },
  ])

  // MARK: Fetches and the origin

  struct FetchRow: Sendable {
    var tier: CacheTier
    var asset: AssetClass
    var row: FetchCounters.Row
  }

  static func fetchRows(_ result: StudyResult) -> [FetchRow] {
    CacheTier.allCases.flatMap { tier in
      AssetClass.allCases.compactMap { asset in
        let row = result.measures.fetched[Int(tier.rawValue)][asset]
        return row.requests == 0 ? nil : FetchRow(tier: tier, asset: asset, row: row)
      }
    }
  }

  static let fetch = ResultForm<FetchRow>([
    .word("tier", "the tier that asked", CacheTier.allCases.map { "\($0)" }) { "\($0.tier)" },
    .word("class", "class of the objects", MetricReference.classes) {
      MetricReference.classes[Int($0.asset.rawValue)]
    },
    .count("requests", "requests to the next tier, repetitions included") { $0.row.requests },
    .count("bytes", "bytes received from it") { $0.row.bytes },
    .count("notModified", "answers 304") { $0.row.notModified },
    .count("background", "requests on behalf of nobody: refreshes") { $0.row.background },
    .count("retries", "requests sent again after a timeout") { $0.row.retries },
    .count("failed", "ended without an answer or with an error") { $0.row.failed },
  ])

  static let origin = ResultForm<FeedMeasures>([
    .count("requests", "requests that arrived") { $0.origin.total.requests },
    .count("bytes", "bytes sent") { $0.origin.total.bytes },
    .count("notModified", "answers 304") { $0.origin.total.notModified },
    .count("errors", "answers 503 in an outage") { $0.origin.total.errors },
    .count("slowDowns", "answers 503 Slow Down") { $0.origin.total.slowDowns },
    .count("unanswered", "requests that were never answered") { $0.origin.total.unanswered },
    .count("unreachable", "connections that did not open") { $0.origin.total.unreachable },
    .count("queued", "requests that found all places taken") { $0.origin.queued },
    .count("largestRate", "most requests in one second of a replication") {
      $0.origin.largestRate
    },
    .count("largestPerLifetime", "most requests for one object within one lifetime of it") {
      $0.origin.largestPerLifetime
    },
    .count("shieldCrossings", "requests that reached the shield from other regions") {
      $0.counts.shieldCrossings
    },
    .count("clientErrors", "errors that viewers got") { $0.counts.clientErrors },
    .count("clientStale", "of those, answered from a stale copy on the device") {
      $0.counts.clientStale
    },
    .count("clientRetries", "of those, asked again") { $0.counts.clientRetries },
  ])

  // MARK: Cost

  static let cost = ResultForm<CDNCost>([
    .text("prices", "the price list and its day") { "\($0.prices.name) \($0.prices.asOf)" },
    .text("region", "the region of the viewers") { $0.region.name },
    .text("currency", "the currency") { $0.prices.currency },
    .number("viewsPerDay", "views a day that the month is told for") { $0.viewsPerDay },
    .number("month", "a month of 30 days") { $0.total.value },
    .optionalNumber("monthLower", "lower end of its 95 % interval") { $0.total.interval?.lower },
    .optionalNumber("monthUpper", "upper end of its 95 % interval") { $0.total.interval?.upper },
    .number("perMillionViews", "the same for a million views") { $0.perMillionViews },
    .number("transfer", "of the month: transfer to viewers") { $0.bill.transfer },
    .number("requests", "of the month: requests of viewers") { $0.bill.requests },
    .number("shield", "of the month: shield crossings") { $0.bill.shield },
    .number("originRequests", "of the month: requests to the origin") { $0.bill.originRequests },
    .number("originTransfer", "of the month: transfer from the origin") { $0.bill.originTransfer },
    .number("storage", "of the month: storage") { $0.bill.storage },
  ])
}
