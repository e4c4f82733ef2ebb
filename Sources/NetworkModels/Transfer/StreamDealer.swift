/// Deals a connection's bytes to the responses that share it, and notes when parts of each arrive.
///
/// HTTP/1.1 has one response at a time; HTTP/2 and 3 deal the responses' bytes in turn. Header
/// fields go before other responses' bytes, over TCP when the turn under way is over. A turn is
/// what nginx has read of a file for one response: two buffers of 32 kB (its directive
/// `output_buffers`), cut into frames. Over TCP a lost packet holds up everything behind it, over
/// QUIC only its own response (RFC 9000 section 2.2).
///
/// The turn was chosen after kernel transfers, whose parallel responses end about half a turn
/// apart; turns of one frame of 16 kB do not show that.
///
/// - Complexity: a round costs what it has of turns, losses, repairs and parts that arrive, however
///   many responses wait.
struct StreamDealer: RoundObserver {
  /// A response, from when it is asked for until nothing is under way on the connection.
  struct Response {
    var flow: Int
    /// The caller's number.
    var slot: Int
    /// Neighbours among those being sent, -1 at the ends.
    var next = -1
    var previous = -1
    /// Bytes of whole packets still to deal, and dealt.
    var remaining: Int64
    var dealt: Int64 = 0
    /// Offset whose arrival is the first byte that the client sees.
    var firstOffset: Int64
    var hasFirst = false
    /// The packet with the first byte, when it was through the link, and whether it was lost since.
    var firstSequence: Int64 = -1
    var firstTime: Int64 = 0
    var isFirstMissing = false
    /// When the last packet was through the link, and how many are lost.
    var lastTime: Int64 = 0
    var missing = 0
    /// The latest repair, and its round.
    var repairTime: Int64 = 0
    var repairRound = -1
    var isFirstDone = false
    var isLastDone = false
  }

  /// A point in a response that arrives with one packet.
  struct Mark {
    var slot: Int
    var sequence: Int64
    var isLast: Bool
    /// When the packet was through the link.
    var time: Int64
  }

  /// A lost packet, to be repaired: its number and the response in it.
  private struct Hole {
    var sequence: Int64
    var response: Int
  }

  /// A lost packet that the present round repaired, and when.
  private struct Repair {
    var sequence: Int64
    var time: Int64
  }

  /// When the header fields of a response go that others are sent before.
  enum Fields {
    /// With its body.
    case withBody
    /// At once: before whatever else is sent next.
    case atOnce
    /// When the turn under way is over: its bytes are with the transport already.
    case atTurns
  }

  static let turnBytes: Int64 = 65_536

  let segmentSize: Int64
  /// Whether a loss holds up other responses.
  let isOrdered: Bool
  /// When header fields overtake other responses' bytes.
  let fields: Fields
  private var responses: [Response] = []
  /// Ends of the list of responses being sent, the one whose turn it is, and the first one whose
  /// header fields have not been sent; -1 for none.
  private var head = -1
  private var tail = -1
  private var turn = -1
  private var fieldless = -1
  private let turnBytes: Int64
  private var turnLeft: Int64
  /// Whether nothing of the present turn has been sent.
  private var isTurnNew = false
  /// Number of the next new packet on the connection.
  private var sequence: Int64 = 0
  /// In the order of sequence, like all that follow.
  private var holes = FrontQueue<Hole>()
  private var lostPositions: [Int64] = []
  /// Parts that wait for what is in front of them; used while responses are read in order.
  private var waiting = FrontQueue<Mark>()
  private var repaired: [Repair] = []
  /// Responses of which this round sent or repaired something; used while they are independent.
  private var touched: [Int] = []
  private var round = 0
  /// Marks whose data have reached the client's end of the link, to be taken by the caller.
  var arrived: [Mark] = []
  /// Rounds, when wanted.
  var rounds: [TransferRound] = []
  let recordsRounds: Bool
  let connection: Int

  init(
    segmentSize: Int64, isOrdered: Bool, fields: Fields, recordsRounds: Bool, connection: Int,
    turnBytes: Int64 = StreamDealer.turnBytes
  ) {
    self.turnBytes = turnBytes
    turnLeft = turnBytes
    self.segmentSize = segmentSize
    self.isOrdered = isOrdered
    self.fields = fields
    self.recordsRounds = recordsRounds
    self.connection = connection
  }

