/// Deals a connection's bytes to the responses that share it, and notes when parts of each arrive.
///
/// HTTP/1.1 has one response at a time; HTTP/2 and 3 deal the responses' bytes in turn, after the
/// header fields, which are small and go first. A turn is what nginx has read of a file for one
/// response: two buffers of 32 kB (its directive `output_buffers`), cut into frames. Over TCP a
/// lost packet holds up everything behind it, over QUIC only its own response (RFC 9000 section
/// 2.2).
///
/// The turn was chosen after kernel transfers, whose parallel responses end about half a turn
/// apart; turns of one frame of 16 kB do not show that.
struct StreamDealer: RoundObserver {
  /// A response being sent.
  struct Stream {
    var flow: Int
    /// Bytes of whole packets still to deal, and dealt.
    var remaining: Int64
    var dealt: Int64 = 0
    /// Offset whose arrival is the first byte that the client sees.
    var firstOffset: Int64
    var hasFirst = false
    /// Whether its header fields may overtake other responses' bytes.
    var isShared: Bool
  }

  /// A point in a response that arrives with one packet.
  struct Mark {
    var flow: Int
    var sequence: Int64
    var isLast: Bool
    /// When the packet was through the link.
    var time: Int64
  }

  /// A lost packet, to be repaired: its number and the response in it.
  struct Hole {
    var sequence: Int64
    var flow: Int
  }

  static let turnBytes: Int64 = 65_536

  let segmentSize: Int64
  /// Whether a loss holds up other responses.
  let isOrdered: Bool
  private(set) var streams: [Stream] = []
  private var turn = 0
  private var turnLeft: Int64 = StreamDealer.turnBytes
  /// Number of the next new packet on the connection.
  private var sequence: Int64 = 0
  private var holes: [Hole] = []
  private var lostPositions: [Int64] = []
  private var waiting: [Mark] = []
  /// Lost packets that the present round repaired, with the times.
  private var repaired: [Mark] = []
  /// Marks whose data have reached the client's end of the link, to be taken by the caller.
  var arrived: [Mark] = []
  /// Rounds, when wanted.
  var rounds: [TransferRound] = []
  let recordsRounds: Bool
  let connection: Int

  init(segmentSize: Int64, isOrdered: Bool, recordsRounds: Bool, connection: Int) {
    self.segmentSize = segmentSize
    self.isOrdered = isOrdered
    self.recordsRounds = recordsRounds
    self.connection = connection
  }

  /// Adds a response of `packets` whole packets, the first byte of which is seen at `firstOffset`.
  mutating func add(flow: Int, packets: Int64, firstOffset: Int64, isShared: Bool) {
    if streams.isEmpty {
      turn = 0
      turnLeft = StreamDealer.turnBytes
    }
    streams.append(
      Stream(
        flow: flow, remaining: packets * segmentSize, firstOffset: firstOffset,
        isShared: isShared))
  }

  mutating func lost(at position: Int64) { lostPositions.append(position) }

  mutating func sent(_ report: RoundReport) {
    if recordsRounds { record(report) }
    repair(report)
    deal(report)
    lostPositions.removeAll(keepingCapacity: true)
    settle()
    repaired.removeAll(keepingCapacity: true)
  }

  private mutating func record(_ report: RoundReport) {
    rounds.append(
      TransferRound(
        flow: streams.isEmpty ? (waiting.first?.flow ?? 0) : streams[turn].flow,
        connection: connection, start: report.start, phase: report.phase,
        window: report.window, packets: report.packets, lost: report.lost, idle: report.idle))
  }

  /// When the packet at `position` was through the link.
  private func time(of position: Int64, _ report: RoundReport) -> Int64 {
    if report.packets <= 1 || position >= report.packets - 1 { return report.last }
    if report.last == .max { return position == 0 ? report.first : .max }
    let share = Double(position) / Double(report.packets - 1)
    return report.first + Int64(Double(report.last - report.first) * share)
  }

