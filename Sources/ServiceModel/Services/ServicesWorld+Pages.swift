import FeedPolicy
import MediaUnits
import ModelBasics
import ServicePolicy
import SimulationKernel

/// A page at the service: the door, the token, the API, the list, the metadata.
extension ServicesWorld {
  private func draw(_ page: UInt32, _ draw: UInt32) -> Double {
    streams.uniform(.servicePage, entity: UInt64(pages[page].number), draw: draw)
  }

  mutating func receive(_ page: UInt32, _ context: inout Context<ServicesEvent>) {
    let now = context.now
    pages[page].arrivedAt = now
    pages[page].isMeasured = isMeasured(at: now)
    if dropOrphan(page) { return }
    let session = sessions[pages[page].session]
    if !admits(UInt64(session.number), page, at: now) {
      if pages[page].isMeasured { meter.refusedPages += 1 }
      answer(page, &context)
      return
    }
    if now >= session.tokenUntil, let settings = configuration.access.tokens {
      sessions[pages[page].session].tokenUntil = .distantFuture
      let service = TimeSpan(seconds: settings.service.quantile(draw(page, 0)))
      if case .started(let until) = tokens.arrive(page, service: service, at: now) {
        context.schedule(.tokenGiven(page), at: until, for: ServicesWorld.service)
      }
      return
    }
    enter(page, &context)
  }

  /// What the limiter says; a request without one passes.
  mutating func admits(_ client: UInt64, _ request: UInt32, at now: Instant) -> Bool {
    var commands: [RateLimiter.Command] = []
    limiter?.handle(.asked(client: client, request: request), at: now, into: &commands)
    if case .refuse = commands.first { return false }
    return true
  }

  /// Ends a page whose session is gone before it was made.
  private mutating func dropOrphan(_ page: UInt32) -> Bool {
    let state = pages[page]
    if sessions[state.session].epoch == state.sessionEpoch { return false }
    pages[page].isReturned = true
    freeIfDone(page)
    return true
  }

  mutating func giveToken(_ page: UInt32, _ context: inout Context<ServicesEvent>) {
    if let next = tokens.end(at: context.now) {
      context.schedule(.tokenGiven(next.job), at: next.until, for: ServicesWorld.service)
    }
    if isMeasured(at: context.now) {
      meter.tokenTimes.append((context.now - pages[page].arrivedAt).nanoseconds)
      let second = Int((context.now - begin).nanoseconds / 1_000_000_000)
      while meter.tokensPerSecond.count <= second { meter.tokensPerSecond.append(0) }
      meter.tokensPerSecond[second] += 1
    }
    enter(page, &context)
  }

  private mutating func enter(_ page: UInt32, _ context: inout Context<ServicesEvent>) {
    let settings = configuration.api
    if pages[page].isMeasured { meter.pages += 1 }
    let isRoom =
      api.busy < api.servers
      || settings.shedder.admits(
        priority: 0, waiting: api.waiting, servers: api.servers,
        service: TimeSpan(seconds: settings.service.mean), left: nil)
    if !isRoom {
      if pages[page].isMeasured { meter.shedPages += 1 }
      answer(page, &context)
      return
    }
    let service = TimeSpan(seconds: settings.service.quantile(draw(page, 1)))
    if case .started(let until) = api.arrive(page, service: service, at: context.now) {
      context.schedule(.apiDone(page), at: until, for: ServicesWorld.service)
    }
  }

  /// The API has read the request: it asks for the ranking and for what items are, side by side.
  mutating func assemble(_ page: UInt32, _ context: inout Context<ServicesEvent>) {
    if let next = api.end(at: context.now) {
      context.schedule(.apiDone(next.job), at: next.until, for: ServicesWorld.service)
    }
    if page == ServicesWorld.abuser || dropOrphan(page) { return }
    cut(page, at: context.now)
    readMetadata(page, &context)
    rank(page, &context)
  }

  mutating func returnIfWhole(_ page: UInt32, _ context: inout Context<ServicesEvent>) {
    let state = pages[page]
    if !state.hasContent || !state.hasMetadata || state.isReturned { return }
    if state.isMeasured, let source = state.source {
      meter.served[Int(source.rawValue)] += 1
      meter.pageTimes.append((context.now - state.arrivedAt).nanoseconds)
    }
    answer(page, &context)
  }

  private mutating func answer(_ page: UInt32, _ context: inout Context<ServicesEvent>) {
    let slot = pages[page].session
    context.schedule(
      .pageReturns(page), at: context.now + sessions[slot].roundTrip / 2,
      for: clientEntity(slot))
  }

  // MARK: The list

  func nextEntry(_ number: UInt32, after time: Instant) -> Instant? {
    let rate = configuration.content.publishRate
    if rate <= 0 { return nil }
    let u = streams.uniform(.serviceList, entity: UInt64(number), draw: 0)
    let next = time.advanced(saturatingBy: TimeSpan(seconds: -PortableMath.log(u) / rate))
    return next < end ? next : nil
  }

  mutating func publish(_ number: UInt32, _ context: inout Context<ServicesEvent>) {
    if let next = nextEntry(number + 1, after: context.now) {
      context.schedule(.publish(number + 1), at: next, for: ServicesWorld.service)
    }
    let u = streams.uniform(.serviceList, entity: UInt64(number), draw: 1)
    let lag = TimeSpan(seconds: configuration.store.indexLag.quantile(u))
    if isMeasured(at: context.now) { meter.indexLags.append(lag.nanoseconds) }
    list.publish(at: context.now, indexedAfter: lag)
  }

