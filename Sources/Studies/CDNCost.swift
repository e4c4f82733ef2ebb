import Metering
import Scenario
import Statistics

/// What a month of the simulated traffic costs, and at which prices.
public struct CDNCost: Sendable, Equatable {
  public var prices: PriceList
  public var region: PriceList.Region
  /// By replication; nil for those without views.
  public var bills: [CDNBill?]
  public var monthly: MonthlyCost

  public var viewsPerDay: Double { monthly.viewsPerDay }
  /// The mean of the replications' bills, by part.
  public var bill: CDNBill { monthly.bill }
  public var total: MonthlyCost.Amount { monthly.total }
  public var perMillionViews: Double { monthly.perMillionViews }

  /// - Parameter traffic: of each replication; those without views do not count.
  /// - Returns: nil without views.
  init?(_ traffic: [ReplicationTraffic], plan: CostPlan) {
    let bills = traffic.map { $0.bill(plan.terms, viewsPerDay: plan.viewsPerDay) }
    guard
      let monthly = MonthlyCost(
        bills, viewsPerDay: plan.viewsPerDay, quantiles: GSLQuantiles())
    else { return nil }
    prices = plan.prices
    region = plan.region
    self.bills = bills
    self.monthly = monthly
  }
}
