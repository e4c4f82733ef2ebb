import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// An item of the feed as the floor's viewer holds it.
struct FloorItem {
  static let nobody = UInt32.max

  var item = FloorItem.nobody
  var title: Title
  /// The request that loads it, or -1.
  var loading: Int8 = -1
  /// The rung that it began with, or none.
  var rung: UInt8 = .max
  /// Segments held, from the first on without a gap.
  var segments: Int16 = 0
  /// The media for the first frame is there.
  var hasStart = false
  var hasPoster = false
  /// Media that the prefetch policy wants; zero for none.
  var target = TimeSpan.zero
}

/// When what comes by itself happens to the floor's viewer; ``never`` for what does not.
struct FloorTimes {
  static let never = Instant.distantFuture

  var watchEnd = never
  var bufferEnd = never
  var loadResume = never
  var burstEnd = never
  var settling = never
}

/// A viewer of the floor: the real policies and connection, and of the rest only what they have to
/// be told.
///
/// Included: lengths of sessions, dwell, loops of short items, bursts, swipes back, stalls.
struct FloorViewer: ~Copyable {
  /// What happens next.
  enum Next {
    case request(Int)
    case watch, buffer, load, burst, settling
  }

  static let itemCount = 8

  private let byAddress = ByAddress()
  let setting: UnsafePointer<FloorSetting>
  let slot: UInt32
  /// His event in the simulation.
  private var event = EventHandle.none
  private(set) var session: FloorSession
  private(set) var isActive = false

  var times = FloorTimes()
  var playhead = FloorPlayhead()
  private var isBurst = false
  private var viewCount: UInt32 = 0
  private(set) var current: UInt32 = 0

  var requests = FloorRequests()
  /// Found by their number.
  let items: UnsafeMutablePointer<FloorItem>
  /// By slot of the pool: item and generation.
  let players: UnsafeMutablePointer<(item: UInt32, generation: UInt32)>

  var pool: PlayerPool
  var prefetch: PrefetchPolicy
  var estimator: ThroughputEstimator
  var path: FloorPath

  /// A viewer with memory of his own, in no session yet.
  init(_ setting: UnsafePointer<FloorSetting>, slot: UInt32) {
    self.setting = setting
    self.slot = slot
    let policy = setting.pointee.policy
    pool = PlayerPool(policy.pointee.pool)
    prefetch = PrefetchPolicy(policy.pointee.prefetch)
    estimator = ThroughputEstimator(initial: policy.pointee.initialEstimate)
    path = setting.pointee.path(of: 0)
    session = FloorSession(0, at: .zero, setting.pointee)
    items = .allocate(capacity: FloorViewer.itemCount)
    players = .allocate(capacity: policy.pointee.pool.size)
  }

  /// Gives the memory back; the viewer must not be used afterwards.
  func release() {
    requests.release()
    items.deallocate()
    players.deallocate()
  }

  /// Ends a viewer at a place of his own, and gives its memory back as well.
  static func free(_ place: UnsafeMutablePointer<FloorViewer>) {
    place.pointee.release()
    place.deinitialize(count: 1)
    place.deallocate()
  }

  var catalogue: UnsafeMutablePointer<CatalogueConfiguration> { setting.pointee.catalogue }
  var policy: UnsafeMutablePointer<PolicyConfiguration> { setting.pointee.policy }
  var audience: UnsafeMutablePointer<AudienceConfiguration> { setting.pointee.audience }
  var streams: RandomStreams { setting.pointee.sources.streams }
  var edge: UInt32 { session.edge }
  /// Whether something of his waits at his edge.
  var waitsAtEdge: Bool { requests.waitingAtEdge > 0 }
  /// Of draws for the present view.
  var viewEntity: UInt64 { UInt64(session.number) << 32 | UInt64(viewCount) }

  // MARK: Sessions

  /// A session begins: link and policies are as new, the feed at its first item.
  mutating func begin(_ number: UInt32, _ context: inout FloorContext) {
    session = FloorSession(number, at: context.now, setting.pointee)
    path = setting.pointee.path(of: number)
    pool = PlayerPool(policy.pointee.pool)
    prefetch = PrefetchPolicy(policy.pointee.prefetch)
    estimator = ThroughputEstimator(initial: policy.pointee.initialEstimate)
    let blank = FloorItem(title: Title(TitleID(0), catalogue: catalogue, streams: streams))
    items.initialize(repeating: blank, count: FloorViewer.itemCount)
    players.initialize(repeating: (FloorItem.nobody, 0), count: policy.pointee.pool.size)
    times = FloorTimes()
    isActive = true
    isBurst = false
    viewCount = 0
    current = 0
    beginView(&context)
  }

  private mutating func endSession(_ context: inout FloorContext) {
    for index in 0..<requests.count where requests[index].state != .free {
      cancel(index, &context)
    }
    countMachines(&context)
    times = FloorTimes()
    isActive = false
  }

  /// Adds what the machines of the session have commanded.
  func countMachines(_ context: inout FloorContext) {
    context.counts.prefetchStarts += Int64(prefetch.starts)
    context.counts.preparedPlayers += Int64(pool.creates + pool.retargets)
  }

