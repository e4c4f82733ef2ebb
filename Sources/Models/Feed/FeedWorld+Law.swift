import CachePolicy
import MediaUnits
import SimulationKernel

/// How often those who are not simulated ask one node for one object.
struct LawfulDemand {
  /// Requests per second of stretched time: all of them, and those that come while the copy is
  /// stale.
  var asked: Double
  var renewing: Double
  /// Seconds of the run in which they ask.
  var from: Double
  var until: Double
}

/// A copy at a node as the law carries it on, times in seconds of the run.
struct LawfulCopy {
  var fate: CopyFate
  /// When it was made at the origin, and how old it may become there.
  var madeAt: Double
  var lifetime: Double
  /// When anybody asked for it last; since when it is absent.
  var touchedAt: Double
  /// When it came to this node.
  var cameAt: Double
  /// It was drawn anew.
  var isChanged = false
  /// What was here before the copy, which may still be on its way.
  var before: (fate: CopyFate, madeAt: Double, lifetime: Double, cameAt: Double)?

  var expiresAt: Double { madeAt + lifetime }
}

extension FeedWorld {
  /// Whether the law covers an object, and who asks for it at one edge: requests per second of
  /// stretched time, between two times of the run.
  ///
  /// A new title of a crowd is seen once by every session that comes while the crowd is there.
  mutating func lawfulRate(
    _ object: UInt32
  ) -> (rate: Double, from: Double, until: Double)? {
    guard let demand, let copies = keyCopies else { return nil }
    let number = object / ObjectLayout.stride
    let perView = demand.requestsPerView[Int(object % ObjectLayout.stride)] / copies
    if number >= numbers.firstOfCrowds && number < numbers.firstArrival {
      let crowd = audience.pointee.crowds[Int(number - numbers.firstOfCrowds)]
      let items = crowd.newTitleShare * demand.viewsPerSession
      let sessions = configuration.scale.factor / (sessionGap * Double(edges))
      let from = (configuration.cdn.warmUp + crowd.from).seconds
      return (
        sessions * (items < 1 ? items : 1) * perView, from, from + crowd.length.seconds
      )
    }
    guard let (title, since) = numbers.base(of: number), title < headTitles else { return nil }
    let begin: Double = start == .stationary ? -.infinity : 0
    return (demand.viewRates[Int(title)] * perView, since ?? begin, .infinity)
  }

  /// Brings an object with a law to the present: what the others did to it since it was last asked
  /// for.
  ///
  /// - Parameter isNew: nothing is known of the object yet.
  mutating func passLaw(_ node: Int, _ handle: UInt32, isNew: Bool, at now: Instant) {
    let index = Int(handle)
    if isNew {
      guard let life = lawfulRate(nodes[node].entries[index].object) else { return }
      nodes[node].entries[index].isLawful = true
      nodes[node].touch(handle, at: .zero)
      if start == .stationary && life.from < 0 { drawResident(node, handle, at: now) }
    }
    for purge in purges where purge.at <= now {
      let entry = nodes[node].entries[index]
      if !purge.covers(entry.asset) || entry.stored.storedAt >= purge.at
        || nodes[node].touched(handle) >= purge.at
      {
        continue
      }
      passLaw(node, handle, until: purge.at)
      othersFetch = nil
      nodes[node].discard(handle, .purged, at: purge.at, now: now)
      nodes[node].touch(handle, at: purge.at)
    }
    learn(node, handle)
    passLaw(node, handle, until: now)
    nodes[node].touch(handle, at: now)
  }

  /// A child's copy came from here: this node had that one, and it expired when the child's did.
  private mutating func learn(_ node: Int, _ handle: UInt32) {
    let index = Int(handle)
    guard let made = childCopyMadeAt, nodes[node].entries[index].machine < 0 else { return }
    let entry = nodes[node].entries[index]
    let own = entry.stored.storedAt.advanced(saturatingBy: -entry.stored.initialAge)
    if entry.fate == .resident && own >= made { return }
    if entry.fate != .resident && entry.fate != .never && nodes[node].touched(handle) > made {
      return
    }
    let asset = Int(entry.asset.rawValue)
    guard
      let response = nodes[node].configuration.ttl.store(
        directives[asset], at: made, initialAge: .zero)
    else { return }
    nodes[node].entries[index].stored = response
    nodes[node].entries[index].stated = usualLifetimes[asset]
    nodes[node].entries[index].source = .origin
    nodes[node].entries[index].fate = .resident
    nodes[node].touch(handle, at: max(made, nodes[node].touched(handle)))
  }

