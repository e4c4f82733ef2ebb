import CallSignalling
import MediaUnits
import MessagingModel
import SimulationKernel

/// What a measured run came to.
public struct CallsOutcome: Sendable {
  public var measures: CallsMeasures
  public var events: UInt64
  public var end: Instant
  public var fingerprint: Fingerprint
}

/// The measures of a run that is going on.
struct CallsMeter: Sendable {
  var measures = CallsMeasures()
  var usages: [CallsUsage] = []
  var since = Instant.zero
  /// What the server had counted when the counting began.
  var baseMessages = 0
  var basePresence = 0
  var baseDoubles = 0
  var baseGhosts = 0
  var relaySince = Instant.zero
  /// Interpreters that cannot be reached.
  var gone: [UInt32] = []
  var second: Int64 = 0
  var registrations = 0
  /// From before the counting.
  var discoveries: [Int64] = []
}

/// Counting.
extension CallsWorld {
  /// A radio stays on for this after it was in use (parameters section 1: a tail of about 10 s).
  static let radioTail = TimeSpan.seconds(10)

  /// Runs an audience to its end, or to a limit on the events.
  ///
  /// - Throws: ``SimulationKernel/SimulationError`` at the limit, and where somebody else's monitor
  ///   commanded what cannot be done.
  public static func measured(
    _ configuration: CallsConfiguration, _ audience: CallsAudience, _ streams: RandomStreams,
    shuffleTies: UInt64?, eventLimit: UInt64
  ) throws(SimulationError) -> CallsOutcome {
    var settings = configuration
    settings.callers = audience.callers
    let schedule = audience.schedule(streams)
    var simulation = Simulation(
      CallsWorld(settings, schedule, measures: true), shuffleTies: shuffleTies, pendingEvents: 512)
    simulation.schedule(.begin, at: .zero, for: 0, source: 0)
    simulation.schedule(.count, at: .zero + audience.warmUp, for: 0, source: 0)
    for index in 0..<schedule.steps.count {
      simulation.schedule(
        .step(UInt32(index)), at: schedule.steps[index].at, for: 0, source: 0)
    }
    simulation.schedule(.mend, at: .zero + audience.duration, for: 0, source: 0)
    let events = try simulation.run(eventLimit: eventLimit, sameInstantLimit: 100_000).events
    let end = simulation.now
    if let monitors = settings.quality.monitors, monitors.hasFailed {
      throw SimulationError.policyFailed(at: end)
    }
    simulation.world.endCounting(at: end)
    return CallsOutcome(
      measures: simulation.world.meter.measures, events: events, end: end,
      fingerprint: simulation.fingerprint)
  }

  mutating func beginCounting(at now: Instant) {
    meter.measures = CallsMeasures()
    meter.measures.discoveries = meter.discoveries
    meter.since = now
    meter.relaySince = now
    (meter.baseMessages, meter.basePresence) = (
      server.machine.messages, server.machine.presenceMessages
    )
    (meter.baseDoubles, meter.baseGhosts) = (server.machine.doubleRings, server.machine.ghostRings)
  }

  private mutating func endCounting(at now: Instant) {
    foldServer()
    countRelayTime(at: now)
    meter.measures.time = now - meter.since
    for index in 0..<meter.usages.count { touchRadio(UInt32(index), at: now, isEnd: true) }
  }

  private mutating func foldServer() {
    meter.measures.messages += server.machine.messages - meter.baseMessages
    meter.measures.presenceMessages += server.machine.presenceMessages - meter.basePresence
    meter.measures.doubleRings += server.machine.doubleRings - meter.baseDoubles
    meter.measures.ghostRings += server.machine.ghostRings - meter.baseGhosts
    (meter.baseMessages, meter.basePresence) = (0, 0)
    (meter.baseDoubles, meter.baseGhosts) = (0, 0)
  }

  // MARK: Connections

  /// The server comes back, and has forgotten its calls.
  mutating func countRestart(losing calls: [CallTruth], at now: Instant) {
    foldServer()
    for call in calls { countEnd(of: call, .lostByServer) }
    for client in 0..<schedule.actors where clients[Int(client)].isRunning {
      if meter.usages[Int(client)].hasRegistered { meter.usages[Int(client)].restartedAt = now }
    }
  }

  mutating func countOpened(_ client: UInt32, at now: Instant) {
    let usage = meter.usages[Int(client)]
    meter.measures.connects.append((now - usage.dialedAt).nanoseconds)
    if usage.hasRegistered && usage.backSince == nil {
      meter.usages[Int(client)].backSince = now
    }
  }

  private mutating func countRegistered(_ client: UInt32, at now: Instant) {
    let usage = meter.usages[Int(client)]
    if let since = usage.backSince { meter.measures.lockouts.append((now - since).nanoseconds) }
    if let since = usage.restartedAt {
      meter.measures.recoveries.append((now - since).nanoseconds)
    }
    meter.usages[Int(client)].backSince = nil
    meter.usages[Int(client)].restartedAt = nil
    meter.usages[Int(client)].hasRegistered = true
    // Taken up again before the server had noticed.
    if usage.goneAt != nil { closeGhost(client, at: now) }
    let second = now.nanoseconds / 1_000_000_000
    meter.registrations = second == meter.second ? meter.registrations + 1 : 1
    meter.second = second
    meter.measures.registrationsPeak = max(
      meter.measures.registrationsPeak, meter.registrations)
  }

  mutating func countSent(_ client: UInt32, _ envelope: Envelope, at now: Instant) {
    if envelope.type == .heartbeat { meter.measures.heartbeats += 1 }
    touchRadio(client, at: now)
  }

