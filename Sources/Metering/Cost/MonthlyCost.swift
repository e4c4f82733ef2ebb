import Estimation

/// What a month costs, over replications.
///
/// Every replication's traffic is scaled to the views a day and a month of 30 days, and priced, so
/// that tiers of volume are those of a whole month; the bill is the mean of theirs.
public struct MonthlyCost: Sendable, Equatable {
  /// An amount of money.
  public struct Amount: Sendable, Equatable {
    public var value: Double
    /// 95 %, over the replications; nil with one.
    public var interval: Interval?

    /// The amount in another unit.
    fileprivate func scaled(_ factor: (Double) -> Double) -> Amount {
      Amount(
        value: factor(value),
        interval: interval.map {
          Interval(lower: factor($0.lower), upper: factor($0.upper), level: $0.level)
        })
    }
  }

  public let viewsPerDay: Double
  /// The mean of the replications' bills, by part.
  public let bill: CDNBill
  public let total: Amount

  /// - Parameter bills: one for each replication; nil where it has no views, which does not count.
  /// - Returns: nil without views.
  public init?<Source: Quantiles>(
    _ bills: [CDNBill?], viewsPerDay: Double, quantiles: Source
  ) {
    let present = bills.compactMap { $0 }
    if present.isEmpty { return nil }
    self.viewsPerDay = viewsPerDay
    bill = CDNBill.mean(of: present)
    var interval: Interval?
    do throws(StatisticsError) {
      interval = try Estimates.mean(of: present.map { $0.total }, quantiles: quantiles).interval
    } catch {}
    total = Amount(value: bill.total, interval: interval)
  }

  /// What a million views of the month cost.
  public var perMillionViews: Double { perMillion(total.value) }

  /// The same with its interval.
  public var millionViews: Amount { total.scaled { perMillion($0) } }

  fileprivate func perMillion(_ month: Double) -> Double { month / (viewsPerDay * 30) * 1e6 }
}

/// What a month of a candidate costs beside one of a base, over replications that share their
/// random numbers.
public struct CostChange: Sendable, Equatable {
  /// Candidate minus base, of a month and of a million views of it. Without an interval where other
  /// replications of the candidate have views than of the base.
  public let month, millionViews: MonthlyCost.Amount
  /// That of a million views over the base's; nil where that is 0.
  public let relativeChange: Double?

  /// - Parameters:
  ///   - base: by replication, as the candidate's are; nil where there are no views.
  ///   - viewsPerDay: of the base and of the candidate.
  /// - Returns: nil without views on one of the sides.
  public init?<Source: Quantiles>(
    base: [CDNBill?], candidate: [CDNBill?], viewsPerDay: (Double, Double), quantiles: Source
  ) {
    guard let own = MonthlyCost(base, viewsPerDay: viewsPerDay.0, quantiles: quantiles),
      let other = MonthlyCost(candidate, viewsPerDay: viewsPerDay.1, quantiles: quantiles)
    else { return nil }
    let arePairs =
      base.count == candidate.count
      && base.indices.allSatisfy { (base[$0] == nil) == (candidate[$0] == nil) }
    let totals = (base.compactMap { $0?.total }, candidate.compactMap { $0?.total })
    func amount(
      _ values: (Double, Double), _ unit: (MonthlyCost, Double) -> Double
    ) -> MonthlyCost.Amount {
      var interval: Interval?
      do throws(StatisticsError) {
        if arePairs {
          interval = try Estimates.pairedDifference(
            candidate: totals.1.map { unit(other, $0) }, baseline: totals.0.map { unit(own, $0) },
            quantiles: quantiles
          ).difference.interval
        }
      } catch {}
      return MonthlyCost.Amount(value: values.1 - values.0, interval: interval)
    }
    month = amount((own.total.value, other.total.value)) { $1 }
    let (before, after) = (own.perMillionViews, other.perMillionViews)
    millionViews = amount((before, after)) { $0.perMillion($1) }
    relativeChange = before != 0 ? after / before - 1 : nil
  }
}
