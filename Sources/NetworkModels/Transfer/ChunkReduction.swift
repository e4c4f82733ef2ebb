/// How a sender comes down to its threshold in a recovery: proportional rate reduction (RFC 6937,
/// with Linux's slow-start bound).
struct ChunkReduction: BitwiseCopyable {
  /// The window at the beginning of the recovery.
  private var priorWindow = 0.0
  /// Packets that arrived and packets that were sent since.
  private var delivered: Int64 = 0
  private var sent: Int64 = 0

  /// A recovery begins with this window.
  mutating func begin(window: Double) {
    priorWindow = window
    delivered = 0
    sent = 0
  }

  /// A packet is sent in the recovery.
  mutating func noteSent() { sent += 1 }

  /// The window after an acknowledgement.
  ///
  /// - Parameters:
  ///   - inFlight: packets that are out after it.
  ///   - threshold: window that the recovery ends with.
  mutating func window(
    after progress: ChunkProgress, inFlight: Int64, threshold: Double
  ) -> Double {
    delivered += progress.delivered
    let target = Int64(threshold)
    var room: Int64
    if inFlight > target {
      let share = threshold * Double(delivered) + priorWindow - 1
      room = Int64(share / priorWindow) - sent
    } else {
      let owed = delivered - sent
      room = owed > progress.delivered ? owed : progress.delivered
      if progress.isRepair && progress.lost == 0 { room += 1 }
      if room > target - inFlight { room = target - inFlight }
    }
    let least: Int64 = sent > 0 ? 0 : 1
    return Double(inFlight + (room > least ? room : least))
  }
}
