/// When the sender of a connection leaves its link unused while it has more to send: behind how
/// many bytes, and for how long.
///
/// Rounds of slow start that do not fill the pipe, and waits for repairs. Bytes are counted on the
/// wire, whichever of the connection's responses they are of.
///
/// - Complexity: a step costs at most ``most`` moves of 16 bytes.
public struct SenderPauses {
  private struct Pause: BitwiseCopyable {
    /// Bytes since the pause before.
    var after = 0.0
    /// Nanoseconds.
    var span = 0.0
    /// Whether it is many short ones, evenly among its bytes.
    var isSpread = false
  }

  /// Pauses that are kept apart; more than these are spread over the last one's bytes.
  private static let most = 8

  private var pauses = InlineArray<8, Pause>(repeating: Pause())
  private var count = 0
  /// Bytes behind the last pause.
  private var rest = 0.0

  public init() {}

  /// Whether a pause is to come.
  public var isEmpty: Bool { count == 0 }

  /// Bytes until the next pause, or until those that are spread end; infinite when there is none.
  public var next: Double { count > 0 ? pauses[0].after : .infinity }

  /// Nanoseconds of pauses in a byte up to then.
  var dilution: Double {
    count > 0 && pauses[0].isSpread && pauses[0].after > 0 ? pauses[0].span / pauses[0].after : 0
  }

  /// Bytes and pauses that are to come.
  var total: (bytes: Double, span: Double) {
    var bytes = rest
    var span = 0.0
    for place in 0..<count {
      bytes += pauses[place].after
      span += pauses[place].span
    }
    return (bytes, span)
  }

  // MARK: What is sent

  /// So many bytes more are to be sent.
  mutating func send(_ bytes: Double) { rest += bytes }

  /// A pause follows what is to be sent so far.
  mutating func pause(_ span: Int64) {
    if span <= 0 { return }
    if count == SenderPauses.most {
      pauses[count - 1].isSpread = true
      pauses[count - 1].after += rest
      pauses[count - 1].span += Double(span)
    } else {
      pauses[count] = Pause(after: rest, span: Double(span))
      count += 1
    }
    rest = 0
  }

  /// The last pauses are shorter by `span` together.
  mutating func shorten(by span: Int64) {
    var left = Double(span)
    while left > 0 && count > 0 {
      let last = pauses[count - 1]
      if last.span > left {
        pauses[count - 1].span -= left
        return
      }
      left -= last.span
      count -= 1
      rest += last.after
    }
  }

  /// The last bytes are not sent after all, nor are pauses with nothing behind them.
  mutating func withdraw(_ bytes: Double) {
    rest -= bytes
    while rest <= 0 && count > 0 {
      let last = pauses[count - 1]
      if last.isSpread && last.after + rest > 0 {
        pauses[count - 1].after += rest
        pauses[count - 1].span *= pauses[count - 1].after / last.after
        rest = 0
        return
      }
      count -= 1
      rest += last.after
    }
    if rest < 0 { rest = 0 }
  }

  // MARK: What has gone

  /// So many bytes have gone, at most those up to the next pause.
  mutating func serve(_ bytes: Double) {
    if count > 0 {
      let before = pauses[0].after
      pauses[0].after = bytes < before ? before - bytes : 0
      if pauses[0].isSpread && before > 0 { pauses[0].span *= pauses[0].after / before }
    } else {
      rest = bytes < rest ? rest - bytes : 0
    }
  }

  /// The next pause begins; there must be one.
  ///
  /// - Returns: nanoseconds; zero where pauses were spread before it.
  mutating func take() -> Int64 {
    let span = pauses[0].isSpread ? 0 : Int64(pauses[0].span)
    count -= 1
    for place in 0..<count { pauses[place] = pauses[place + 1] }
    return span
  }
}

/// Notes a transfer's pauses as its rounds go by, behind those that a connection has already.
///
/// A pause is what a round waits for and the time of its repairs, which carry nothing new. What the
/// transfer waits for when all of it has been sent once is its own affair: a sender that has more
/// goes on meanwhile.
struct PauseWatch: RoundObserver {
  var holes: HoleWatch
  var pauses: SenderPauses
  /// Time of a packet, nanoseconds, and its mean bytes on the wire.
  private let packetTime: Double
  private let packetBytes: Double
  /// Packets of the transfer, and those up to its mark.
  private let packets: Int64
  private let mark: Int64
  private var passed: Int64 = 0
  private var paused: Int64 = 0
  /// Pauses before the last packet of the mark.
  private var pausedAtMark: Int64 = 0

  init(
    behind pauses: SenderPauses, packets: Int64, mark: Int64, packetTime: Double,
    packetBytes: Double
  ) {
    holes = HoleWatch(mark: mark)
    self.pauses = pauses
    self.packets = packets
    self.mark = mark
    self.packetTime = packetTime
    self.packetBytes = packetBytes
  }

  @inline(__always)
  mutating func lost(at position: Int64) { holes.lost(at: position) }

  @inline(__always)
  mutating func sent(_ report: RoundReport) {
    holes.sent(report)
    let span = report.idle + Int64(Double(report.retransmitted) * packetTime)
    if passed >= packets { return }
    if span > 0 {
      paused += span
      pauses.pause(span)
    }
    // What this round waited for is before all that it brings.
    if passed < mark { pausedAtMark = paused }
    let fresh = report.packets - report.retransmitted
    passed += fresh
    pauses.send(Double(fresh) * packetBytes)
  }

  /// The transfer is over: all that it waits for lasts `stall` nanoseconds.
  ///
  /// - Parameter early: what its mark waits for.
  /// - Returns: what mark and end wait for beyond the pauses before them, nanoseconds: repairs of
  ///   what is missing before them, while more comes.
  mutating func end(stall: Int64, early: Int64) -> (mark: Int64, end: Int64) {
    // Packets that a full queue has dropped have not taken the link's time.
    if paused > stall { pauses.shorten(by: paused - stall) }
    // One that is never through.
    if passed < packets { pauses.send(Double(packets - passed) * packetBytes) }
    let atEnd = stall > paused ? stall - paused : 0
    return (mark > 0 && early > pausedAtMark ? early - pausedAtMark : 0, atEnd)
  }
}