  mutating func countHeard(_ flight: CallsFlight, at now: Instant) {
    touchRadio(flight.client, at: now)
    let lag = (now - flight.sent).nanoseconds
    switch flight.envelope.payload {
    case .presence(_, isAvailable: true): meter.measures.shown.append(lag)
    case .presence(_, isAvailable: false): meter.measures.hidden.append(lag)
    case .registration: countRegistered(flight.client, at: now)
    default: break
    }
  }

  /// A radio that is used again within its tail has not been off.
  private mutating func touchRadio(_ client: UInt32, at now: Instant, isEnd: Bool = false) {
    if let last = meter.usages[Int(client)].activeAt {
      let from = max(last, meter.since)
      if now > from { meter.measures.radioTime += min(now - from, CallsWorld.radioTail) }
    }
    meter.usages[Int(client)].activeAt = isEnd ? nil : now
  }

  // MARK: Presence

  /// The user of a client cannot be reached from now on.
  mutating func leave(_ client: UInt32, at now: Instant) {
    if !isMeasuring || !clients[Int(client)].isRunning { return }
    if meter.usages[Int(client)].goneAt != nil { return }
    if let call = server.machine.standing(of: UserID(client))?.call,
      let place = truths.place(of: call)
    {
      truths[place].leave(at: now)
    }
    if clients[Int(client)].role == .caller { return }
    meter.usages[Int(client)].goneAt = now
    meter.usages[Int(client)].listedTime = .zero
    meter.usages[Int(client)].listedSince = server.machine.isCallable(UserID(client)) ? now : nil
    meter.gone.append(client)
  }

  /// Looks after each of the server's moves whether those who are gone are listed.
  mutating func countGone(at now: Instant) {
    var index = 0
    while index < meter.gone.count {
      let client = meter.gone[index]
      let isListed = server.machine.isCallable(UserID(client))
      if isListed && meter.usages[Int(client)].listedSince == nil {
        meter.usages[Int(client)].listedSince = now
      } else if !isListed, let since = meter.usages[Int(client)].listedSince {
        meter.usages[Int(client)].listedTime += now - since
        meter.usages[Int(client)].listedSince = nil
      }
      if server.machine.standing(of: UserID(client)) == nil {
        closeGhost(client, at: now)
      } else {
        index += 1
      }
    }
  }

  private mutating func closeGhost(_ client: UInt32, at now: Instant) {
    var listed = meter.usages[Int(client)].listedTime
    if let since = meter.usages[Int(client)].listedSince { listed += now - since }
    meter.measures.ghosts.append(listed.nanoseconds)
    meter.usages[Int(client)].goneAt = nil
    meter.usages[Int(client)].listedSince = nil
    meter.gone.removeAll { $0 == client }
  }

  /// An expiry is false when the client runs in the foreground on a connection that lives.
  mutating func countExpiry(_ line: UInt32) {
    let client = clients[Int(lines.owner(of: line))]
    if client.isRunning && client.isOpenHere && !client.isDead && client.line == line {
      meter.measures.falseExpiries += 1
    }
  }

  /// Whether a call's interpreter can hear it ring.
  func isHeard(_ call: CallID) -> Bool {
    let interpreter = server.machine.parties(of: call)?.interpreter ?? UserID(0)
    let client = clients[Int(interpreter.index)]
    return client.isRunning && client.isOpenHere && !client.isDead
  }

  // MARK: Calls

  /// A call begins to ring.
  mutating func countRing(isUnheard: Bool) {
    meter.measures.rings += 1
    if isUnheard { meter.measures.unheardRings += 1 }
  }

  mutating func count(_ kind: CallLog.Kind, _ place: Int, at now: Instant) {
    switch kind {
    case .accepted:
      endRing(place, at: now)
      truths[place].accept(at: now)
      meter.measures.accepted += 1
    case .connected:
      truths[place].connect()
      meter.measures.connected += 1
      meter.measures.setups.append((now - truths[place].acceptedAt).nanoseconds)
    case .ended: countEnd(place, at: now)
    default: break
    }
  }

  private mutating func endRing(_ place: Int, at now: Instant) {
    guard let length = truths[place].endRing(at: now) else { return }
    meter.measures.ringTime += length
    if truths[place].isUnheard { meter.measures.unheardRingTime += length }
  }

  private mutating func countEnd(_ place: Int, at now: Instant) {
    endRing(place, at: now)
    let truth = truths[place]
    countEnd(of: truth, server.machine.lastEnding ?? .hungUp)
    if truth.stage == .connecting {
      meter.measures.failedSetups.append((now - truth.acceptedAt).nanoseconds)
    }
    if let since = truth.goneAt { meter.measures.stuck.append((now - since).nanoseconds) }
    truths.remove(place)
  }

  /// By how far the call had come.
  private mutating func countEnd(of truth: CallTruth, _ reason: EndReason) {
    let reason = Int(reason.rawValue)
    switch truth.stage {
    case .ringing: meter.measures.ringEnds[reason] += 1
    case .connecting: meter.measures.setupEnds[reason] += 1
    case .connected: meter.measures.talkEnds[reason] += 1
    }
  }

  // MARK: Relays

  /// A call needs a relay.
  mutating func countRelay(at now: Instant) {
    countRelayTime(at: now)
    if relays.isUp && relays.inUse < relays.capacity {
      meter.measures.relayTaken += 1
    } else {
      meter.measures.relayBlocked += 1
    }
  }

  mutating func countRelayTime(at now: Instant) {
    meter.measures.relayTime += (now - max(meter.relaySince, meter.since)) * Int64(relays.inUse)
    meter.relaySince = now
  }
}
