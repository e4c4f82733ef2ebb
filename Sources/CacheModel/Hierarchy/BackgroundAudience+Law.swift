import AudienceModel
import CachePolicy
import MediaUnits
import ModelBasics
import SimulationKernel

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

extension BackgroundAudience {
  /// Whether the law covers an object, and who asks for it.
  ///
  /// A new title of a crowd is seen once by every session (``UnseenShare``). What a manifest names
  /// is asked for since a manifest at the node has named it.
  mutating func lawfulObject(
    _ node: Int, _ key: UInt64, _ asset: AssetClass
  ) -> LawfulObject? {
    guard let copies = contents.keyCopies else { return nil }
    let object = UInt32(truncatingIfNeeded: key)
    let number = object / ObjectLayout.stride
    var views: Double
    var from = start == .stationary ? -Double.infinity : 0
    var until = Double.infinity
    var base = number
    var version: VersionArrival?
    var unseen: UnseenShare?
    let offset = Int(object % ObjectLayout.stride)
    let perView: Double
    if number >= numbers.firstOfCrowds && number < numbers.firstArrival {
      perView = demand.perView[offset, contents.segmentCount(of: number)]
      let crowd = configuration.value.crowds[Int(number - numbers.firstOfCrowds)]
      views =
        scaleFactor / (sessionGap * Double(edges)) * crowd.newTitleShare
        * demand.viewsPerSession
      unseen = UnseenShare(
        perItem: crowd.newTitleShare, viewsPerSession: demand.viewsPerSession,
        sessionSeconds: configuration.value.sessionSeconds,
        arrivals: arrivals(with: crowd))
      from = (warmUp + crowd.from).seconds
      until = from + crowd.length.seconds
    } else {
      guard let (title, since) = numbers.base(of: number), title < headTitles else { return nil }
      views = demand.viewRates[Int(title)]
      perView = demand.perView[offset, contents.segmentCount(of: title)]
      if let since { from = since }
      base = title
      if asset != .mediaManifest && asset != .poster,
        let arrival = versionArrival(node, object)
      {
        // A copy that an edge brings has been at the tiers behind it since it was made.
        let since = node < edges ? arrival.since : min(arrival.since, arrival.madeAt)
        if since > from { from = since }
        version = arrival
      }
    }
    return LawfulObject(
      object: object, asset: asset, title: base,
      firstDraw: UInt32(truncatingIfNeeded: key >> 32) &* 0x9E37_79B1,
      views: views * demand.perView.items / copies, perView: perView / demand.perView.items,
      delay: demand.delays.mean(offset),
      isNew: number != base || unseen != nil, from: from, until: until, version: version,
      unseen: unseen)
  }

  /// The rate of new sessions in the middle of a crowd over that just before it.
  private mutating func arrivals(with crowd: Crowd) -> Double {
    let middle = (crowd.from + crowd.length / 2).seconds
    var rates = (before: 1.0, during: 1.0)
    if let day = configuration.value.day {
      rates = (day.rate(at: crowd.from.seconds), day.rate(at: middle))
    }
    for other in configuration.value.crowds {
      rates.during += other.extra.rate(at: middle)
      if other.from < crowd.from { rates.before += other.extra.rate(at: crowd.from.seconds) }
    }
    return rates.before > 0 ? rates.during / rates.before : rates.during
  }

  /// Whether a view asks for an object.
  ///
  /// Nobody has viewed a title before it is there: of what is asked for some time after a view's
  /// beginning, only a share can have been asked for by then.
  ///
  /// - Parameter from: when it can have been asked for first at the view's edge.
  mutating func isAsked(
    _ what: LawfulObject, by view: OthersView, from: Double
  ) -> Bool {
    if !what.isAsked(by: view) { return false }
    if !what.isNew { return true }
    guard let time = demand.clock?.time(ofWork: view.work) else { return true }
    let age = time - from
    if let unseen = what.unseen, !view.asks(unseen.at(age), group: .max - 1) { return false }
    let offset = Int(what.object % ObjectLayout.stride)
    return what.isAsked(by: view, within: demand.delays.share(offset, within: age))
  }

