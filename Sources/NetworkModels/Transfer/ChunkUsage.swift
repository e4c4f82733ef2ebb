/// Whether the window is what limits a sender (Linux: tcp_cwnd_validate): it grows only then.
struct ChunkUsage: BitwiseCopyable {
  private var isLimit = false
  /// The most packets that were out since, and the transmission with which the account begins anew.
  private var mostOut: Int64 = 0
  private var until: Int64 = 0

  /// Notes what is out after a release.
  ///
  /// - Parameters:
  ///   - isLimited: the window allowed no more.
  ///   - resolved: number of the latest transmission known to have arrived.
  ///   - sent: transmissions so far.
  mutating func note(inFlight: Int64, isLimited: Bool, resolved: Int64, sent: Int64) {
    if resolved >= until || isLimited || (!isLimit && inFlight > mostOut) {
      isLimit = isLimited
      mostOut = inFlight
      until = sent
    }
  }

  /// Whether a window may grow: in slow start also while it is less than twice what was out.
  func allowsGrowth(of window: Double, isSlowStart: Bool) -> Bool {
    isLimit || (isSlowStart && window < 2 * Double(mostOut))
  }
}
