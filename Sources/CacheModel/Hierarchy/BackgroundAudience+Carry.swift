import AudienceModel
import CachePolicy
import MediaUnits
import SimulationKernel

/// Where a copy with a law is.
struct LawfulNode {
  let node: Int
  let handle: UInt32
  let law: TierLaw
  let clock: DemandClock
}

/// The edges behind a node and their next views, one after the other.
struct LawfulScan {
  var views: [OthersViews] = []
  /// Of each edge: its next view, and when the object was asked for there last, stretched time.
  var next: [OthersView] = []
  var last: [Double] = []
  /// From when on it can be asked for there, seconds of the run.
  var from: [Double] = []
  /// After how long without a request the object has left that edge.
  var kept: [Double] = []
  /// When the copy there was made, seconds of the run.
  var madeAt: [Double] = []

  mutating func removeAll() {
    views.removeAll(keepingCapacity: true)
    next.removeAll(keepingCapacity: true)
    last.removeAll(keepingCapacity: true)
    from.removeAll(keepingCapacity: true)
    kept.removeAll(keepingCapacity: true)
    madeAt.removeAll(keepingCapacity: true)
  }

  /// Whose view comes first.
  var earliest: Int {
    var best = 0
    for index in next.indices where next[index].work < next[best].work { best = index }
    return best
  }
}

/// What those who are not simulated did to a copy since it was asked for last.
///
/// They are views of titles at edges (``OthersViews``), the same ones for every object and node.
/// - An edge is asked by its own views.
/// - A shared tier whose copy has expired is asked by the first view at any edge behind it, because
///   the copies there expired together with it.
/// - A shared tier from which objects leave is asked by each view that finds nothing fresh at its
///   edge: the first one there since the object has left or has expired.
extension BackgroundAudience {
  /// Gaps so much longer than the mean do not occur: an object that is asked for so often does not
  /// leave.
  private static let longestGap = 12.0
  /// Renewals, or requests of a copy that may leave, that are drawn one by one; after more than
  /// these the copy is drawn as in the long run.
  private static let mostRequests = 4096.0

  /// Which requests of a node are looked at.
  private enum Source {
    /// Those after an expiry; nothing else matters.
    case renewals
    /// All views of the node's own edge.
    case views
    /// Those of the edges' requests that they send on.
    case misses
    /// A Poisson process of the rate: where the tiers before do not inherit ages, or are two.
    case poisson(rate: Double)
  }

  /// Carries a copy on from its last request to `end`.
  mutating func carry(
    _ caches: AskedCaches, _ copy: inout LawfulCopy, _ place: LawfulNode, _ what: LawfulObject,
    until end: Double,
    _ draws: inout LawfulDraws
  ) {
    let last = end < what.until + what.delay ? end : what.until + what.delay
    let clock = place.clock
    let kept = place.law.characteristicTime
    let asked = contents.tierDemand.rate(caches.nodes[place.node].tier, what.rate, what.asset)
    let isKept = asked * kept > BackgroundAudience.longestGap
    // Before the run nobody has asked since that request.
    let time = copy.touchedAt > 0 ? copy.touchedAt : 0
    if time < last && what.rate > 0 {
      let span = clock.work(at: last) - clock.work(at: time)
      if span * (isKept ? lawfulCycles(caches, place, what) : asked)
        > BackgroundAudience.mostRequests
      {
        redraw(caches, &copy, place, what, at: last, &draws)
      } else {
        switch source(caches, place, what, asked: asked, isKept: isKept) {
        case .misses: carryMisses(caches, &copy, place, what, from: time, until: last, &draws)
        case let source:
          carryOn(
            caches, &copy, place, what, source, isKept: isKept, from: time, until: last, &draws)
        }
      }
      if isKept && copy.fate == .resident { copy.touchedAt = last }
    }
    let idle = clock.work(at: end) - clock.work(at: copy.touchedAt)
    if copy.fate == .resident && idle > kept {
      copy.fate = .evicted
      copy.touchedAt = clock.time(ofWork: clock.work(at: copy.touchedAt) + kept)
    }
  }

