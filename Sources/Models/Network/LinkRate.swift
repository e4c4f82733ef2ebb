import MediaUnits
import SimulationKernel

/// The downlink rate of one session, second by second.
///
/// log(rate / session mean) is an AR(1) process; a two-state chain takes the link into outages. The
/// rate of second k is a function of (seed, replication, session, k) alone, so two variants of a
/// scenario see the same weather whatever they do. The stationary mean of exp(AR) is divided out,
/// so that the session mean is the mean.
struct LinkRate {
  private(set) var second: Int64
  /// Bits per second during ``second``.
  private(set) var rate: Double
  /// The session's mean rate, bits per second.
  let mean: Double
  private var logarithm: Double
  private var isOut: Bool

  init(
    session: UInt32, profile: UnsafeMutablePointer<NetworkProfile>,
    sources: borrowing LinkRate.Sources
  ) {
    let u = sources.streams.uniform(.linkMean, entity: UInt64(session))
    mean = profile.pointee.sessionRate.quantile(u) * profile.pointee.rateFactor
    second = -1
    logarithm = 0
    isOut = false
    rate = mean
  }

  /// What every link draws from.
  struct Sources {
    let streams: RandomStreams
    let normal: QuantileTable
  }

  /// Brings the rate to the second that contains `now`, counted from the session's start.
  ///
  /// - Complexity: O(seconds passed), one block of random numbers each.
  mutating func advance(
    to target: Int64, session: UInt32, profile: UnsafeMutablePointer<NetworkProfile>,
    sources: borrowing Sources
  ) {
    if target <= second { return }
    let correlation = profile.pointee.rateCorrelation
    let innovation =
      profile.pointee.rateSigma * (1 - correlation * correlation).squareRoot()
    while second < target {
      let isFirst = second < 0
      second += 1
      let (u, chain) = sources.streams.uniformPair(
        .linkSecond, entity: UInt64(session), pair: UInt32(truncatingIfNeeded: second))
      let normal = sources.normal.quantile(u)
      if isFirst {
        logarithm = profile.pointee.rateSigma * normal
        let sum = profile.pointee.outageStart + profile.pointee.outageEnd
        isOut = sum > 0 && chain < profile.pointee.outageStart / sum
      } else {
        logarithm = correlation * logarithm + innovation * normal
        isOut = isOut ? chain >= profile.pointee.outageEnd : chain < profile.pointee.outageStart
      }
    }
    if isOut {
      let outage = profile.pointee.outageRate * profile.pointee.rateFactor
      rate = outage < mean ? outage : mean
    } else {
      rate =
        mean
        * PortableMath.exp(logarithm - 0.5 * profile.pointee.rateSigma * profile.pointee.rateSigma)
    }
  }
}
