import MediaUnits

/// Lays a stream of videos out as a column of widgets.
///
/// Every `carouselEvery`-th widget is a Carousel that takes the next `carouselCards` videos; of the
/// others a share is Merch and the rest are Shorts with one video each. The host draws the random
/// numbers and passes them in, one for each widget, so that the same draws give the same layout.
///
/// A widget whose videos are not known yet makes the host wait; asked again with the same draw, it
/// becomes the same widget. At the end of a complete feed a Carousel takes what is left, one card
/// at least, and a Merch widget stands only where a video follows it.
///
/// Source: requirements VF-001, VF-004.
public struct WidgetFeed: PolicyMachine {
  /// What the column looks like.
  public struct Configuration: Sendable, Equatable {
    /// Every how many widgets there is a Carousel: those with `index % carouselEvery ==
    /// carouselEvery - 1`. Default 4 (VF-004).
    public var carouselEvery: UInt32
    /// Videos of a Carousel. Default 6 (VF-001).
    public var carouselCards: UInt32
    /// Probability that a widget that is no Carousel is Merch, 0 ... 1. Default 0.1 (assumed;
    /// VF-004 says "at random").
    public var merchShare: Double
    /// Whether Merch widgets count when Carousels are placed. Default true: the rule of VF-004 then
    /// holds for the index on the screen.
    public var countsMerch: Bool

    public init(
      carouselEvery: UInt32 = 4, carouselCards: UInt32 = 6, merchShare: Double = 0.1,
      countsMerch: Bool = true
    ) {
      self.carouselEvery = carouselEvery
      self.carouselCards = carouselCards
      self.merchShare = merchShare
      self.countsMerch = countsMerch
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// So many videos of the feed are known, counted from its beginning.
    case videosKnown(UInt32)
    /// No videos will be added.
    case feedCompleted
    /// The next widget is wanted; `draw` is the random number of its index, 0 ..< 1.
    case nextWidget(draw: Double)
  }

  /// What the host has to do.
  public enum Command: Sendable, Equatable {
    /// Put the widget at the end of the column.
    case append(Widget)
    /// Ask again, with the same draw, when more videos are known or the feed is complete.
    case wait
    /// There are no more widgets.
    case end
  }

  /// Whether videos may still come.
  enum State: Sendable, Equatable {
    /// More may come. Can transition to: complete.
    case growing
    /// All videos are known. Can transition to: none.
    case complete
  }

  public let configuration: Configuration
  var state = State.growing
  /// Videos known, and the part of them that is laid out; never more than are known.
  public private(set) var known: UInt32 = 0
  public private(set) var used: UInt32 = 0
  /// Widgets made, by kind.
  public private(set) var shorts: UInt32 = 0
  public private(set) var carousels: UInt32 = 0
  public private(set) var merches: UInt32 = 0
  /// Events that changed nothing: late or repeated news of the feed.
  public private(set) var ignored = 0

  /// Widgets made.
  public var widgets: UInt32 { shorts + carousels + merches }

  /// - Precondition: `carouselEvery` and `carouselCards` are at least 1, `merchShare` is a number.
  public init(_ configuration: Configuration) {
    precondition(
      configuration.carouselEvery >= 1,
      "carouselEvery is at least 1, got \(configuration.carouselEvery)")
    precondition(
      configuration.carouselCards >= 1,
      "carouselCards is at least 1, got \(configuration.carouselCards)")
    precondition(
      configuration.merchShare == configuration.merchShare, "merchShare is a number, got NaN")
    self.configuration = configuration
  }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .videosKnown(let count):
      if count <= known || state == .complete {
        ignored += 1
        return
      }
      known = count
    case .feedCompleted:
      if state == .complete { ignored += 1 }
      state = .complete
    case .nextWidget(let draw):
      commands.append(next(draw))
    }
  }

  private mutating func next(_ draw: Double) -> Command {
    let left = known - used
    if left == 0 && state == .complete { return .end }
    let place = configuration.countsMerch ? widgets : shorts + carousels
    let isCarousel = place % configuration.carouselEvery == configuration.carouselEvery - 1
    let id = WidgetID(widgets)
    let first = ItemID(used)
    let mayBeMerch = !isCarousel || !configuration.countsMerch
    if mayBeMerch && draw < configuration.merchShare {
      // Whether a video follows is not known yet.
      if left == 0 { return .wait }
      merches += 1
      return .append(Widget(id: id, kind: .merch, first: first, cards: 0))
    }
    let wanted = isCarousel ? configuration.carouselCards : 1
    if left < wanted && state == .growing { return .wait }
    let cards = min(left, wanted)
    used += cards
    if isCarousel {
      carousels += 1
      return .append(Widget(id: id, kind: .carousel, first: first, cards: cards))
    }
    shorts += 1
    return .append(Widget(id: id, kind: .short, first: first, cards: cards))
  }
}