  private mutating func source(
    _ caches: AskedCaches, _ place: LawfulNode, _ what: LawfulObject, asked: Double, isKept: Bool
  ) -> Source {
    let tier = caches.nodes[place.node].tier
    if tier == .edge { return isKept ? .renewals : .views }
    if !contents.tierDemand.expiresTogether(tier) {
      return .poisson(rate: asked * othersShare(caches, place.node))
    }
    // Where nothing leaves the edges, a tier is asked for an object only when that has expired.
    let atEdge = (caches.nodes[0].law?.characteristicTime ?? .infinity) * what.rate
    if isKept || atEdge > BackgroundAudience.longestGap { return .renewals }
    if contents.tierDemand.hasRegions(before: tier) {
      return .poisson(rate: asked * othersShare(caches, place.node))
    }
    return .misses
  }

  /// The part of a shared node's requests that are not simulated, when one of its children asks:
  /// that one has shown that its own viewers did not.
  private mutating func othersShare(_ caches: AskedCaches, _ node: Int) -> Double {
    let tier = caches.nodes[node].tier
    let others = contents.tierDemand.othersShare(tier, simulated: caches.nodes[node].edges)
    let share =
      others + (1 - others) * (1 - simulatedShare)
      - (1 - simulatedShare) / contents.tierDemand.children(tier)
    return share > 0 ? share : 0
  }

  /// Renewals per second of a copy that never leaves.
  private mutating func lawfulCycles(
    _ caches: AskedCaches, _ place: LawfulNode, _ what: LawfulObject
  ) -> Double {
    let tier = caches.nodes[place.node].tier
    let renewing = contents.tierDemand.renewalRate(tier, what.rate, what.asset)
    return 1 / (contents.tierDemand.lifetime(tier, what.asset) + 1 / renewing)
  }

  private mutating func carryOn(
    _ caches: AskedCaches, _ copy: inout LawfulCopy, _ place: LawfulNode, _ what: LawfulObject,
    _ source: Source,
    isKept: Bool, from begin: Double, until last: Double, _ draws: inout LawfulDraws
  ) {
    let clock = place.clock
    let limit = clock.work(at: last)
    var (time, work) = (begin, clock.work(at: begin))
    // When somebody asks again who was told that the origin fails, stretched time.
    var again = Double.infinity
    var isRetried = true
    if case .poisson = source { isRetried = false }
    if isRetried {
      again = firstRetry(caches, of: copy, place, what, inOutageAt: begin, before: last)
    }
    while work < limit {
      if copy.fate == .resident && copy.expiresAt > time, case .renewals = source {
        let expired = clock.work(at: copy.expiresAt)
        if expired > work { work = expired }
      }
      if case .poisson(let rate) = source {
        work = rate > 0 ? work + draws.exponential() / rate : .infinity
      } else {
        work = firstView(
          caches, behind: place.node, what, after: work, before: limit < again ? limit : again,
          seenBy: place.node)
      }
      if work >= again {
        work = again
        again = .infinity
      }
      if work >= limit { return }
      // Stretched time and back is not exact, and time never goes back.
      let found = clock.time(ofWork: work)
      if found > time { time = found }
      let asked = time
      let allowed = ask(caches, &copy, place, what, at: asked, &draws)
      if allowed > time {
        time = allowed
        let resumed = clock.work(at: allowed)
        if resumed > work { work = resumed }
        if isRetried {
          again = firstRetry(caches, of: copy, place, what, inOutageAt: asked, before: last)
        }
      }
    }
  }

  /// One request of those who are not simulated.
  ///
  /// - Returns: when the next one may come.
  private mutating func ask(
    _ caches: AskedCaches, _ copy: inout LawfulCopy, _ place: LawfulNode, _ what: LawfulObject,
    at time: Double,
    _ draws: inout LawfulDraws
  ) -> Double {
    let kept = place.law.characteristicTime
    if copy.fate == .resident && kept.isFinite {
      let gap = place.clock.work(at: time) - place.clock.work(at: copy.touchedAt)
      if gap > kept { copy.fate = .evicted }
    }
    copy.touchedAt = time
    if copy.fate == .resident && time < copy.expiresAt { return time }
    return bring(caches, &copy, place, what, at: time, &draws)
  }

  // MARK: Views

