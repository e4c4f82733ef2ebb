import MediaUnits

/// How long a video plays in a mixed feed, how often, and whose turn it is next.
///
/// A decider without state. VF-042 has a video play once for each visit, VF-045 has the control
/// rotate through all videos of the viewport for good: both are readings to choose from. Turns go
/// to those that have played least, then to those that have waited longest; with `n` videos, one at
/// a time, nobody waits longer than `n - 1` previews.
///
/// Source: requirements VF-042 to VF-045.
public struct PlaySequence: Sendable, Equatable {
  /// What happens after a video has played.
  public enum Reading: UInt8, Sendable, Equatable {
    /// It is done until it has left the screen; when all are done, nothing plays.
    case once = 0
    /// It waits for its next turn.
    case rotating
  }

  /// Which reading of VF-045. Default: once.
  public var reading: Reading
  /// Longest play by kind of widget; nil for the whole video. Default nil for Shorts and 6 s for
  /// the cards of a Carousel (assumed; VF-043 gives no number).
  public var shortPreview: TimeSpan?
  public var carouselPreview: TimeSpan?

  /// - Precondition: previews are longer than zero.
  public init(
    reading: Reading = .once, shortPreview: TimeSpan? = nil,
    carouselPreview: TimeSpan? = .seconds(6)
  ) {
    precondition(
      (shortPreview ?? .max) > .zero && (carouselPreview ?? .max) > .zero,
      "a preview is longer than zero")
    self.reading = reading
    self.shortPreview = shortPreview
    self.carouselPreview = carouselPreview
  }

  /// How much of a video is played in one turn: the shorter of the video and the preview.
  public func length(of duration: TimeSpan, in kind: WidgetKind) -> TimeSpan {
    let preview: TimeSpan?
    switch kind {
    case .short: preview = shortPreview
    case .carousel: preview = carouselPreview
    case .merch: preview = .zero
    }
    guard let preview else { return duration }
    return duration < preview ? duration : preview
  }

  /// Whether a video that has finished `plays` turns of this visit may have another one.
  public func mayPlay(after plays: UInt32) -> Bool { reading == .rotating || plays == 0 }
}
