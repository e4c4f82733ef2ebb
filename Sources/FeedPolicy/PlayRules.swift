import MediaUnits

/// Chooses the cards that play: of one widget only, and of a Carousel a few at most.
///
/// A decider without state: candidates in, those chosen out. With
/// ``WidgetOrder/longestWaiting`` a card that plays keeps its place
/// until it is on its way out; such a card gives way to one that waits and is loaded, so that there
/// is neither a gap nor an overlap (VF-034), and otherwise goes on. A card that the viewer tapped
/// comes before all others.
///
/// Source: requirements VF-008 to VF-010, VF-029, VF-033, VF-034, VF-038.
public struct PlayRules: Sendable, Equatable {
  /// Which widget plays.
  public enum WidgetOrder: UInt8, Sendable, Equatable {
    /// The one that plays, until its cards are on their way out; then the one that has waited
    /// longest (VF-033).
    case longestWaiting = 0
    /// The one nearest to the middle of the viewport, loaded or not: a card gives way to a nearer
    /// one that is not loaded yet, with a gap.
    case mostCentred
  }

  /// Which of a widget's waiting cards play first (VF-010).
  public enum CardOrder: UInt8, Sendable, Equatable {
    case leftmost = 0
    case mostVisible
    case longestWaiting
  }

  /// One card that may play.
  public struct Candidate: Sendable, Equatable {
    /// How a candidate stands to playing.
    public enum Role: UInt8, Sendable, Equatable {
      /// Waits for its turn.
      case waiting = 0
      /// Plays.
      case playing
      /// Plays and is on its way out.
      case leaving
    }
    public var item: ItemID
    public var widget: WidgetID
    public var kind: WidgetKind
    public var role: Role
    /// Whether it can show a frame at once.
    public var isLoaded: Bool
    /// Whether the viewer asked for it.
    public var isWanted: Bool
    /// Visible share of the card, 0 ... 1.
    public var fraction: Double
    /// Distance of the widget's middle from the viewport's, viewports, not negative.
    public var distance: Double
    /// Since when it waits or plays.
    public var since: Instant
    /// Turns finished in this visit.
    public var plays: UInt32

    public init(
      item: ItemID, widget: WidgetID, kind: WidgetKind, role: Role = .waiting,
      isLoaded: Bool = true, isWanted: Bool = false, fraction: Double = 1, distance: Double = 0,
      since: Instant = .zero, plays: UInt32 = 0
    ) {
      self.item = item
      self.widget = widget
      self.kind = kind
      self.role = role
      self.isLoaded = isLoaded
      self.isWanted = isWanted
      self.fraction = fraction
      self.distance = distance
      self.since = since
      self.plays = plays
    }
  }

  /// Default: longest waiting, as VF-033 says.
  public var widgetOrder: WidgetOrder
  /// Default: leftmost (assumed; VF-010 leaves it open).
  public var cardOrder: CardOrder
  /// Cards of a Short and of a Carousel that may play at once. Defaults 1 and 3 (VF-009).
  public var shortLimit: Int
  public var carouselLimit: Int
  /// How much nearer to the middle a widget must be than the one that plays to take its place,
  /// viewports. Default 0.05 (assumed).
  public var centreMargin: Double

  /// - Precondition: limits are at least 1; the margin is a number.
  public init(
    widgetOrder: WidgetOrder = .longestWaiting, cardOrder: CardOrder = .leftmost,
    shortLimit: Int = 1, carouselLimit: Int = 3, centreMargin: Double = 0.05
  ) {
    precondition(shortLimit >= 1 && carouselLimit >= 1, "at least one card of a widget plays")
    precondition(centreMargin == centreMargin, "centreMargin is a number, got NaN")
    self.widgetOrder = widgetOrder
    self.cardOrder = cardOrder
    self.shortLimit = shortLimit
    self.carouselLimit = carouselLimit
    self.centreMargin = centreMargin
  }

  /// Cards of a widget of this kind that may play at once.
  public func limit(_ kind: WidgetKind) -> Int {
    switch kind {
    case .short: shortLimit
    case .carousel: carouselLimit
    case .merch: 0
    }
  }

