/// The pacing clock of a sender: when its next burst may be released (Linux:
/// tcp_update_skb_after_send, with its credit for lateness).
struct ChunkPacer: BitwiseCopyable {
  /// When the next burst may be released, and whether one waits for that.
  private var at: Int64 = 0
  private var isWaiting = false

  /// When the burst that waits is released; `.max` without one.
  var wakesAt: Int64 { isWaiting ? at : .max }

  /// What waited is tried anew.
  mutating func clear() { isWaiting = false }

  /// Whether a burst has to wait at `now`.
  mutating func holds(at now: Int64) -> Bool {
    isWaiting = at > now
    return isWaiting
  }

  /// Books a burst of so many full packets.
  ///
  /// - Parameter rate: packets per nanosecond; 0 for a burst that is not paced.
  mutating func spend(_ packets: Double, rate: Double, at now: Int64) {
    let late = now > at ? now - at : 0
    if late > 0 { at = now }
    if rate <= 0 { return }
    let span = TransferClock.span(packets / rate)
    at += span - (late < span / 2 ? late : span / 2)
  }

  /// Sets the clock back.
  mutating func turnBack(by span: Int64) { at -= span }
}
