import MediaUnits

/// How a flow's round trip decides its share of a bottleneck: weight = (round trip / reference) to
/// the power -exponent.
///
/// A fixed exponent is a sketch of what windows do. Measured with Linux senders (network.md section
/// 6): about 0 for flows whose round trips are hidden by a deep queue, positive for CUBIC on short
/// queues (1 is the classic bias of TCP), negative for BBR, whose long flows win.
public struct RateBias: Sendable, Equatable {
  /// The round trip of weight 1, nanoseconds.
  public static let reference: Int64 = 50_000_000

  public var exponent: Double

  public init(exponent: Double = 0) { self.exponent = exponent }

  /// The weight of a flow; exactly 1 with exponent 0.
  ///
  /// - Parameters:
  ///   - roundTrip: nanoseconds; anything below a microsecond counts as one.
  public func weight(roundTrip: Int64) -> Double {
    if exponent == 0 { return 1 }
    let span = Double(roundTrip > 1000 ? roundTrip : 1000)
    return PortableMath.power(span / Double(RateBias.reference), -exponent)
  }
}
