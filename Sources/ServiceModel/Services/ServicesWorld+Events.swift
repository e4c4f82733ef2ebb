import FeedPolicy
import MediaUnits
import ModelBasics
import ServicePolicy
import SimulationKernel

/// Telemetry from the app to the trending index, and the clients that ask too often.
extension ServicesWorld {
  /// The view that ends now leaves its events.
  mutating func recordView(_ slot: UInt32, _ context: inout Context<ServicesEvent>) {
    let names: [TelemetryName] = [.viewEnd, .viewStart, .timeToFirstFrame, .selectedBitrate]
    let session = sessions[slot]
    for number in 0..<configuration.ingest.eventsPerView {
      let event = TelemetryEvent(
        name: number < 4 ? names[number] : .rebuffer, view: session.current,
        item: ItemID(session.current), at: context.now)
      if session.isMeasured { meter.events += 1 }
      tellBatcher(slot, .recorded(event), &context)
    }
  }

  mutating func tellBatcher(
    _ slot: UInt32, _ event: TelemetryBatcher.Event, _ context: inout Context<ServicesEvent>
  ) {
    var commands: [TelemetryBatcher.Command] = []
    let overflowed = sessions[slot].batcher.overflowed
    sessions[slot].batcher.handle(event, at: context.now, into: &commands)
    if sessions[slot].isMeasured {
      meter.eventsLost += sessions[slot].batcher.overflowed - overflowed
    }
    settleGivenUp(slot)
    for command in commands {
      switch command {
      case .post(let batch, let first, let count, let number, let attempt):
        var post = ServicePost()
        post.batch = batch
        post.first = first
        post.count = count
        post.batchNumber = number
        post.attempt = attempt
        send(slot, post, &context)
      case .setTimer(let timer, let at, let jitter):
        setTimer(slot, isRetry: timer == .retry, at, jitter, &context)
      case .cancelTimer(let timer):
        if timer == .flush {
          context.cancel(sessions[slot].flushTimer)
          sessions[slot].flushTimer = .none
        } else {
          context.cancel(sessions[slot].retryTimer)
          sessions[slot].retryTimer = .none
        }
      }
    }
  }

  mutating func fireBatcher(
    _ slot: UInt32, isRetry: Bool, _ context: inout Context<ServicesEvent>
  ) {
    if isRetry {
      sessions[slot].retryTimer = .none
    } else {
      sessions[slot].flushTimer = .none
    }
    tellBatcher(slot, .timerFired(isRetry ? .retry : .flush), &context)
  }

  /// Events that left the batcher without having reached the ingest are lost.
  private mutating func settleGivenUp(_ slot: UInt32) {
    let first = sessions[slot].batcher.firstSequence
    if first <= sessions[slot].settled { return }
    if sessions[slot].isMeasured {
      meter.eventsLost += Int(first - sessions[slot].settled)
    }
    sessions[slot].settled = first
  }

  /// The process is killed: what the ingest does not have is lost.
  mutating func lose(_ slot: UInt32) {
    let session = sessions[slot]
    let end = session.batcher.firstSequence + UInt64(session.batcher.pendingCount)
    let first = max(session.settled, session.batcher.firstSequence)
    if session.isMeasured && end > first { meter.eventsLost += Int(end - first) }
  }

  private mutating func setTimer(
    _ slot: UInt32, isRetry: Bool, _ at: Instant, _ jitter: TimeSpan,
    _ context: inout Context<ServicesEvent>
  ) {
    let session = sessions[slot]
    context.cancel(isRetry ? session.retryTimer : session.flushTimer)
    var time = at
    if jitter > .zero {
      time += jitter.scaled(
        by: streams.uniform(
          .serviceSession, entity: UInt64(session.number), draw: 8 + session.posts))
    }
    let handle = context.schedule(
      .batchTimer(slot: slot, epoch: session.epoch, isRetry: isRetry), at: time,
      for: clientEntity(slot))
    if isRetry {
      sessions[slot].retryTimer = handle
    } else {
      sessions[slot].flushTimer = handle
    }
  }

  private mutating func send(
    _ slot: UInt32, _ new: ServicePost, _ context: inout Context<ServicesEvent>
  ) {
    var state = new
    state.isFree = false
    state.session = slot
    state.epoch = sessions[slot].epoch
    state.number = posts.added
    sessions[slot].posts += 1
    let post = posts.add(state)
    if isMeasured(at: context.now) { meter.posts += 1 }
    context.schedule(
      .postArrives(post), at: context.now + sessions[slot].roundTrip / 2,
      for: ServicesWorld.service)
  }

  private func draw(_ post: UInt32, _ draw: UInt32) -> Double {
    streams.uniform(.servicePost, entity: UInt64(posts[post].number), draw: draw)
  }

  mutating func takePost(_ post: UInt32, _ context: inout Context<ServicesEvent>) {
    posts[post].arrivedAt = context.now
    let session = sessions[posts[post].session]
    let settings = configuration.ingest
    let isRoom =
      ingest.busy < ingest.servers
      || settings.station.shedder.admits(
        priority: 0, waiting: ingest.waiting, servers: ingest.servers,
        service: TimeSpan(seconds: settings.station.service.mean), left: nil)
    let isRefused = draw(post, 0) < settings.failureShare / 2
    if isRefused || !isRoom || !admits(UInt64(session.number), post, at: context.now) {
      context.schedule(
        .postReturns(post: post, isAccepted: false),
        at: context.now + session.roundTrip / 2, for: clientEntity(posts[post].session))
      return
    }
    let service = TimeSpan(seconds: settings.station.service.quantile(draw(post, 1)))
    if case .started(let until) = ingest.arrive(post, service: service, at: context.now) {
      context.schedule(.ingested(post), at: until, for: ServicesWorld.service)
    }
  }