  /// Brings an object with a law to the present: what the others did to it since it was last asked
  /// for.
  ///
  /// - Parameter isNew: nothing is known of the object yet.
  mutating func passLaw(
    _ caches: AskedCaches, _ node: Int, _ handle: UInt32, isNew: Bool, purges: [CachePurge],
    at now: Instant
  ) -> OthersFetch? {
    let index = Int(handle)
    let machine = Int(caches.nodes[node].entries[index].machine)
    // What it had to remember, such as a failure, may be over.
    if machine >= 0 { _ = caches.nodes[node].releaseIfIdle(machine, at: now) }
    if caches.asker.version.since < .infinity {
      noteVersion(at: node, caches.nodes[node].entries[index].object, caches.asker.version)
    }
    if isNew {
      let entry = caches.nodes[node].entries[index]
      guard let what = lawfulObject(node, entry.key, entry.asset) else { return nil }
      caches.nodes[node].entries[index].isLawful = true
      caches.nodes[node].touch(handle, at: .zero)
      if what.from < 0 { contents.drawResident(caches.nodes, node, handle, at: now) }
      drawShadows(caches, node, handle, what)
    }
    for purge in purges where purge.at <= now {
      let entry = caches.nodes[node].entries[index]
      if !purge.covers(entry.asset) || entry.stored.storedAt >= purge.at
        || caches.nodes[node].touched(handle) >= purge.at
      {
        continue
      }
      _ = passLaw(caches, node, handle, until: purge.at)
      caches.nodes[node].discard(handle, .purged, at: purge.at, now: now)
      caches.nodes[node].touch(handle, at: purge.at)
      caches.nodes[node].purgeShadows(handle, at: BackgroundAudience.seconds(purge.at))
    }
    learn(caches, node, handle)
    let others = passLaw(caches, node, handle, until: now)
    caches.nodes[node].touch(handle, at: now)
    return others
  }

  /// The copy of the node that asks came from here: this node had that one, and it expired when
  /// that did. What was drawn for time zero was drawn for each node by itself.
  private mutating func learn(_ caches: AskedCaches, _ node: Int, _ handle: UInt32) {
    let index = Int(handle)
    guard let made = caches.asker.copyMadeAt, made >= .zero,
      caches.nodes[node].entries[index].machine < 0
    else { return }
    let entry = caches.nodes[node].entries[index]
    let own = entry.stored.storedAt.advanced(saturatingBy: -entry.stored.initialAge)
    if entry.fate == .resident && own >= made { return }
    if entry.fate != .resident && entry.fate != .never && caches.nodes[node].touched(handle) > made
    {
      return
    }
    let asset = Int(entry.asset.rawValue)
    guard
      let response = caches.nodes[node].configuration.ttl.store(
        said.directives[asset], at: made, initialAge: .zero)
    else { return }
    caches.nodes[node].entries[index].stored = response
    caches.nodes[node].entries[index].stated = said.usualLifetimes[asset]
    caches.nodes[node].entries[index].source = .origin
    caches.nodes[node].entries[index].fate = .resident
    caches.nodes[node].touch(handle, at: max(made, caches.nodes[node].touched(handle)))
  }

