import FeedPolicy
import MediaUnits
import ModelBasics
import ServicePolicy
import SimulationKernel

/// Asking the ranker, and what is shown when it is late.
extension ServicesWorld {
  mutating func rank(_ page: UInt32, _ context: inout Context<ServicesEvent>) {
    let now = context.now
    pages[page].askedAt = now
    tellFallback(page, .requested(page: page), &context)
    if !breaker.admits(page: pages[page].number, at: now) {
      if pages[page].isMeasured { meter.breakerRefusals += 1 }
      endCall(page, isAnswered: false, &context)
      return
    }
    let user = Int(sessions[pages[page].session].user)
    pages[page].isCold = !cache.knew(user: user)
    tellCall(page, .started, &context)
  }

  private mutating func tellCall(
    _ page: UInt32, _ event: CallMachine.Event, _ context: inout Context<ServicesEvent>
  ) {
    var commands: [CallMachine.Command] = []
    pages[page].call.handle(event, at: context.now, into: &commands)
    let epoch = pages[page].epoch
    for command in commands {
      switch command {
      case .send(let attempt): send(page, attempt, &context)
      case .setTimer(let timer, let at, let jitter):
        let (kind, attempt) = ServicesWorld.code(timer)
        var time = at
        if jitter > .zero {
          time += jitter.scaled(
            by: streams.uniform(
              .serviceRanker, entity: UInt64(pages[page].number),
              draw: 4 * UInt32(attempt) + 3))
        }
        context.schedule(
          .callTimer(page: page, epoch: epoch, kind: kind, attempt: attempt), at: time,
          for: ServicesWorld.service)
      case .cancel(let attempt): cancel(page, attempt)
      case .succeed: endCall(page, isAnswered: true, &context)
      case .giveUp: endCall(page, isAnswered: false, &context)
      }
    }
  }

  private static func code(_ timer: CallMachine.TimerID) -> (UInt8, UInt8) {
    switch timer {
    case .timeout(let attempt): return (0, attempt)
    case .hedge(let attempt): return (1, attempt)
    case .retry(let attempt): return (2, attempt)
    }
  }

  mutating func fireCall(
    _ page: UInt32, _ kind: UInt8, _ attempt: UInt8, _ context: inout Context<ServicesEvent>
  ) {
    if pages[page].isFree { return }
    let before = pages[page].call.attempts
    switch kind {
    case 0: tellCall(page, .timerFired(.timeout(attempt: attempt)), &context)
    case 1: tellCall(page, .timerFired(.hedge(attempt: attempt)), &context)
    default: tellCall(page, .timerFired(.retry(attempt: attempt)), &context)
    }
    if kind == 1 && pages[page].isMeasured {
      meter.hedges += pages[page].call.attempts - before
    }
    freeIfDone(page)
  }

  private func outage(at now: Instant) -> RankerOutage? {
    for outage in configuration.ranker.outages {
      let from = begin + outage.from
      if now >= from && now < from + outage.length { return outage }
    }
    return nil
  }

  private mutating func send(
    _ page: UInt32, _ attempt: UInt8, _ context: inout Context<ServicesEvent>
  ) {
    let settings = configuration.ranker
    let number = UInt64(pages[page].number)
    let draw = 4 * UInt32(attempt)
    if pages[page].isMeasured { meter.rankerAttempts += 1 }
    while pages[page].tickets.count <= Int(attempt) { pages[page].tickets.append(nil) }
    let outage = outage(at: context.now)
    // A ranker that is silent never has the call; its time-out tells.
    if outage?.kind == .silent { return }
    var service = settings.station.service.quantile(
      streams.uniform(.serviceRanker, entity: number, draw: draw))
    let isSlow =
      settings.slowShare > 0
      && streams.uniform(.serviceRanker, entity: number, draw: draw + 1) < settings.slowShare
    if isSlow { service *= settings.slowFactor }
    if let outage, outage.kind == .slow { service *= outage.factor }
    if pages[page].isCold { service += settings.coldExtra }
    let isRoom =
      ranker.busy < ranker.servers
      || settings.station.shedder.admits(
        priority: 0, waiting: ranker.waiting, servers: ranker.servers,
        service: TimeSpan(seconds: settings.station.service.mean), left: settings.deadline)
    if !isRoom {
      tellCall(page, .failed(attempt: attempt), &context)
      return
    }
    let job = page << 6 | UInt32(attempt)
    pages[page].jobs += 1
    switch ranker.arrive(job, service: TimeSpan(seconds: service), at: context.now) {
    case .started(let until):
      context.schedule(.rankerDone(job), at: until, for: ServicesWorld.service)
    case .waits(let ticket): pages[page].tickets[Int(attempt)] = ticket
    }
  }