  private mutating func passLaw(_ node: Int, _ handle: UInt32, until now: Instant) {
    guard let law = nodes[node].law, let clock = demand?.clock else { return }
    let entry = nodes[node].entries[Int(handle)]
    let touched = nodes[node].touched(handle)
    if entry.machine >= 0 || now <= touched { return }
    if entry.fate == .resident && entry.stored.lifetimeRemaining(at: now) > .zero {
      if law.characteristicTime == .infinity { return }
      let gap = clock.work(at: seconds(now)) - clock.work(at: seconds(touched))
      if gap <= law.characteristicTime { return }
    }
    guard let wanted = lawfulDemand(node, entry) else { return }
    var copy = LawfulCopy(
      fate: entry.fate, madeAt: seconds(entry.stored.storedAt) - entry.stored.initialAge.seconds,
      lifetime: entry.stored.lifetime.seconds, touchedAt: seconds(touched),
      cameAt: seconds(entry.stored.storedAt))
    if copy.touchedAt < wanted.from { copy.touchedAt = wanted.from }
    var draws = LawfulDraws(
      streams: streams,
      entity: UInt64(nodes[node].entity) << 32 | UInt64(FeedWorld.lawfulKey(entry.object)),
      first: UInt32(truncatingIfNeeded: entry.key >> 32) &* 0x9E37_79B1, draw: entry.otherDraws)
    carry(&copy, node, entry, wanted, law, clock, until: seconds(now), &draws)
    waitForCopy(&copy, node, handle, at: now, &draws)
    nodes[node].entries[Int(handle)].otherDraws = draws.draw
    writeDown(copy, node, handle)
  }

  /// Whose random numbers an object has: those of its title. A viewer asks for a title's objects
  /// together, so that they are renewed together, each at its own rate.
  static func lawfulKey(_ object: UInt32) -> UInt32 { object - object % ObjectLayout.stride }

  private func seconds(_ time: Instant) -> Double { Double(time.nanoseconds) * 1e-9 }

  private mutating func lawfulDemand(_ node: Int, _ entry: NodeEntry) -> LawfulDemand? {
    guard let life = lawfulRate(entry.object) else { return nil }
    let tier = nodes[node].tier
    let foreground = 1 / configuration.scale.factor
    let others = 1 - tierDemand.othersShare(tier, simulated: nodes[node].edges)
    let share = 1 - (tier == .edge ? 1 : others) * foreground
    return LawfulDemand(
      asked: tierDemand.rate(tier, life.rate, entry.asset) * share,
      renewing: tierDemand.renewalRate(tier, life.rate, entry.asset) * share,
      from: life.from, until: life.until)
  }

  /// Writes down what has become of a copy.
  private mutating func writeDown(_ copy: LawfulCopy, _ node: Int, _ handle: UInt32) {
    let index = Int(handle)
    if copy.fate != .resident {
      if nodes[node].entries[index].fate == .resident {
        nodes[node].entries[index].fate = copy.fate
        nodes[node].entries[index].stored.storedAt = instant(copy.touchedAt)
      }
      nodes[node].touch(handle, at: instant(copy.touchedAt))
      return
    }
    nodes[node].touch(handle, at: instant(copy.touchedAt))
    if !copy.isChanged { return }
    let asset = Int(nodes[node].entries[index].asset.rawValue)
    let stated = lawfulDirectives(nodes[node].entries[index].asset, at: copy.madeAt)
    let came = instant(copy.cameAt)
    let age = came - instant(copy.madeAt)
    guard
      let response = nodes[node].configuration.ttl.store(
        stated, at: came, initialAge: age > .zero ? age : .zero)
    else { return }
    nodes[node].entries[index].stored = response
    nodes[node].entries[index].stated = stated.maxAge ?? usualLifetimes[asset]
    nodes[node].entries[index].source = .origin
    nodes[node].entries[index].fate = .resident
  }

  private func instant(_ seconds: Double) -> Instant {
    Instant.zero.advanced(saturatingBy: TimeSpan(seconds: seconds))
  }

  /// What the origin says of a copy that is made at `time`; without jitter, which evens out.
  private mutating func lawfulDirectives(_ asset: AssetClass, at time: Double) -> CacheDirectives {
    let place = Int(asset.rawValue)
    let made = instant(time)
    return directives(
      for: asset,
      lifetime: assetRules[place].lifetime(
        usualLifetimes[place], at: made > .zero ? made : .zero, u: 0.5))
  }

