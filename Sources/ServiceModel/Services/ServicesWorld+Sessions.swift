import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import ServicePolicy
import SimulationKernel

/// Sessions: they come, swipe, ask for pages and go.
extension ServicesWorld {
  func nextSession(_ number: UInt32, after time: Double) -> Instant? {
    let u = streams.uniform(.serviceArrival, entity: UInt64(number))
    let next = configuration.audience.sessions.time(after: time, work: -PortableMath.log(u))
    return next < end.seconds ? .zero + TimeSpan(seconds: next) : nil
  }

  private func draw(_ number: UInt32, _ draw: UInt32) -> Double {
    streams.uniform(.serviceSession, entity: UInt64(number), draw: draw)
  }

  func clientEntity(_ slot: UInt32) -> UInt32 { slot + 1 }

  mutating func arrive(_ number: UInt32, _ context: inout Context<ServicesEvent>) {
    let next = nextSession(number + 1, after: context.now.seconds)
    if let next {
      context.schedule(
        .sessionArrives(number + 1), at: max(next, context.now), for: ServicesWorld.service)
    }
    let audience = configuration.audience
    var session = ServiceSession()
    session.epoch = (sessions.reused.map { sessions[$0].epoch } ?? 0) + 1
    session.phase = .starved
    session.number = number
    session.isMeasured = isMeasured(at: context.now)
    session.user = UInt32(draw(number, 0) * Double(audience.users))
    let items = audience.items.quantile(draw(number, 1))
    session.itemsLeft = items < 1 ? 1 : items > 1e6 ? 1_000_000 : Int(items)
    session.roundTrip = TimeSpan(seconds: audience.roundTrip.quantile(draw(number, 2)))
    session.pager = CursorPager(audience.pager)
    session.batcher = TelemetryBatcher(configuration.ingest.batcher)
    let access = configuration.access
    if let expiry = access.expiryAt, begin + expiry >= context.now,
      draw(number, 3) < access.share
    {
      session.tokenUntil = begin + expiry + access.spread.scaled(by: draw(number, 4))
    }
    let slot = sessions.add(session)
    if session.isMeasured { meter.sessions += 1 }
    tellPager(slot, .opened, &context)
  }

  /// The viewer wants the next item.
  mutating func swipe(_ slot: UInt32, _ context: inout Context<ServicesEvent>) {
    let session = sessions[slot]
    recordView(slot, &context)
    if session.itemsLeft <= 1 {
      let isKilled = draw(session.number, 5) < configuration.ingest.killShare
      leave(slot, isKilled: isKilled, &context)
      return
    }
    let isCounted = isMeasured(at: context.now)
    if isCounted { meter.swipes += 1 }
    sessions[slot].itemsLeft -= 1
    sessions[slot].current += 1
    tellPager(slot, .moved(to: ItemID(session.current + 1)), &context)
    if sessions[slot].current < sessions[slot].pager.count {
      watch(slot, &context)
    } else {
      if isCounted { meter.starved += 1 }
      sessions[slot].phase = .starved
      if sessions[slot].pager.isAtEnd { leave(slot, isKilled: false, &context) }
    }
  }

  private mutating func watch(_ slot: UInt32, _ context: inout Context<ServicesEvent>) {
    let session = sessions[slot]
    sessions[slot].phase = .watching
    let u = streams.uniform(
      .serviceDwell, entity: UInt64(session.number), draw: session.current)
    let dwell = TimeSpan(seconds: configuration.audience.dwell.quantile(u))
    if isMeasured(at: context.now) { meter.sessionTime += dwell }
    context.schedule(
      .swipe(slot: slot, epoch: session.epoch), at: context.now + dwell,
      for: clientEntity(slot))
  }

  mutating func askAgain(_ slot: UInt32, _ context: inout Context<ServicesEvent>) {
    tellPager(slot, .moved(to: ItemID(sessions[slot].current)), &context)
  }

