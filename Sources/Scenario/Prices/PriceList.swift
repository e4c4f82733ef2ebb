/// What a content delivery network and the store behind it charge, in one currency.
///
/// Included: transfer to viewers in tiers of volume, requests, shield crossings, requests and
/// transfer of the origin, storage. Left out: commitments, discounts, taxes, invalidations, logs.
/// A gigabyte is 10^9 bytes.
public struct PriceList: Sendable, Equatable {
  /// A tier of monthly volume.
  public typealias Tier = CDNPrices.Tier

  /// The prices of one region of viewers.
  public struct Region: Sendable, Equatable {
    public var name: String
    /// Ascending; the last tier has no end.
    public var transfer: [Tier]
    /// Price of 10,000 requests of viewers.
    public var requestsPer10000: Double
    /// Price of 10,000 requests that arrive at the shield from other caches.
    public var shieldPer10000: Double

    public init(
      name: String, transfer: [Tier], requestsPer10000: Double, shieldPer10000: Double
    ) {
      self.name = name
      self.transfer = transfer
      self.requestsPer10000 = requestsPer10000
      self.shieldPer10000 = shieldPer10000
    }
  }

  public var name: String
  /// The day of the prices, as the file says.
  public var asOf: String
  public var currency: String
  /// Bytes and requests a month that cost nothing.
  public var freeTransfer: Int64
  public var freeRequests: Int64
  public var originGetPer1000: Double
  public var originTransferPerGB: Double
  public var storagePerGBMonth: Double
  public var regions: [Region]
  /// What the services behind the feed cost; all 0 where the file does not say.
  public var services: Services

  /// Prices of the services behind the feed.
  public struct Services: Sendable, Equatable {
    /// An hour of an instance, by the pool's name.
    public var instanceHours: [String: Double]
    /// A minute of media that comes out of the transcoder, all renditions together.
    public var transcodeMinute: Double
    /// A gigabyte from a relay of calls to a phone.
    public var relayTransferPerGB: Double
    /// Where the figures come from.
    public var source: String
  }

  /// The region of a name.
  public func region(_ name: String) -> Region? { regions.first { $0.name == name } }

  /// What a bill of a region's traffic needs.
  public func prices(in region: Region) -> CDNPrices {
    CDNPrices(
      freeTransfer: freeTransfer, freeRequests: freeRequests, transfer: region.transfer,
      requestsPer10000: region.requestsPer10000, shieldPer10000: region.shieldPer10000,
      originGetPer1000: originGetPer1000, originTransferPerGB: originTransferPerGB,
      storagePerGBMonth: storagePerGBMonth)
  }
}

extension PriceList {
  /// The pools that have a price for an hour of an instance.
  static let pools = ["ranker", "api", "ingest", "relay"]