  /// Adds a response of `packets` whole packets, the first byte of which is seen at `firstOffset`.
  mutating func add(flow: Int, slot: Int, packets: Int64, firstOffset: Int64) {
    let isFirst = head < 0
    if isFirst {
      turnLeft = turnBytes
      // Its first turn is under way before another request is looked at.
      isTurnNew = false
      if holes.isEmpty && waiting.isEmpty { responses.removeAll(keepingCapacity: true) }
    }
    let index = responses.count
    responses.append(
      Response(
        flow: flow, slot: slot, previous: tail, remaining: packets * segmentSize,
        firstOffset: firstOffset))
    if tail >= 0 { responses[tail].next = index } else { head = index }
    tail = index
    if turn < 0 { turn = index }
    let isWaiting = fields == .atOnce || fields == .atTurns && !isFirst
    if fieldless < 0 && isWaiting { fieldless = index }
  }

  /// Whether no response has bytes to send.
  var isIdle: Bool { head < 0 }

  /// Gives up all responses that have not arrived.
  mutating func abandon() {
    responses.removeAll(keepingCapacity: true)
    head = -1
    tail = -1
    turn = -1
    fieldless = -1
    holes = FrontQueue()
    waiting = FrontQueue()
    lostPositions.removeAll(keepingCapacity: true)
    arrived.removeAll(keepingCapacity: true)
  }

  mutating func lost(at position: Int64) { lostPositions.append(position) }

  mutating func sent(_ report: RoundReport) {
    if recordsRounds { record(report) }
    round += 1
    repair(report)
    deal(report)
    lostPositions.removeAll(keepingCapacity: true)
    if isOrdered { settleInOrder() } else { settleEach() }
    repaired.removeAll(keepingCapacity: true)
    touched.removeAll(keepingCapacity: true)
  }

  private mutating func record(_ report: RoundReport) {
    let response = turn >= 0 ? turn : holes.isEmpty ? -1 : holes.first.response
    rounds.append(
      TransferRound(
        flow: response >= 0 ? responses[response].flow : 0, connection: connection,
        start: report.start, phase: report.phase, window: report.window, packets: report.packets,
        lost: report.lost, idle: report.idle))
  }

  /// When the packet at `position` was through the link.
  private func time(of position: Int64, _ report: RoundReport) -> Int64 {
    if report.packets <= 1 || position >= report.packets - 1 { return report.last }
    if report.last == .max { return position == 0 ? report.first : .max }
    let share = Double(position) / Double(report.packets - 1)
    return report.first + Int64(Double(report.last - report.first) * share)
  }

  // MARK: - Losses

  /// The oldest lost packets were sent again; those not lost once more are there now.
  private mutating func repair(_ report: RoundReport) {
    let known = Int64(holes.count)
    let count = Int(report.retransmitted < known ? report.retransmitted : known)
    var next = 0
    while next < lostPositions.count && lostPositions[next] < report.retransmitsAt { next += 1 }
    // Those lost again stay in front of the others.
    var kept = 0
    for index in 0..<count {
      let position = report.retransmitsAt + Int64(index)
      if next < lostPositions.count && lostPositions[next] == position {
        holes.swap(kept, index)
        kept += 1
        next += 1
        continue
      }
      fill(holes[index], at: time(of: position, report))
    }
    holes.drop(from: kept, to: count)
  }

  /// A lost packet arrived at `time`.
  private mutating func fill(_ hole: Hole, at time: Int64) {
    if isOrdered {
      repaired.append(Repair(sequence: hole.sequence, time: time))
      return
    }
    let index = hole.response
    let isAgain = responses[index].repairRound == round
    if !isAgain || time > responses[index].repairTime { responses[index].repairTime = time }
    responses[index].repairRound = round
    responses[index].missing -= 1
    if hole.sequence == responses[index].firstSequence {
      responses[index].isFirstMissing = false
      if time > responses[index].firstTime { responses[index].firstTime = time }
    }
    touched.append(index)
  }

  // MARK: - Turns

  /// Hands the new packets of a round to the responses in turn.
  private mutating func deal(_ report: RoundReport) {
    let fresh = report.packets - report.retransmitted
    var done: Int64 = 0
    var lost = 0
    if fresh > 0 && fields == .atOnce {
      let position = report.retransmitsAt == 0 ? report.retransmitted : 0
      sendFields(at: time(of: position, report))
    }
    while done < fresh && turn >= 0 {
      if isTurnNew && fields == .atTurns {
        let isBehind = done >= report.retransmitsAt
        sendFields(at: time(of: isBehind ? done + report.retransmitted : done, report))
      }
      isTurnNew = false
      // As many packets as the present turn and response have left, at least one.
      let remaining = responses[turn].remaining
      let bytes = turnLeft < remaining ? turnLeft : remaining
      let whole = (bytes + segmentSize - 1) / segmentSize
      let take = whole < fresh - done ? whole : fresh - done
      note(turn, take: take, done: done, from: &lost, report)
      let dealt = take * segmentSize
      responses[turn].dealt += dealt
      responses[turn].remaining -= dealt
      turnLeft -= dealt
      done += take
      sequence += take
      if responses[turn].remaining <= 0 {
        let next = responses[turn].next
        unlink(turn)
        turn = next >= 0 ? next : head
        turnLeft = turnBytes
        isTurnNew = true
      } else if turnLeft <= 0 {
        turn = responses[turn].next >= 0 ? responses[turn].next : head
        turnLeft += turnBytes
        isTurnNew = true
      }
    }
  }

