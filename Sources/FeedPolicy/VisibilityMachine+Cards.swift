import MediaUnits

/// What the machine knows of a bound card.
struct VisibleCard: Sendable {
  let item: ItemID
  let token: UInt32
  let widget: WidgetID
  let kind: WidgetKind
  let extent: Double
  var state = VisibilityMachine.State.outside
  var sight = CardSight(fraction: 0, offset: .greatestFiniteMagnitude)
  /// Number of the present mount, or of the last one.
  var mount: UInt32 = 0
  var isLoaded = false
  var hasFailed = false
  /// Paused by the viewer: does not play by itself until it has left the screen (SIG-036).
  var isHeld = false
  /// The viewer asked for it.
  var isWanted = false
  /// Turns finished since it came on the screen.
  var plays: UInt32 = 0
  /// Had a player since it came into the range of prefetches: its head is not wanted again.
  var wasShown = false
  /// When it was last paused for its share or for another card; nil when it has played since, or
  /// never was in this binding.
  var pausedAt: Instant?

  var isPlaying: Bool {
    switch state {
    case .active, .leaving: true
    default: false
    }
  }

  var isReady: Bool {
    switch state {
    case .ready, .active, .leaving: true
    default: false
    }
  }

  var hasPlayer: Bool {
    switch state {
    case .outside, .near: false
    default: true
    }
  }
}

extension VisibilityMachine {
  func thresholds(_ kind: WidgetKind) -> VisibilityThresholds {
    kind == .carousel ? configuration.carousel : configuration.short
  }

  mutating func bind(
    _ item: ItemID, _ token: UInt32, _ widget: WidgetID, _ kind: WidgetKind, _ extent: Double,
    at now: Instant, into commands: inout [Command]
  ) {
    if let index = place(of: item) {
      if cards[index].token == token {
        ignored += 1
        return
      }
      remove(index, at: now, into: &commands)
    }
    if cards.count == configuration.cardLimit || kind == .merch || extent != extent {
      refused += 1
      return
    }
    cards.append(
      VisibleCard(item: item, token: token, widget: widget, kind: kind, extent: extent))
  }

  mutating func remove(_ index: Int, at now: Instant, into commands: inout [Command]) {
    leaveScreen(index, at: now, into: &commands)
    cancelPrefetch(index, into: &commands)
    cards.swapAt(index, cards.count - 1)
    cards.removeLast()
  }

  mutating func look(
    at index: Int, _ sight: CardSight, at now: Instant, into commands: inout [Command]
  ) {
    let old = cards[index].sight.fraction
    cards[index].sight = sight
    let limits = thresholds(cards[index].kind)
    switch cards[index].state {
    case .active(let since):
      if old >= limits.release && sight.fraction < limits.release {
        cards[index].state = .leaving(since: since)
      }
    case .leaving(let since):
      if sight.fraction >= limits.release { cards[index].state = .active(since: since) }
    default: break
    }
    if sight.fraction <= 0 {
      leaveScreen(index, at: now, into: &commands)
    } else if cards[index].isReady && sight.fraction < limits.leave {
      fall(index, at: now, into: &commands)
    }
  }

  mutating func reviewAll(at now: Instant, into commands: inout [Command]) {
    for index in 0..<cards.count { review(index, at: now, into: &commands) }
  }

  /// Brings a card's state in line with its sight; who plays is not decided here.
  mutating func review(_ index: Int, at now: Instant, into commands: inout [Command]) {
    let limits = thresholds(cards[index].kind)
    let fraction = cards[index].sight.fraction
    if fraction <= 0 {
      leaveScreen(index, at: now, into: &commands)
      reviewRange(index, into: &commands)
      return
    }
    if cards[index].isReady { return }
    if !cards[index].hasPlayer {
      if fraction < limits.mount || configuration.isLowEnd || !isAdmitted(index) {
        reviewRange(index, into: &commands)
        return
      }
      mount(index, into: &commands)
    }
    rise(index, limits, at: now, into: &commands)
  }

  /// From a mounted or paused card to a ready one, and back from the dwell.
  private mutating func rise(
    _ index: Int, _ limits: VisibilityThresholds, at now: Instant, into commands: inout [Command]
  ) {
    let card = cards[index]
    let isDone = !configuration.sequence.mayPlay(after: card.plays)
    if card.hasFailed || isDone || !hasShare(card, limits) {
      if case .dwelling = card.state { cards[index].state = .paused }
      return
    }
    if !isAdmitted(index) { return }
    if configuration.isLowEnd && !card.isWanted { return }
    switch card.state {
    case .mounted, .paused:
      if limits.dwell == .zero || card.isWanted { break }
      let until = now.advanced(saturatingBy: limits.dwell)
      cards[index].state = .dwelling(until: until)
      commands.append(.setTimer(card.item, token: card.token, at: until))
      return
    case .dwelling(let until): if now < until { return }
    default: return
    }
    cards[index].state = .ready(since: now)
  }

  /// Whether a card that is not ready has what makes it so.
  private func hasShare(_ card: VisibleCard, _ limits: VisibilityThresholds) -> Bool {
    switch configuration.model {
    case .thresholds: return card.sight.fraction >= limits.enter
    case .predictedRest:
      if velocity == 0 { return card.sight.fraction >= limits.enter }
      return card.sight.fraction >= limits.leave && restFraction(card) >= limits.enter
    case .projectedDwell(let least):
      return card.sight.fraction >= limits.enter && projection(card, limits) >= least.seconds
    }
  }

  /// Share at the predicted rest.
  func restFraction(_ card: VisibleCard) -> Double {
    FeedGeometry.along(offset: card.sight.offset - travel, extent: card.extent) * card.sight.across
  }

