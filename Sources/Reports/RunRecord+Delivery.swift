import CachePolicy
import MediaUnits
import Models
import Scenario
import Statistics
import Studies

extension RunRecord {
  struct Tier: RecordedObject {
    var tier = ""
    var `class` = ""
    var outcome = ""
    var requests: Int64 = 0
    var bytes: Int64 = 0

    static let form = ResultForm<Tier>([
      .word("tier", "the cache", ["client", "edge", "regional", "shield"], \.tier),
      .word("class", "class of the object", MetricReference.classes, \.class),
      .word(
        "outcome", "what became of the requests",
        CacheOutcome.allCases.map { ResultDocument.name(of: $0) }, \.outcome),
      .count("requests", "requests", \.requests),
      .count("bytes", "bytes of the answers", \.bytes),
    ])
  }

  /// What one tier asked the next one for.
  struct Fetch: RecordedObject {
    var tier = ""
    var `class` = ""
    var requests: Int64 = 0
    var bytes: Int64 = 0
    var notModified: Int64 = 0
    var background: Int64 = 0
    var retries: Int64 = 0
    var failed: Int64 = 0

    static let form = ResultForm<Fetch>([
      .word("tier", "the tier that asked", CacheTier.allCases.map { "\($0)" }, \.tier),
      .word("class", "class of the objects", MetricReference.classes, \.class),
      .count("requests", "requests to the next tier, repetitions included", \.requests),
      .count("bytes", "bytes received from it", \.bytes),
      .count("notModified", "answers 304", \.notModified),
      .count("background", "requests on behalf of nobody: refreshes", \.background),
      .count("retries", "requests sent again after a timeout", \.retries),
      .count("failed", "ended without an answer or with an error", \.failed),
    ])
  }

  /// The busiest ten seconds of each place of the CDN.
  struct Peak: RecordedObject {
    struct Place: RecordedObject {
      var place = ""
      var requestsPerSecond = 0.0
      var bitsPerSecond = 0.0

      static let form = ResultForm<Place>([
        .text("place", "edge (all together), regional, shield or origin", \.place),
        .number("requestsPerSecond", "requests that arrived", \.requestsPerSecond),
        .number("bitsPerSecond", "bits that it answered with", \.bitsPerSecond),
      ])
    }

    var spanSeconds = 0.0
    var busiestSeconds = 0.0
    var deliveredBitsPerSecond = 0.0
    var places: [Place] = []

    static let form = ResultForm<Peak>([
      .number("spanSeconds", "what is counted together, seconds", \.spanSeconds),
      .number(
        "busiestSeconds", "begin of the span with the most bytes to viewers, measured time",
        \.busiestSeconds),
      .number(
        "deliveredBitsPerSecond", "to viewers, in that span", \.deliveredBitsPerSecond),
      .list("places", "the largest span of each place by itself", \.places),
    ])
  }

  /// What a month costs.
  struct Cost: RecordedObject {
    var prices = ""
    var region = ""
    var currency = ""
    var viewsPerDay = 0.0
    var month = 0.0
    var monthLower, monthUpper: Double?
    var perMillionViews = 0.0
    var transfer = 0.0
    var requests = 0.0
    var shield = 0.0
    var originRequests = 0.0
    var originTransfer = 0.0
    var storage = 0.0

    static let form = ResultForm<Cost>([
      .text("prices", "the price list and its day", \.prices),
      .text("region", "the region of the viewers", \.region),
      .text("currency", "the currency", \.currency),
      .number("viewsPerDay", "views a day that the month is told for", \.viewsPerDay),
      .number("month", "a month of 30 days", \.month),
      .optionalNumber("monthLower", "lower end of its 95 % interval", \.monthLower),
      .optionalNumber("monthUpper", "upper end of its 95 % interval", \.monthUpper),
      .number("perMillionViews", "the same for a million views", \.perMillionViews),
      .number("transfer", "of the month: transfer to viewers", \.transfer),
      .number("requests", "of the month: requests of viewers", \.requests),
      .number("shield", "of the month: shield crossings", \.shield),
      .number("originRequests", "of the month: requests to the origin", \.originRequests),
      .number("originTransfer", "of the month: transfer from the origin", \.originTransfer),
      .number("storage", "of the month: storage", \.storage),
    ])
  }

  /// What the whole audience asks of a tier.
  struct Load: RecordedObject {
    var window = ""
    var tier = ""
    var requestsPerSecond = 0.0
    var requestsPerSecondLower, requestsPerSecondUpper: Double?
    var bitsPerSecond = 0.0
    var bitsPerSecondLower, bitsPerSecondUpper: Double?
    var samples: Int64 = 0