  private mutating func cancel(_ page: UInt32, _ attempt: UInt8) {
    guard Int(attempt) < pages[page].tickets.count,
      let ticket = pages[page].tickets[Int(attempt)], ranker.abandon(ticket)
    else { return }
    pages[page].tickets[Int(attempt)] = nil
    pages[page].jobs -= 1
  }

  mutating func endRanking(_ job: UInt32, _ context: inout Context<ServicesEvent>) {
    if let next = ranker.end(at: context.now) {
      pages[next.job >> 6].tickets[Int(next.job & 63)] = nil
      context.schedule(.rankerDone(next.job), at: next.until, for: ServicesWorld.service)
    }
    let page = job >> 6
    pages[page].jobs -= 1
    let attempt = UInt8(job & 63)
    let isError = outage(at: context.now)?.kind == .error
    tellCall(
      page, isError ? .failed(attempt: attempt) : .answered(attempt: attempt), &context)
    freeIfDone(page)
  }

  /// The call has an answer, or never will.
  private mutating func endCall(
    _ page: UInt32, isAnswered: Bool, _ context: inout Context<ServicesEvent>
  ) {
    let state = pages[page]
    if state.isOver != nil { return }
    let latency = context.now - state.askedAt
    let isInTime = isAnswered && latency <= configuration.ranker.deadline
    pages[page].isOver = isInTime
    if state.isMeasured {
      if isAnswered {
        meter.rankerTimes.append(latency.nanoseconds)
      } else {
        meter.rankerErrors += 1
      }
      if !isInTime { meter.overDeadline += 1 }
    }
    if state.call.attempts > 0 {
      breaker.note(page: state.number, isInTime: isInTime, at: context.now)
    }
    tellFallback(
      page, isAnswered ? .answered(page: page) : .failed(page: page), &context)
    compare(page)
  }

  mutating func tellFallback(
    _ page: UInt32, _ event: RankerFallback.Event, _ context: inout Context<ServicesEvent>
  ) {
    var commands: [RankerFallback.Command] = []
    fallback.handle(event, at: context.now, into: &commands)
    for command in commands {
      switch command {
      case .setTimer(let page, let at):
        context.schedule(
          .deadline(page: page, epoch: pages[page].epoch), at: at,
          for: ServicesWorld.service)
      case .serve(let page, let source): serve(page, source, &context)
      }
    }
  }

  /// The page's source is decided.
  private mutating func serve(
    _ page: UInt32, _ source: PageSource, _ context: inout Context<ServicesEvent>
  ) {
    let slot = pages[page].session
    let isThere = sessions[slot].epoch == pages[page].sessionEpoch
    if source == .ranker {
      pages[page].source = .ranker
      pages[page].hasContent = true
      if isThere { sessions[slot].rankedAt = context.now }
      returnIfWhole(page, &context)
    } else {
      if configuration.ranker.cancelsLate && pages[page].isOver == nil {
        for attempt in 0..<UInt8(pages[page].call.attempts) { cancel(page, attempt) }
        if pages[page].jobs == 0 { abandon(page, &context) }
      }
      let age = isThere ? sessions[slot].rankedAt.map { context.now - $0 } : nil
      let isEarlier = configuration.ranker.fallback.source(age: age) == .earlier
      pages[page].source = isEarlier ? .earlier : .trending
      let u = streams.uniform(.servicePage, entity: UInt64(pages[page].number), draw: 4)
      let read = TimeSpan(seconds: configuration.store.cacheRead.quantile(u))
      context.schedule(.fallbackRead(page), at: context.now + read, for: ServicesWorld.service)
    }
    compare(page)
  }

  /// Nobody waits for a call that has left the queue.
  private mutating func abandon(_ page: UInt32, _ context: inout Context<ServicesEvent>) {
    tellCall(page, .abandoned, &context)
    pages[page].isOver = false
    if pages[page].isMeasured { meter.overDeadline += 1 }
    breaker.note(page: pages[page].number, isInTime: false, at: context.now)
  }

  /// A page is ranked exactly if its ranker was in time (SIG-009).
  private mutating func compare(_ page: UInt32) {
    let state = pages[page]
    guard state.isMeasured, let isInTime = state.isOver, let source = state.source else { return }
    if isInTime != (source == .ranker) { meter.mismatches += 1 }
  }
}