  private mutating func passLaw(
    _ caches: AskedCaches, _ node: Int, _ handle: UInt32, until now: Instant
  ) -> OthersFetch? {
    guard let law = caches.nodes[node].law, let clock = demand.clock else { return nil }
    let entry = caches.nodes[node].entries[Int(handle)]
    let touched = caches.nodes[node].touched(handle)
    if entry.machine >= 0 || now <= touched { return nil }
    if entry.fate == .resident && entry.stored.lifetimeRemaining(at: now) > .zero {
      if law.characteristicTime == .infinity { return nil }
      let gap =
        clock.work(at: BackgroundAudience.seconds(now))
        - clock.work(at: BackgroundAudience.seconds(touched))
      if gap <= law.characteristicTime { return nil }
    }
    guard let what = lawfulObject(node, entry.key, entry.asset) else { return nil }
    var copy = LawfulCopy(
      fate: entry.fate,
      madeAt: BackgroundAudience.seconds(entry.stored.storedAt) - entry.stored.initialAge.seconds,
      lifetime: entry.stored.lifetime.seconds, touchedAt: BackgroundAudience.seconds(touched),
      cameAt: BackgroundAudience.seconds(entry.stored.storedAt))
    if copy.touchedAt < what.from { copy.touchedAt = what.from }
    var draws = LawfulDraws(
      streams: streams, entity: UInt64(caches.nodes[node].entity) << 32 | UInt64(entry.object),
      first: what.firstDraw, draw: entry.otherDraws)
    caches.nodes[node].tellShadow(handle, madeAt: copy.madeAt, cameAt: copy.cameAt, copy.expiresAt)
    let place = LawfulNode(node: node, handle: handle, law: law, clock: clock)
    carry(caches, &copy, place, what, until: BackgroundAudience.seconds(now), &draws)
    let others = waitForCopy(caches, &copy, node, handle, at: now, &draws)
    caches.nodes[node].entries[Int(handle)].otherDraws = draws.draw
    writeDown(caches, copy, node, handle)
    return others
  }

  /// A copy of a title's manifest that was made at `madeAt` has come to a node, where the one
  /// before it has expired at `expiredAt`.
  mutating func noteManifest(
    at node: Int, _ object: UInt32, madeAt: Double, cameAt: Double, expiredAt: Double,
    isAwaited: Bool
  ) {
    if !numbers.hasVersions { return }
    if object % ObjectLayout.stride != ObjectLayout.mediaManifest { return }
    let title = TitleID(object / ObjectLayout.stride)
    let named = numbers.number(of: title, at: BackgroundAudience.instant(madeAt))
    if named == title.index { return }
    noteVersion(
      at: node, ObjectLayout.object(named, 0),
      VersionArrival(
        since: cameAt, madeAt: madeAt, expiredAt: expiredAt, isAwaited: isAwaited))
  }

  static func seconds(_ time: Instant) -> Double { Double(time.nanoseconds) * 1e-9 }

  /// Writes down what has become of a copy.
  private mutating func writeDown(
    _ caches: AskedCaches, _ copy: LawfulCopy, _ node: Int, _ handle: UInt32
  ) {
    let index = Int(handle)
    if copy.fate != .resident {
      if caches.nodes[node].entries[index].fate == .resident {
        caches.nodes[node].entries[index].fate = copy.fate
        caches.nodes[node].entries[index].stored.storedAt = BackgroundAudience.instant(
          copy.touchedAt)
      }
      caches.nodes[node].touch(handle, at: BackgroundAudience.instant(copy.touchedAt))
      return
    }
    caches.nodes[node].touch(handle, at: BackgroundAudience.instant(copy.touchedAt))
    if !copy.isChanged { return }
    let asset = Int(caches.nodes[node].entries[index].asset.rawValue)
    let stated = lawfulDirectives(caches.nodes[node].entries[index].asset, at: copy.madeAt)
    let came = BackgroundAudience.instant(copy.cameAt)
    let age = came - BackgroundAudience.instant(copy.madeAt)
    guard
      let response = caches.nodes[node].configuration.ttl.store(
        stated, at: came, initialAge: age > .zero ? age : .zero)
    else { return }
    caches.nodes[node].entries[index].stored = response
    caches.nodes[node].entries[index].stated = stated.maxAge ?? said.usualLifetimes[asset]
    caches.nodes[node].entries[index].source = .origin
    caches.nodes[node].entries[index].fate = .resident
  }

  static func instant(_ seconds: Double) -> Instant {
    Instant.zero.advanced(saturatingBy: TimeSpan(seconds: seconds))
  }

  /// What the origin says of a copy that is made at `time`; without jitter, which evens out.
  mutating func lawfulDirectives(_ asset: AssetClass, at time: Double) -> CacheDirectives {
    let place = Int(asset.rawValue)
    let made = BackgroundAudience.instant(time)
    return said.directives(
      for: asset,
      lifetime: said.rules[place].lifetime(
        said.usualLifetimes[place], at: made > .zero ? made : .zero, u: 0.5))
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