  /// The first view behind a node that asks for an object, in stretched time; `limit` when none
  /// does before that.
  ///
  /// - Parameter observer: a node whose own simulated requests are known; the others' stand for
  ///   views of which nothing is known here.
  mutating func firstView(
    _ caches: AskedCaches, behind node: Int, _ what: LawfulObject, after work: Double,
    before limit: Double,
    seenBy observer: Int
  ) -> Double {
    var best = limit
    // Some of those before are held up until after it.
    let begin = beginOfHeldUp(work)
    let places = node < edges ? node..<(node + 1) : 0..<edges
    for edge in places where isBehind(caches, edge, node) {
      let known = knowledge(caches, of: what, at: edge, seenBy: observer)
      if let clock = demand.clock, known.firstAsked < .infinity || known.outage != nil {
        let first = firstOfWaiting(
          caches, known, for: what, at: edge, after: clock.time(ofWork: work), seenBy: observer)
        let asked = first < .infinity ? clock.work(at: first) : .infinity
        if asked > work && asked < best { best = asked }
      }
      best = firstAsked(
        among: othersViews(caches, at: edge, what, from: known.from), what, from: known.from,
        after: work, before: best, isSimulatedKnown: isBehind(caches, edge, observer),
        lookingFrom: begin)
    }
    if let views = viewsElsewhere(caches, behind: node, what) {
      // None of them is simulated.
      best = firstAsked(
        among: views, what, from: what.from, after: work, before: best, isSimulatedKnown: false,
        lookingFrom: begin)
    }
    return best
  }

  /// The first of some views that asks for an object between two times; the second when none does.
  private mutating func firstAsked(
    among views: consuming OthersViews, _ what: LawfulObject, from: Double, after work: Double,
    before limit: Double, isSimulatedKnown: Bool, lookingFrom begin: Double
  ) -> Double {
    var best = limit
    var view = views.next(after: begin)
    while view.work < best {
      if !(isSimulatedKnown && view.isSimulated) && isAsked(what, by: view, from: from) {
        let asked = heldUp(view, what, from: from)
        if asked > work && asked < best { best = asked }
      }
      if view.work < best { view = views.next() }
    }
    return best
  }

  /// Whether an edge is a node or stands behind it.
  mutating func isBehind(_ caches: AskedCaches, _ edge: Int, _ node: Int) -> Bool {
    if edge == node { return true }
    let next = caches.nodes[edge].next
    return next >= edges && (next == node || caches.nodes[next].next == node)
  }

  /// - Parameter from: nobody views before, seconds of the run.
  mutating func othersViews(
    _ caches: AskedCaches, at edge: Int, _ what: LawfulObject, from: Double
  ) -> OthersViews {
    OthersViews(
      streams, place: caches.nodes[edge].entity, title: what.title, first: what.firstDraw,
      rate: what.views, simulatedShare: simulatedShare, begin: stretched(from), delay: what.shift)
  }

  /// A time of the run in stretched time.
  mutating func stretched(_ time: Double) -> Double {
    time > 0 ? demand.clock?.work(at: time) ?? 0 : 0
  }

  /// Stretched time and back is not exact; views closer together than this are rare, seconds.
  static let sameTime = 1e-6

  /// The views at the edges behind a node that are not simulated; nil for none.
  mutating func viewsElsewhere(
    _ caches: AskedCaches, behind node: Int, _ what: LawfulObject
  ) -> OthersViews? {
    let count = contents.tierDemand.edgesElsewhere(
      caches.nodes[node].tier, simulated: caches.nodes[node].edges)
    if count <= 0 { return nil }
    return OthersViews(
      streams, place: caches.nodes[node].entity, title: what.title, first: what.firstDraw,
      rate: what.views * count, simulatedShare: 0, begin: stretched(what.from), delay: what.shift)
  }

  // MARK: What edges send on

  private mutating func carryMisses(
    _ caches: AskedCaches, _ copy: inout LawfulCopy, _ place: LawfulNode, _ what: LawfulObject,
    from begin: Double,
    until last: Double, _ draws: inout LawfulDraws
  ) {
    var scan = lawfulScan
    lawfulScan = LawfulScan()
    scan.removeAll()
    let clock = place.clock
    open(caches, &scan, copy, place, what, at: clock.work(at: begin))
    let limit = clock.work(at: last)
    let lifetime = contents.tierDemand.lifetime(.edge, what.asset)
    var allowed = begin
    while !scan.next.isEmpty {
      let edge = scan.earliest
      let view = scan.next[edge]
      if view.work >= limit { break }
      scan.next[edge] = scan.views[edge].next()
      if !isAsked(what, by: view, from: scan.from[edge]) { continue }
      let time = clock.time(ofWork: view.work)
      let isSent: Bool
      if edge < scan.kept.count {
        isSent =
          view.work - scan.last[edge] > scan.kept[edge] || time >= scan.madeAt[edge] + lifetime
      } else {
        isSent =
          copy.fate == .resident && time >= copy.expiresAt
          || view.asks(elsewhereShare(caches, what), group: .max)
      }
      scan.last[edge] = view.work
      if !isSent || time < allowed { continue }
      // What a simulated viewer asks for has come by itself.
      if !view.isSimulated { allowed = ask(caches, &copy, place, what, at: time, &draws) }
      if edge < scan.madeAt.count { scan.madeAt[edge] = copy.madeAt }
    }
    lawfulScan = scan
  }

