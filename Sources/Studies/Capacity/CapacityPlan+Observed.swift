import Foundation
import Scenario
import Statistics

/// What was observed of the audience that a plan is for.
public struct CapacityObservation: Sendable {
  public var audience: ObservedAudience
  /// What the plan would have assumed without it.
  public var assumed: CapacityAssumptions
  /// The keys of assumptions that were taken from it.
  public var taken: [String]
  /// Whether the plan is for the audience that was observed: a whole day says how many came, or
  /// somebody did. Else what grows with the audience is not compared.
  public var isAudienceKnown: Bool

  public init(
    _ audience: ObservedAudience, assumed: CapacityAssumptions, taken: [String],
    isAudienceKnown: Bool
  ) {
    self.audience = audience
    self.assumed = assumed
    self.taken = taken
    self.isAudienceKnown = isAudienceKnown
  }
}

extension CapacityPlan {
  /// Where a number of the plan comes from.
  public enum Origin: String, Sendable {
    /// What it would have assumed.
    case assumed
    case simulated
    /// What it has computed for this audience.
    case plan
  }

  /// A number of the files beside the plan's.
  public struct Comparison: Sendable {
    public var figure: ObservedAudience.Figure
    /// Nil where it is not compared.
    public var predicted: Double?
    public var origin: Origin

    /// Predicted minus observed.
    public var difference: Double? { predicted.map { $0 - figure.value } }
  }

  /// A limit beside what was taken.
  public struct ObservedLimit: Sendable {
    public var name: String
    public var what: String
    public var limit: Double
    /// Nil where the files cannot tell.
    public var observed: Double?
    public var predicted: Double?
    /// Whether it is a share that has to be reached, and not a load that must not.
    public var isLeast: Bool

    /// Nil where the files cannot tell.
    public var isOver: Bool? { observed.map { isLeast ? $0 < limit : $0 > limit } }
  }

  /// What was observed, row by row, beside what the plan says; empty without an observation.
  public var comparisons: [Comparison] {
    guard let observation else { return [] }
    return observation.audience.figures.map { figure in
      let (value, origin) = predicted(figure.quantity, observation)
      let isHeld =
        !figure.quantity.growsWithAudience
        || observation.isAudienceKnown && figure.isComparable || origin == .assumed
      return Comparison(
        figure: figure, predicted: isHeld && value?.isFinite ?? false ? value : nil, origin: origin)
    }
  }

  private func predicted(
    _ quantity: ObservedAudience.Quantity, _ observation: CapacityObservation
  ) -> (Double?, Origin) {
    let assumed = observation.assumed
    let ownSessions = sessionsPerDay / load
    let mean = flow(1)
    let edges = Double(scenario.configuration.cdn.edgesBehindShield)
    let seconds = measures.secondsPerView.value
    switch quantity {
    case .usersPerDay: return (ownSessions / assumed.sessionsPerUserDay, .assumed)
    case .sessionsPerDay: return (ownSessions, .assumed)
    case .viewsPerDay:
      let hasSessions = observation.audience[.sessionsPerDay] != nil
      return hasSessions
        ? (level.viewsPerDay, .plan) : (ownSessions * measures.viewsPerSession, .assumed)
    case .sessionsPerUserDay: return (assumed.sessionsPerUserDay, .assumed)
    case .viewsPerSession: return (measures.viewsPerSession, .simulated)
    case .secondsPerView: return (seconds, .simulated)
    case .peakToMean: return (assumed.peakToMean, .assumed)
    case .burst: return (assumed.burst, .assumed)
    case .viewersInHour: return (level.peakViews / assumptions.burst * seconds, .plan)
    case .viewersAtPeak: return (level.peakViews * seconds, .plan)
    case .peakViews: return (level.peakViews, .plan)
    case .edgeRate: return (level.edgeRate, .plan)
    case .fillRate: return (level.fillRate, .plan)
    case .originRate: return (level.originRate, .plan)
    case .edgeRequests: return (level.edgeRequests, .plan)
    case .fillRequests: return (level.fillRequests, .plan)
    case .originRequests: return (level.originRequests, .plan)
    case .bytesPerView: return (measures.bytesPerView.value, .simulated)
    case .requestsPerView: return (measures.requestsPerView.value, .simulated)
    case .hitRatio: return (1 - mean.missedRequests / mean.requests, .plan)
    case .byteHitRatio: return (1 - mean.missedBytes / mean.bytes, .plan)
    case .nextHitRatio:
      let hasShield = scenario.configuration.cdn.shield != nil
      return (
        hasShield ? 1 - mean.originRequests / (edges * mean.missedRequests) : nil, .plan
      )
    }
  }

  /// Limits that are there whoever comes, by what was taken; empty without an observation.
  public var observedLimits: [ObservedLimit] {
    guard let observation else { return [] }
    let rows = comparisons
    func limit(
      _ name: String, _ what: String, _ limit: Double, _ quantity: ObservedAudience.Quantity
    ) -> ObservedLimit {
      ObservedLimit(
        name: name, what: what, limit: limit, observed: observation.audience[quantity]?.value,
        predicted: rows.first { $0.figure.quantity == quantity }?.predicted,
        isLeast: quantity.isShare)
    }
    var distribution = limit(
      "distribution", "requests/s, its quota", CapacityPlan.quota, .edgeRequests)
    if providers.count > 1 {
      // The quota is one provider's, and what was seen is of all.
      distribution.what =
        "requests/s of the largest provider, its quota; logs do not say whose distribution"
      distribution.observed = nil
      distribution.predicted = distribution.predicted.map { $0 * largestShare }
    }
    return [
      distribution,
      limit("origin", "requests/s", assumptions.originLimit, .originRequests),
      limit("edges", "hit ratio, the target", assumptions.targetHitRatio, .hitRatio),
    ]
  }
}

extension CapacityAssumptions {
  /// Says of rows that their values were taken from somewhere.
  public mutating func credit(_ keys: [String], to source: String) {
    for place in rows.indices where keys.contains(rows[place].key) {
      let summary = rows[place].source.components(separatedBy: ": ").last ?? ""
      rows[place].source = "\(source): \(summary)"
    }
  }
}
