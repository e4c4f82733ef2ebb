/// The account of a card's media bytes: what arrived, what of it came before the card was told to
/// play, and what was given up.
struct CardBytes: BitwiseCopyable {
  /// Bytes that arrived, and those that arrived before the card was told to play.
  private var delivered: Int64 = 0
  private var early: Int64 = 0
  /// It has been told to play.
  private(set) var isWanted = false
  /// Bytes of segments that were given up, and what of them had been rendered.
  private var cancelled: Int64 = 0
  private var cancelledRendered: Int64 = 0

  /// The card is told to play.
  mutating func want() { isWanted = true }

  /// A part is here, whole.
  mutating func deliver(_ bytes: Int64) {
    delivered += bytes
    if !isWanted { early += bytes }
  }

  /// A part is given up of which so much had arrived.
  ///
  /// - Parameters:
  ///   - isSegment: it was part of the media, so that no playhead counts it.
  ///   - rendered: bytes of it that had been seen.
  mutating func giveUp(_ bytes: Int64, isSegment: Bool, rendered: Int64 = 0) {
    delivered += bytes
    if !isSegment { return }
    cancelled += bytes
    cancelledRendered += rendered
  }

  /// The sums of a session that ends.
  ///
  /// - Parameters:
  ///   - arriving: bytes that have come of what is under way.
  ///   - share: of the media that are held or arriving, what was rendered.
  /// - Returns: bytes delivered, rendered, and delivered before the card was told to play.
  func sums(arriving: Int64, share: Double) -> (delivered: Int64, rendered: Int64, early: Int64) {
    let all = delivered + arriving
    let rendered = Int64(Double(all - cancelled) * (share < 1 ? share : 1)) + cancelledRendered
    return (all, rendered, isWanted ? early : all)
  }
}