  /// The part of the requests at edges that are not simulated which they send on.
  private mutating func elsewhereShare(_ caches: AskedCaches, _ what: LawfulObject) -> Double {
    let kept = caches.nodes[0].law?.characteristicTime ?? .infinity
    return kept.isFinite ? PortableMath.exp(-what.rate * kept) : 0
  }

  /// The edges behind a node with the views that follow a time.
  private mutating func open(
    _ caches: AskedCaches, _ scan: inout LawfulScan, _ copy: LawfulCopy, _ place: LawfulNode,
    _ what: LawfulObject,
    at work: Double
  ) {
    let came = place.clock.work(at: copy.cameAt)
    for edge in 0..<edges where isBehind(caches, edge, place.node) {
      let from = knowledge(caches, of: what, at: edge, seenBy: place.node).from
      let begin = stretched(from)
      let kept = caches.nodes[edge].law?.characteristicTime ?? .infinity
      var last = -Double.infinity
      var made = -Double.infinity
      var first = work - kept
      if first < begin {
        first = begin
        let key = caches.nodes[place.node].entries[Int(place.handle)].key
        if what.from < 0,
          let drawn = contents.drawnCopy(
            caches.nodes, edge, key: key, what.asset, edgeRate: what.rate),
          drawn.lastRequest <= kept
        {
          last = -drawn.lastRequest
          made = -drawn.age
        }
      }
      var views = othersViews(caches, at: edge, what, from: from)
      var view = views.next(after: first)
      while view.work <= work {
        if isAsked(what, by: view, from: from) {
          last = view.work
          // From this tier's copy if that was here; else it may be as new as this view.
          made =
            copy.fate == .resident && last >= came ? copy.madeAt : place.clock.time(ofWork: last)
        }
        view = views.next()
      }
      scan.views.append(views)
      scan.next.append(view)
      scan.from.append(from)
      scan.last.append(last)
      scan.kept.append(kept)
      scan.madeAt.append(made)
    }
    if var views = viewsElsewhere(caches, behind: place.node, what) {
      let begin = stretched(what.from)
      scan.next.append(views.next(after: work > begin ? work : begin))
      scan.views.append(views)
      scan.from.append(what.from)
      scan.last.append(-.infinity)
    }
  }

  // MARK: The long run

  /// Draws a copy as a long run would have left it at a time.
  private mutating func redraw(
    _ caches: AskedCaches, _ copy: inout LawfulCopy, _ place: LawfulNode, _ what: LawfulObject,
    at time: Double,
    _ draws: inout LawfulDraws
  ) {
    let tier = caches.nodes[place.node].tier
    let lifetime = contents.tierDemand.lifetime(tier, what.asset)
    let renewing = contents.tierDemand.renewalRate(tier, what.rate, what.asset)
    let waited = contents.tierDemand.silence(tier, what.rate, what.asset).window(
      draws.exponential())
    copy.touchedAt = time - waited
    copy.fate = waited <= place.law.characteristicTime ? .resident : .evicted
    copy.lifetime = lifetime
    let stale = contents.tierDemand.expiredShare(tier, renewing, what.asset)
    let age =
      draws.uniform() < stale
      ? lifetime + draws.exponential() / renewing : draws.uniform() * lifetime
    copy.madeAt = time - age
    copy.before = nil
    copy.cameAt = copy.madeAt < copy.touchedAt ? copy.madeAt : copy.touchedAt
    copy.isChanged = true
    noteManifest(
      at: place.node, what.object, madeAt: copy.madeAt, cameAt: copy.cameAt,
      expiredAt: -.infinity, isAwaited: false)
  }
}