  /// The oldest lost packets were sent again; those not lost once more are there now.
  private mutating func repair(_ report: RoundReport) {
    if report.retransmitted == 0 { return }
    holes.sort { $0.sequence < $1.sequence }
    var kept: [Hole] = []
    for index in 0..<holes.count {
      let position = report.retransmitsAt + Int64(index)
      if index >= report.retransmitted || lostPositions.contains(position) {
        kept.append(holes[index])
      } else {
        repaired.append(
          Mark(
            flow: holes[index].flow, sequence: holes[index].sequence, isLast: false,
            time: time(of: position, report)))
      }
    }
    holes = kept
  }

  /// Hands the new packets of a round to the responses in turn.
  private mutating func deal(_ report: RoundReport) {
    let fresh = report.packets - report.retransmitted
    var done: Int64 = 0
    if fresh > 0 { sendFields(report) }
    while done < fresh && !streams.isEmpty {
      // As many packets as the present turn and response have left, at least one.
      let stream = streams[turn]
      let bytes = turnLeft < stream.remaining ? turnLeft : stream.remaining
      let whole = (bytes + segmentSize - 1) / segmentSize
      let take = whole < fresh - done ? whole : fresh - done
      note(stream, take: take, done: done, report)
      let dealt = take * segmentSize
      streams[turn].dealt += dealt
      streams[turn].remaining -= dealt
      turnLeft -= dealt
      done += take
      sequence += take
      if streams[turn].remaining <= 0 {
        streams.remove(at: turn)
        if turn >= streams.count { turn = 0 }
        turnLeft = StreamDealer.turnBytes
      } else if turnLeft <= 0 {
        turn = (turn + 1) % streams.count
        turnLeft += StreamDealer.turnBytes
      }
    }
  }

  /// The header fields of responses that share the connection go with the round's first packet.
  private mutating func sendFields(_ report: RoundReport) {
    let position = report.retransmitsAt == 0 ? report.retransmitted : 0
    for index in 0..<streams.count where !streams[index].hasFirst && streams[index].isShared {
      streams[index].hasFirst = true
      waiting.append(
        Mark(
          flow: streams[index].flow, sequence: sequence, isLast: false,
          time: time(of: position, report)))
    }
  }

  /// Marks and holes among `take` packets of a response that follow the first `done` of a round.
  private mutating func note(
    _ stream: Stream, take: Int64, done: Int64, _ report: RoundReport
  ) {
    func position(_ fresh: Int64) -> Int64 {
      fresh < report.retransmitsAt ? fresh : fresh + report.retransmitted
    }
    let first = (stream.firstOffset - stream.dealt) / segmentSize
    if !stream.hasFirst && first < take {
      let place = first > 0 ? first : 0
      streams[turn].hasFirst = true
      waiting.append(
        Mark(
          flow: stream.flow, sequence: sequence + place, isLast: false,
          time: time(of: position(done + place), report)))
    }
    for lost in lostPositions {
      let index = lost < report.retransmitsAt ? lost : lost - report.retransmitted
      if index >= done && index < done + take && position(index) == lost {
        holes.append(Hole(sequence: sequence + index - done, flow: stream.flow))
      }
    }
    if stream.remaining <= take * segmentSize {
      waiting.append(
        Mark(
          flow: stream.flow, sequence: sequence + take - 1, isLast: true,
          time: time(of: position(done + take - 1), report)))
    }
  }

  /// Moves marks that nothing holds up any more; a packet waits for repairs of those before it.
  private mutating func settle() {
    if waiting.isEmpty { return }
    var kept: [Mark] = []
    for mark in waiting {
      let isHeld = holes.contains {
        $0.sequence <= mark.sequence && (isOrdered || $0.flow == mark.flow)
      }
      if isHeld {
        kept.append(mark)
        continue
      }
      var free = mark
      for repair in repaired
      where repair.sequence <= mark.sequence && (isOrdered || repair.flow == mark.flow) {
        if repair.time > free.time { free.time = repair.time }
      }
      arrived.append(free)
    }
    waiting = kept
  }
}