  /// The keys of a price file.
  static let schema = Schema(
    title: "FirstFrame prices",
    summary: "What a content delivery network and its origin charge",
    [
      Field(
        "version", .integer(1...1), default: .required, "Version of the price format",
        source: "this program"),
      Field("name", .text(.name), default: .required, "Short name", source: "the file"),
      Field(
        "asOf", .text(.day), default: .required, "The day of the prices", source: "the file"),
      Field("currency", .text(.name), default: "USD", "Currency, as three letters"),
      Field("freeTransfer", .bytes(), default: "0", "Bytes a month to viewers that cost nothing"),
      Field(
        "freeRequests", .integer(), default: "0", "Requests a month of viewers that cost nothing"),
      Field("originGetPer1000", .real(.nonNegative), default: "0", "1,000 requests to the origin"),
      Field(
        "originTransferPerGB", .real(.nonNegative), default: "0",
        "A gigabyte from the origin to the caches"),
      Field(
        "storagePerGBMonth", .real(.nonNegative), default: "0", "A gigabyte stored for a month"),
      Field(
        "services",
        .object(
          ObjectShape(
            PriceList.pools.map {
              Field(
                "\($0)InstanceHour", .real(.nonNegative), default: "0",
                "An hour of an instance of the \($0)")
            } + [
              Field(
                "transcodeMinute", .real(.nonNegative), default: "0",
                "A minute of media through the transcoder, all renditions together"),
              Field(
                "relayTransferPerGB", .real(.nonNegative), default: "0",
                "A gigabyte from a relay of calls"),
              Field(
                "source", .text(), default: "not stated",
                "Where these figures come from, and how old they are"),
            ])), default: "{}", "What the services behind the feed cost"),
      Field(
        "regions",
        .map(
          key: .name,
          value: .object(
            ObjectShape([
              Field(
                "transfer",
                .list(
                  .object(
                    ObjectShape([
                      Field(
                        "upTo", .optional(.bytes(1...Int64.max)), default: "none",
                        "Monthly volume at which the next tier begins; none in the last"),
                      Field(
                        "perGB", .real(.nonNegative), default: .required,
                        "Price of a gigabyte", source: "the file"),
                    ])), count: 1...50), default: .required,
                "Transfer to viewers by tier of volume", source: "the file"),
              Field(
                "requestsPer10000", .real(.nonNegative), default: .required,
                "10,000 requests of viewers", source: "the file"),
              Field(
                "shieldPer10000", .real(.nonNegative), default: "0",
                "10,000 requests arriving at the shield from other caches"),
            ])), count: 1...200), default: .required, "Prices by region of the viewers",
        source: "the file"),
    ])

  /// Reads a price file.
  ///
  /// - Throws: ``ScenarioRejected`` with every problem in one pass.
  public static func load(_ path: String) throws(ScenarioRejected) -> PriceList {
    try PriceList(ScenarioFile.load(path, schema: schema))
  }

  /// The same from text that stands in a file called `file`.
  public static func parse(_ text: String, file: String) throws(ScenarioRejected) -> PriceList {
    try PriceList(ScenarioFile.parse(text, file: file, schema: schema))
  }

  private init(_ file: ScenarioFile) throws(ScenarioRejected) {
    let tree = file.tree
    var problems = Problems()
    regions = []
    for (name, part) in tree.entries("regions") {
      var tiers: [Tier] = []
      for (index, element) in part.elements("transfer").enumerated() {
        let tier = Tier(upTo: element.optionalBytes("upTo"), perGB: element.real("perGB"))
        let isLast = index + 1 == part.count("transfer")
        if isLast != (tier.upTo == nil) {
          problems.add(
            element.problem(
              at: "upTo",
              expected: isLast ? "none in the last tier" : "a volume in every tier but the last"))
        } else if let end = tier.upTo, let before = tiers.last?.upTo, end <= before {
          problems.add(
            element.problem(at: "upTo", expected: "more than the tier before ends with"))
        }
        tiers.append(tier)
      }
      regions.append(
        Region(
          name: name, transfer: tiers, requestsPer10000: part.real("requestsPer10000"),
          shieldPer10000: part.real("shieldPer10000")))
    }
    if !problems.isEmpty { throw ScenarioRejected(problems) }
    name = tree.text("name")
    asOf = tree.text("asOf")
    currency = tree.text("currency")
    freeTransfer = tree.bytes("freeTransfer")
    freeRequests = tree.integer("freeRequests")
    originGetPer1000 = tree.real("originGetPer1000")
    originTransferPerGB = tree.real("originTransferPerGB")
    storagePerGBMonth = tree.real("storagePerGBMonth")
    services = Services(
      instanceHours: Dictionary(
        uniqueKeysWithValues: PriceList.pools.map {
          ($0, tree.real("services.\($0)InstanceHour"))
        }), transcodeMinute: tree.real("services.transcodeMinute"),
      relayTransferPerGB: tree.real("services.relayTransferPerGB"),
      source: tree.text("services.source"))
  }
}

extension TextRule {
  /// A day as `2026-11-21`.
  static let day = TextRule(
    "a day such as 2026-11-21", pattern: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
  ) { text in
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let month = Int(parts[1]), let day = Int(parts[2])
    else { return false }
    return (1...12).contains(month) && (1...31).contains(day)
  }
}
