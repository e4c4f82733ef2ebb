import AudienceModel
import MediaUnits
import ModelBasics
import ServicePolicy
import SimulationKernel

/// One station with open-loop arrivals: what a service alone does under a load.
public struct StationConfiguration: Sendable {
  /// Arrivals a second, over the time of the run.
  public var arrivals: RateProfile
  /// Seconds of service.
  public var service: QuantileTable
  public var servers: Int
  /// Share of the arrivals of each priority, the highest first; sums to 1.
  public var priorities: [Double]
  public var shedder: LoadShedder
  /// A job that has waited so long leaves; nil for never.
  public var patience: TimeSpan?
  /// Jobs that arrive before this are served and not counted.
  public var warmUp: TimeSpan

  public init(
    arrivals: RateProfile, service: QuantileTable, servers: Int, priorities: [Double] = [1],
    shedder: LoadShedder = LoadShedder(), patience: TimeSpan? = nil, warmUp: TimeSpan = .zero
  ) {
    precondition(!priorities.isEmpty, "there is at least one priority")
    self.arrivals = arrivals
    self.service = service
    self.servers = servers
    self.priorities = priorities
    self.shedder = shedder
    self.patience = patience
    self.warmUp = warmUp
  }
}

/// What came of the jobs of one priority.
public struct StationMeasures: Sendable, Equatable {
  public var arrived = 0
  public var shed = 0
  public var left = 0
  /// Nanoseconds from arrival to the begin of service, in order of beginning, and to its end.
  public var waits: [Int64] = []
  public var times: [Int64] = []

  public init() {}

  /// The least time that at least this share of the jobs does not exceed; nil without any.
  public func quantile(_ share: Double) -> TimeSpan? {
    if times.isEmpty { return nil }
    let sorted = times.sorted()
    let place = Int(share * Double(sorted.count) + 0.999_999_999) - 1
    return TimeSpan(nanoseconds: sorted[min(max(place, 0), sorted.count - 1)])
  }
}

public enum StationEvent: BitwiseCopyable, Sendable {
  case arrive(UInt32)
  case served(UInt32)
  case leave(UInt32)
}

/// An open-loop queue: a job comes when it comes, however long the queue is.
///
/// M/G/c with priorities, shedding and patience. Closed forms it is checked against: M/M/c and
/// Erlang C (waits), Erlang B (with no room to wait), M/G/1 (Pollaczek and Khinchine), and M/G/1
/// with priorities (Cobham 1954).
public struct StationWorld: ~Copyable, SimulatedWorld {
  struct Job {
    var arrivedAt: Instant
    var startedAt = Instant.distantFuture
    var priority: Int
    var ticket: QueueStation.Ticket?
  }

  let configuration: StationConfiguration
  let streams: RandomStreams
  public private(set) var station: QueueStation
  public private(set) var measures: [StationMeasures]
  var jobs: [Job] = []

  public init(_ configuration: StationConfiguration, seed: UInt64, replication: UInt16) {
    self.configuration = configuration
    streams = RandomStreams(seed: seed, replication: replication)
    station = QueueStation(
      servers: configuration.servers, priorities: configuration.priorities.count)
    measures = [StationMeasures](
      repeating: StationMeasures(), count: configuration.priorities.count)
  }

  public static func tag(of event: StationEvent) -> UInt32 {
    switch event {
    case .arrive: return StationTag.arrive.rawValue
    case .served: return StationTag.served.rawValue
    case .leave: return StationTag.leave.rawValue
    }
  }

  public static func name(ofTag tag: UInt32) -> StaticString { StationTag.name(of: tag) }

  /// Runs until every job that came is gone.
  ///
  /// - Throws: ``SimulationError`` after 2^40 events.
  public static func run(
    _ configuration: StationConfiguration, seed: UInt64, replication: UInt16 = 0
  ) throws(SimulationError) -> [StationMeasures] {
    var simulation = Simulation(
      StationWorld(configuration, seed: seed, replication: replication))
    let first = simulation.world.nextArrival(0, after: 0)
    if let first { simulation.schedule(.arrive(0), at: first, for: 0, source: 0) }
    _ = try simulation.run(eventLimit: 1 << 40)
    return simulation.world.measures
  }

  private func nextArrival(_ job: UInt32, after time: Double) -> Instant? {
    let u = streams.uniform(.stationJob, entity: UInt64(job), draw: 0)
    let next = configuration.arrivals.time(after: time, work: -PortableMath.log(u))
    return next < .infinity ? .zero + TimeSpan(seconds: next) : nil
  }

  public mutating func handle(
    _ event: StationEvent, target: UInt32, in context: inout Context<StationEvent>
  ) {
    switch event {
    case .arrive(let job): arrive(job, &context)
    case .served(let job): end(job, &context)
    case .leave(let job):
      guard let ticket = jobs[Int(job)].ticket, station.abandon(ticket) else { return }
      if isCounted(job) { measures[jobs[Int(job)].priority].left += 1 }
    }
  }

  private func isCounted(_ job: UInt32) -> Bool {
    jobs[Int(job)].arrivedAt >= .zero + configuration.warmUp
  }

  private mutating func arrive(_ job: UInt32, _ context: inout Context<StationEvent>) {
    let now = context.now
    let next = nextArrival(job + 1, after: now.seconds)
    if let next { context.schedule(.arrive(job + 1), at: max(next, now), for: 0) }
    var priority = 0
    if configuration.priorities.count > 1 {
      var u = streams.uniform(.stationJob, entity: UInt64(job), draw: 2)
      while priority + 1 < configuration.priorities.count
        && u >= configuration.priorities[priority]
      {
        u -= configuration.priorities[priority]
        priority += 1
      }
    }
    jobs.append(Job(arrivedAt: now, priority: priority))
    if isCounted(job) { measures[priority].arrived += 1 }
    // A server that is free takes a job whatever the queue's limits are.
    let isRoom =
      station.busy < station.servers
      || configuration.shedder.admits(
        priority: priority, waiting: station.waiting, servers: station.servers,
        service: TimeSpan(seconds: configuration.service.mean), left: configuration.patience)
    if !isRoom {
      if isCounted(job) { measures[priority].shed += 1 }
      return
    }
    let service = TimeSpan(
      seconds: configuration.service.quantile(
        streams.uniform(.stationJob, entity: UInt64(job), draw: 1)))
    switch station.arrive(job, service: service, priority: priority, at: now) {
    case .started(let until): start(job, until, &context)
    case .waits(let ticket):
      jobs[Int(job)].ticket = ticket
      if let patience = configuration.patience {
        context.schedule(.leave(job), at: now + patience, for: 0)
      }
    }
  }

  private mutating func start(
    _ job: UInt32, _ until: Instant, _ context: inout Context<StationEvent>
  ) {
    jobs[Int(job)].startedAt = context.now
    jobs[Int(job)].ticket = nil
    if isCounted(job) {
      measures[jobs[Int(job)].priority].waits.append(
        (context.now - jobs[Int(job)].arrivedAt).nanoseconds)
    }
    context.schedule(.served(job), at: until, for: 0)
  }

  private mutating func end(_ job: UInt32, _ context: inout Context<StationEvent>) {
    if isCounted(job) {
      measures[jobs[Int(job)].priority].times.append(
        (context.now - jobs[Int(job)].arrivedAt).nanoseconds)
    }
    if let next = station.end(at: context.now) { start(next.job, next.until, &context) }
  }
}
