import FeedPolicy
import MediaUnits

/// A device's players as a viewer's cards hold them: the slots of the pool and the cards in them,
/// or players that live beside a pool, one a card.
///
/// Which card gets one is the pool's, or the caller's, to say; what a player does with its card is
/// ``CardPlayer``'s.
struct SurfacePlayers {
  /// Who gets the players of the pool; unused where each mount creates one.
  private var pool: PlayerPool
  /// The cards in the pool's slots; nil for a slot without a player.
  private(set) var slots: [UInt32?]
  /// When the decoder of each slot's player is ready, or was.
  private var readyAt: [Instant]
  /// Players that live beside a pool.
  private var own = 0
  /// Players that cards were given so far.
  private var given: UInt32 = 0

  /// - Parameter players: how many may live at once.
  init(_ configuration: PlayerPool.Configuration, players: Int) {
    var configuration = configuration
    configuration.size = players
    pool = PlayerPool(configuration)
    slots = Array(repeating: nil, count: players)
    readyAt = Array(repeating: .zero, count: players)
  }

  /// How many may live at once on a device: decoders are scarce, a pool has its size, and low-end
  /// devices have one (VF-029).
  static func limit(
    ofDevice device: Int, _ setting: UnsafePointer<FeedSetting>,
    _ surface: UnsafePointer<SurfaceConfiguration>
  ) -> Int {
    if surface.pointee.lowEnd[device] { return 1 }
    let decoders = setting.pointee.devices[device].decoderLimit
    let size = setting.pointee.policy.pointee.pool.size
    return surface.pointee.reuse != .none && size < decoders ? size : decoders
  }

  /// The number of the next player that a card is given.
  mutating func nextNumber() -> UInt32 {
    given += 1
    return given
  }

  // MARK: The pool

  /// The card that the pool stands around.
  var current: ItemID? { pool.current }

  mutating func handle(
    _ event: PlayerPool.Event, at now: Instant, into commands: inout [PlayerPool.Command],
    by decider: (any VictimDecider)?
  ) {
    pool.handle(event, at: now, into: &commands, by: decider)
  }

  /// What tells the pool that a card's player has its first frame; nil without a player of it.
  func readiness(of item: ItemID) -> PlayerPool.Event? {
    guard let slot = pool.slot(for: item) else { return nil }
    return .slotReady(slot, generation: pool.generation(of: slot))
  }

  /// The slot has no player any more.
  mutating func clear(_ slot: Int) { slots[slot] = nil }

  /// Puts a card into a slot.
  ///
  /// - Parameter isNew: the slot had no player.
  /// - Returns: when the player can be worked on: one that is not ready for its last card yet
  ///   cannot begin with the next.
  mutating func put(_ card: Int, in slot: Int, isNew: Bool, at now: Instant) -> Instant {
    slots[slot] = UInt32(card)
    return !isNew && readyAt[slot] > now ? readyAt[slot] : now
  }

  /// The decoder of a slot's player is ready at `time`.
  mutating func ready(_ slot: Int, at time: Instant) { readyAt[slot] = time }

  /// The card of a range around which the pool's window serves the most of those that have no
  /// player, then the most of all that need one, then the one in their middle.
  ///
  /// - Parameters:
  ///   - needs: whether a card needs a player.
  ///   - has: whether it has one.
  func centre(of cards: ClosedRange<Int>, needs: (Int) -> Bool, has: (Int) -> Bool) -> Int {
    let shape = pool.configuration
    let ahead = shape.ahead < shape.size - 1 ? shape.ahead : shape.size - 1
    let behind = shape.behind < shape.size - 1 - ahead ? shape.behind : shape.size - 1 - ahead
    var best = cards.lowerBound
    var bestScore = (-1, -1, Int.min)
    for card in cards {
      var without = 0
      var all = 0
      for index in cards where index >= card - behind && index <= card + ahead && needs(index) {
        all += 1
        if !has(index) { without += 1 }
      }
      let score = (without, all, -abs(2 * card - cards.lowerBound - cards.upperBound))
      if score > bestScore {
        best = card
        bestScore = score
      }
    }
    return best
  }

  // MARK: Players of their own

  /// Takes one of so many players that may live beside a pool.
  ///
  /// - Returns: whether there was one.
  mutating func takeOwn(of limit: Int) -> Bool {
    if own >= limit { return false }
    own += 1
    return true
  }

  mutating func giveOwn() { own -= 1 }
}
