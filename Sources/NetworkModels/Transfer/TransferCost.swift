/// What a transfer costs beyond its bytes at the link's rate, on a link whose rate is constant for
/// the transfer. Plain values in and out, nothing allocated: for callers that price millions of
/// requests.
public struct TransferCost: Sendable, Equatable {
  /// Time during which this transfer leaves the link unused, nanoseconds.
  public var stall: Double
  /// Window afterwards, segments.
  public var window: Double

  public init(stall: Double, window: Double) {
    self.stall = stall
    self.window = window
  }

  /// Without loss and overflow: the sender waits in every round of slow start that does not fill
  /// the pipe (the static model of Kurose and Ross, with the initial window of RFC 6928).
  ///
  /// time = request's way there and the response's way back + stall + packets · packetTime.
  ///
  /// - Parameters:
  ///   - packets: packets of the response, the header's included.
  ///   - packetTime: serialisation of a full packet, nanoseconds.
  ///   - roundTrip: from a packet's departure until its acknowledgement can release another one,
  ///     nanoseconds.
  ///   - window: congestion window at the start, segments.
  /// - Complexity: O(log packets).
  @inline(__always)
  public static func closed(
    packets: Int64, packetTime: Double, roundTrip: Double, window: Double
  ) -> TransferCost {
    let pipe = roundTrip + packetTime
    let total = Double(packets)
    var current = window
    var stall = 0.0
    var sent = current
    while sent < total && current * packetTime < pipe {
      stall += pipe - current * packetTime
      current += current
      sent += current
    }
    // The window grows by what is acknowledged. Once it has been the limit it stays one until what
    // was out then is acknowledged; before, it grows to twice what is out at most.
    let out = total < sent ? total - (sent - current) : current
    let grown = current > window ? current + out : 2 * (out < current ? out : current)
    return TransferCost(stall: stall, window: grown > current ? grown : current)
  }

  /// ``closed(packets:packetTime:roundTrip:window:)`` round by round: what it sends, and where it
  /// leaves the link unused, behind what a connection has to send already.
  ///
  /// - Parameter packetBytes: mean bytes of its packets on the wire.
  static func closed(
    packets: Int64, packetTime: Double, roundTrip: Double, window: Double, packetBytes: Double,
    into pauses: inout SenderPauses
  ) {
    let pipe = roundTrip + packetTime
    let total = Double(packets)
    var current = window
    var sent = 0.0
    while sent + current < total && current * packetTime < pipe {
      pauses.send(current * packetBytes)
      pauses.pause(Int64(pipe - current * packetTime))
      sent += current
      current += current
    }
    pauses.send((total - sent) * packetBytes)
  }

  /// With loss and a bounded queue: the round loop of ``TransferModel`` on a connection that has
  /// nothing else in flight.
  ///
  /// - Parameters:
  ///   - state: the connection's memory; idle restart is the caller's (``CongestionState/resume``).
  ///   - loss: the connection's losses.
  ///   - now: start on the connection's clock, nanoseconds.
  ///   - queuePackets: packets that may wait at the link.
  ///   - isQUIC: losses and timers by RFC 9002 instead of Linux's TCP.
  /// - Returns: infinite stall when the transfer never ends.
  public static func rounds(
    state: inout CongestionState, loss: inout LossGaps, at now: Int64, packets: Int64,
    packetTime: Double, roundTrip: Double, queuePackets: Double, isQUIC: Bool = false
  ) -> TransferCost {
    var observer = NoObserver()
    return rounds(
      state: &state, loss: &loss, at: now, packets: packets, packetTime: packetTime,
      roundTrip: roundTrip, queuePackets: queuePackets, isQUIC: isQUIC, observer: &observer)
  }

  /// The same, and notes where a hole in the data was open.
  public static func rounds(
    state: inout CongestionState, loss: inout LossGaps, at now: Int64, packets: Int64,
    packetTime: Double, roundTrip: Double, queuePackets: Double, isQUIC: Bool = false,
    watch: inout HoleWatch
  ) -> TransferCost {
    rounds(
      state: &state, loss: &loss, at: now, packets: packets, packetTime: packetTime,
      roundTrip: roundTrip, queuePackets: queuePackets, isQUIC: isQUIC, observer: &watch)
  }

  /// The same, and notes when the sender leaves the link unused.
  static func rounds(
    state: inout CongestionState, loss: inout LossGaps, at now: Int64, packets: Int64,
    packetTime: Double, roundTrip: Double, queuePackets: Double, isQUIC: Bool,
    watch: inout PauseWatch
  ) -> TransferCost {
    rounds(
      state: &state, loss: &loss, at: now, packets: packets, packetTime: packetTime,
      roundTrip: roundTrip, queuePackets: queuePackets, isQUIC: isQUIC, observer: &watch)
  }

  /// The same, with somebody who sees the rounds.
  private static func rounds<Observer: RoundObserver>(
    state: inout CongestionState, loss: inout LossGaps, at now: Int64, packets: Int64,
    packetTime: Double, roundTrip: Double, queuePackets: Double, isQUIC: Bool,
    observer: inout Observer
  ) -> TransferCost {
    var flight = RoundFlight(
      link: ConstantRoundLink(packetTime: packetTime), roundTrip: TransferClock.span(roundTrip),
      queueLimit: queuePackets, free: now, isQUIC: isQUIC)
    flight.begin(at: now, packets: packets, state: state)
    while !flight.isDone {
      if !flight.step(state: &state, loss: &loss, observer: &observer) {
        return TransferCost(stall: .infinity, window: state.window)
      }
    }
    let busy = Double(packets) * packetTime
    let stall = Double(flight.free - now) - busy
    return TransferCost(stall: stall > 0 ? stall : 0, window: state.window)
  }
}
