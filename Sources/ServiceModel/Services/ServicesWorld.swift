import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import ServicePolicy
import SimulationKernel

/// What stands behind the feed: API, ranker, cache, table, event service, tokens (S08).
///
/// Included: sessions that come when they come, each with its pager and its telemetry; the API's
/// servers; the ranker's with a deadline and what is shown instead, retries, hedges, a breaker and
/// outages; metadata from a cache that is warm or not; lists that grow while they are read; the
/// ingest, which drops repeats; partitions' limits on writes and reads; a limiter before it all;
/// tokens that expire together. Queues are first come, first served.
///
/// Left out: media (the feed's world has it), what makes a ranking good, partitions that split when
/// they are hot, the network between the services, faults of the cache but its emptying.
public struct ServicesWorld: ~Copyable, MeasuredWorld {
  public typealias Event = ServicesEvent

  let configuration: ServicesConfiguration
  let streams: RandomStreams
  let begin: Instant
  let end: Instant
  var sessions = SlotTable<ServiceSession>()
  var pages = SlotTable<ServicePage>()
  var posts = SlotTable<ServicePost>()
  var api: QueueStation
  var ranker: QueueStation
  var ingest: QueueStation
  var tokens: QueueStation
  var fallback: RankerFallback
  var breaker: RankerBreaker
  var ledger = IngestLedger()
  var limiter: RateLimiter?
  let mixer: ExplorationMixer
  var cache: ServiceCache
  var list: EntryList
  /// The table of titles, and today's trending list.
  var titles: PartitionedTable
  var trending: PartitionedTable
  /// Writes to the trending list so far.
  var writeCount: UInt32 = 0
  var isClosed = false
  public private(set) var measures = ServicesMeasures()
  var meter: ServicesMeasures {
    get { measures }
    _modify { yield &measures }
  }

  static let service: UInt32 = 0

  public init(_ configuration: ServicesConfiguration, seed: UInt64, replication: UInt16) {
    self.configuration = configuration
    streams = RandomStreams(seed: seed, replication: replication)
    begin = .zero + configuration.warmUp
    end = begin + configuration.window
    api = QueueStation(servers: configuration.api.servers)
    ranker = QueueStation(servers: configuration.ranker.station.servers)
    ingest = QueueStation(servers: configuration.ingest.station.servers)
    tokens = QueueStation(servers: configuration.access.tokens?.servers ?? 1)
    fallback = RankerFallback(
      RankerFallback.Configuration(deadline: configuration.ranker.deadline, limit: .max))
    breaker = RankerBreaker(configuration.ranker.breaker)
    limiter = configuration.access.limiter.map { RateLimiter($0) }
    mixer = ExplorationMixer(configuration.content.exploration)
    let store = configuration.store
    cache = ServiceCache(
      titles: configuration.content.shares.count, users: configuration.audience.users,
      lifetime: store.lifetime, coldAfter: configuration.content.coldAfter)
    list = EntryList(configuration.content, streams: streams)
    titles = PartitionedTable(
      partitions: store.titleShards, rate: store.readsPerShard, burst: store.burst)
    trending = PartitionedTable(
      partitions: store.shards, rate: store.writesPerShard, burst: store.burst)
    ageTitles()
  }

  public static func tag(of event: ServicesEvent) -> UInt32 { event.tag }
  public static func name(ofTag tag: UInt32) -> StaticString { ServicesTag.name(of: tag) }

  /// Runs to the end: the window closes, and what is under way is finished.
  ///
  /// - Throws: ``SimulationError`` when a limit is reached, which a configuration within the
  ///   table's bounds does not do.
  public static func run(
    _ configuration: ServicesConfiguration, seed: UInt64, replication: UInt16,
    shuffleTies: UInt64? = nil
  ) throws(SimulationError) -> MeasuredRun<ServicesMeasures> {
    try run(
      ServicesWorld(configuration, seed: seed, replication: replication), shuffleTies: shuffleTies)
  }