  /// Cuts the page out of the list, newest first.
  private mutating func cut(_ page: UInt32, at now: Instant) {
    let isMeasured = pages[page].isMeasured
    let slot = pages[page].session
    let found = list.page(
      of: configuration.audience.pageSize, after: pages[page].cursor, at: now)
    guard let first = found.keys.first else { return }
    if isMeasured { meter.expiredShown += found.expired }
    // What the viewer could have seen between the pages before and this one, and never will.
    let lowest = sessions[slot].lowest
    if lowest != .max && sessions[slot].isMeasured {
      meter.passedOver += list.visible(after: first, before: lowest, at: now)
    }
    sessions[slot].given += UInt64(found.keys.count)
    sessions[slot].lowest = min(lowest, found.lowest)
    pages[page].next = configuration.content.cut.next(
      lastKey: found.lowest, given: sessions[slot].given)
    pages[page].keys = found.keys
  }

  // MARK: What items are

  /// Asks for the metadata of a page's items: the cache, and the table for what is not in it.
  private mutating func readMetadata(_ page: UInt32, _ context: inout Context<ServicesEvent>) {
    let now = context.now
    let state = pages[page]
    let size = configuration.audience.pageSize
    let slot = state.session
    let place = sessions[slot].pages
    sessions[slot].pages += 1
    let count = mixer.count(pageSize: size, page: place)
    if state.isMeasured && size >= 10 {
      let share = Double(count.items) / Double(size)
      if mixer.configuration.share > 0 && !(share >= 0.1 && share <= 0.2) {
        meter.unevenPages += 1
      }
    }
    var isMissing = false
    pages[page].unread.removeAll(keepingCapacity: true)
    for item in 0..<size {
      let explores = mixer.explores(place: item, pageSize: size, page: place)
      let title = drawTitle(UInt64(state.number) << 8 | UInt64(item & 255), explores: explores)
      if note(title, explores: explores, isMeasured: state.isMeasured, at: now) {
        isMissing = true
        askTable(page, title, at: now)
      }
    }
    if !pages[page].unread.isEmpty { return readAgain(page, 0, &context) }
    var time = configuration.store.cacheRead.quantile(draw(page, 2))
    if isMissing { time += configuration.store.tableRead.quantile(draw(page, 3)) }
    context.schedule(
      .metadataRead(page), at: now + TimeSpan(seconds: time), for: ServicesWorld.service)
  }

  /// A read of the title's partition, which may refuse it (SIG-059).
  private mutating func askTable(_ page: UInt32, _ title: Int, at now: Instant) {
    let shard = titles.partition(of: title)
    let isMeasured = pages[page].isMeasured
    if isMeasured { meter.reads += 1 }
    if titles.take(shard, at: now) { return }
    if isMeasured { meter.readsThrottled += 1 }
    pages[page].unread.append(shard)
  }

  private mutating func readAgain(
    _ page: UInt32, _ attempt: UInt8, _ context: inout Context<ServicesEvent>
  ) {
    let backoff = configuration.store.writeBackoff
    let failures = Int(attempt) + 1
    let u = streams.uniform(
      .serviceTable, entity: UInt64(pages[page].number), draw: UInt32(attempt))
    let wait =
      backoff.wait(failures: failures) + backoff.jitter(failures: failures).scaled(by: u)
    context.schedule(
      .tableRead(page: page, attempt: attempt + 1), at: context.now + wait,
      for: ServicesWorld.service)
  }

  /// Reads again what was refused; what is refused too often is shown without.
  mutating func readTable(
    _ page: UInt32, _ attempt: UInt8, _ context: inout Context<ServicesEvent>
  ) {
    var refused: [UInt32] = []
    for shard in pages[page].unread where !titles.take(shard, at: context.now) {
      refused.append(shard)
    }
    pages[page].unread = refused
    if !refused.isEmpty && Int(attempt) < configuration.store.readRetries {
      return readAgain(page, attempt, &context)
    }
    if pages[page].isMeasured { meter.lostReads += refused.count }
    let time = TimeSpan(seconds: configuration.store.tableRead.quantile(draw(page, 3)))
    context.schedule(.metadataRead(page), at: context.now + time, for: ServicesWorld.service)
  }

  private func drawTitle(_ entity: UInt64, explores: Bool) -> Int {
    let bits = streams.bits(.serviceTitle, entity: entity)
    if !explores { return Int(configuration.content.popularity.index(bits)) }
    return Int(bits.multipliedFullWidth(by: UInt64(configuration.content.shares.count)).high)
  }

  /// Counts an item of a page; true when its metadata has to come from the table.
  private mutating func note(
    _ title: Int, explores: Bool, isMeasured: Bool, at now: Instant
  ) -> Bool {
    let look = cache.show(title, at: now)
    let kind = explores ? 1 : 0
    if isMeasured {
      meter.items += 1
      if explores { meter.exploring += 1 }
      if look.isMissing { meter.missed[kind] += 1 }
      if look.isCold { meter.cold[kind] += 1 }
    }
    if now < end, let second = cache.secondsSinceEmptied(at: now) {
      while meter.warming.count <= second {
        meter.warming.append(0)
        meter.warmingMissed.append(0)
      }
      meter.warming[second] += 1
      if look.isMissing { meter.warmingMissed[second] += 1 }
    }
    return look.isMissing
  }
}
