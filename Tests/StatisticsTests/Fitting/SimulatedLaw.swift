import SimulationKernel

@testable import Statistics

/// A law as the simulator draws from it: from the table of its quantiles.
struct SimulatedLaw {
  private let table: QuantileTable

  init(_ law: Law) throws {
    let knots = try QuantileKnots.tabulate(law)
    var upper = knots.upper
    upper[0] = knots.lower[0]
    table = QuantileTable(
      lower: knots.lower, upper: upper, maximumError: knots.maximumError, mean: knots.mean)
  }

  func draw(_ count: Int, seed: UInt64) -> [Double] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in table.quantile(random.nextUniform()) }
  }
}