  /// Seconds for which the card keeps the share `leave` at the present velocity; for ever when the
  /// list will stand still before.
  private func projection(_ card: VisibleCard, _ limits: VisibilityThresholds) -> Double {
    if velocity == 0 || card.sight.across <= 0 { return .infinity }
    // The middle may be so far from the viewport's that the share is still `leave`.
    let farthest = 0.5 + card.extent / 2 - limits.leave / card.sight.across * card.extent
    let towardsEnd = velocity > 0 ? farthest + card.sight.offset : farthest - card.sight.offset
    if towardsEnd <= 0 { return 0 }
    return abs(travel) < towardsEnd ? .infinity : towardsEnd / abs(velocity)
  }

  /// Whether something may begin for the card now.
  func isAdmitted(_ index: Int) -> Bool {
    switch admission {
    case .all: true
    case .none: false
    case .predicted: restFraction(cards[index]) >= thresholds(cards[index].kind).mount
    }
  }

  /// Starts or cancels the prefetch of a card without a player.
  private mutating func reviewRange(_ index: Int, into commands: inout [Command]) {
    let card = cards[index]
    let limit = 0.5 + card.extent / 2 + configuration.prefetchRange
    let isInRange = abs(card.sight.offset) <= limit || isInCount(card)
    if !isInRange {
      cancelPrefetch(index, into: &commands)
      cards[index].wasShown = false
      return
    }
    guard case .outside = card.state, !card.wasShown, !card.hasFailed, isAdmitted(index) else {
      return
    }
    cards[index].state = .near
    prefetches += 1
    commands.append(.startPrefetch(card.item, token: card.token))
  }

  /// Whether the card is one of the next few after the last visible one.
  private func isInCount(_ card: VisibleCard) -> Bool {
    if configuration.prefetchCount == 0 { return false }
    var last: ItemID?
    for other in cards where other.sight.fraction > 0 && last.map({ $0 < other.item }) ?? true {
      last = other.item
    }
    guard let last, last < card.item else { return false }
    return card.item.index - last.index <= configuration.prefetchCount
  }

  mutating func cancelPrefetch(_ index: Int, into commands: inout [Command]) {
    guard case .near = cards[index].state else { return }
    cards[index].state = .outside
    prefetchCancels += 1
    commands.append(.cancelPrefetch(cards[index].item, token: cards[index].token))
  }

  mutating func mount(_ index: Int, into commands: inout [Command]) {
    cards[index].state = .mounted
    cards[index].wasShown = true
    mounts += 1
    cards[index].mount = UInt32(truncatingIfNeeded: mounts)
    commands.append(
      .mount(cards[index].item, token: cards[index].token, mount: cards[index].mount))
  }

  /// Below the share of a ready card (VF-035).
  private mutating func fall(_ index: Int, at now: Instant, into commands: inout [Command]) {
    if cards[index].isPlaying { cards[index].pausedAt = now }
    cards[index].isWanted = false
    stop(index, .paused, at: now, into: &commands)
  }

  /// Pauses a card that plays and leaves it in another state.
  mutating func stop(
    _ index: Int, _ state: State, at now: Instant, into commands: inout [Command]
  ) {
    if cards[index].isPlaying {
      pauses += 1
      commands.append(.pause(cards[index].item, token: cards[index].token))
    }
    if cards[index].hasPlayer { cards[index].state = state }
  }

  /// Off the screen: no player, and the visit is over (VF-036).
  mutating func leaveScreen(_ index: Int, at now: Instant, into commands: inout [Command]) {
    cards[index].isHeld = false
    cards[index].isWanted = false
    cards[index].plays = 0
    guard cards[index].hasPlayer else { return }
    removePlayer(index, at: now, into: &commands)
  }

  mutating func removePlayer(_ index: Int, at now: Instant, into commands: inout [Command]) {
    if cards[index].isPlaying { cards[index].pausedAt = now }
    stop(index, .paused, at: now, into: &commands)
    cards[index].state = .outside
    cards[index].isLoaded = false
    unmounts += 1
    commands.append(.unmount(cards[index].item, token: cards[index].token))
  }

  /// A turn is over: wait for the next one, or be done.
  mutating func end(_ index: Int, at now: Instant, into commands: inout [Command]) {
    if !cards[index].isPlaying {
      ignored += 1
      return
    }
    cards[index].plays &+= 1
    cards[index].isWanted = false
    let mayPlay =
      configuration.sequence.mayPlay(after: cards[index].plays) && !configuration.isLowEnd
    stop(index, mayPlay ? .ready(since: now) : .paused, at: now, into: &commands)
  }

  /// A tap toggles (SIG-036); on a low-end device it makes the card the only one alive (VF-029).
  mutating func tap(_ index: Int, at now: Instant, into commands: inout [Command]) {
    let limits = thresholds(cards[index].kind)
    if cards[index].isPlaying {
      cards[index].isHeld = true
      cards[index].isWanted = false
      stop(index, .paused, at: now, into: &commands)
      return
    }
    if cards[index].hasFailed || cards[index].sight.fraction < limits.leave {
      ignored += 1
      return
    }
    for other in 0..<cards.count {
      cards[other].isWanted = false
      if configuration.isLowEnd && other != index && cards[other].hasPlayer {
        removePlayer(other, at: now, into: &commands)
      }
    }
    if !cards[index].hasPlayer {
      // A prefetch under way is the player's from now on.
      mount(index, into: &commands)
    }
    cards[index].isHeld = false
    cards[index].isWanted = true
    if !configuration.sequence.mayPlay(after: cards[index].plays) { cards[index].plays = 0 }
    if !cards[index].isReady { cards[index].state = .ready(since: now) }
  }
}