  /// The ingest has a post.
  mutating func count(_ post: UInt32, _ context: inout Context<ServicesEvent>) {
    if let next = ingest.end(at: context.now) {
      context.schedule(.ingested(next.job), at: next.until, for: ServicesWorld.service)
    }
    let state = posts[post]
    let slot = state.session
    let session = sessions[slot]
    let device = UInt64(session.number) << 32 | UInt64(session.epoch)
    var commands: [IngestLedger.Command] = []
    ledger.handle(
      .arrived(device: device, number: state.batchNumber, post: post), at: context.now,
      into: &commands)
    if case .count = commands.first, session.epoch == state.epoch { settle(post, &context) }
    let u = draw(post, 0)
    let settings = configuration.ingest
    // The answer of the other half of those that fail is lost.
    if u < settings.failureShare {
      let sentAt = state.arrivedAt - session.roundTrip / 2
      context.schedule(
        .postReturns(post: post, isAccepted: false),
        at: max(context.now, sentAt + settings.timeout), for: clientEntity(slot))
    } else {
      context.schedule(
        .postReturns(post: post, isAccepted: true),
        at: context.now + session.roundTrip / 2, for: clientEntity(slot))
    }
  }

  /// Counts a post's events, the ones that were there before as repeats.
  private mutating func settle(_ post: UInt32, _ context: inout Context<ServicesEvent>) {
    let state = posts[post]
    let slot = state.session
    let isMeasured = sessions[slot].isMeasured
    for sequence in state.first..<(state.first + UInt64(state.count)) {
      if sequence < sessions[slot].settled {
        if isMeasured { meter.eventsRepeated += 1 }
        continue
      }
      sessions[slot].settled = sequence + 1
      guard let event = sessions[slot].batcher.event(sequence) else { continue }
      if isMeasured {
        meter.eventsArrived += 1
        meter.eventDelays.append((state.arrivedAt - event.at).nanoseconds)
      }
      if event.name == .viewEnd { beginWrite(&context) }
    }
  }

  mutating func endPost(
    _ post: UInt32, _ isAccepted: Bool, _ context: inout Context<ServicesEvent>
  ) {
    let state = posts[post]
    posts[post].isFree = true
    posts.giveBack(post)
    if sessions[state.session].epoch != state.epoch { return }
    tellBatcher(
      state.session,
      isAccepted
        ? .accepted(batch: state.batch) : .failed(batch: state.batch, attempt: state.attempt),
      &context)
    releaseIfDone(state.session, &context)
  }

  // MARK: The trending index

  /// One view's count goes to a partition of today's trending list.
  private mutating func beginWrite(_ context: inout Context<ServicesEvent>) {
    let number = writeCount
    writeCount += 1
    let bits = streams.bits(.serviceWrite, entity: UInt64(number))
    if isMeasured(at: context.now) { meter.writes += 1 }
    write(trending.partition(for: bits), number, 0, &context)
  }

  mutating func write(
    _ shard: UInt32, _ number: UInt32, _ attempt: UInt8,
    _ context: inout Context<ServicesEvent>
  ) {
    if trending.take(shard, at: context.now) { return }
    let isCounted = isMeasured(at: context.now)
    if attempt == 0 && isCounted { meter.throttled += 1 }
    let store = configuration.store
    if Int(attempt) >= store.writeRetries {
      if isCounted { meter.lostWrites += 1 }
      return
    }
    let failures = Int(attempt) + 1
    let u = streams.uniform(
      .serviceWrite, entity: UInt64(number), draw: 2 + UInt32(attempt))
    let wait =
      store.writeBackoff.wait(failures: failures)
      + store.writeBackoff.jitter(failures: failures).scaled(by: u)
    context.schedule(
      .write(shard: shard, number: number, attempt: attempt + 1), at: context.now + wait,
      for: ServicesWorld.service)
  }

  // MARK: Abuse

  mutating func abuse(
    _ client: UInt32, _ number: UInt32, _ context: inout Context<ServicesEvent>
  ) {
    if isClosed { return }
    let gap = 1 / configuration.access.abuseRate
    let u = streams.uniform(.serviceAbuse, entity: UInt64(client), draw: number)
    context.schedule(
      .abuse(client: client, number: number + 1),
      at: context.now + TimeSpan(seconds: -PortableMath.log(u) * gap),
      for: ServicesWorld.service)
    meter.abuse += 1
    // Numbers that no session has.
    if !admits(UInt64(client) | 1 << 40, number, at: context.now) {
      meter.abuseRefused += 1
      return
    }
    let service = TimeSpan(
      seconds: configuration.api.service.quantile(
        streams.uniform(.serviceAbuse, entity: UInt64(client) | 1 << 40, draw: number)))
    if case .started(let until) = api.arrive(
      ServicesWorld.abuser, service: service, at: context.now)
    {
      context.schedule(.apiDone(ServicesWorld.abuser), at: until, for: ServicesWorld.service)
    }
  }

  /// Stands for a page that nobody waits for.
  static let abuser = UInt32.max
}
