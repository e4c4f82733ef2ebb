import MediaUnits

/// Follows the visible shares of a mixed feed's cards and decides which have a player and which
/// play.
///
/// Six states of a card follow the thresholds of ``VisibilityThresholds``: far away, near (its head
/// is prefetched), mounted, ready, active, on its way out, paused. Of the ready cards
/// ``PlayRules`` chooses those that play, ``PlaySequence`` says how often. The host reports sights
/// of cards, then ``Event/scrolled(velocity:travel:)`` or ``Event/settled`` at the end of each
/// frame. A card that loses its share is paused at once; what begins, begins at the end of the
/// frame, so that half of a frame decides nothing.
///
/// Models beyond the thresholds (VF-038, OQ-08) are chosen in the configuration. Left out: where
/// cards are (the host knows), how long media take to load, media time.
///
/// Cards are bound to views that are recycled: each binding has a token, and what arrives with
/// another token is counted in ``stale`` and changes nothing (VF-041). A card may get and lose
/// several players while it is bound: each mount has a number, and what a player says carries that
/// of its mount.
///
/// Source: requirements VF-016, VF-028 to VF-041, VF-047, SIG-036.
public struct VisibilityMachine: PolicyMachine {
  /// What makes a card ready.
  public enum Model: Sendable, Equatable {
    /// Its visible share alone (VF-033, VF-035).
    case thresholds
    /// While the list moves, only the share at the predicted rest; at rest the share.
    case predictedRest
    /// Its share, if at the present velocity it keeps it for this long.
    case projectedDwell(TimeSpan)
  }

  /// What the machine was created with.
  public struct Configuration: Sendable, Equatable {
    /// Default: the thresholds as written.
    public var model: Model
    /// By kind of widget (VF-030). Defaults: as written for both.
    public var short: VisibilityThresholds
    public var carousel: VisibilityThresholds
    /// How far outside the viewport heads are prefetched, viewports. Default 1 (assumed; VF-030:
    /// one range for all widgets).
    public var prefetchRange: Double
    /// Cards after the last visible one that are prefetched wherever they are. Default 0 (VF-031:
    /// "within range or count").
    public var prefetchCount: UInt32
    public var rules: PlayRules
    public var sequence: PlaySequence
    /// Whether nothing plays by itself and only one player lives (VF-028, VF-029). Default false.
    public var isLowEnd: Bool
    /// A card that plays again so soon after a pause that nobody asked for is a flap. Default 1 s
    /// (assumed).
    public var flapWindow: TimeSpan
    /// Cards that may be bound at once. Default 64 (assumed).
    public var cardLimit: Int

    public init(
      model: Model = .thresholds, short: VisibilityThresholds = .init(),
      carousel: VisibilityThresholds = .init(), prefetchRange: Double = 1,
      prefetchCount: UInt32 = 0, rules: PlayRules = .init(), sequence: PlaySequence = .init(),
      isLowEnd: Bool = false, flapWindow: TimeSpan = .seconds(1), cardLimit: Int = 64
    ) {
      self.model = model
      self.short = short
      self.carousel = carousel
      self.prefetchRange = prefetchRange
      self.prefetchCount = prefetchCount
      self.rules = rules
      self.sequence = sequence
      self.isLowEnd = isLowEnd
      self.flapWindow = flapWindow
      self.cardLimit = cardLimit
    }
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// A card got a view; `extent` is the card's height in viewports. A binding with another token
    /// replaces the card's old one.
    case bound(ItemID, token: UInt32, widget: WidgetID, kind: WidgetKind, extent: Double)
    /// The card's view goes to another card.
    case recycled(ItemID, token: UInt32)
    /// What of the card is on the screen.
    case seen(ItemID, token: UInt32, CardSight)
    /// The end of a frame in which the list moved: velocity in viewports per second, positive
    /// towards later widgets, and the viewports still to go to the predicted rest.
    case scrolled(velocity: Double, travel: Double)
    /// The end of the frame in which the list came to rest.
    case settled
    /// ``ScrollGate`` changed what may begin.
    case admissionChanged(ScrollGate.Admission)
    /// The player of this mount can show a frame of the card at once.
    case mediaReady(ItemID, token: UInt32, mount: UInt32)
    /// The card cannot play, in no player.
    case mediaFailed(ItemID, token: UInt32)
    /// The card's turn in the player of this mount is over: its end or its preview's
    /// (``PlaySequence/length(of:in:)``).
    case mediaEnded(ItemID, token: UInt32, mount: UInt32)
    /// The viewer tapped the card: a pause, or the wish to play it.
    case tapped(ItemID, token: UInt32)
    /// The timer of ``Command/setTimer(_:token:at:)`` fired.
    case timerFired(ItemID, token: UInt32)
    /// The feed's tab came to the front or left it (VF-047).
    case frontChanged(Bool)
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    /// Fetch the card's head.
    case startPrefetch(ItemID, token: UInt32)
    /// Stop doing so.
    case cancelPrefetch(ItemID, token: UInt32)
    /// Give the card a player, paused; a prefetch under way becomes the player's. No two mounts
    /// have the same number; the first is 1.
    case mount(ItemID, token: UInt32, mount: UInt32)
    /// Take the player away.
    case unmount(ItemID, token: UInt32)
    /// Play, as soon as the media are there.
    case play(ItemID, token: UInt32)
    /// Do not play any more.
    case pause(ItemID, token: UInt32)
    /// Report ``Event/timerFired(_:token:)`` at this time.
    case setTimer(ItemID, token: UInt32, at: Instant)
  }

