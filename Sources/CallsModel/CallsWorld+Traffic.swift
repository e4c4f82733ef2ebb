import CallSignalling
import MediaUnits
import MessagingModel
import ModelBasics
import SimulationKernel

/// What a measured run keeps of one client's user.
struct CallsUsage: Sendable {
  /// Interpreters that the screen shows, in order.
  var list: [UInt32] = []
  /// The wish that is being tried, the requests left for it and the latest one.
  var wishedAt: Instant?
  var triesLeft = 0
  var askedAt = Instant.zero
  var dialedAt = Instant.zero
  /// A name was had before, and is being taken up again since.
  var hasRegistered = false
  var backSince: Instant?
  /// The server came back while this client was without its name.
  var restartedAt: Instant?
  /// Nobody can reach the user since; and since when, and how long, it has been listed all the
  /// same.
  var goneAt: Instant?
  var listedSince: Instant?
  var listedTime = TimeSpan.zero
  /// The radio is on until ten seconds after this.
  var activeAt: Instant?
  var quality = QualityState()

  mutating func list(_ peer: UInt32, _ isAvailable: Bool) {
    let place = list.firstIndex { $0 >= peer } ?? list.count
    let isThere = place < list.count && list[place] == peer
    if isAvailable && !isThere { list.insert(peer, at: place) }
    if !isAvailable && isThere { list.remove(at: place) }
  }

  mutating func endProcess() {
    list.removeAll(keepingCapacity: true)
    wishedAt = nil
    triesLeft = 0
    hasRegistered = false
    backSince = nil
    restartedAt = nil
  }
}

/// Wishes, and what comes of them.
extension CallsWorld {
  /// A wish that nothing came of is forgotten after this: longer than any call takes to fail.
  private static let patience = TimeSpan.minutes(1)

  /// The clients begin one by one, as they find the server (ICC-002).
  mutating func discover(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    let isDenied = draw(client) < configuration.discoveryDenied
    let wait = (isDenied ? configuration.addressTyping : configuration.discovery).span(draw(client))
    meter.discoveries.append(wait.nanoseconds)
    schedule(.begin, client, wait, &context)
  }

  private func isFree(_ client: UInt32, at now: Instant) -> Bool {
    let usage = meter.usages[Int(client)]
    return clients[Int(client)].isRunning && clients[Int(client)].machine.screen == .registered
      && (usage.wishedAt == nil || now - usage.askedAt > CallsWorld.patience)
  }

  /// Anyone of the callers that are free.
  mutating func wish(_ number: UInt32, _ context: inout Context<CallsEvent>) {
    meter.measures.wishes += 1
    let callers = configuration.callers
    let u = streams.uniform(.callQuality, entity: .max, draw: number)
    let first = UInt32(u * Double(callers))
    for step in 0..<callers {
      let client = (first + step) % callers
      if !isFree(client, at: context.now) { continue }
      meter.usages[Int(client)].wishedAt = context.now
      meter.usages[Int(client)].triesLeft = configuration.tries
      request(client, &context)
      return
    }
    meter.measures.withoutCaller += 1
  }

  /// Asks for anyone in the list.
  mutating func request(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    let usage = meter.usages[Int(client)]
    guard usage.wishedAt != nil, clients[Int(client)].machine.screen == .registered else { return }
    if usage.list.isEmpty || usage.triesLeft <= 0 {
      if usage.list.isEmpty { meter.measures.nobodyListed += 1 }
      meter.measures.unserved += 1
      meter.usages[Int(client)].wishedAt = nil
      return
    }
    let pick = usage.list[Int(draw(client) * Double(usage.list.count))]
    meter.usages[Int(client)].triesLeft -= 1
    meter.usages[Int(client)].askedAt = context.now
    meter.measures.requests += 1
    tell(client, .call(UserID(pick)), &context)
  }

  mutating func countBusy(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    meter.measures.busy += 1
    let wait = context.now - meter.usages[Int(client)].askedAt
    meter.measures.busyTimes.append(wait.nanoseconds)
    tryAgain(client, &context)
  }

  mutating func tryAgain(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    if meter.usages[Int(client)].wishedAt == nil { return }
    if meter.usages[Int(client)].triesLeft <= 0 {
      meter.measures.unserved += 1
      meter.usages[Int(client)].wishedAt = nil
      return
    }
    schedule(.tryAgain, client, configuration.retryAfter.span(draw(client)), &context)
  }

  mutating func countServed(_ client: UInt32, at now: Instant) {
    guard let since = meter.usages[Int(client)].wishedAt else { return }
    meter.measures.served += 1
    meter.measures.waits.append((now - since).nanoseconds)
    meter.usages[Int(client)].wishedAt = nil
  }

  // MARK: Quality

  /// Both pictures are there: from now on every second is looked at.
  mutating func watch(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    guard clients[Int(client)].machine.screen == .inCall else { return }
    let law = configuration.quality
    var state = QualityState()
    state.draws = meter.usages[Int(client)].quality.draws
    state.since = context.now
    let u = qualityDraw(client, &state)
    state.uplink = law.narrowestUplink + (law.widestUplink - law.narrowestUplink) * u
    // Whose device is slow is the user's, not the call's.
    state.isSlow =
      streams.uniform(.callQuality, entity: UInt64(client) << 1 | 1, draw: 0) < law.slowShare
    state.roundTrip = configuration.network.span(qualityDraw(client, &state)) * 2
    meter.usages[Int(client)].quality = state
    beginMonitor(client)
    schedule(.second, client, .seconds(1), &context)
  }

  private func qualityDraw(_ client: UInt32, _ state: inout QualityState) -> Double {
    state.draws += 1
    return streams.uniform(.callQuality, entity: UInt64(client) << 1, draw: state.draws)
  }

  mutating func sample(_ client: UInt32, _ context: inout Context<CallsEvent>) {
    guard clients[Int(client)].machine.screen == .inCall else { return }
    let law = configuration.quality
    var state = meter.usages[Int(client)].quality
    if context.now >= state.spellUntil
      && qualityDraw(client, &state) < law.spellsPerHour / 3_600
    {
      state.spellUntil = context.now + law.spellLength.span(qualityDraw(client, &state))
    }
    let isBad = context.now < state.spellUntil
    var loss = isBad ? law.spellLoss : law.loss
    if injector.amount(.drop, at: client, now: context.now) != nil { loss = 1 }
    let roundTrip = isBad ? state.roundTrip * 2 : state.roundTrip
    let rate = law.shown(
      loss: loss, roundTrip: roundTrip, uplink: state.uplink, isSlow: state.isSlow,
      after: context.now - state.since)
    let sample = QualityMonitor.Event.sample(
      .init(loss: loss, roundTrip: roundTrip, frameRate: rate))
    var isPoor = false
    var isSevered = false
    if law.monitors == nil {
      var commands: [QualityMonitor.Command] = []
      state.monitor.handle(sample, at: context.now, into: &commands)
      for command in commands where command == .warn { meter.measures.warnings += 1 }
      isPoor = state.monitor.isPoor
    } else {
      isSevered = tellMonitor(client, sample, &context)
      isPoor = monitors[Int(client)]?.held.isPoor ?? false
    }
    meter.measures.seconds += 1
    meter.measures.frames += rate
    if rate < law.legible { meter.measures.illegible += 1 }
    if rate < 1 { meter.measures.frozen += 1 }
    if isPoor { meter.measures.warned += 1 }
    meter.usages[Int(client)].quality = state
    schedule(.second, client, .seconds(1), &context)
    if isSevered { tell(client, .mediaFailed, &context) }
  }
}
