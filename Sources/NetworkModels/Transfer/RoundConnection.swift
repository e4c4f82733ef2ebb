import MediaUnits
import SimulationKernel

/// A connection of the rounds tier: its congestion state, losses and the responses on it.
struct RoundConnection {
  var state: CongestionState
  var loss: LossGaps
  var dealer: StreamDealer
  private let tier: TransferTier
  private let integral: RateIntegral
  /// When the handshake was over; nil before.
  private var setup: ConnectionSetup?
  private var begun: Int64 = 0
  private var flight: RoundFlight<TraceRoundLink>
  /// When the last response in order was complete at the client.
  private var idleSince: Int64 = 0
  private let packetBytes: Double
  /// Whether what is under way never arrives: unless flows start anew, nothing later does either.
  private var isDead = false
  /// Whether a response has been begun.
  private var hasAnswered = false
  /// By how much longer the acknowledgement of the next train is under way than others.
  private var validation: Int64?
  /// Responses that are asked for at known times and have not been run.
  var pending: [(flow: Int, start: Int64)] = []

  init(
    number: Int, input: TransferCase, tier: TransferTier, integral: RateIntegral,
    streams: RandomStreams, recordsRounds: Bool
  ) {
    self.tier = tier
    self.integral = integral
    packetBytes = Double(input.segmentSize + input.overhead)
    let losses = tier == .closed ? PacketLoss.none : input.loss
    loss = LossGaps(losses, connection: UInt64(number), streams: streams)
    state = CongestionState(input.congestion)
    dealer = StreamDealer(
      segmentSize: input.segmentSize, isOrdered: input.http != .http3,
      fields: RoundConnection.fields(input),
      recordsRounds: recordsRounds, connection: number,
      turnBytes: input.isQUIC
        ? max(input.quic.turnBytes, input.segmentSize) : StreamDealer.turnBytes)
    let limit: Double
    switch input.queue {
    case .unlimited: limit = .infinity
    case .packets(let packets): limit = Double(packets)
    case .bytes(let bytes): limit = Double(bytes) / packetBytes
    }
    flight = RoundFlight(
      link: TraceRoundLink(integral: integral, packetBytes: packetBytes), roundTrip: 0,
      queueLimit: limit, free: 0, isQUIC: input.isQUIC, quic: input.quic)
  }

  private static func fields(_ input: TransferCase) -> StreamDealer.Fields {
    if input.http == .http1 { return .withBody }
    if !input.isQUIC { return .atTurns }
    return input.quic.sendsFieldsFirst ? .atOnce : .withBody
  }

  /// Opens the connection at `start` unless it is open.
  private mutating func open(at start: Int64, input: TransferCase, roundTrip: Int64) {
    if setup != nil { return }
    let opened = ConnectionSetup(
      input.handshake, at: start, roundTrip: roundTrip, uplinkRate: input.uplinkRate,
      downlink: integral, overhead: input.overhead, segmentSize: input.segmentSize,
      quic: input.quic, loss: &loss)
    setup = opened
    begun = start
    let sample = opened.roundTrip.map { Double($0) }
    var window = input.initialWindow
    if input.handshake == .quic {
      // The server's flight was in flight, too, and its acknowledgement grew the window.
      let bytes = Double(input.quic.serverFlight)
      window += bytes / (packetBytes - Double(QUICStack.framing))
    }
    state = CongestionState(
      input.congestion, initialWindow: input.initialWindow, window: input.warmWindow ?? window,
      windowLimit: CongestionState.largestWindow(
        segmentSize: input.segmentSize, receiveWindow: input.receiveWindow),
      roundTrip: sample ?? (input.handshake == .none ? Double(roundTrip) : nil))
    state.lastSend = opened.ready == .max ? start : opened.ready
  }

  private func timing(of start: Int64, opens: Bool) -> TransferTiming {
    var timing = TransferTiming(
      start: start, connect: 0, secure: nil, firstByte: .max, duration: .max)
    if opens, let setup {
      timing.connect = setup.connect == .max ? .max : setup.connect - start
      timing.secure = setup.secure.map { $0 == .max ? .max : $0 - start }
    }
    return timing
  }

  /// When the request that leaves at `time` is with the server; `Int64.max` for never.
  private func arrival(
    of flow: TransferFlow, leaving time: Int64, opens: Bool, input: TransferCase, roundTrip: Int64
  ) -> Int64 {
    let extra = opens ? input.handshake.requestExtraBytes(input.quic) : 0
    let framing = opens && input.handshake.isQUIC ? QUICStack.framing : input.overhead
    let up = ConnectionSetup.uplink(
      flow.requestBytes + extra + framing, rate: input.uplinkRate)
    var way = roundTrip / 2
    if input.isQUIC { way += opens ? input.quic.firstAnswer : input.quic.laterAnswer }
    return TransferClock.sum(TransferClock.sum(time, up), way)
  }

