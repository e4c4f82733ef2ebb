import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Which cards have a player: out of a pool, or of their own; and what it can do for its card.
extension SurfaceViewer {
  // MARK: A pool

  /// Moves the pool once for all that the visibility machine has commanded at a time: after a mount
  /// or a play, and when a card that plays has lost its player.
  mutating func followCommands(_ context: inout SurfaceContext) {
    var isDue = false
    for command in context.visibilityCommands {
      switch command {
      case .mount, .play: isDue = true
      case .pause: if hasStarved { isDue = true }
      default: break
      }
    }
    if isDue { movePool(&context) }
    for command in context.visibilityCommands {
      if case .play(let item, _) = command, !items[Int(item.index)].hasPlayer {
        context.measures.surface.starvedPlays += 1
      }
    }
  }

  /// Whether a card that was told to play has no player.
  private var hasStarved: Bool {
    for index in column.boundCards where items[index].isTold && !items[index].hasPlayer {
      return true
    }
    return false
  }

  /// Tells the pool which card is the current one, unless all that need a player have one already.
  private mutating func movePool(_ context: inout SurfaceContext) {
    guard let needy = needyCards() else { return }
    var isServed = true
    for index in needy where needsPlayer(index, of: needy) {
      if !items[index].hasPlayer { isServed = false }
    }
    let widget = items[needy.lowerBound].widget
    if isServed, let current = players.current, items[Int(current.index)].widget == widget {
      return
    }
    let current = players.centre(
      of: needy, needs: { needsPlayer($0, of: needy) }, has: { items[$0].hasPlayer })
    tellPool(
      .currentChanged(ItemID(UInt32(current)), last: ItemID(UInt32(items.count - 1))), &context)
  }

  /// From the first to the last card that plays in the widget nearest to the middle, or that is
  /// mounted there while none plays; nil while none is.
  private func needyCards() -> ClosedRange<Int>? {
    var best: ClosedRange<Int>?
    var nearest = Double.infinity
    var isBestTold = false
    for index in column.boundCards {
      let isTold = items[index].isTold
      if !isTold && (!items[index].isMounted || isBestTold) { continue }
      let distance = abs(items[index].cell.sight.offset)
      if let known = best, isBestTold == isTold,
        items[known.lowerBound].widget == items[index].widget
      {
        best = known.lowerBound...index
      } else if best == nil || (isTold && !isBestTold) || distance < nearest {
        best = index...index
        nearest = distance
        isBestTold = isTold
      }
    }
    return best
  }

  /// Whether a card of the range is one of those that it was made of, as its ends are.
  private func needsPlayer(_ index: Int, of needy: ClosedRange<Int>) -> Bool {
    items[needy.lowerBound].isTold ? items[index].isTold : items[index].isMounted
  }

  /// The pool hears that a card's player has its first frame.
  mutating func tellPool(readinessOf index: Int, _ context: inout SurfaceContext) {
    if let event = players.readiness(of: ItemID(UInt32(index))) { tellPool(event, &context) }
  }

  private mutating func tellPool(_ event: PlayerPool.Event, _ context: inout SurfaceContext) {
    context.poolCommands.removeAll(keepingCapacity: true)
    players.handle(
      event, at: context.now, into: &context.poolCommands,
      by: setting.pointee.policy.pointee.victimDecider)
    for command in context.poolCommands {
      switch command {
      case .prepare(let slot, let item, _):
        prepare(Int(slot.index), Int(item.index), &context)
      case .release(let slot):
        if let loser = players.slots[Int(slot.index)] { losePlayer(Int(loser), &context) }
        players.clear(Int(slot.index))
      // Which cards play is the visibility machine's to say.
      case .play, .pause: break
      }
    }
  }

  /// Puts a card into a slot of the pool.
  private mutating func prepare(_ slot: Int, _ index: Int, _ context: inout SurfaceContext) {
    let loser = players.slots[slot]
    if let loser { losePlayer(Int(loser), &context) }
    let isNew = loser == nil
    let begin = players.put(index, in: slot, isNew: isNew, at: context.now)
    let ready = givePlayer(index, isNew: isNew, from: begin, &context)
    players.ready(slot, at: ready)
  }

  // MARK: Players of their own

  /// Gives the card a player of its own if the device can have one more.
  mutating func createPlayer(_ index: Int, _ context: inout SurfaceContext) {
    let limit = SurfacePlayers.limit(ofDevice: traits.device, setting, surface)
    if !players.takeOwn(of: limit) {
      context.measures.counts.decodersRefused += 1
      return
    }
    _ = givePlayer(index, isNew: true, from: context.now, &context)
  }

