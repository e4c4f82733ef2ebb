import Models
import Scenario
import Statistics

/// What a month of the simulated traffic costs.
///
/// Every replication's traffic is scaled to the stated views a day and a month of 30 days, and
/// priced, so that tiers of volume are those of a whole month; the bill is the mean of theirs.
public struct CDNCost: Sendable, Equatable {
  public struct Total: Sendable, Equatable {
    public var value: Double
    /// 95 %, over the replications; nil with one.
    public var interval: Interval?
  }

  public var prices: PriceList
  public var region: PriceList.Region
  public var viewsPerDay: Double
  /// The mean of the replications' bills, by part.
  public var bill: CDNBill
  public var total: Total

  public var perMillionViews: Double { total.value / (viewsPerDay * 30) * 1e6 }

  /// What one replication adds: its views and its traffic.
  public struct Sample: Sendable, Equatable {
    public var views: Double
    public var traffic: CDNBill.Traffic

    /// - Parameter providers: of the scenario; each is paid for the bytes that came from it.
    init(views: Int64, measures: FeedMeasures, providers: [CDNProvider] = []) {
      self.views = Double(views)
      traffic = CDNBill.Traffic(
        bytes: Double(measures.counts.deliveredBytes),
        requests: Double(measures.counts.requests + measures.counts.clientRetries),
        shieldRequests: Double(measures.counts.shieldCrossings),
        originRequests: Double(measures.counts.originRequests),
        originBytes: Double(measures.counts.originBytes))
      let bytes = measures.providers.each.map { Double($0.counts.bytes) }
      let all = bytes.reduce(0, +)
      if all > 0 {
        traffic.parts = zip(providers, bytes).map { provider, part in
          CDNBill.Traffic.Part(share: part / all, transferPerGB: provider.transferPerGB)
        }
      }
    }

    /// The traffic of a month with so many views a day.
    func monthly(_ viewsPerDay: Double) -> CDNBill.Traffic {
      let factor = views > 0 ? viewsPerDay * 30 / views : 0
      var month = CDNBill.Traffic(
        bytes: traffic.bytes * factor, requests: traffic.requests * factor,
        shieldRequests: traffic.shieldRequests * factor,
        originRequests: traffic.originRequests * factor,
        originBytes: traffic.originBytes * factor)
      month.parts = traffic.parts
      return month
    }
  }

  /// - Parameter samples: one for each replication; those without views do not count.
  /// - Returns: nil without views.
  init?(_ samples: [Sample], plan: CostPlan) {
    let present = samples.filter { $0.views > 0 }
    if present.isEmpty { return nil }
    prices = plan.prices
    region = plan.region
    viewsPerDay = plan.viewsPerDay
    let bills = present.map { sample in
      var traffic = sample.monthly(plan.viewsPerDay)
      traffic.storedBytes = Double(plan.storedBytes)
      return CDNBill(traffic, region: plan.region, prices: plan.prices)
    }
    bill = CDNBill.mean(of: bills)
    total = Total(
      value: bill.total, interval: (try? Estimates.mean(of: bills.map(\.total)))?.interval)
  }
}