  /// Fetches one response with nothing else on the connection.
  mutating func fetch(_ index: Int, input: TransferCase, at start: Int64) -> TransferTiming {
    let flow = input.flows[index]
    if start == .max {
      return TransferTiming(
        start: .max, connect: 0, secure: nil, firstByte: .max, duration: .max)
    }
    let results = share([(index, start)], input: input, isAlone: true)
    return results.first?.timing
      ?? TransferTiming(
        start: flow.start, connect: 0, secure: nil, firstByte: .max, duration: .max)
  }

  /// Runs the responses `pending` (in order of their starts) until all are complete.
  ///
  /// - Parameter isAlone: HTTP/1.1: a request waits for the response before it.
  mutating func share(
    _ pending: [(flow: Int, start: Int64)], input: TransferCase, isAlone: Bool = false
  ) -> [(flow: Int, timing: TransferTiming)] {
    guard let first = pending.first else { return [] }
    let roundTrip = input.flows[first.flow].roundTrip ?? input.roundTrip
    if input.resync { abandon() }
    let opens = setup == nil
    open(at: first.start, input: input, roundTrip: roundTrip)
    var results: [(flow: Int, timing: TransferTiming)] = []
    var arrivals: [(flow: Int, time: Int64, slot: Int)] = []
    let ready = setup?.ready ?? first.start
    for (slot, entry) in pending.enumerated() {
      let isOpening = opens && (slot == 0 || entry.start <= begun)
      results.append((entry.flow, timing(of: entry.start, opens: isOpening)))
      var leave = entry.start > ready ? entry.start : ready
      if isAlone && !input.resync && idleSince > leave { leave = idleSince }
      if leave < TransferClock.never {
        let time = arrival(
          of: input.flows[entry.flow], leaving: leave, opens: opens && slot == 0, input: input,
          roundTrip: roundTrip)
        if time < .max { arrivals.append((entry.flow, time, slot)) }
      }
    }
    let acknowledgement = ConnectionSetup.uplink(input.overhead, rate: input.uplinkRate)
    if acknowledgement == .max || isDead { return results }
    flight.roundTrip = roundTrip + acknowledgement
    if input.isQUIC { flight.roundTrip += input.quic.acknowledgementDelay }
    transmit(arrivals, input: input, roundTrip: roundTrip, into: &results)
    return results
  }

  /// Forgets what never arrived, so that the next flow finds the connection free; one that never
  /// opened is opened again.
  private mutating func abandon() {
    if setup?.ready == .max { setup = nil }
    if !isDead { return }
    isDead = false
    flight.abandon()
    dealer.abandon()
  }

  /// Sends what has been asked for, round by round.
  private mutating func transmit(
    _ arrivals: [(flow: Int, time: Int64, slot: Int)], input: TransferCase, roundTrip: Int64,
    into results: inout [(flow: Int, timing: TransferTiming)]
  ) {
    var next = 0
    while next < arrivals.count || !flight.isDone {
      if flight.isDone {
        let time = arrivals[next].time
        state.resume(at: time, idleRestart: input.idleRestart)
        flight.begin(at: time, packets: 0, state: state)
        if flight.free > time && input.resync { flight.free = time }
        if isEarly(input) { limit(input.flows[arrivals[next].flow], input: input) }
      }
      while next < arrivals.count && arrivals[next].time <= flight.releaseStart {
        add(arrivals[next].flow, slot: arrivals[next].slot, input: input)
        next += 1
      }
      if tier == .closed {
        closed(input: input)
      } else if !flight.step(state: &state, loss: &loss, observer: &dealer) {
        isDead = true
      }
      if let validation {
        flight.releaseStart = TransferClock.sum(flight.releaseStart, validation)
        flight.releaseEnd = TransferClock.sum(flight.releaseEnd, validation)
      }
      validation = nil
      collect(roundTrip: roundTrip, into: &results)
      if isDead { return }
    }
  }

  /// Whether what the server sends now is an answer to early data from an address that it does not
  /// know.
  private func isEarly(_ input: TransferCase) -> Bool {
    input.handshake == .quicZeroRTT && !input.quic.isValidated && !hasAnswered
  }

  /// Holds an answer to early data to what may be sent to an unknown address. What lifts the limit
  /// acknowledges the server's Initial packet, too, in a padded datagram (RFC 9000 sections 8.1 and
  /// 14.1).
  private mutating func limit(_ flow: TransferFlow, input: TransferCase) {
    let most = input.quic.earlyPackets(
      request: flow.requestBytes, packetBytes: Int64(packetBytes) - QUICStack.framing)
    if flight.allowed > most { flight.allowed = most }
    let padded = QUICStack.datagram + QUICStack.framing - input.overhead
    validation = ConnectionSetup.uplink(padded, rate: input.uplinkRate)
  }

