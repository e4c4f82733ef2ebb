import Scenario
import SimulationKernel

/// Counts what came in each five minutes, in memory that grows with the time and not the lines:
/// what a capacity plan is held against.
struct LoadTally: Sendable {
  /// The most hours of viewers that are kept.
  static let presenceLimit = 1 << 22
  /// A view that was on the screen for longer, seconds, has no begin or end that is believed: the
  /// one may be made of the other.
  static let longestView = 86_400.0

  private let presenceLimit: Int
  private var places: [Int64: Int] = [:]
  private var load = ObservedLoad()
  private var sessions = 0
  private var viewers = HandleTable()
  private var hours = HandleTable()

  init(presenceLimit: Int = LoadTally.presenceLimit) { self.presenceLimit = presenceLimit }

  private mutating func place(of second: Double) -> Int {
    let number = ObservedViews.block(second, of: ObservedLoad.block)
    if let known = places[number] { return known }
    places[number] = load.blocks.count
    load.blocks.append(ObservedLoad.Block(number: number))
    return load.blocks.count - 1
  }

  // MARK: Viewers

  /// Notes whose a line is and when.
  mutating func meet(_ observation: Observation) {
    if observation.who.viewer == 0 {
      if observation.isOfView { load.strangers += 1 }
      return
    }
    let second = observation.second
    if second.isNaN || load.hasTooManyViewers { return }
    let viewer = viewers.handle(of: observation.who.viewer)
    let hour = ObservedViews.block(second, of: ObservedViews.block)
    let key = SplitMix.hash(SplitMix.hash(UInt64(viewer)) ^ UInt64(bitPattern: hour)) | 1
    if hours.handle(of: key) < load.presences.count { return }
    if load.presences.count == presenceLimit {
      load.hasTooManyViewers = true
      load.presences = []
      return
    }
    load.presences.append(ObservedLoad.Presence(viewer: UInt32(viewer), hour: hour))
  }

  // MARK: Views

  /// Counts the views of a session, or one that nobody says the session of.
  mutating func take(_ views: [JoinedView], isNamed: Bool) {
    var all = views
    for index in all.indices where all[index].playback.dwell > LoadTally.longestView {
      all[index].begin = .infinity
    }
    let group = sessions % ObservedLoad.groupCount
    var bytes = 0.0
    for view in all where !view.bytes.isNaN {
      bytes += view.bytes
      if view.begin.isFinite {
        let place = place(of: view.begin)
        load.blocks[place].viewBytes += view.bytes
      }
    }
    let known = all.indices.filter { ViewKeeper.isView(all[$0]) }
      .sorted { (all[$0].begin, $0) < (all[$1].begin, $1) }
    load.groups[group].bytes += bytes
    guard let first = known.first else { return }
    sessions += 1
    if isNamed {
      load.groups[group].sessions += 1
      load.groups[group].namedViews += Int64(known.count)
      if all[first].begin.isFinite {
        let place = place(of: all[first].begin)
        load.blocks[place].sessions += 1
      }
    }
    for (order, index) in known.enumerated() {
      let next = order + 1 < known.count ? all[known[order + 1]].begin : .infinity
      take(all[index], until: next, group)
    }
  }

  /// - Parameter next: when the session's next view began; what a row says beyond was not on the
  ///   screen.
  private mutating func take(_ view: JoinedView, until next: Double, _ group: Int) {
    load.groups[group].views += 1
    if !view.bytes.isNaN { load.groups[group].sized += 1 }
    let length = view.length
    let isTimed = length <= LoadTally.longestView
    if isTimed {
      load.groups[group].timed += 1
      load.groups[group].seconds += length
    }
    if !view.begin.isFinite {
      load.undatedViews += 1
      return
    }
    let place = place(of: view.begin)
    load.blocks[place].views += 1
    if isTimed { show(from: view.begin, to: min(view.begin + length, next)) }
  }

  private mutating func show(from begin: Double, to end: Double) {
    var at = begin
    while at < end {
      let place = place(of: at)
      let next = min(end, Double(load.blocks[place].number + 1) * ObservedLoad.block)
      load.blocks[place].shown += next - at
      at = next
    }
  }

  // MARK: Requests

  /// Counts a request of an edge.
  mutating func take(request observation: Observation) {
    let second = observation.second
    if second.isNaN {
      load.undatedRequests += 1
      return
    }
    let place = place(of: second)
    load.blocks[place].asked.take(observation.request)
  }

  // MARK: The end

  mutating func finish(digest: UInt64) -> ObservedLoad {
    load.blocks.sort { $0.number < $1.number }
    load.digest = ViewKeeper.digits(digest)
    return load
  }
}

extension ObservedLoad.Requests {
  fileprivate mutating func take(_ request: Observation.Request) {
    let sent = request.bytes.isNaN ? 0 : request.bytes
    count += 1
    bytes += sent
    if !request.bytes.isNaN { sized += 1 }
    if request.outcome != .unknown { placed += 1 }
    if !(request.status >= 400) {
      switch request.outcome {
      case .hit, .staleHit, .collapsed:
        hits += 1
        hitBytes += sent
        answered += 1
        answeredBytes += sent
      case .miss, .revalidated:
        answered += 1
        answeredBytes += sent
      case .bypass, .unknown, .error: break
      }
    }
    switch request.outcome {
    case .miss, .bypass: follow(request, sent)
    case .revalidated: follow(request, 0)
    case .hit, .staleHit, .collapsed, .unknown, .error: break
    }
  }

  /// - Parameter fetched: bytes; none where the edge's own copy was still good.
  private mutating func follow(_ request: Observation.Request, _ fetched: Double) {
    fills += 1
    fillBytes += fetched
    switch request.behind {
    case .hit, .staleHit, .collapsed:
      followed += 1
      followedHits += 1
    case .miss, .bypass:
      followed += 1
      originBytes += fetched
    case .revalidated: followed += 1
    case .unknown, .error: break
    }
  }
}
