import MediaUnits

/// The position of a widget in a mixed feed: 0 is the topmost.
public struct WidgetID: DenseIdentifier {
  public var index: UInt32
  @inlinable
  public init(_ index: UInt32) { self.index = index }
}

/// What a widget of a mixed feed shows (VF-001).
public enum WidgetKind: UInt8, Sendable, Equatable, CaseIterable {
  /// One video.
  case short = 0
  /// A row of video cards that scrolls sideways.
  case carousel
  /// An image; no video.
  case merch
}

/// One row of a mixed feed and the videos on its cards.
///
/// Videos are shown in the order of the feed, each on one card, so that the number of a video names
/// its card, too.
public struct Widget: Sendable, Equatable {
  public var id: WidgetID
  public var kind: WidgetKind
  /// The video of the first card; of a widget without a video the one that comes next.
  public var first: ItemID
  /// Video cards; 0 for a Merch widget.
  public var cards: UInt32

  public init(id: WidgetID, kind: WidgetKind, first: ItemID, cards: UInt32) {
    self.id = id
    self.kind = kind
    self.first = first
    self.cards = cards
  }

  /// The card's place in the widget, from the left; nil when the video is elsewhere.
  public func place(of item: ItemID) -> UInt32? {
    if item < first || item.index - first.index >= cards { return nil }
    return item.index - first.index
  }
}
