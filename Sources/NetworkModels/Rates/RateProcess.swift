import MediaUnits
import ModelBasics
import SimulationKernel

/// How a link's rate varies around its session's mean, second by second: log(rate / mean) is AR(1),
/// and a two-state chain takes the link into outages.
///
/// A link with another law of its own adds its parameters and its step here. By themselves the
/// values are those of a rate that never changes; links' own are in `parameters.md` section 1.7.
public struct RateProcess: Sendable, Equatable {
  /// Standard deviation of the log rate inside a session.
  public var sigma = 0.0
  /// Correlation of the log rate from one second to the next, 0 ..< 1.
  public var correlation = 0.0
  /// Probability per second of falling into an outage, and of leaving it.
  public var outageStart = 0.0, outageEnd = 1.0
  /// Rate while in an outage, bits per second.
  public var outageRate = 1e6

  public init() {}

  /// Where the process of one session is.
  public struct State {
    /// The last second that was drawn; -1 before the first.
    public private(set) var second: Int64 = -1
    /// Bits per second in ``second``.
    public private(set) var rate: Double
    private var logarithm = 0.0
    private var isOut = false

    /// - Parameter rate: The session's mean, bits per second.
    public init(rate: Double) { self.rate = rate }

    /// Brings the process to second `target` of the session; what lies behind stays as it is.
    ///
    /// The stationary mean of exp(AR) is divided out, so that the session's mean is the mean.
    ///
    /// - Parameters:
    ///   - mean: The session's mean, bits per second.
    ///   - factor: On the rate of an outage; `mean` has it already.
    /// - Complexity: O(seconds passed), one block of random numbers each.
    public mutating func advance(
      _ process: RateProcess, to target: Int64, session: UInt32, mean: Double, factor: Double,
      sources: borrowing DrawSources
    ) {
      if target <= second { return }
      let correlation = process.correlation
      let innovation =
        process.sigma * (1 - correlation * correlation).squareRoot()
      while second < target {
        let isFirst = second < 0
        second += 1
        let (u, chain) = sources.streams.uniformPair(
          .linkSecond, entity: UInt64(session), pair: UInt32(truncatingIfNeeded: second))
        let normal = sources.normal.quantile(u)
        if isFirst {
          logarithm = process.sigma * normal
          let sum = process.outageStart + process.outageEnd
          isOut = sum > 0 && chain < process.outageStart / sum
        } else {
          logarithm = correlation * logarithm + innovation * normal
          isOut = isOut ? chain >= process.outageEnd : chain < process.outageStart
        }
      }
      if isOut {
        let outage = process.outageRate * factor
        rate = outage < mean ? outage : mean
      } else {
        rate =
          mean * PortableMath.exp(logarithm - 0.5 * process.sigma * process.sigma)
      }
    }
  }
}