  /// Where a card stands.
  public enum State: Sendable, Equatable {
    /// No player and no prefetch. Can transition to: near, mounted.
    case outside
    /// Its head is fetched (willBecomeVisible). Can transition to: outside, mounted.
    case near
    /// Has a player that is paused, and is not ready. Can transition to: dwelling, ready, active,
    /// outside.
    case mounted
    /// At the share of a ready card, not long enough. Can transition to: mounted, paused, ready,
    /// active, outside.
    case dwelling(until: Instant)
    /// Waits for its turn. Can transition to: active, paused, outside.
    case ready(since: Instant)
    /// Plays. Can transition to: leaving, ready, paused, outside.
    case active(since: Instant)
    /// Plays and is on its way out (soft release). Can transition to: active, ready, paused,
    /// outside.
    case leaving(since: Instant)
    /// Was ready and fell below its share, or has had its turn. Can transition to: dwelling, ready,
    /// active, outside.
    case paused
  }

  public let configuration: Configuration
  var cards: [VisibleCard] = []
  var candidates: [PlayRules.Candidate] = []
  var chosen: [ItemID] = []
  var admission = ScrollGate.Admission.all
  var velocity = 0.0
  var travel = 0.0
  var isFront = true

  /// Commands given, by kind.
  public internal(set) var plays = 0
  public internal(set) var pauses = 0
  public internal(set) var mounts = 0
  public internal(set) var unmounts = 0
  public internal(set) var prefetches = 0
  public internal(set) var prefetchCancels = 0
  /// Plays that took over from another card on its way out.
  public internal(set) var handOvers = 0
  /// Plays that followed so soon after a pause of the same card (``Configuration/flapWindow``).
  public internal(set) var flaps = 0
  /// Events with a token or a mount that is not the card's, or of a card without a binding.
  public internal(set) var stale = 0
  /// Other events that changed nothing: repeated ones, sights that are no numbers.
  public internal(set) var ignored = 0
  /// Bindings beyond `cardLimit`.
  public internal(set) var refused = 0

  /// - Precondition: `cardLimit` is at least 1; numbers are numbers.
  public init(_ configuration: Configuration) {
    precondition(
      configuration.cardLimit >= 1, "cardLimit is at least 1, got \(configuration.cardLimit)")
    precondition(
      configuration.prefetchRange == configuration.prefetchRange,
      "prefetchRange is a number, got NaN")
    self.configuration = configuration
    let room = min(configuration.cardLimit, 256)
    cards.reserveCapacity(room)
    candidates.reserveCapacity(room)
  }

  /// Where the card stands; outside when it is not bound.
  public func state(of item: ItemID) -> State {
    place(of: item).map { cards[$0].state } ?? .outside
  }

