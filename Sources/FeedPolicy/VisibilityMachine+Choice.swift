import MediaUnits

extension VisibilityMachine {
  /// Lets the cards play that the rules choose, and no others; pauses come first.
  mutating func choose(at now: Instant, into commands: inout [Command]) {
    candidates.removeAll(keepingCapacity: true)
    chosen.removeAll(keepingCapacity: true)
    if isFront {
      for index in 0..<cards.count {
        if let candidate = candidate(index) { candidates.append(candidate) }
      }
      configuration.rules.choose(candidates, into: &chosen)
    }
    var handsOver = false
    for index in 0..<cards.count where cards[index].isPlaying {
      if isChosen(cards[index].item) { continue }
      if case .leaving = cards[index].state { handsOver = true }
      if isFront { cards[index].pausedAt = now }
      // One that was replaced goes to the end of the queue.
      stop(index, cards[index].isHeld ? .paused : .ready(since: now), at: now, into: &commands)
    }
    for item in chosen {
      guard let index = place(of: item), !cards[index].isPlaying else { continue }
      play(index, at: now, into: &commands)
      if handsOver {
        handOvers += 1
        handsOver = false
      }
    }
  }

  private func isChosen(_ item: ItemID) -> Bool {
    for other in chosen where other == item { return true }
    return false
  }

  private mutating func play(_ index: Int, at now: Instant, into commands: inout [Command]) {
    cards[index].state = .active(since: now)
    plays += 1
    if let pausedAt = cards[index].pausedAt,
      now.elapsed(saturatingSince: pausedAt) <= configuration.flapWindow
    {
      flaps += 1
    }
    cards[index].pausedAt = nil
    commands.append(.play(cards[index].item, token: cards[index].token))
  }

  /// A card that may play; nil for one that is not ready or may not begin now.
  private func candidate(_ index: Int) -> PlayRules.Candidate? {
    let card = cards[index]
    let role: PlayRules.Candidate.Role
    let since: Instant
    switch card.state {
    case .ready(let time):
      if card.isHeld || card.hasFailed || !card.isWanted && !isAdmitted(index) { return nil }
      (role, since) = (.waiting, time)
    case .active(let time): (role, since) = (.playing, time)
    case .leaving(let time): (role, since) = (.leaving, time)
    default: return nil
    }
    let isMoving = configuration.model == .predictedRest && velocity != 0
    let offset = isMoving ? card.sight.offset - travel : card.sight.offset
    return PlayRules.Candidate(
      item: card.item, widget: card.widget, kind: card.kind, role: role, isLoaded: card.isLoaded,
      isWanted: card.isWanted, fraction: card.sight.fraction, distance: abs(offset), since: since,
      plays: card.plays)
  }
}
