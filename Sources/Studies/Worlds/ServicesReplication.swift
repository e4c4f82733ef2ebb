import MediaUnits
import Models
import Scenario
import SimulationKernel

extension ServicesPlan {
  /// One replication.
  public func replication(
    seed: UInt64, replication: UInt16, shuffleTies: UInt64?
  ) throws(SimulationError) -> WorldRun {
    let run = try ServicesWorld.run(
      configuration, seed: seed, replication: replication, shuffleTies: shuffleTies)
    let measures = run.measures
    return WorldRun(
      samples: times(measures) + pages(measures) + content(measures) + events(measures)
        + access(measures), events: run.events, end: run.end, fingerprint: run.fingerprint)
  }

  private func times(_ found: ServicesMeasures) -> [MetricSample] {
    MetricSample.times(found.pageTimes) + MetricSample.times(found.rankerTimes)
      + MetricSample.times(found.eventDelays) + MetricSample.times(found.indexLags)
      + MetricSample.times(found.tokenTimes)
  }

  private func pages(_ found: ServicesMeasures) -> [MetricSample] {
    let answered = found.served.reduce(0, +)
    let asked = found.rankerTimes.count + found.rankerErrors
    let seconds = configuration.window.seconds
    let warm = found.timeToWarm(share: warmShare)
    return [
      .share(found.served[1] + found.served[2], of: answered),
      .share(found.served[2], of: answered), .share(found.overDeadline, of: answered),
      .number(Double(found.mismatches), samples: Int64(answered)),
      .share(found.rankerErrors, of: asked),
      .quotient(
        Double(found.rankerAttempts), over: Double(answered), samples: Int64(answered)),
      .share(found.hedges, of: answered),
      .number(found.rankerBusy, samples: Int64(answered)),
      .share(found.shedPages, of: found.pages),
      .quotient(Double(found.pages), over: seconds, samples: Int64(found.pages)),
      .share(found.starved, of: found.swipes), .share(found.failedSessions, of: found.sessions),
      .number(warm ?? 0, samples: warm == nil ? 0 : Int64(found.warming.reduce(0, +))),
    ]
  }

  private func content(_ found: ServicesMeasures) -> [MetricSample] {
    let ranked = found.items - found.exploring
    return [
      .share(found.exploring, of: found.items),
      .number(Double(found.unevenPages), samples: Int64(found.pages)),
      .share(found.missed[0], of: ranked), .share(found.missed[1], of: found.exploring),
      .share(found.cold[0], of: ranked), .share(found.cold[1], of: found.exploring),
      .share(found.cold[0] + found.cold[1], of: found.items),
      .share(found.duplicates, of: found.listed), .share(found.passedOver, of: found.listed),
      .share(found.expiredShown, of: found.items),
    ]
  }

  private func events(_ found: ServicesMeasures) -> [MetricSample] {
    [
      .share(found.eventsLost, of: found.events),
      .quotient(
        Double(found.eventsRepeated), over: Double(found.events), samples: Int64(found.events)),
      .quotient(
        Double(found.posts), over: found.sessionTime.seconds / 60, samples: Int64(found.posts)),
      .share(found.throttled, of: found.writes), .share(found.lostWrites, of: found.writes),
      .share(found.readsThrottled, of: found.reads), .share(found.lostReads, of: found.reads),
    ]
  }

  private func access(_ found: ServicesMeasures) -> [MetricSample] {
    [
      .share(found.refusedPages, of: found.pages + found.refusedPages),
      .share(found.abuseRefused, of: found.abuse),
      .number(
        Double(found.tokensPerSecond.max() ?? 0), samples: Int64(found.tokenTimes.count)),
    ]
  }
}