  /// Whether the card has been told to play and not to pause since.
  public func isPlaying(_ item: ItemID) -> Bool {
    place(of: item).map { cards[$0].isPlaying } ?? false
  }

  /// Cards that play, and cards with a player.
  public var playing: Int { count { $0.isPlaying } }
  public var mounted: Int { count { $0.hasPlayer } }
  /// Cards bound.
  public var bound: Int { cards.count }

  private func count(_ holds: (VisibleCard) -> Bool) -> Int {
    var count = 0
    for index in 0..<cards.count where holds(cards[index]) { count += 1 }
    return count
  }

  func place(of item: ItemID) -> Int? {
    for index in 0..<cards.count where cards[index].item == item { return index }
    return nil
  }

  /// Number of the card's mount; nil without a player.
  public func mount(of item: ItemID) -> UInt32? {
    guard let index = place(of: item), cards[index].hasPlayer else { return nil }
    return cards[index].mount
  }

  /// The card with this binding and this mount; anything else is counted.
  private mutating func find(_ item: ItemID, _ token: UInt32, mount: UInt32) -> Int? {
    guard let index = find(item, token) else { return nil }
    if cards[index].hasPlayer && cards[index].mount == mount { return index }
    stale += 1
    return nil
  }

  /// The card with this binding; anything else is counted.
  private mutating func find(_ item: ItemID, _ token: UInt32) -> Int? {
    if let index = place(of: item), cards[index].token == token { return index }
    stale += 1
    return nil
  }

  /// - Complexity: O(cards²) at the end of a frame, O(cards) for a sight; nothing is allocated
  ///   beyond the growth of `commands`.
  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .bound(let item, let token, let widget, let kind, let extent):
      bind(item, token, widget, kind, extent, at: now, into: &commands)
      return
    case .recycled(let item, let token):
      guard let index = find(item, token) else { return }
      remove(index, at: now, into: &commands)
      return
    case .seen(let item, let token, let sight):
      guard let index = find(item, token) else { return }
      if !sight.isValid {
        ignored += 1
        return
      }
      look(at: index, sight, at: now, into: &commands)
      return
    case .scrolled(let velocity, let travel):
      if velocity != velocity || travel != travel {
        ignored += 1
        return
      }
      self.velocity = velocity
      self.travel = travel
      reviewAll(at: now, into: &commands)
    case .settled:
      velocity = 0
      travel = 0
      reviewAll(at: now, into: &commands)
    case .admissionChanged(let admission):
      if admission == self.admission {
        ignored += 1
        return
      }
      self.admission = admission
      reviewAll(at: now, into: &commands)
    case .mediaReady, .mediaFailed, .mediaEnded, .tapped, .timerFired:
      handleCard(event, at: now, into: &commands)
    case .frontChanged(let isFront):
      if isFront == self.isFront {
        ignored += 1
        return
      }
      self.isFront = isFront
    }
    choose(at: now, into: &commands)
  }

  /// The events of one card beside its sights.
  private mutating func handleCard(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .mediaReady(let item, let token, let mount):
      guard let index = find(item, token, mount: mount) else { return }
      if cards[index].isLoaded {
        ignored += 1
        return
      }
      cards[index].isLoaded = true
    case .mediaFailed(let item, let token):
      guard let index = find(item, token) else { return }
      if cards[index].hasFailed {
        ignored += 1
        return
      }
      cards[index].hasFailed = true
      cards[index].isLoaded = false
      stop(index, .paused, at: now, into: &commands)
    case .mediaEnded(let item, let token, let mount):
      guard let index = find(item, token, mount: mount) else { return }
      end(index, at: now, into: &commands)
    case .tapped(let item, let token):
      guard let index = find(item, token) else { return }
      tap(index, at: now, into: &commands)
    case .timerFired(let item, let token):
      guard let index = find(item, token) else { return }
      guard case .dwelling(let until) = cards[index].state else {
        ignored += 1
        return
      }
      if now < until {
        ignored += 1
        commands.append(.setTimer(item, token: token, at: until))
      } else {
        review(index, at: now, into: &commands)
      }
    default: return
    }
  }
}