  // MARK: Turns

  /// What happens next, and when.
  var next: (time: Instant, what: Next) {
    var next = (time: times.watchEnd, what: Next.watch)
    if times.bufferEnd < next.time { next = (times.bufferEnd, .buffer) }
    if times.loadResume < next.time { next = (times.loadResume, .load) }
    if times.burstEnd < next.time { next = (times.burstEnd, .burst) }
    if times.settling < next.time { next = (times.settling, .settling) }
    if let (time, index) = requests.first(before: next.time) { next = (time, .request(index)) }
    return next
  }

  /// Whether it asks an edge.
  func asksEdge(_ what: Next) -> Bool {
    if case .request(let index) = what { return requests[index].state == .up }
    return false
  }

  /// What the edge is asked by a request, and by whom.
  func edgeRequest(_ index: Int, at now: Instant) -> (request: EdgeRequest, asker: EdgeAsker) {
    let request = requests[index]
    return (
      EdgeRequest(
        at: now, key: UInt64(request.object), asset: request.isPoster ? .poster : .segment,
        bytes: request.bytes, edge: edge),
      EdgeAsker(slot: slot, request: UInt32(index))
    )
  }

  /// The edge has to ask the next tier for what a request is for.
  mutating func wait(_ index: Int, as number: UInt32) { requests.wait(index, as: number) }

  /// The simulation has an event for him.
  mutating func keep(_ event: EventHandle) { self.event = event }

  /// Forgets it.
  ///
  /// - Returns: it, to be cancelled if it has not come.
  mutating func takeEvent() -> EventHandle {
    let event = self.event
    self.event = .none
    return event
  }

  /// The object that it is about; 0 where it is about none.
  func object(of what: Next) -> UInt32 {
    if case .request(let index) = what { return requests[index].object }
    return 0
  }

  /// Does what happens next; a request at its edge is the world's affair.
  mutating func act(_ what: Next, _ context: inout FloorContext) {
    switch what {
    case .request(let index): receive(index, &context)
    case .watch: endView(&context)
    case .buffer: checkBuffer(&context)
    case .load:
      times.loadResume = FloorTimes.never
      continueLoading(current, &context)
    case .burst:
      times.burstEnd = FloorTimes.never
      if playhead.isInView { endView(&context) }
    case .settling: settle(&context)
    }
  }

  // MARK: Views

  private mutating func settle(_ context: inout FloorContext) {
    times.settling = FloorTimes.never
    let (burst, length) = streams.uniformPair(.burst, entity: viewEntity)
    isBurst =
      burst
      < (isBurst ? audience.pointee.burstContinuation : audience.pointee.burstStart)
    if isBurst {
      times.burstEnd =
        context.now + TimeSpan(seconds: audience.pointee.burstDwell.quantile(length))
    }
    beginView(&context)
  }

  private mutating func beginView(_ context: inout FloorContext) {
    let place = item(current)
    playhead.begin(intending: drawIntention(items[place].title.duration))
    items[place].target = .zero
    // The feed goes on without pages.
    let last = ItemID(current + policy.pointee.pageSize)
    tell(prefetch: .feedMoved(current: ItemID(current), last: last), &context)
    tell(pool: .currentChanged(ItemID(current), last: last), &context)
    if playhead.isStarting { continueLoading(current, &context) }
    reportBuffer(&context)
  }

  /// How much of an item of this length the viewer wants to see.
  private func drawIntention(_ duration: TimeSpan) -> TimeSpan {
    let dwell = audience.pointee.personas[session.persona].dwell
    let bucket = audience.pointee.personas[session.persona].place(of: duration)
    let (completes, time) = streams.uniformPair(.dwell, entity: viewEntity, pair: 0)
    if completes < dwell[bucket].completion {
      if duration >= audience.pointee.loopBelow { return duration }
      let (loops, _) = streams.uniformPair(.dwell, entity: viewEntity, pair: 1)
      return duration * (1 + Int64(loops * Double(audience.pointee.maximumLoops + 1)))
    }
    let watch = TimeSpan(seconds: dwell[bucket].watchTime.quantile(time))
    return max(min(watch, duration), .milliseconds(50))
  }

  mutating func endView(_ context: inout FloorContext) {
    context.counts.views += 1
    stopLoading(current, &context)
    times.watchEnd = FloorTimes.never
    times.bufferEnd = FloorTimes.never
    times.loadResume = FloorTimes.never
    times.burstEnd = FloorTimes.never
    playhead.end()
    if context.now >= session.endsAt {
      endSession(&context)
      return
    }
    let (direction, time) = streams.uniformPair(.swipe, entity: viewEntity)
    let canGoBack = current > 0 && items[place(current - 1)].item == current - 1
    viewCount += 1
    current =
      canGoBack && direction < audience.pointee.backSwipe ? current - 1 : current + 1
    times.settling = context.now + TimeSpan(seconds: audience.pointee.settle.quantile(time))
  }
}