  /// Takes a response off the list of those being sent.
  private mutating func unlink(_ index: Int) {
    let next = responses[index].next
    let previous = responses[index].previous
    if previous >= 0 { responses[previous].next = next } else { head = next }
    if next >= 0 { responses[next].previous = previous } else { tail = previous }
  }

  /// The header fields that wait go with the next packet, which is through the link at `time`.
  private mutating func sendFields(at time: Int64) {
    while fieldless >= 0 {
      mark(first: fieldless, sequence: sequence, time: time)
      fieldless = responses[fieldless].next
    }
  }

  /// Marks and holes among `take` packets of a response that follow the first `done` of a round;
  /// `lost` is the first lost position that was not looked at.
  private mutating func note(
    _ index: Int, take: Int64, done: Int64, from lost: inout Int, _ report: RoundReport
  ) {
    func position(_ fresh: Int64) -> Int64 {
      fresh < report.retransmitsAt ? fresh : fresh + report.retransmitted
    }
    let first = (responses[index].firstOffset - responses[index].dealt) / segmentSize
    if !responses[index].hasFirst && first < take {
      let place = first > 0 ? first : 0
      mark(
        first: index, sequence: sequence + place, time: time(of: position(done + place), report))
    }
    while lost < lostPositions.count {
      let place = lostPositions[lost]
      let isRepair =
        place >= report.retransmitsAt && place < report.retransmitsAt + report.retransmitted
      if !isRepair {
        let fresh = place < report.retransmitsAt ? place : place - report.retransmitted
        if fresh >= done + take { break }
        lose(sequence + fresh - done, of: index)
      }
      lost += 1
    }
    if responses[index].remaining <= take * segmentSize {
      mark(
        last: index, sequence: sequence + take - 1,
        time: time(of: position(done + take - 1), report))
    }
  }

  private mutating func lose(_ number: Int64, of index: Int) {
    holes.append(Hole(sequence: number, response: index))
    responses[index].missing += 1
    if responses[index].firstSequence == number { responses[index].isFirstMissing = true }
  }

  private mutating func mark(first index: Int, sequence: Int64, time: Int64) {
    responses[index].hasFirst = true
    responses[index].firstSequence = sequence
    responses[index].firstTime = time
    expect(index, sequence: sequence, isLast: false, time: time)
  }

  private mutating func mark(last index: Int, sequence: Int64, time: Int64) {
    responses[index].lastTime = time
    expect(index, sequence: sequence, isLast: true, time: time)
  }

  private mutating func expect(_ index: Int, sequence: Int64, isLast: Bool, time: Int64) {
    if isOrdered {
      waiting.append(
        Mark(slot: responses[index].slot, sequence: sequence, isLast: isLast, time: time))
    } else {
      touched.append(index)
    }
  }

  // MARK: - Arrivals

  /// Moves marks that nothing holds up any more; a packet waits for repairs of those before it.
  private mutating func settleInOrder() {
    let limit = holes.isEmpty ? Int64.max : holes.first.sequence
    var next = 0
    var latest: Int64 = 0
    while !waiting.isEmpty && waiting.first.sequence < limit {
      var mark = waiting.first
      waiting.drop(from: 0, to: 1)
      while next < repaired.count && repaired[next].sequence <= mark.sequence {
        if repaired[next].time > latest { latest = repaired[next].time }
        next += 1
      }
      if latest > mark.time { mark.time = latest }
      arrived.append(mark)
    }
  }

  /// The same for responses that do not wait for each other.
  private mutating func settleEach() {
    for index in touched {
      let response = responses[index]
      if response.hasFirst && !response.isFirstMissing && !response.isFirstDone {
        responses[index].isFirstDone = true
        arrive(response, isLast: false, time: response.firstTime)
      }
      if response.remaining <= 0 && response.missing == 0 && !response.isLastDone {
        responses[index].isLastDone = true
        let isLate = response.repairRound == round && response.repairTime > response.lastTime
        arrive(response, isLast: true, time: isLate ? response.repairTime : response.lastTime)
      }
    }
  }

  private mutating func arrive(_ response: Response, isLast: Bool, time: Int64) {
    arrived.append(
      Mark(slot: response.slot, sequence: 0, isLast: isLast, time: time))
  }
}