  /// The app is closed; its telemetry may still be on its way.
  mutating func leave(
    _ slot: UInt32, isKilled: Bool, _ context: inout Context<ServicesEvent>
  ) {
    if sessions[slot].isMeasured {
      meter.duplicates += sessions[slot].pager.duplicates
      meter.listed += Int(sessions[slot].pager.count)
    }
    sessions[slot].phase = .closing
    if isKilled {
      lose(slot)
      release(slot, &context)
      return
    }
    tellBatcher(slot, .movedToBackground, &context)
    releaseIfDone(slot, &context)
  }

  /// Ends a session whose last events are delivered or given up.
  mutating func releaseIfDone(_ slot: UInt32, _ context: inout Context<ServicesEvent>) {
    if sessions[slot].phase == .closing && sessions[slot].batcher.pendingCount == 0 {
      release(slot, &context)
    }
  }

  private mutating func release(_ slot: UInt32, _ context: inout Context<ServicesEvent>) {
    context.cancel(sessions[slot].flushTimer)
    context.cancel(sessions[slot].retryTimer)
    sessions[slot].phase = .free
    sessions[slot].epoch += 1
    sessions.giveBack(slot)
  }

  // MARK: Pages

  mutating func tellPager(
    _ slot: UInt32, _ event: CursorPager.Event, _ context: inout Context<ServicesEvent>
  ) {
    var commands: [CursorPager.Command] = []
    sessions[slot].pager.handle(event, at: context.now, into: &commands)
    for command in commands {
      guard case .request(let request, let cursor) = command else { continue }
      send(slot, request, cursor, &context)
    }
  }

  private mutating func send(
    _ slot: UInt32, _ request: UInt32, _ cursor: UInt64?,
    _ context: inout Context<ServicesEvent>
  ) {
    var state = ServicePage()
    state.epoch = (pages.reused.map { pages[$0].epoch } ?? 0) + 1
    state.isFree = false
    state.number = pages.added
    state.session = slot
    state.sessionEpoch = sessions[slot].epoch
    state.request = request
    state.cursor = cursor
    state.call = CallMachine(configuration.ranker.call)
    let page = pages.add(state)
    context.schedule(
      .pageArrives(page), at: context.now + sessions[slot].roundTrip / 2,
      for: ServicesWorld.service)
  }

  /// The answer is at the client.
  mutating func bring(_ page: UInt32, _ context: inout Context<ServicesEvent>) {
    let state = pages[page]
    pages[page].isReturned = true
    let slot = state.session
    let session = sessions[slot]
    if session.epoch == state.sessionEpoch && session.phase != .closing
      && session.phase != .free
    {
      if state.source != nil {
        sessions[slot].failures = 0
        tellPager(
          slot,
          .pageArrived(
            request: state.request, CursorPager.Page(keys: state.keys, next: state.next)),
          &context)
        if sessions[slot].phase == .starved
          && sessions[slot].current < sessions[slot].pager.count
        {
          watch(slot, &context)
        }
      } else {
        failPage(slot, state, &context)
      }
    }
    freeIfDone(page)
  }

  private mutating func failPage(
    _ slot: UInt32, _ page: ServicePage, _ context: inout Context<ServicesEvent>
  ) {
    tellPager(slot, .pageFailed(request: page.request), &context)
    sessions[slot].failures += 1
    let failures = sessions[slot].failures
    if failures > configuration.audience.retries {
      if sessions[slot].phase == .starved {
        if sessions[slot].isMeasured { meter.failedSessions += 1 }
        leave(slot, isKilled: false, &context)
      }
      return
    }
    let retry = configuration.audience.retry
    let u = streams.uniform(.servicePage, entity: UInt64(page.number), draw: 6)
    let wait = retry.wait(failures: failures) + retry.jitter(failures: failures).scaled(by: u)
    context.schedule(
      .askAgain(slot: slot, epoch: sessions[slot].epoch), at: context.now + wait,
      for: clientEntity(slot))
  }

  /// Gives a page's slot back when nothing is under way for it.
  mutating func freeIfDone(_ page: UInt32) {
    let state = pages[page]
    let isRankerDone = state.isOver != nil || state.askedAt == .zero
    if state.isFree || !state.isReturned || state.jobs > 0 || !isRankerDone { return }
    pages[page].isFree = true
    pages[page].epoch += 1
    pages.giveBack(page)
  }
}
