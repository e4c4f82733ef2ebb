/// What a month of traffic costs: the identity of caches.md section 7.
///
/// bill = transfer to viewers by tiers + requests of viewers + shield crossings + requests to the
/// origin + transfer from the origin + storage. A month has 30 days. Of several providers each
/// brings its part of the bytes to viewers, at its own price or by its own volume; the other lines
/// are priced together.
public struct CDNBill: Sendable, Equatable {
  /// A month's traffic in one region.
  public struct Traffic: Sendable, Equatable {
    /// Bytes and requests from the edges to viewers.
    public var bytes: Double
    public var requests: Double
    /// Requests that arrived at the shield from other caches.
    public var shieldRequests: Double
    /// Requests to the origin and bytes from it.
    public var originRequests: Double
    public var originBytes: Double
    /// Bytes stored.
    public var storedBytes: Double
    /// Who brings the bytes to viewers; empty: one provider, at the price list's price.
    public var parts: [Part] = []

    /// A provider's part of the bytes to viewers, priced as a bill of its own.
    public struct Part: Sendable, Equatable {
      /// Of all; the parts are 1 together.
      public var share: Double
      /// Price of a gigabyte; nil: the price list's, by the part's own volume.
      public var transferPerGB: Double?

      public init(share: Double, transferPerGB: Double?) {
        self.share = share
        self.transferPerGB = transferPerGB
      }
    }

    public init(
      bytes: Double = 0, requests: Double = 0, shieldRequests: Double = 0,
      originRequests: Double = 0, originBytes: Double = 0, storedBytes: Double = 0
    ) {
      self.bytes = bytes
      self.requests = requests
      self.shieldRequests = shieldRequests
      self.originRequests = originRequests
      self.originBytes = originBytes
      self.storedBytes = storedBytes
    }
  }

  public var transfer: Double
  public var requests: Double
  public var shield: Double
  public var originRequests: Double
  public var originTransfer: Double
  public var storage: Double

  /// The sum of the parts.
  public var total: Double {
    transfer + requests + shield + originRequests + originTransfer + storage
  }

  public init(_ traffic: Traffic, prices: CDNPrices) {
    let parts =
      traffic.parts.isEmpty ? [Traffic.Part(share: 1, transferPerGB: nil)] : traffic.parts
    transfer = parts.reduce(0) {
      $0 + CDNBill.transfer(of: $1, bytes: traffic.bytes, prices: prices)
    }
    let charged = max(0, traffic.requests - Double(prices.freeRequests))
    requests = charged / 10_000 * prices.requestsPer10000
    shield = traffic.shieldRequests / 10_000 * prices.shieldPer10000
    originRequests = traffic.originRequests / 1000 * prices.originGetPer1000
    originTransfer = traffic.originBytes / 1e9 * prices.originTransferPerGB
    storage = traffic.storedBytes / 1e9 * prices.storagePerGBMonth
  }

  /// A bill of these amounts.
  public init(
    transfer: Double, requests: Double, shield: Double, originRequests: Double,
    originTransfer: Double, storage: Double
  ) {
    self.transfer = transfer
    self.requests = requests
    self.shield = shield
    self.originRequests = originRequests
    self.originTransfer = originTransfer
    self.storage = storage
  }

  /// What a provider's part of a month's bytes to viewers costs.
  public static func transfer(
    of part: Traffic.Part, bytes: Double, prices: CDNPrices
  ) -> Double {
    let own = bytes * part.share
    if let price = part.transferPerGB { return own / 1e9 * price }
    return tiered(own, free: Double(prices.freeTransfer), tiers: prices.transfer)
  }

  /// The mean of several bills, part by part.
  ///
  /// - Precondition: there is at least one.
  public static func mean(of bills: [CDNBill]) -> CDNBill {
    precondition(!bills.isEmpty, "a mean needs a bill")
    var sum = bills[0]
    for bill in bills.dropFirst() {
      sum.transfer += bill.transfer
      sum.requests += bill.requests
      sum.shield += bill.shield
      sum.originRequests += bill.originRequests
      sum.originTransfer += bill.originTransfer
      sum.storage += bill.storage
    }
    let count = Double(bills.count)
    sum.transfer /= count
    sum.requests /= count
    sum.shield /= count
    sum.originRequests /= count
    sum.originTransfer /= count
    sum.storage /= count
    return sum
  }

  /// The price of a month's bytes: the free volume fills the first tiers, at no price.
  static func tiered(_ bytes: Double, free: Double, tiers: [CDNPrices.Tier]) -> Double {
    var price = 0.0
    var begin = 0.0
    for tier in tiers {
      let end = min(bytes, tier.upTo.map { Double($0) } ?? .infinity)
      let charged = max(0, end - max(begin, free))
      price += charged / 1e9 * tier.perGB
      begin = tier.upTo.map { Double($0) } ?? .infinity
      if begin >= bytes { break }
    }
    return price
  }
}
