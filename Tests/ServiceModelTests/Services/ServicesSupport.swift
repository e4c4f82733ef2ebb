import AudienceModel
import FeedPolicy
import MediaUnits
import ServicePolicy
import SimulationKernel
import Statistics

@testable import ServiceModel

/// The table of a law.
func table(_ law: Law) throws -> QuantileTable {
  let knots = try QuantileKnots.tabulate(law)
  var upper = knots.upper
  upper[0] = knots.lower[0]
  return QuantileTable(
    lower: knots.lower, upper: upper, maximumError: knots.maximumError, mean: knots.mean)
}

func steady(_ rate: Double, _ seconds: Double) -> RateProfile {
  RateProfile([(time: 0, rate: rate), (time: seconds, rate: rate)])
}

/// Mean and standard error over replications.
struct Replicated {
  var values: [Double] = []
  var mean: Double { values.reduce(0, +) / Double(values.count) }
  var error: Double {
    let mean = mean
    let sum = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (sum / Double(values.count - 1) / Double(values.count)).squareRoot()
  }

  /// How many standard errors the mean is from a value.
  func distance(from value: Double) -> Double { abs(mean - value) / error }
}

func popularity(_ titles: Int) throws -> (shares: [Double], table: SimulationKernel.AliasTable) {
  let law = try ZipfLaw(count: titles, exponent: 1)
  let alias = try Statistics.AliasTable(weights: law.probabilities)
  return (
    law.probabilities,
    SimulationKernel.AliasTable(thresholds: alias.thresholds, aliases: alias.aliases)
  )
}

/// The services at a load that no queue feels, with the laws of parameters section 13.
func services(
  sessions: Double = 4, window: Double = 60, warmUp: Double = 30, titles: Int = 2_000
) throws -> ServicesConfiguration {
  let (shares, alias) = try popularity(titles)
  let length = warmUp + window
  return ServicesConfiguration(
    warmUp: TimeSpan(seconds: warmUp), window: TimeSpan(seconds: window),
    audience: AudienceSettings(
      sessions: steady(sessions, length),
      items: try table(.lognormal(median: 12, sigma: 0.7)),
      dwell: try table(.lognormal(median: 3, sigma: 0.6)),
      roundTrip: QuantileTable(constant: 0.06)),
    api: ServiceStation(servers: 16, service: QuantileTable(constant: 0.003)),
    ranker: RankerSettings(
      station: ServiceStation(
        servers: 64, service: try table(.lognormal(median: 0.009, sigma: 0.35)))),
    store: StoreSettings(
      cacheRead: QuantileTable(constant: 0.0015),
      tableRead: try table(.lognormal(median: 0.0035, sigma: 0.45)),
      indexLag: try table(.lognormal(median: 0.03, sigma: 1))),
    content: ContentSettings(shares: shares, popularity: alias),
    ingest: IngestSettings(
      station: ServiceStation(servers: 8, service: QuantileTable(constant: 0.005))))
}

extension ServicesConfiguration {
  func run(seed: UInt64 = 7, replication: UInt16 = 0) throws -> ServicesMeasures {
    try ServicesWorld.run(self, seed: seed, replication: replication).measures
  }
}

extension ServicesMeasures {
  var answered: Int { served.reduce(0, +) }
  var fallbacks: Int { served[1] + served[2] }
}
