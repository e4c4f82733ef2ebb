import MediaUnits
import ModelBasics
import SimulationKernel

/// The downlink rate of one session.
///
/// Either a process, second by second: log(rate / session mean) is AR(1), a two-state chain takes
/// the link into outages; or a trace. Scripted conditions multiply both. The rate at a time is a
/// function of (seed, replication, session, time) alone, so two variants of a scenario see the same
/// weather whatever they do. The stationary mean of exp(AR) is divided out, so that the session
/// mean is the mean.
public struct LinkRate {
  /// Bits per second from now to ``boundary``.
  public private(set) var rate: Double
  /// When the rate may change next, nanoseconds since the session's start; `.max` for never.
  public private(set) var boundary: Int64
  /// The session's mean rate, bits per second.
  public let mean: Double
  /// Place in the profile's traces, or -1.
  private let trace: Int
  /// Added to the time in the trace.
  private let offset: Int64
  private var second: Int64 = -1
  private var processRate: Double
  private var logarithm = 0.0
  private var isOut = false

  public init(
    session: UInt32, profile: UnsafeMutablePointer<NetworkProfile>,
    sources: borrowing DrawSources
  ) {
    let u = sources.streams.uniform(.linkMean, entity: UInt64(session))
    let factor = profile.pointee.rateFactor
    let count = profile.pointee.traces.count
    if count > 0 {
      let place = Int(u * Double(count))
      trace = place < count ? place : count - 1
      mean = profile.pointee.traces[trace].mean * factor
      let start = sources.streams.uniform(.linkMean, entity: UInt64(session), draw: 1)
      let length = Double(profile.pointee.traces[trace].length)
      offset = profile.pointee.startsAnywhere ? Int64(start * length) : 0
    } else {
      trace = -1
      offset = 0
      mean = profile.pointee.sessionRate.quantile(u) * factor
    }
    processRate = mean
    rate = mean
    boundary = 0
  }

  /// Brings the rate to `time`, nanoseconds since the session's start.
  ///
  /// - Complexity: O(seconds passed), one block of random numbers each; O(log steps) for a trace.
  public mutating func advance(
    to time: Int64, session: UInt32, profile: UnsafeMutablePointer<NetworkProfile>,
    sources: borrowing DrawSources
  ) {
    if time < boundary { return }
    if trace >= 0 {
      let step = profile.pointee.traces[trace].step(at: time + offset)
      rate = step.rate * profile.pointee.rateFactor
      boundary = step.until == .max ? .max : step.until - offset
    } else {
      advanceProcess(to: time / 1_000_000_000, session, profile, sources)
      rate = processRate
      boundary = (second + 1) * 1_000_000_000
    }
    guard profile.pointee.conditions != nil else { return }
    let condition = profile.pointee.conditions!.step(at: time)
    rate *= condition.rate
    if condition.until < boundary { boundary = condition.until }
  }

  private mutating func advanceProcess(
    to target: Int64, _ session: UInt32, _ profile: UnsafeMutablePointer<NetworkProfile>,
    _ sources: borrowing DrawSources
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
      processRate = outage < mean ? outage : mean
    } else {
      processRate =
        mean
        * PortableMath.exp(logarithm - 0.5 * profile.pointee.rateSigma * profile.pointee.rateSigma)
    }
  }
}