  mutating func destroyPlayer(_ index: Int, _ context: inout SurfaceContext) {
    if !items[index].hasPlayer { return }
    losePlayer(index, &context)
    players.giveOwn()
  }

  /// A mounted card that found no player gets one that has become free.
  mutating func createMissingPlayer(_ context: inout SurfaceContext) {
    for index in column.boundCards where items[index].isMounted && !items[index].hasPlayer {
      createPlayer(index, &context)
      return
    }
  }

  /// A card that is to play and has no player takes that of one that does not play.
  mutating func takeFromAnother(_ index: Int, _ context: inout SurfaceContext) {
    var victim = -1
    var farthest = -1.0
    for other in column.boundCards where other != index {
      if !items[other].hasPlayer || items[other].isTold { continue }
      let distance = abs(items[other].cell.sight.offset)
      if distance > farthest {
        victim = other
        farthest = distance
      }
    }
    if victim < 0 { return }
    destroyPlayer(victim, &context)
    createPlayer(index, &context)
  }

  // MARK: Both

  /// A surface goes to another cell, unless it stays with its player.
  func attach(_ context: inout SurfaceContext) {
    if surface.pointee.reuse != .surfaces { spend(surface.pointee.costs.attach, &context) }
  }

  func detach(_ context: inout SurfaceContext) {
    if surface.pointee.reuse != .surfaces { spend(surface.pointee.costs.detach, &context) }
  }

  /// A player takes the card's media once its decoder is ready.
  ///
  /// - Parameter begin: when the player can be worked on.
  /// - Returns: when the decoder is.
  private mutating func givePlayer(
    _ index: Int, isNew: Bool, from begin: Instant, _ context: inout SurfaceContext
  ) -> Instant {
    let number = players.nextNumber()
    let (u0, u1) = streams.uniformPair(.surfacePlayer, entity: entity(number), pair: 0)
    var time: Double
    if isNew {
      let creation = device.pointee.playerCreation.quantile(u0)
      time = creation + device.pointee.decoderSetup.quantile(u1)
      context.measures.counts.playerCreates += 1
      // The law of the creation knows how slow the device is.
      context.measures.surface.mainThread += Int64(creation * 1e6)
      if surface.pointee.reuse == .surfaces { spend(surface.pointee.costs.attach, &context) }
    } else {
      time = device.pointee.decoderReuse.quantile(u1)
      context.measures.counts.playerRetargets += 1
      spend(surface.pointee.costs.retarget, &context)
    }
    if surface.pointee.isScripted { time += surface.pointee.bridgeDelay.seconds }
    if items[index].isMounted { attach(&context) }
    items[index].player.give(number)
    let ready = begin + TimeSpan(seconds: time)
    context.plan(
      .decoderReady(
        slot: slot, item: UInt32(index), generation: items[index].player.generation), at: ready)
    return ready
  }

  private mutating func losePlayer(_ index: Int, _ context: inout SurfaceContext) {
    settleTime(index, &context)
    if items[index].playback.isRunning { stall(index, at: context.now) }
    context.cancel(.playhead(index))
    items[index].player.lose()
    items[index].times.undo(.presented)
    items[index].times.undo(.decoder)
    items[index].times.undo(.decoded)
    if items[index].isMounted {
      detach(&context)
    } else if !items[index].loading.isPrefetch {
      cancelLoad(index, &context)
    }
  }

  // MARK: The first frame

  mutating func readyDecoder(_ index: Int, _ context: inout SurfaceContext) {
    items[index].player.readyDecoder()
    items[index].times.reach(.decoder, at: context.now)
    decode(index, &context)
  }

  /// Decodes the first frame once player and media are there.
  mutating func decode(_ index: Int, _ context: inout SurfaceContext) {
    guard let player = items[index].player.freeDecoder, items[index].times.has(.data) else {
      return
    }
    items[index].player.beginDecoding()
    let u = streams.uniform(.surfacePlayer, entity: entity(player), draw: 2)
    let time = device.pointee.firstDecode.quantile(u)
    planDecoded(index, at: context.now + TimeSpan(seconds: time), &context)
  }

  /// A card's first frame is decoded at a time, or is then reported once more, for its new mount.
  func planDecoded(_ index: Int, at time: Instant, _ context: inout SurfaceContext) {
    context.plan(
      .frameDecoded(
        slot: slot, item: UInt32(index), generation: items[index].player.generation), at: time)
  }
}
