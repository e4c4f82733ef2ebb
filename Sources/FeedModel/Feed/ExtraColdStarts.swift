import AudienceModel
import CacheModel
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Cold starts beside those of the audience, for what is said of cold starts alone: a session has
/// one, and some hundred other views.
///
/// Their viewers are sessions as any other, with draws of their own: they open the app, load by the
/// same policies, wait as long for a first frame, and leave when they have it. Nobody else notices
/// them: what they write goes into a context of their own, at the caches they leave no trace
/// (``CacheGlimpse``), and they are no events of the simulation. So all other numbers of a
/// replication stay what they are without them.
///
/// They come at random in equal parts of the measured time, which is when sessions of a constant
/// rate come. Left out: cells and the origin's limits, which such a viewer would load; crowds and
/// the time of day, by which cold starts differ.
struct ExtraColdStarts: ~Copyable {
  private let setting: UnsafePointer<FeedSetting>
  /// What they write into; nil where there are none.
  private let context: UnsafeMutablePointer<ViewerContext>?
  private var starts: [ExtraColdStart] = []
  /// Viewers who are gone, and whose memory can be used again.
  private var idle: [ViewerPointer] = []
  /// How many come, how many have come, and when the next one does.
  private let count: UInt32
  private var begun: UInt32 = 0
  private var arrival = Instant.distantFuture
  private let begin: Instant
  private let end: Instant

  /// No session of the audience has such a number.
  static let firstSession: UInt32 = 1 << 31

  /// - Precondition: they do not outlive the world.
  init(_ world: borrowing FeedWorld) {
    setting = UnsafePointer(world.setting)
    let configuration = setting.pointee.configuration
    count = UInt32(configuration.audience.extraColdStarts)
    precondition(
      count == 0 || configuration.networks.allSatisfy { $0.cell == nil },
      "who is in a cell is noticed")
    begin = Instant.zero + configuration.cdn.warmUp
    end = configuration.end
    context =
      count == 0
      ? nil
      : ExtraColdStarts.context(
        configuration, replication: setting.pointee.streams.replication, measuredFrom: begin)
    setArrival()
  }

  private static func context(
    _ configuration: FeedConfiguration, replication: UInt16, measuredFrom begin: Instant
  ) -> UnsafeMutablePointer<ViewerContext> {
    let context = UnsafeMutablePointer<ViewerContext>.allocate(capacity: 1)
    context.initialize(
      to: ViewerContext(
        measures: FeedMeasures(
          networks: configuration.networks.count, devices: configuration.devices.count),
        cells: [], recording: SessionRecording(session: SessionRecording.nobody),
        measuredFrom: begin,
        foreign: ForeignViewers(configuration, replication: replication)))
    return context
  }

  deinit {
    context?.deinitialize(count: 1)
    context?.deallocate()
    for start in starts { Viewer.free(start.viewer) }
    for viewer in idle { Viewer.free(viewer) }
  }

  private mutating func setArrival() {
    if begun == count {
      arrival = .distantFuture
      return
    }
    let session = ExtraColdStarts.firstSession + begun
    let u = setting.pointee.streams.uniform(.extraArrival, entity: UInt64(session))
    let place = (Double(begun) + u) / Double(count)
    arrival = begin + TimeSpan(seconds: place * setting.pointee.audience.pointee.window.seconds)
  }

  /// The next instant to which the world has to be brought; nil: none.
  var next: Instant? {
    var next = arrival
    for start in starts where start.looksAt < next { next = start.looksAt }
    return next < end ? next : nil
  }

  /// Lets them go on as far as they can with the caches as they are now.
  mutating func goOn(in world: borrowing FeedWorld, at now: Instant) {
    guard let context else { return }
    while arrival <= now {
      start(at: arrival, &context.pointee)
      begun += 1
      setArrival()
    }
    var place = 0
    while place < starts.count {
      let viewer = starts[place].viewer
      if starts[place].looksAt <= now
        && starts[place].goOn(&viewer.pointee, in: world, at: now, until: end, &context.pointee)
      {
        idle.append(viewer)
        starts.swapAt(place, starts.count - 1)
        starts.removeLast()
      } else {
        place += 1
      }
    }
  }

  private mutating func start(at now: Instant, _ context: inout ViewerContext) {
    let session = ExtraColdStarts.firstSession + begun
    let viewer: ViewerPointer
    if let known = idle.popLast() {
      viewer = known
    } else {
      viewer = .allocate(capacity: 1)
      viewer.initialize(to: Viewer(setting, slot: 0, session: session, at: now))
    }
    ExtraColdStarts.begin(&viewer.pointee, session, at: now, &context)
    starts.append(ExtraColdStart(viewer, at: now))
  }

  private static func begin(
    _ viewer: inout Viewer, _ session: UInt32, at now: Instant, _ context: inout ViewerContext
  ) {
    context.begin(at: now, source: session)
    viewer.begin(session, &context)
    viewer.endAfterFirstView(at: now)
    viewer.endTurn(&context)
  }

  /// Ends those that still wait when the run ends, as cut, and returns all first views.
  mutating func finish(in world: borrowing FeedWorld, at end: Instant) -> [ViewRecord] {
    guard let context else { return [] }
    // Where nothing was left to simulate, the caches stay as they are.
    while let next { goOn(in: world, at: next) }
    for start in starts {
      ExtraColdStarts.cut(&start.viewer.pointee, at: end, &context.pointee)
      idle.append(start.viewer)
    }
    starts.removeAll()
    return context.pointee.measures.views.sorted { $0.session < $1.session }
  }

  private static func cut(
    _ viewer: inout Viewer, at end: Instant, _ context: inout ViewerContext
  ) {
    context.begin(at: end, source: viewer.session)
    viewer.cut(&context)
  }
}

