import MediaUnits
import ModelBasics
import SimulationKernel

/// The downlink rate of one session.
///
/// Either a ``RateProcess``, second by second, or a trace. Scripted conditions multiply both. The
/// rate at a time is a function of (seed, replication, session, time) alone, so two variants of a
/// scenario see the same weather whatever they do.
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
  private var process: RateProcess.State

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
    process = RateProcess.State(rate: mean)
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
      process.advance(
        profile.pointee.process, to: time / 1_000_000_000, session: session, mean: mean,
        factor: profile.pointee.rateFactor, sources: sources)
      rate = process.rate
      boundary = (process.second + 1) * 1_000_000_000
    }
    guard profile.pointee.conditions != nil else { return }
    let condition = profile.pointee.conditions!.step(at: time)
    rate *= condition.rate
    if condition.until < boundary { boundary = condition.until }
  }
}
