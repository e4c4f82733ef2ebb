import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What one session's access link is from its beginning to its end: the same draws that the
/// simulation makes, written out for a host that shapes real packets.
public struct SessionLink: Sendable, Equatable {
  /// Index in ``FeedConfiguration/networks``.
  public var network: Int
  /// Downlink rate since the session's start, scripted silences included.
  public var rate: RateTrace
  /// Bits per second.
  public var uplinkRate: Double
  /// Propagation round trip, nanoseconds.
  public var roundTrip: Int64
  public var loss: PacketLoss
  /// Longest wait in the queue before the downlink, nanoseconds.
  public var queueLimit: Int64
}

extension FeedConfiguration {
  /// The link of a session, its rate written out for `length` after its start; the last rate holds.
  ///
  /// Left out: a cell that several viewers share.
  ///
  /// - Complexity: O(seconds of `length`) for a random process, O(steps) for a trace.
  public func link(
    of session: UInt32, streams: RandomStreams, length: TimeSpan
  ) -> SessionLink {
    let network = choices(of: session, streams).network
    var profile = networks[network]
    let sources = DrawSources(streams: streams, normal: normal)
    var starts: [Int64] = []
    var rates: [Double] = []
    withUnsafeMutablePointer(to: &profile) { profile in
      var rate = LinkRate(session: session, profile: profile, sources: sources)
      var time: Int64 = 0
      repeat {
        rate.advance(to: time, session: session, profile: profile, sources: sources)
        if rates.last != rate.rate {
          starts.append(time)
          rates.append(rate.rate)
        }
        time = rate.boundary
      } while time < length.nanoseconds
    }
    let u = streams.uniform(.roundTrip, entity: UInt64(session))
    var roundTrip = TimeSpan(seconds: profile.roundTrip.quantile(u))
    if roundTrip < .milliseconds(1) { roundTrip = .milliseconds(1) }
    return SessionLink(
      network: network, rate: RateTrace(starts: starts, rates: rates, end: .hold),
      uplinkRate: profile.uplinkRate, roundTrip: roundTrip.nanoseconds, loss: profile.loss,
      queueLimit: profile.queueLimit.nanoseconds)
  }
}
