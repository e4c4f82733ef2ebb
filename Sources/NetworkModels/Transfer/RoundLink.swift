/// A link as the round loop sees it: when it is done with a train of packets.
///
/// Amounts are in full packets (a short packet is a fraction); times in nanoseconds, `Int64.max`
/// for never.
public protocol RoundLink: Sendable {
  /// When `packets` are through that are served back to back from `start` on.
  func finish(_ packets: Double, from start: Int64) -> Int64
  /// Packets that a busy link serves between two times.
  func served(from start: Int64, to end: Int64) -> Double
}

/// A link of constant rate.
public struct ConstantRoundLink: RoundLink {
  /// Serialisation of a full packet, nanoseconds.
  public let packetTime: Double

  public init(packetTime: Double) { self.packetTime = packetTime }

  @inline(__always)
  public func finish(_ packets: Double, from start: Int64) -> Int64 {
    let span = packets * packetTime
    return span < TransferClock.longestSpan ? TransferClock.sum(start, Int64(span)) : .max
  }

  @inline(__always)
  public func served(from start: Int64, to end: Int64) -> Double {
    packetTime > 0 ? Double(end - start) / packetTime : .infinity
  }
}

/// A link whose rate follows a trace.
public struct TraceRoundLink: RoundLink {
  public let integral: RateIntegral
  /// A full packet on the wire, bytes.
  public let packetBytes: Double

  public init(integral: RateIntegral, packetBytes: Double) {
    self.integral = integral
    self.packetBytes = packetBytes
  }

  public func finish(_ packets: Double, from start: Int64) -> Int64 {
    integral.time(toServe: packets * packetBytes, from: start)
  }

  public func served(from start: Int64, to end: Int64) -> Double {
    integral.bytes(from: start, to: end) / packetBytes
  }
}