  // MARK: Carrying a copy on

  /// Gaps so much longer than the mean do not occur: an object that is asked for so often does not
  /// leave.
  private static let longestGap = 12.0
  /// Requests that are drawn one by one; after more than these the copy is drawn as in the long
  /// run.
  private static let mostRequests = 4096.0

  /// Carries a copy on from its last request to `end`.
  private mutating func carry(
    _ copy: inout LawfulCopy, _ node: Int, _ entry: NodeEntry, _ wanted: LawfulDemand,
    _ law: TierLaw, _ clock: DemandClock, until end: Double, _ draws: inout LawfulDraws
  ) {
    let last = end < wanted.until ? end : wanted.until
    let isKept = wanted.asked * law.characteristicTime > FeedWorld.longestGap
    // Before the run nobody has asked since that request.
    var time = copy.touchedAt > 0 ? copy.touchedAt : 0
    let expected =
      (clock.work(at: last) - clock.work(at: time))
      * (isKept ? lawfulCycles(node, entry, wanted) : wanted.asked)
    if expected > FeedWorld.mostRequests {
      redraw(&copy, node, entry, wanted, law, at: last, &draws)
    } else if wanted.asked > 0 {
      while time < last {
        time = nextRequest(copy, wanted, clock, after: time, isKept: isKept, &draws)
        if time >= last { break }
        let gap = clock.work(at: time) - clock.work(at: copy.touchedAt)
        if copy.fate == .resident && !isKept && gap > law.characteristicTime {
          copy.fate = .evicted
        }
        copy.touchedAt = time
        if copy.fate != .resident || time >= copy.expiresAt {
          time = bring(&copy, node, entry, clock, at: time, &draws)
        }
      }
      if isKept && copy.fate == .resident { copy.touchedAt = last }
    }
    let idle = clock.work(at: end) - clock.work(at: copy.touchedAt)
    if copy.fate == .resident && idle > law.characteristicTime {
      copy.fate = .evicted
      copy.touchedAt = clock.time(
        ofWork: clock.work(at: copy.touchedAt) + law.characteristicTime)
    }
  }

  /// When the others ask next; of a copy that does not leave, when they ask for a new one.
  private mutating func nextRequest(
    _ copy: LawfulCopy, _ wanted: LawfulDemand, _ clock: DemandClock, after time: Double,
    isKept: Bool, _ draws: inout LawfulDraws
  ) -> Double {
    let work = clock.work(at: time)
    let gap = draws.exponential()
    // What was never here is at no node before this one: all their viewers ask for it.
    if copy.fate == .never { return clock.time(ofWork: work + gap / wanted.renewing) }
    if copy.fate != .resident { return clock.time(ofWork: work + gap / wanted.asked) }
    if time >= copy.expiresAt { return clock.time(ofWork: work + gap / wanted.renewing) }
    let expired = clock.work(at: copy.expiresAt)
    if isKept { return clock.time(ofWork: expired + gap / wanted.renewing) }
    let next = work + gap / wanted.asked
    if next <= expired || wanted.renewing == wanted.asked { return clock.time(ofWork: next) }
    return clock.time(ofWork: expired + draws.exponential() / wanted.renewing)
  }

  /// Renewals per second of a copy that never leaves.
  private mutating func lawfulCycles(
    _ node: Int, _ entry: NodeEntry, _ wanted: LawfulDemand
  ) -> Double {
    let lifetime = tierDemand.lifetime(nodes[node].tier, entry.asset)
    return 1 / (lifetime + 1 / wanted.renewing)
  }

  /// Draws a copy as a long run would have left it at a time.
  private mutating func redraw(
    _ copy: inout LawfulCopy, _ node: Int, _ entry: NodeEntry, _ wanted: LawfulDemand,
    _ law: TierLaw, at time: Double, _ draws: inout LawfulDraws
  ) {
    let lifetime = tierDemand.lifetime(nodes[node].tier, entry.asset)
    let waited = draws.exponential() / wanted.asked
    copy.touchedAt = time - waited
    copy.fate = waited <= law.characteristicTime ? .resident : .evicted
    copy.lifetime = lifetime
    let stale = tierDemand.expiredShare(nodes[node].tier, wanted.renewing, entry.asset)
    let age =
      draws.uniform() < stale
      ? lifetime + draws.exponential() / wanted.renewing : draws.uniform() * lifetime
    copy.madeAt = time - age
    copy.before = nil
    copy.cameAt = copy.madeAt < copy.touchedAt ? copy.madeAt : copy.touchedAt
    copy.isChanged = true
  }

