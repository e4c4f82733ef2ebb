import MediaUnits

/// What an answer costs on the wire, the same for every world.
extension TransportConfiguration {
  /// Packets of an answer with a body of so many bytes; its header fields have one of their own.
  public func packets(of body: Int64) -> Int64 {
    (body + segmentSize - 1) / segmentSize + (responseHeaderBytes > 0 ? 1 : 0)
  }

  /// Bytes of that answer on the wire.
  public func wireBytes(of body: Int64, packets: Int64) -> Double {
    Double(body + responseHeaderBytes + packets * overhead)
  }

  /// Time of a full packet, nanoseconds, at a rate in bits per nanosecond.
  public func packetTime(at rate: Double) -> Double {
    Double(segmentSize + overhead) * 8 / rate
  }

  /// Time of a request with a body of so many bytes on an uplink of `rate` bits per second.
  public func requestTime(body: Int64 = 0, uplink rate: Double) -> TimeSpan {
    TimeSpan(seconds: Double(requestBytes + overhead + body) * 8 / rate)
  }

  /// The sender's state on a connection that opens.
  public func newSender(roundTrip: TimeSpan) -> CongestionState {
    CongestionState(
      congestion, initialWindow: initialWindow,
      windowLimit: CongestionState.largestWindow(
        segmentSize: segmentSize, receiveWindow: receiveWindow),
      roundTrip: Double(roundTrip.nanoseconds))
  }
}

extension CongestionState {
  /// Sends an answer by ``TransferCost/closed(packets:packetTime:roundTrip:window:)`` and learns
  /// from it.
  /// - Returns: the time in which the link is not used while the window grows, nanoseconds.
  @inline(__always)
  public mutating func sendClosed(
    packets: Int64, packetTime: Double, roundTrip: TimeSpan, at arrival: Instant
  ) -> Int64 {
    let cost = TransferCost.closed(
      packets: packets, packetTime: packetTime, roundTrip: Double(roundTrip.nanoseconds),
      window: window)
    window = cost.window
    let end = arrival.nanoseconds + Int64(cost.stall + Double(packets) * packetTime)
    if end > lastSend { lastSend = end }
    return Int64(cost.stall)
  }
}
