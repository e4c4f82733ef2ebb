import AudienceModel
import CacheModel
import MediaUnits
import ModelBasics
import SimulationKernel

/// When sessions come: the audience's own, and those of flash crowds.
extension FeedWorld {
  /// No session begins from here on.
  var arrivalsEnd: Instant {
    Instant.zero + audience.pointee.window + configuration.cdn.warmUp
  }

  /// When the session after one at `now` comes, the audience's session number `index`.
  mutating func arrival(_ index: UInt32, after now: Instant) -> Instant {
    let u = streams.uniform(.arrival, entity: UInt64(index))
    let work = -PortableMath.log(1 - u) * sessionGap
    guard let day = audience.pointee.day else {
      return now.advanced(saturatingBy: TimeSpan(seconds: work))
    }
    return arrival(day, work: work, after: now)
  }

  private mutating func arrival(_ profile: RateProfile, work: Double, after now: Instant) -> Instant
  {
    let start = setting.pointee.measuredTime(now)
    let gap = profile.time(after: start.seconds, work: work) - start.seconds
    return now.advanced(saturatingBy: gap > 0 ? TimeSpan(seconds: gap) : .zero)
  }

  /// The first of this world's own sessions from number `index` on, which comes at `time`; nil when
  /// none comes before the end.
  ///
  /// - Parameter crowd: whose sessions they are; nil: the audience's.
  mutating func ownArrival(
    _ index: UInt32, ofCrowd crowd: Int? = nil, at time: Instant
  ) -> (index: UInt32, time: Instant)? {
    let first = crowd.map { crowdSessions[$0] } ?? FeedWorld.firstSession
    var (index, time) = (index, time)
    while time < arrivalsEnd {
      if domain.has(session: first + index, edges: setting.pointee.edges) { return (index, time) }
      index += 1
      time =
        if let crowd {
          arrival(inCrowd: crowd, index, after: time)
        } else {
          arrival(index, after: time)
        }
    }
    return nil
  }

  /// A session of the audience begins.
  mutating func arrive(_ index: UInt32, _ context: inout Context<FeedEvent>) {
    if let next = ownArrival(index + 1, at: arrival(index + 1, after: context.now)) {
      context.schedule(
        .sessionArrived(index: next.index), at: next.time, for: FeedWorld.audienceEntity)
    }
    begin(FeedWorld.firstSession + index, &context)
  }

  // MARK: Crowds

  /// Numbers of the crowds' first sessions. They follow the audience's own, which are counted with
  /// ten standard deviations to spare, so that they depend on no policy.
  static func crowdSessions(_ configuration: borrowing FeedConfiguration) -> [UInt32] {
    let rate =
      configuration.audience.sessionsPerSecondPerEdge * Double(configuration.cdn.edges)
    let span = (configuration.audience.window + configuration.cdn.warmUp).seconds
    var next = firstSession + spare(rate * (configuration.audience.day?.total ?? span))
    var first: [UInt32] = []
    for crowd in configuration.audience.crowds {
      first.append(next)
      next += spare(rate * crowd.extra.total)
    }
    return first
  }

  /// More than a Poisson number of this mean ever is.
  private static func spare(_ mean: Double) -> UInt32 {
    precondition(mean < 5e8, "sessions have numbers")
    return UInt32(mean + 10 * mean.squareRoot()) + 1024
  }

  static func startCrowds(_ simulation: inout Simulation<FeedWorld>) {
    for crowd in 0..<simulation.world.configuration.audience.crowds.count {
      let begin =
        Instant.zero + simulation.world.configuration.cdn.warmUp
        + simulation.world.configuration.audience.crowds[crowd].from
      let time = simulation.world.arrival(inCrowd: crowd, 0, after: begin)
      if let first = simulation.world.ownArrival(0, ofCrowd: crowd, at: time) {
        simulation.schedule(
          .crowdArrived(crowd: UInt32(crowd), index: first.index), at: first.time,
          for: audienceEntity, source: audienceEntity)
      }
    }
  }

  private mutating func arrival(inCrowd crowd: Int, _ index: UInt32, after now: Instant) -> Instant
  {
    let u = streams.uniform(.crowdArrival, entity: UInt64(crowd) << 32 | UInt64(index))
    return arrival(
      audience.pointee.crowds[crowd].extra, work: -PortableMath.log(1 - u) * sessionGap, after: now)
  }

  /// A session of a crowd begins.
  mutating func arrive(
    inCrowd crowd: Int, _ index: UInt32, _ context: inout Context<FeedEvent>
  ) {
    let time = arrival(inCrowd: crowd, index + 1, after: context.now)
    if let next = ownArrival(index + 1, ofCrowd: crowd, at: time) {
      context.schedule(
        .crowdArrived(crowd: UInt32(crowd), index: next.index), at: next.time,
        for: FeedWorld.audienceEntity)
    }
    begin(crowdSessions[crowd] + index, &context)
  }
}

extension FeedConfiguration {
  /// Leaves out what happens at given times only: the pilot counts an ordinary day.
  mutating func withoutDisturbances() {
    audience.day = nil
    audience.crowds = []
    scale = .whole
    catalogue.newTitles = nil
    catalogue.republishes = []
    windows = []
  }
}