  /// Somebody who is not simulated fetches a copy: with the age that the next tier's has. While
  /// the origin fails, what is here stays as it is.
  ///
  /// - Returns: when the next one may.
  private mutating func bring(
    _ copy: inout LawfulCopy, _ node: Int, _ entry: NodeEntry, _ clock: DemandClock,
    at time: Double, _ draws: inout LawfulDraws
  ) -> Double {
    let made = madeAtNext(copy, node, entry, clock, at: time, &draws)
    if made == time, let outage = origin.configuration.outage(at: instant(time)) {
      return seconds(outage.end)
    }
    copy.before = (copy.fate, copy.madeAt, copy.lifetime, copy.cameAt)
    copy.fate = .resident
    copy.madeAt = made
    copy.cameAt = time
    copy.lifetime = nodes[node].configuration.ttl.lifetime(
      of: lawfulDirectives(entry.asset, at: made))
    copy.isChanged = true
    return time
  }

  /// When the copy was made that the next tier gives at `time`.
  ///
  /// The next tier's copy expired when the last one here did, and all viewers behind it renew it;
  /// without such a copy its state is that of the long run.
  private mutating func madeAtNext(
    _ copy: LawfulCopy, _ node: Int, _ entry: NodeEntry, _ clock: DemandClock, at time: Double,
    _ draws: inout LawfulDraws
  ) -> Double {
    let next = nodes[node].next
    guard next >= 0, nodes[node].configuration.inheritsAge, let life = lawfulRate(entry.object)
    else { return time }
    let tier = nodes[next].tier
    let lifetime = tierDemand.lifetime(tier, entry.asset)
    let asked = tierDemand.rate(tier, life.rate, entry.asset)
    let renewing = tierDemand.renewalRate(tier, life.rate, entry.asset)
    if lifetime <= 0 || renewing <= 0 { return time }
    if let kept = nodes[next].law?.characteristicTime, kept.isFinite,
      draws.uniform() < PortableMath.exp(-asked * kept)
    {
      return time
    }
    let cycles = (time - copy.madeAt) / (lifetime + 1 / renewing)
    if copy.fate != .resident || cycles > 64 {
      if life.from > -.infinity {
        // Perhaps nobody has asked for it before.
        let asked = renewing * (clock.work(at: time) - clock.work(at: life.from))
        if draws.uniform() < PortableMath.exp(-asked) { return time }
      }
      var age = draws.uniform() * lifetime
      if draws.uniform() < tierDemand.expiredShare(tier, renewing, entry.asset) {
        let waited = draws.exponential() / renewing
        if waited >= staleSpan(next, entry.asset) { return time }
        age = lifetime + waited
      }
      return time - age > life.from ? time - age : life.from
    }
    // A copy that came stale was renewed there at once.
    var made = copy.expiresAt <= copy.cameAt ? copy.cameAt : copy.madeAt
    let usable = lifetime + staleSpan(next, entry.asset)
    while true {
      if time < made + lifetime { return made }
      var renewed = clock.time(
        ofWork: clock.work(at: made + lifetime) + draws.exponential() / renewing)
      if renewed < time, let outage = origin.configuration.outage(at: instant(renewed)) {
        renewed = seconds(outage.end)
      }
      if renewed >= time { return time < made + usable ? made : time }
      made = renewed
    }
  }

  /// For how long after it has expired a node gives a copy away while it renews it, seconds.
  private mutating func staleSpan(_ node: Int, _ asset: AssetClass) -> Double {
    let tier = nodes[node].configuration
    guard tier.collapsing.revalidation == .background,
      let response = tier.ttl.store(directives[Int(asset.rawValue)], at: .zero, initialAge: .zero)
    else { return 0 }
    return response.staleWhileRevalidate.seconds
  }
}

/// Random numbers of one object at one node, one after the other.
struct LawfulDraws {
  let streams: RandomStreams
  let entity: UInt64
  let first: UInt32
  var draw: UInt32

  mutating func uniform() -> Double {
    let u = streams.uniform(.others, entity: entity, draw: first &+ draw)
    draw &+= 1
    return u
  }

  mutating func exponential() -> Double { -PortableMath.log(uniform()) }
}