  /// Queues a response.
  private mutating func add(_ index: Int, slot: Int, input: TransferCase) {
    let flow = input.flows[index]
    let segment = input.segmentSize
    var body = flow.bytes
    if input.handshake == .quicZeroRTT && !hasAnswered { body += input.quic.earlyFlight }
    var packets: Int64 = 0
    var firstOffset: Int64 = 0
    let isSecure = input.handshake.hasTLSRecords
    let isAlone = dealer.isIdle
    // Whether the header fields share a record with the body's begin, which is opened as a whole.
    var isRecord = isSecure && (input.http == .http1 || isAlone)
    if isSecure && !hasAnswered {
      isRecord = input.http == .http1 || isLate(flow, input: input)
      let greeting = input.handshake.greeting(input.http, isAcknowledgedAlone: isRecord)
      packets = greeting.packets
      flight.short.next += Double(packets * segment - greeting.bytes) / packetBytes
      flight.short.count = packets > 1 ? Double(packets) : 1
    }
    hasAnswered = true
    if flow.responseHeaderBytes > 0 && input.http == .http1 && !isSecure {
      packets = (flow.responseHeaderBytes + segment - 1) / segment
      let short = packets * segment - flow.responseHeaderBytes
      flight.short.next += Double(short) / packetBytes
    } else {
      body += flow.responseHeaderBytes
    }
    if isSecure { body = Handshake.inRecords(body) }
    if isRecord {
      let record = Handshake.recordBytes + Handshake.recordOverhead
      let opened = body < record ? body : record
      firstOffset = packets * segment + (opened > 0 ? opened - 1 : 0)
    } else if isSecure {
      firstOffset = packets * segment
    }
    let bodyPackets = (body + segment - 1) / segment
    if bodyPackets > 0 {
      flight.short.last = Double(bodyPackets * segment - body) / packetBytes
    }
    packets += bodyPackets
    if bodyPackets == 0 && (isSecure || packets == 0) {
      // Without a byte it is an empty packet.
      packets += 1
      flight.short.last = Double(segment) / packetBytes
    }
    flight.left += packets
    dealer.add(
      flow: index, slot: slot, packets: packets, firstOffset: firstOffset > 0 ? firstOffset : 0)
  }

  /// Whether a connection's first request over HTTP/2 comes when the client's settings have been
  /// acknowledged: both leave together, the request behind the settings on the uplink.
  private func isLate(_ flow: TransferFlow, input: TransferCase) -> Bool {
    let gap = ConnectionSetup.uplink(flow.requestBytes + input.overhead, rate: input.uplinkRate)
    return input.http == .http2 && gap > Handshake.settingsTime
  }

  /// Takes over what arrived at the client.
  private mutating func collect(
    roundTrip: Int64, into results: inout [(flow: Int, timing: TransferTiming)]
  ) {
    for mark in dealer.arrived {
      let time = TransferClock.sum(mark.time, roundTrip - roundTrip / 2)
      if time == .max { continue }
      let span = time - results[mark.slot].timing.start
      if mark.isLast {
        results[mark.slot].timing.duration = span
        idleSince = time
      } else {
        results[mark.slot].timing.firstByte = span
      }
    }
    dealer.arrived.removeAll(keepingCapacity: true)
  }

  /// The closed form, round by round: stalls of slow start, then the link's own rate.
  private mutating func closed(input: TransferCase) {
    let packets = flight.left
    var start = flight.releaseStart
    let serve = Double(integral.time(toServe: packetBytes, from: start) - start)
    let roundTrip = Double(flight.roundTrip)
    let cost = TransferCost.closed(
      packets: packets, packetTime: serve, roundTrip: roundTrip, window: state.window)
    var window = state.window
    var short = flight.short.next
    var busyUntil = start
    while flight.left > 0 {
      // As many packets as fit before the next stall; all that are left once the pipe is full.
      let isFull = window * serve >= roundTrip + serve
      let count = isFull || Double(flight.left) <= window ? flight.left : Int64(window)
      flight.left -= count
      let begin = start > busyUntil ? start : busyUntil
      let units = Double(count) - short - (flight.left == 0 ? flight.short.last : 0)
      let last = flight.link.finish(units, from: begin)
      // The only packet may be shorter at both ends.
      let full = flight.link.finish(1 - short / flight.short.count, from: begin)
      let first = full < last ? full : last
      dealer.sent(
        RoundReport(
          start: start, first: first, last: last, packets: count, retransmitsAt: 0,
          retransmitted: 0, lost: 0, window: window, phase: .slowStart,
          idle: begin - busyUntil))
      if last == .max {
        isDead = true
        break
      }
      busyUntil = last
      start = first + flight.roundTrip
      short = 0
      window += window
    }
    state.window = cost.window
    state.lastSend = busyUntil
    flight.left = 0
    flight.short.next = 0
    flight.short.last = 0
  }
}