    static let form = ResultForm<Load>([
      .text("window", "value of the label window; all: the measured time and the drain", \.window),
      .word("tier", "who answers", AudienceLoad.Tier.allCases.map(\.rawValue), \.tier),
      .number(
        "requestsPerSecond", "requests a second of the whole audience", \.requestsPerSecond),
      .optionalNumber(
        "requestsPerSecondLower", "lower end of its 95 % interval", \.requestsPerSecondLower),
      .optionalNumber(
        "requestsPerSecondUpper", "upper end of its 95 % interval", \.requestsPerSecondUpper),
      .number("bitsPerSecond", "bits a second of the answers", \.bitsPerSecond),
      .optionalNumber(
        "bitsPerSecondLower", "lower end of its 95 % interval", \.bitsPerSecondLower),
      .optionalNumber(
        "bitsPerSecondUpper", "upper end of its 95 % interval", \.bitsPerSecondUpper),
      .count("samples", "simulated requests behind it", \.samples),
    ])
  }
}

// MARK: From a result

extension RunRecord.Tier {
  static func all(_ measures: FeedMeasures) -> [RunRecord.Tier] {
    let tiers = [
      ("client", measures.client), ("edge", measures.edge), ("regional", measures.regional),
      ("shield", measures.shield),
    ]
    return tiers.flatMap { name, counters in
      AssetClass.allCases.flatMap { asset in
        CacheOutcome.allCases.compactMap { outcome in
          let row = RunRecord.Tier(
            tier: name, class: MetricReference.classes[Int(asset.rawValue)],
            outcome: ResultDocument.name(of: outcome),
            requests: counters.requests(asset, outcome), bytes: counters.bytes(asset, outcome))
          return row.requests == 0 && row.bytes == 0 ? nil : row
        }
      }
    }
  }
}

extension RunRecord.Fetch {
  static func all(_ measures: FeedMeasures) -> [RunRecord.Fetch] {
    CacheTier.allCases.flatMap { tier in
      AssetClass.allCases.compactMap { asset in
        let row = measures.fetched[Int(tier.rawValue)][asset]
        if row.requests == 0 { return nil }
        return RunRecord.Fetch(
          tier: "\(tier)", class: MetricReference.classes[Int(asset.rawValue)],
          requests: row.requests, bytes: row.bytes, notModified: row.notModified,
          background: row.background, retries: row.retries, failed: row.failed)
      }
    }
  }
}

extension RunRecord.Peak {
  /// The tiers that the world has, edges first, and the origin.
  init(_ load: PeakLoad, _ world: ReportedWorld) {
    let tiers = world.tiersBehindEdges
    let totals = load.totals
    var places = [("edge", totals.edge)]
    if tiers.regional { places.append(("regional", totals.regional)) }
    if tiers.shield { places.append(("shield", totals.shield)) }
    places.append(("origin", totals.origin))
    let span = PeakLoad.span.seconds
    self.init(
      spanSeconds: span, busiestSeconds: load.busiest.seconds,
      deliveredBitsPerSecond: Double(totals.delivered) * 8 / span,
      places: places.map {
        Place(
          place: $0, requestsPerSecond: Double($1.requests) / span,
          bitsPerSecond: Double($1.bytes) * 8 / span)
      })
  }
}

extension RunRecord.Cost {
  init(_ cost: CDNCost) {
    self.init(
      prices: "\(cost.prices.name) \(cost.prices.asOf)", region: cost.region.name,
      currency: cost.prices.currency, viewsPerDay: cost.viewsPerDay, month: cost.total.value,
      monthLower: cost.total.interval?.lower, monthUpper: cost.total.interval?.upper,
      perMillionViews: cost.perMillionViews, transfer: cost.bill.transfer,
      requests: cost.bill.requests, shield: cost.bill.shield,
      originRequests: cost.bill.originRequests, originTransfer: cost.bill.originTransfer,
      storage: cost.bill.storage)
  }
}

extension RunRecord.Load {
  init(_ row: AudienceLoad.Row) {
    self.init(
      window: row.window ?? "all", tier: row.tier.rawValue,
      requestsPerSecond: row.requestsPerSecond.value,
      requestsPerSecondLower: row.requestsPerSecond.interval?.lower,
      requestsPerSecondUpper: row.requestsPerSecond.interval?.upper,
      bitsPerSecond: row.bitsPerSecond.value,
      bitsPerSecondLower: row.bitsPerSecond.interval?.lower,
      bitsPerSecondUpper: row.bitsPerSecond.interval?.upper, samples: row.samples)
  }
}