  /// Schedules the first events.
  public static func start(_ simulation: inout Simulation<ServicesWorld>) {
    let access = simulation.world.configuration.access
    let begin = simulation.world.begin
    if let first = simulation.world.nextSession(0, after: 0) {
      simulation.schedule(.sessionArrives(0), at: first, for: service, source: service)
    }
    if let first = simulation.world.nextEntry(0, after: .zero) {
      simulation.schedule(.publish(0), at: first, for: service, source: service)
    }
    if access.abuseRate > 0 {
      for client in 0..<access.abusers {
        simulation.schedule(
          .abuse(client: client, number: 0), at: begin, for: service, source: service)
      }
    }
    if let flush = simulation.world.configuration.store.flushAt {
      simulation.schedule(.flush, at: begin + flush, for: service, source: service)
    }
    simulation.schedule(
      .close, at: simulation.world.end, for: service, source: service, phase: .observe)
  }

  public mutating func handle(
    _ event: ServicesEvent, target: UInt32, in context: inout Context<ServicesEvent>
  ) {
    switch event {
    case .sessionArrives(let number): arrive(number, &context)
    case .swipe(let slot, let epoch): if isThere(slot, epoch) { swipe(slot, &context) }
    case .askAgain(let slot, let epoch): if isThere(slot, epoch) { askAgain(slot, &context) }
    case .pageArrives(let page): receive(page, &context)
    case .tokenGiven(let page): giveToken(page, &context)
    case .apiDone(let page): assemble(page, &context)
    case .metadataRead(let page):
      pages[page].hasMetadata = true
      returnIfWhole(page, &context)
    case .tableRead(let page, let attempt): readTable(page, attempt, &context)
    case .rankerDone(let job): endRanking(job, &context)
    case .callTimer(let page, let epoch, let kind, let attempt):
      if pages[page].epoch == epoch { fireCall(page, kind, attempt, &context) }
    case .deadline(let page, let epoch):
      if pages[page].epoch == epoch {
        tellFallback(page, .timerFired(page: page), &context)
      }
    case .fallbackRead(let page):
      pages[page].hasContent = true
      returnIfWhole(page, &context)
    case .pageReturns(let page): bring(page, &context)
    case .batchTimer(let slot, let epoch, let isRetry):
      if sessions[slot].epoch == epoch { fireBatcher(slot, isRetry: isRetry, &context) }
    case .postArrives(let post): takePost(post, &context)
    case .ingested(let post): count(post, &context)
    case .postReturns(let post, let isAccepted): endPost(post, isAccepted, &context)
    case .write(let shard, let number, let attempt): write(shard, number, attempt, &context)
    case .publish(let number): publish(number, &context)
    case .abuse(let client, let number): abuse(client, number, &context)
    case .flush: cache.empty(at: context.now)
    case .close: close(&context)
    }
  }

  func isMeasured(at time: Instant) -> Bool { time >= begin && time < end }

  /// Whether the session of this slot is still the one that the event was for, and watches.
  private func isThere(_ slot: UInt32, _ epoch: UInt32) -> Bool {
    let session = sessions[slot]
    return session.epoch == epoch && (session.phase == .watching || session.phase == .starved)
  }

  /// Titles as a long run leaves them: the time since one was last shown is exponential.
  private mutating func ageTitles() {
    let content = configuration.content
    let titles = Double(content.shares.count)
    let perSession = configuration.audience.items.mean
    // The audience's mean rate over the run stands for its past.
    let rate =
      configuration.audience.sessions.total / end.seconds
      * (perSession > 0 ? perSession : 1)
    let explored = content.exploration.share
    for title in 0..<content.shares.count {
      let share = (1 - explored) * content.shares[title] + explored / titles
      let u = streams.uniform(.serviceStationary, entity: UInt64(title))
      let age = rate * share > 0 ? -PortableMath.log(u) / (rate * share) : .infinity
      cache.age(
        title,
        to: Instant(nanoseconds: 0).advanced(saturatingBy: -TimeSpan(seconds: min(age, 1e9))))
    }
  }

  private mutating func close(_ context: inout Context<ServicesEvent>) {
    isClosed = true
    for slot in 0..<sessions.count {
      let phase = sessions[slot].phase
      if phase == .watching || phase == .starved { leave(slot, isKilled: false, &context) }
    }
  }

  /// Closes what is open at the end.
  public mutating func finish() {
    let time = end.seconds
    measures.rankerBusy = ranker.busyTime.seconds / (time * Double(ranker.servers))
    measures.apiBusy = api.busyTime.seconds / (time * Double(api.servers))
  }
}