/// One of them under way: where its viewer is, and what of his is at the edge.
private struct ExtraColdStart {
  /// A request at the edge.
  private struct Pending {
    var glimpse: CacheGlimpse
    /// By which the viewer gives it up.
    let number: UInt32
    /// Its place among his requests.
    let request: UInt32
    /// When it looks at a cache next, or when the answer is there.
    var at: Instant
    var answer: NodeAnswer?
  }

  let viewer: ViewerPointer
  private var pending: [Pending] = []
  /// Requests that have reached the edge.
  private var asked: UInt32 = 0
  /// When the caches have to be looked at next.
  private(set) var looksAt: Instant

  init(_ viewer: ViewerPointer, at now: Instant) {
    self.viewer = viewer
    looksAt = now
  }

  /// Goes on until a cache has to be looked at, later than now.
  ///
  /// - Parameter viewer: its own.
  /// - Returns: whether it is over.
  mutating func goOn(
    _ viewer: inout Viewer, in world: borrowing FeedWorld, at now: Instant, until end: Instant,
    _ context: inout ViewerContext
  ) -> Bool {
    looksAt = .distantFuture
    while viewer.isActive {
      if viewer.hasFrame {
        viewer.endView(&context)
        forgetGivenUp(&context)
        continue
      }
      let own = viewer.next
      let place = firstPending
      let time = min(own?.time ?? .distantFuture, place.map { pending[$0].at } ?? .distantFuture)
      if time >= end { return false }
      if let place, pending[place].at == time {
        if let answer = pending[place].answer {
          receive(answer, place, &viewer, &context)
        } else if time > now {
          looksAt = time
          return false
        } else {
          look(place, in: world, at: now)
        }
      } else if let own, viewer.asksEdge(own.happening) {
        if time > now {
          looksAt = time
          return false
        }
        ask(own.happening, of: &viewer, in: world, at: now, &context)
      } else {
        viewer.act(&context)
      }
      forgetGivenUp(&context)
    }
    return true
  }

  private var firstPending: Int? {
    var first: Int?
    for place in pending.indices where first.map({ pending[place].at < pending[$0].at }) ?? true {
      first = place
    }
    return first
  }

  /// Takes back what the viewer has given up.
  private mutating func forgetGivenUp(_ context: inout ViewerContext) {
    for request in context.givenUp { pending.removeAll { $0.number == request.number } }
    context.givenUp.removeAll(keepingCapacity: true)
  }

  // MARK: The edge

  /// What he has asked for is at the edge.
  private mutating func ask(
    _ happening: Happening, of viewer: inout Viewer, in world: borrowing FeedWorld,
    at now: Instant, _ context: inout ViewerContext
  ) {
    viewer.arriveAtEdge()
    context.begin(at: now, source: viewer.session)
    switch happening {
    case .requestAtEdge(let request, _): ask(request, of: &viewer, in: world, at: now, &context)
    case .pairAtEdge(let pair):
      if viewer.asksEdge(pair.first, pair.firstGeneration) {
        ask(UInt32(pair.first), of: &viewer, in: world, at: now, &context)
      }
      if viewer.asksEdge(pair.second, pair.secondGeneration) {
        ask(UInt32(pair.second), of: &viewer, in: world, at: now, &context)
      }
    default: break
    }
    viewer.endTurn(&context)
  }

  private mutating func ask(
    _ request: UInt32, of viewer: inout Viewer, in world: borrowing FeedWorld, at now: Instant,
    _ context: inout ViewerContext
  ) {
    let index = Int(request)
    let asked = viewer.edgeRequest(index, at: now)
    let service = world.caches.serviceTime(
      atEdge: Int(asked.edge), u: viewer.serviceDraw(index))
    var glimpse = CacheGlimpse(
      asked, service: service, session: viewer.session, number: self.asked)
    let number = self.asked
    self.asked += 1
    let found = world.caches.look(&glimpse, at: now)
    if case .fresh(let age, let stated) = found {
      viewer.receive(.fresh(age: age, stated: stated), index, after: service, &context)
      return
    }
    viewer.receive(.waits(number: number, reason: .cold), index, after: service, &context)
    if case .answered(let answer, _, isArrival: true) = found {
      receive(answer, request, after: service, isArrival: true, &viewer, &context)
      return
    }
    pending.append(Pending(glimpse: glimpse, number: number, request: request, at: now))
    note(found, pending.count - 1)
  }

  private mutating func look(_ place: Int, in world: borrowing FeedWorld, at now: Instant) {
    let found = world.caches.look(&pending[place].glimpse, at: now)
    note(found, place)
  }

  private mutating func note(_ found: CacheGlimpse.Finding, _ place: Int) {
    switch found {
    case .later(let time): pending[place].at = time
    case .answered(let answer, let time, _):
      pending[place].at = time
      pending[place].answer = answer
    case .fresh: preconditionFailure("what waits is answered")
    }
  }

  /// The edge answers what has waited.
  private mutating func receive(
    _ answer: NodeAnswer, _ place: Int, _ viewer: inout Viewer,
    _ context: inout ViewerContext
  ) {
    let given = pending.remove(at: place)
    context.begin(at: given.at, source: viewer.session)
    receive(answer, given.request, after: .zero, isArrival: false, &viewer, &context)
    viewer.endTurn(&context)
  }

  private func receive(
    _ answer: NodeAnswer, _ request: UInt32, after delay: TimeSpan, isArrival: Bool,
    _ viewer: inout Viewer, _ context: inout ViewerContext
  ) {
    viewer.receive(
      EdgeAnswer(
        asker: EdgeAsker(slot: 0, request: request), answer: answer, reason: nil, delay: delay,
        isArrival: isArrival), &context)
  }
}
