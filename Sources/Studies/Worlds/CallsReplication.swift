import CallSignalling
import MediaUnits
import Models
import Scenario
import SimulationKernel

extension CallsPlan {
  /// Events beyond which a run is taken for endless.
  private static let eventLimit: UInt64 = 400_000_000

  /// One replication of the audience.
  public func replication(
    seed: UInt64, replication: UInt16, shuffleTies: UInt64?
  ) throws(SimulationError) -> WorldRun {
    let outcome = try CallsWorld.measured(
      configuration, audience, RandomStreams(seed: seed, replication: replication),
      shuffleTies: shuffleTies, eventLimit: CallsPlan.eventLimit)
    return WorldRun(
      samples: samples(outcome.measures), events: outcome.events, end: outcome.end,
      fingerprint: outcome.fingerprint)
  }

  /// In the order of the world's metrics.
  private func samples(_ found: CallsMeasures) -> [MetricSample] {
    let parts: [[MetricSample]] = [
      times(found), presence(found), rings(found), setup(found), relays(found), quality(found),
      cost(found),
    ]
    return parts.flatMap { $0 }
  }

  private func times(_ found: CallsMeasures) -> [MetricSample] {
    let lists: [[Int64]] = [
      found.waits, found.setups, found.failedSetups, found.busyTimes, found.shown, found.hidden,
      found.ghosts, found.stuck, found.lockouts, found.recoveries, found.connects,
      found.discoveries, found.localFrames,
    ]
    return lists.flatMap { MetricSample.times($0) }
  }

  private var users: Int { Int(audience.callers) + Int(audience.interpreters) }

  private func perUser(_ value: Double, _ found: CallsMeasures, _ unit: Double) -> MetricSample {
    .quotient(
      value, over: Double(users) * found.time.seconds / unit, samples: Int64(users))
  }

  private func presence(_ found: CallsMeasures) -> [MetricSample] {
    [
      .share(found.falseExpiries, of: found.outages),
      perUser(Double(found.falseExpiries), found, 3_600),
      .share(found.unheardRings, of: found.rings),
      .number(Double(found.ghostRings), samples: Int64(found.rings)),
      .quotient(
        found.unheardRingTime.seconds, over: Double(found.connected),
        samples: Int64(found.connected)),
    ]
  }

  private func rings(_ found: CallsMeasures) -> [MetricSample] {
    func ended(_ reasons: EndReason...) -> Int {
      reasons.reduce(0) { $0 + found.ringEnds[Int($1.rawValue)] }
    }
    let taken = found.wishes - found.withoutCaller
    let outcomes = [
      found.accepted, ended(.declined), ended(.noAnswer), ended(.hungUp),
      ended(.disconnected, .expired, .lostByServer, .mediaFailed),
    ]
    var samples: [MetricSample] = [
      .share(found.served, of: taken), .share(found.nobodyListed, of: taken),
      .share(found.busy, of: found.requests),
      .number(Double(found.doubleRings), samples: Int64(found.rings)),
      .share(found.lateAccepts, of: found.accepted + found.lateAccepts),
      .quotient(
        found.ringTime.seconds, over: Double(found.connected), samples: Int64(found.connected)),
    ]
    for count in outcomes { samples.append(.share(count, of: found.rings)) }
    return samples
  }

  private func setup(_ found: CallsMeasures) -> [MetricSample] {
    func failed(_ reason: EndReason) -> Int { found.setupEnds[Int(reason.rawValue)] }
    let timers: [EndReason] = [.offerAnswerTimeout, .iceTimeout, .connectingTimeout]
    let others = found.setupEnds.reduce(0, +) - timers.reduce(0) { $0 + failed($1) }
    func dropped(_ reason: EndReason) -> Int { found.talkEnds[Int(reason.rawValue)] }
    let all = found.talkEnds.reduce(0, +) - dropped(.hungUp)
    let drops = [
      all, dropped(.mediaFailed), dropped(.disconnected) + dropped(.lostByServer),
      dropped(.expired),
    ]
    var samples: [MetricSample] = [.share(found.connected, of: found.accepted)]
    for timer in timers { samples.append(.share(failed(timer), of: found.accepted)) }
    samples.append(.share(others, of: found.accepted))
    for count in drops { samples.append(.share(count, of: found.connected)) }
    return samples
  }

  private func relays(_ found: CallsMeasures) -> [MetricSample] {
    let all = found.paths.reduce(0, +)
    let paths: [MediaPath] = [.direct, .relayUDP, .relayTCP, .relayTLS]
    let needed = found.relayTaken + found.relayBlocked
    var samples: [MetricSample] = []
    for path in paths { samples.append(.share(found.paths[Int(path.rawValue)], of: all)) }
    samples.append(.share(needed, of: all))
    samples.append(.share(found.relayBlocked, of: needed))
    samples.append(
      .quotient(
        found.relayTime.seconds, over: found.time.seconds, samples: Int64(found.relayTaken)))
    return samples
  }

  private func quality(_ found: CallsMeasures) -> [MetricSample] {
    let seconds = Double(found.seconds)
    return [
      .quotient(found.frames, over: seconds, samples: Int64(found.seconds)),
      .share(found.illegible, of: found.seconds), .share(found.frozen, of: found.seconds),
      .share(found.warned, of: found.seconds),
      .quotient(Double(found.warnings), over: seconds / 3_600, samples: Int64(found.seconds)),
    ]
  }

  private func cost(_ found: CallsMeasures) -> [MetricSample] {
    [
      perUser(Double(found.messages), found, 1), perUser(Double(found.heartbeats), found, 1),
      .quotient(
        Double(found.presenceMessages), over: found.time.seconds,
        samples: Int64(found.presenceMessages)),
      .number(Double(found.registrationsPeak), samples: Int64(users)),
      perUser(found.radioTime.seconds, found, 3_600),
      .quotient(
        Double(found.statisticsLines), over: found.time.seconds / 3_600,
        samples: Int64(found.statisticsLines)),
    ]
  }
}
