import FeedPolicy
import MediaUnits
import ModelBasics

/// The quality of what viewers saw: the rungs of the media that was rendered, each second of an
/// item counted once however often it was played. And how much of their titles they played.
public struct ShownMedia: Counters {
  /// Items with a rendered frame, and those of them in which two rungs were shown.
  public var items: Int64 = 0
  public var switchedItems: Int64 = 0
  /// Rendered media, and the part of it on the ladder's top rung, nanoseconds.
  public var media: Int64 = 0
  public var topMedia: Int64 = 0
  /// Bits at the declared rates of the rungs: their quotient with ``media`` is the mean rate.
  public var bits: Int64 = 0
  /// Segments that follow another one of their item, and those of them on another rung.
  public var joints: Int64 = 0
  public var switches: Int64 = 0
  /// Sum of the jumps between the declared rates of segments that follow each other, bit/s.
  public var changes: Int64 = 0
  /// What views played, loops and repetitions included, and how long their titles are, nanoseconds:
  /// of views that ended and whose title was known, with a first frame or without.
  public var played: Int64 = 0
  public var lengths: Int64 = 0

  public init() {}
}

extension ShownMedia {
  /// Counts a view that has ended.
  mutating func watch(_ played: TimeSpan, of title: TimeSpan) {
    self.played += played.nanoseconds
    lengths += title.nanoseconds
  }
}

/// Adds up what a viewer saw of one item, segment after segment.
struct ShownItem {
  private(set) var media = ShownMedia()
  private var first: RungIndex?
  private var last: BitRate?

  init() { media.items = 1 }

  /// Bytes of a segment under way that were rendered: those of its media up to what was seen, and
  /// no more than had arrived.
  ///
  /// - Parameter seen: media time from the segment's beginning; not above zero where none was.
  static func bytes(
    of segment: Int64, arrived: Int64, seen: TimeSpan, length: TimeSpan
  ) -> Int64 {
    if seen <= .zero { return 0 }
    let shown = Int64(Double(segment) * (seen.seconds / length.seconds))
    return shown < arrived ? shown : arrived
  }

  /// `part` of the next segment was rendered, from this rung of the ladder.
  mutating func show(_ rung: RungIndex, for part: TimeSpan, of ladder: Ladder) {
    if rung != first ?? rung { media.switchedItems = 1 }
    first = first ?? rung
    media.media += part.nanoseconds
    if rung == ladder.top { media.topMedia += part.nanoseconds }
    let rate = ladder[rung]
    if let last {
      media.joints += 1
      if rate != last { media.switches += 1 }
    }
    media.changes += abs(rate.bitsPerSecond - (last ?? rate).bitsPerSecond)
    last = rate
    media.bits += Int64(Double(rate.bitsPerSecond) * part.seconds)
  }
}
