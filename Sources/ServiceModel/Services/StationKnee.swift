import AudienceModel
import MediaUnits
import ServicePolicy
import SimulationKernel

/// The load at which a station's time passes a limit, found by halving.
///
/// Every load is tried with the same random numbers (a job's service does not depend on the load),
/// so that the quantile rises with the load but for the order of jobs, and halving finds the place.
public struct StationKnee: Sendable, Equatable {
  /// Arrivals a second: the limit holds at `lower` and is passed at `upper`.
  public var lower, upper: Double
  /// The quantile at both, seconds.
  public var lowerTime, upperTime: Double

  /// The middle.
  public var rate: Double { (lower + upper) / 2 }

  /// - Parameters:
  ///   - quantile: of the time from arrival to end, 0 to 1.
  ///   - limit: seconds that it may be.
  ///   - near: arrivals a second near which it is thought to be, where the search begins; nil:
  ///     anywhere below what the servers can do.
  ///   - jobs: measured jobs of one trial; a tenth as many come before.
  ///   - precision: upper / lower - 1 at which the search ends.
  /// - Returns: nil when not even a nearly idle station keeps the limit.
  /// - Throws: ``SimulationError`` after 2^40 events.
  public static func search(
    servers: Int, service: QuantileTable, quantile: Double, limit: Double, near: Double? = nil,
    jobs: Int = 100_000, precision: Double = 0.01, seed: UInt64, replication: UInt16 = 0
  ) throws(SimulationError) -> StationKnee? {
    precondition(service.mean > 0 && precision > 0 && jobs > 0, "a search has an end")
    let capacity = Double(servers) / service.mean
    func time(_ rate: Double) throws(SimulationError) -> Double {
      let length = Double(jobs) / rate
      let measures = try StationWorld.run(
        StationConfiguration(
          arrivals: RateProfile([(time: 0, rate: rate), (time: length * 1.1, rate: rate)]),
          service: service, servers: servers, warmUp: TimeSpan(seconds: length * 0.1)),
        seed: seed, replication: replication)
      return measures[0].quantile(quantile)?.seconds ?? 0
    }
    var knee = StationKnee(
      lower: capacity / 1024, upper: capacity, lowerTime: 0, upperTime: .infinity)
    var isFound = false
    for rate in [0.9, 1.05].map({ $0 * (near ?? 0) }) where rate > knee.lower && rate < knee.upper {
      let found = try time(rate)
      if found <= limit {
        (knee.lower, knee.lowerTime) = (rate, found)
        isFound = true
      } else {
        (knee.upper, knee.upperTime) = (rate, found)
        break
      }
    }
    if !isFound {
      knee.lowerTime = try time(knee.lower)
      if knee.lowerTime > limit { return nil }
    }
    while knee.upper > knee.lower * (1 + precision) {
      // Halves of the logarithm while the ends are far apart.
      let isFar = knee.upper > 2 * knee.lower
      let middle =
        isFar ? (knee.lower * knee.upper).squareRoot() : (knee.lower + knee.upper) / 2
      let found = try time(middle)
      if found <= limit {
        (knee.lower, knee.lowerTime) = (middle, found)
      } else {
        (knee.upper, knee.upperTime) = (middle, found)
      }
    }
    return knee
  }
}
