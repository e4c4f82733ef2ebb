import AudienceModel
import FeedPolicy
import MediaUnits

/// The cell that a card is bound to, and what is seen of the card in it.
struct CardCell {
  private static let unseen = CardSight(fraction: 0, offset: 1e9)

  /// Number of the binding; 0 for none.
  private(set) var token: UInt32 = 0
  private(set) var sight = CardCell.unseen

  mutating func bind(_ token: UInt32) {
    self.token = token
    sight = CardCell.unseen
  }

  mutating func recycle() { bind(0) }

  mutating func see(_ sight: CardSight) { self.sight = sight }
}

/// One card's video: what is loaded of it, its player, its playhead.
struct SurfaceItem {
  let title: Title
  let widget: Int
  let kind: WidgetKind
  /// Place in its widget, from the left.
  let place: UInt32
  var cell = CardCell()
  var loading = CardLoading()
  var bytes = CardBytes()
  var player = CardPlayer()
  var playback = CardPlayback()
  /// When things happened, for the parts of a startup, and what its requests waited for.
  var times = SurfaceTimes()
  var waits = SurfaceWaits()

  init(title: Title, widget: Int, kind: WidgetKind, place: UInt32) {
    self.title = title
    self.widget = widget
    self.kind = kind
    self.place = place
  }

  var isTold: Bool { playback.isTold }
  var isMounted: Bool { player.isMounted }
  var hasPlayer: Bool { player.number != nil }
  var held: TimeSpan { loading.held }
  var isLoading: Bool { loading.request != nil }
  /// All segments are here.
  var isWhole: Bool { loading.rungs.count >= title.segmentCount }
  /// Media time of the segment that is loaded next.
  var nextLength: TimeSpan { title.length(of: loading.rungs.count, step: title.step) }

  /// What was rendered of it, by rung.
  func shown(of catalogue: UnsafePointer<CatalogueConfiguration>) -> ShownItem {
    var shown = ShownItem()
    for index in 0..<loading.rungs.count {
      let seen = playback.rendered - title.step * Int64(index)
      if seen <= .zero { break }
      let length = title.length(of: index, step: title.step)
      shown.show(
        RungIndex(UInt32(loading.rungs[index])), for: seen < length ? seen : length,
        of: catalogue.pointee.ladder)
    }
    return shown
  }
}