  /// Appends the cards that are to play, all of one widget.
  ///
  /// - Complexity: O(candidates x limit); nothing is allocated beyond the growth of `chosen`.
  public func choose(_ candidates: [Candidate], into chosen: inout [ItemID]) {
    guard let first = bestWidget(candidates) else { return }
    let begin = chosen.count
    let limit = limit(candidates[first].kind)
    let turns = candidates[first].role == .playing ? turnsElsewhere(candidates, first) : nil
    while chosen.count - begin < limit {
      var best = -1
      for index in 0..<candidates.count where candidates[index].widget == candidates[first].widget {
        if isChosen(candidates[index].item, chosen, from: begin) { continue }
        // The widget lets its turns run out when others have had fewer.
        if isBegin(candidates[index]), let turns, candidates[index].plays > turns { continue }
        if best < 0 || isBefore(candidates[index], candidates[best]) { best = index }
      }
      if best < 0 { return }
      chosen.append(candidates[best].item)
    }
  }

  /// Whether the rules, and not the viewer, would begin the card.
  private func isBegin(_ candidate: Candidate) -> Bool {
    candidate.role == .waiting && !candidate.isWanted
  }

  /// Least turns of the loaded cards that wait in other widgets; nil without one, and where the
  /// middle of the viewport decides. Without it a Carousel whose cards end at different times would
  /// keep its turn for good (VF-044).
  private func turnsElsewhere(_ candidates: [Candidate], _ first: Int) -> UInt32? {
    if widgetOrder == .mostCentred { return nil }
    var least: UInt32?
    for candidate in candidates
    where candidate.widget != candidates[first].widget && isBegin(candidate)
      && candidate.isLoaded && limit(candidate.kind) > 0
    {
      if least.map({ candidate.plays < $0 }) ?? true { least = candidate.plays }
    }
    return least
  }

  private func isChosen(_ item: ItemID, _ chosen: [ItemID], from begin: Int) -> Bool {
    for index in begin..<chosen.count where chosen[index] == item { return true }
    return false
  }

  /// A candidate of the widget that plays next; nil when there is none.
  private func bestWidget(_ candidates: [Candidate]) -> Int? {
    var held: Int?
    var best: Int?
    for index in 0..<candidates.count where limit(candidates[index].kind) > 0 {
      let candidate = candidates[index]
      if candidate.role != .waiting && (held.map { isFirmer(candidate, candidates[$0]) } ?? true) {
        held = index
      }
      if best.map({ isWidgetBefore(candidate, candidates[$0]) }) ?? true { best = index }
    }
    guard let held, let best else { return best }
    if candidates[best].isWanted { return best }
    let isLeaving = candidates[held].role == .leaving
    switch widgetOrder {
    case .longestWaiting:
      if !isLeaving { return held }
      return successor(candidates, of: candidates[held].widget) ?? held
    case .mostCentred:
      let margin = isLeaving ? 0 : centreMargin
      return candidates[best].distance + margin < candidates[held].distance ? best : held
    }
  }

  private func isFirmer(_ a: Candidate, _ b: Candidate) -> Bool {
    a.role == .playing && b.role == .leaving
  }

  /// The loaded candidate of another widget that has waited longest.
  private func successor(_ candidates: [Candidate], of widget: WidgetID) -> Int? {
    var best: Int?
    for index in 0..<candidates.count
    where candidates[index].widget != widget && candidates[index].isLoaded
      && limit(candidates[index].kind) > 0
    {
      if best.map({ isWidgetBefore(candidates[index], candidates[$0]) }) ?? true { best = index }
    }
    return best
  }

  private func isWidgetBefore(_ a: Candidate, _ b: Candidate) -> Bool {
    if a.isWanted != b.isWanted { return a.isWanted }
    if widgetOrder == .mostCentred && a.distance != b.distance { return a.distance < b.distance }
    if a.plays != b.plays { return a.plays < b.plays }
    if a.since != b.since { return a.since < b.since }
    return a.item < b.item
  }

  /// 0 plays, 1 waits and is loaded, 2 plays and is on its way out, 3 waits and is not loaded.
  private func rank(_ candidate: Candidate) -> UInt8 {
    switch candidate.role {
    case .playing: 0
    case .waiting: candidate.isLoaded ? 1 : 3
    case .leaving: 2
    }
  }

  /// Whether a comes before b in their widget.
  private func isBefore(_ a: Candidate, _ b: Candidate) -> Bool {
    if a.isWanted != b.isWanted { return a.isWanted }
    if rank(a) != rank(b) { return rank(a) < rank(b) }
    if a.plays != b.plays { return a.plays < b.plays }
    switch cardOrder {
    case .leftmost: break
    case .mostVisible: if a.fraction != b.fraction { return a.fraction > b.fraction }
    case .longestWaiting: if a.since != b.since { return a.since < b.since }
    }
    return a.item < b.item
  }
}
