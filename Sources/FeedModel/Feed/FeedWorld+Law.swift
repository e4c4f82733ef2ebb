import AudienceModel
import CacheModel
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

extension FeedWorld {
  /// Whether the law covers an object, and who asks for it.
  ///
  /// A new title of a crowd is seen once by every session (``UnseenShare``). What a manifest names
  /// is asked for since a manifest at the node has named it.
  mutating func lawfulObject(
    _ node: Int, _ key: UInt64, _ asset: AssetClass
  ) -> LawfulObject? {
    guard let demand, let copies = keyCopies else { return nil }
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
      perView = demand.perView[offset, segmentCount(of: number)]
      let crowd = audience.pointee.crowds[Int(number - numbers.firstOfCrowds)]
      views =
        configuration.scale.factor / (sessionGap * Double(edges)) * crowd.newTitleShare
        * demand.viewsPerSession
      unseen = UnseenShare(
        perItem: crowd.newTitleShare, viewsPerSession: demand.viewsPerSession,
        sessionSeconds: audience.pointee.sessionLength.mean,
        arrivals: arrivals(with: crowd))
      from = (configuration.cdn.warmUp + crowd.from).seconds
      until = from + crowd.length.seconds
    } else {
      guard let (title, since) = numbers.base(of: number), title < headTitles else { return nil }
      views = demand.viewRates[Int(title)]
      perView = demand.perView[offset, segmentCount(of: title)]
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
    if let day = audience.pointee.day {
      rates = (day.rate(at: crowd.from.seconds), day.rate(at: middle))
    }
    for other in audience.pointee.crowds {
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
    guard let time = demand?.clock?.time(ofWork: view.work) else { return true }
    let age = time - from
    if let unseen = what.unseen, !view.asks(unseen.at(age), group: .max - 1) { return false }
    let offset = Int(what.object % ObjectLayout.stride)
    return what.isAsked(by: view, within: demand?.delays.share(offset, within: age) ?? 1)
  }

  /// Brings an object with a law to the present: what the others did to it since it was last asked
  /// for.
  ///
  /// - Parameter isNew: nothing is known of the object yet.
  mutating func passLaw(_ node: Int, _ handle: UInt32, isNew: Bool, at now: Instant) {
    let index = Int(handle)
    let machine = Int(nodes[node].entries[index].machine)
    // What it had to remember, such as a failure, may be over.
    if machine >= 0 { _ = nodes[node].releaseIfIdle(machine, at: now) }
    if childVersion.since < .infinity {
      noteVersion(at: node, nodes[node].entries[index].object, childVersion)
    }
    if isNew {
      let entry = nodes[node].entries[index]
      guard let what = lawfulObject(node, entry.key, entry.asset) else { return }
      nodes[node].entries[index].isLawful = true
      nodes[node].touch(handle, at: .zero)
      if what.from < 0 { drawResident(node, handle, at: now) }
      drawShadows(node, handle, what)
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
      nodes[node].purgeShadows(handle, at: seconds(purge.at))
    }
    learn(node, handle)
    passLaw(node, handle, until: now)
    nodes[node].touch(handle, at: now)
  }

  /// A child's copy came from here: this node had that one, and it expired when the child's did.
  /// What was drawn for time zero was drawn for each node by itself.
  private mutating func learn(_ node: Int, _ handle: UInt32) {
    let index = Int(handle)
    guard let made = childCopyMadeAt, made >= .zero, nodes[node].entries[index].machine < 0
    else { return }
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
    guard let what = lawfulObject(node, entry.key, entry.asset) else { return }
    var copy = LawfulCopy(
      fate: entry.fate, madeAt: seconds(entry.stored.storedAt) - entry.stored.initialAge.seconds,
      lifetime: entry.stored.lifetime.seconds, touchedAt: seconds(touched),
      cameAt: seconds(entry.stored.storedAt))
    if copy.touchedAt < what.from { copy.touchedAt = what.from }
    var draws = LawfulDraws(
      streams: streams, entity: UInt64(nodes[node].entity) << 32 | UInt64(entry.object),
      first: what.firstDraw, draw: entry.otherDraws)
    nodes[node].tellShadow(handle, madeAt: copy.madeAt, cameAt: copy.cameAt, copy.expiresAt)
    let place = LawfulNode(node: node, handle: handle, law: law, clock: clock)
    carry(&copy, place, what, until: seconds(now), &draws)
    waitForCopy(&copy, node, handle, at: now, &draws)
    nodes[node].entries[Int(handle)].otherDraws = draws.draw
    writeDown(copy, node, handle)
  }

  /// Since when the manifest at a node has named an object's version; nil where that is not known.
  mutating func versionArrival(_ node: Int, _ object: UInt32) -> VersionArrival? {
    if versionArrivals.isEmpty { return nil }
    let number = object / ObjectLayout.stride
    return versionPlaces[UInt64(node) << 32 | UInt64(number)].map { versionArrivals[Int($0)] }
  }

  /// A manifest at a node has named an object's version; the first time counts.
  private mutating func noteVersion(at node: Int, _ object: UInt32, _ arrival: VersionArrival) {
    let key = UInt64(node) << 32 | UInt64(object / ObjectLayout.stride)
    if let place = versionPlaces[key] {
      if arrival.since < versionArrivals[Int(place)].since {
        versionArrivals[Int(place)] = arrival
      }
      return
    }
    versionPlaces.set(key, to: UInt32(versionArrivals.count))
    versionArrivals.append(arrival)
  }

  /// A copy of a title's manifest that was made at `madeAt` has come to a node, where the one
  /// before it has expired at `expiredAt`.
  mutating func noteManifest(
    at node: Int, _ object: UInt32, madeAt: Double, cameAt: Double, expiredAt: Double,
    isAwaited: Bool
  ) {
    if !hasLaw || !numbers.hasVersions { return }
    if object % ObjectLayout.stride != ObjectLayout.mediaManifest { return }
    let title = TitleID(object / ObjectLayout.stride)
    let named = numbers.number(of: title, at: instant(madeAt))
    if named == title.index { return }
    noteVersion(
      at: node, ObjectLayout.object(named, 0),
      VersionArrival(
        since: cameAt, madeAt: madeAt, expiredAt: expiredAt, isAwaited: isAwaited))
  }

  func seconds(_ time: Instant) -> Double { Double(time.nanoseconds) * 1e-9 }

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

  func instant(_ seconds: Double) -> Instant {
    Instant.zero.advanced(saturatingBy: TimeSpan(seconds: seconds))
  }

  /// What the origin says of a copy that is made at `time`; without jitter, which evens out.
  mutating func lawfulDirectives(_ asset: AssetClass, at time: Double) -> CacheDirectives {
    let place = Int(asset.rawValue)
    let made = instant(time)
    return directives(
      for: asset,
      lifetime: assetRules[place].lifetime(
        usualLifetimes[place], at: made > .zero ? made : .zero, u: 0.5))
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
