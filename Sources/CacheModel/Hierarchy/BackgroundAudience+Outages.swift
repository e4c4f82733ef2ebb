import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

/// Those who are not simulated and fail in an outage of the origin: they ask again as the player
/// does, while they still want the item.
extension BackgroundAudience {
  /// When the first of those asks for an object again who had failed when the outage ended that is
  /// on at a time. Stretched time; infinity: nobody does, or not before `last`.
  mutating func firstRetry(
    _ caches: AskedCaches, of copy: LawfulCopy, _ place: LawfulNode, _ what: LawfulObject,
    inOutageAt time: Double,
    before last: Double
  ) -> Double {
    guard let outage = origin.outage(at: BackgroundAudience.instant(time)) else {
      return .infinity
    }
    let end = BackgroundAudience.seconds(outage.end)
    let expired = copy.fate == .resident ? copy.expiresAt : -.infinity
    let begin = failing(caches, place.node, what.asset, expiredAt: expired, in: outage)
    if end >= last || begin >= end { return .infinity }
    let (first, limit) = (place.clock.work(at: begin), place.clock.work(at: end))
    func retried(_ view: OthersView, _ from: Double) -> Double {
      if view.isSimulated || !isAsked(what, by: view, from: from) { return .infinity }
      let time = place.clock.time(ofWork: view.work)
      return retry(of: view, at: time, what, from: from, outage)
    }
    var best = Double.infinity
    let places = place.node < edges ? place.node..<(place.node + 1) : 0..<edges
    for edge in places where isBehind(caches, edge, place.node) {
      let known = knowledge(caches, of: what, at: edge, seenBy: place.node)
      let views = othersViews(caches, at: edge, what, from: known.from)
      best = min(best, views.least(after: first, before: limit) { retried($0, known.from) })
      if known.firstAsked >= begin && known.firstAsked < end {
        best = min(best, retry(of: known.firstAsked, after: end))
      }
    }
    if let views = viewsElsewhere(caches, behind: place.node, what) {
      best = min(best, views.least(after: first, before: limit) { retried($0, what.from) })
    }
    return best < last ? place.clock.work(at: best) : .infinity
  }

  /// From when on views have to be looked at for those that ask after a time, stretched time.
  mutating func beginOfHeldUp(_ work: Double) -> Double {
    if origin.outages.isEmpty { return work }
    guard let clock = demand.clock else { return work }
    let time = clock.time(ofWork: work)
    let longest = RequestDelays.longest + longestWait
    guard let outage = outage(before: time, within: longest) else { return work }
    // Nobody is held up for longer.
    let span =
      BackgroundAudience.seconds(outage.end) - BackgroundAudience.seconds(outage.begin)
      + longestWait
    return min(work, stretched(max(BackgroundAudience.seconds(outage.end), time - span)))
  }

  /// When a view asks for an object, stretched time: later than it would have if an outage has held
  /// it up before.
  mutating func heldUp(
    _ view: OthersView, _ what: LawfulObject, from: Double
  ) -> Double {
    if origin.outages.isEmpty { return view.work }
    guard let clock = demand.clock else { return view.work }
    let time = clock.time(ofWork: view.work)
    guard let outage = outage(before: time, within: RequestDelays.longest) else {
      return view.work
    }
    let asked = retry(of: view, at: time, what, from: from, outage)
    return asked < .infinity ? max(view.work, clock.work(at: asked)) : .infinity
  }

  /// When a view asks for an object that would have done so at a time in an outage or after it.
  ///
  /// A player stops at the first thing that it cannot have, and asks for what comes after it only
  /// when it has got that. Where it stopped is not known: at any time since the outage and the view
  /// had begun.
  ///
  /// - Parameter from: since when its edge knows of what is new: the view has begun later.
  private mutating func retry(
    of view: OthersView, at time: Double, _ what: LawfulObject, from: Double,
    _ outage: OriginOutage
  ) -> Double {
    let offset = Int(what.object % ObjectLayout.stride)
    let share = what.isNew ? demand.delays.share(offset, within: time - from) : 1
    let delay = demand.delays.quantile(
      offset, share * view.uniform(group: what.group ^ 0x4000_0000))
    let begin = max(BackgroundAudience.seconds(outage.begin), time - delay)
    let end = BackgroundAudience.seconds(outage.end)
    if begin >= end { return time }
    let last = time < end ? time : end
    let stopped = begin + (last - begin) * view.uniform(group: what.group ^ 0xC000_0000)
    return retry(of: stopped, after: end) + time - stopped
  }

  /// When a request that failed at a time is sent again for the first time from `end` on; infinity
  /// where it is given up before.
  private mutating func retry(of time: Double, after end: Double) -> Double {
    let policy = retryPolicy
    var time = time
    var failures = 0
    while time < end {
      failures += 1
      guard case .retry(let wait, _) = policy.answer(failures: failures), wait > .zero else {
        return .infinity
      }
      time += wait.seconds
    }
    return time
  }

  /// Since when those fail who want an object until an outage ends, seconds of the run: since the
  /// copy that expired at a time may not be given away even then. The end or later: nobody does.
  private mutating func failing(
    _ caches: AskedCaches, _ node: Int, _ asset: AssetClass, expiredAt time: Double,
    in outage: OriginOutage
  ) -> Double {
    var begin = max(
      BackgroundAudience.seconds(outage.begin),
      BackgroundAudience.seconds(outage.end) - demand.wantedSeconds)
    let tier = caches.nodes[node].configuration
    guard time > -.infinity,
      let copy = tier.ttl.store(said.directives[Int(asset.rawValue)], at: .zero, initialAge: .zero)
    else { return begin }
    let expires = Instant.zero + copy.lifetimeRemaining(at: .zero)
    let failure: OriginFailure
    switch outage.kind {
    case .error: failure = .serverError
    case .timeout: failure = .timeout
    case .unreachable: failure = .unreachable
    }
    // As long as it is fresh at least, then up to the end of its window, or without end.
    for span in [TimeSpan.zero, copy.staleIfError, .hours(1_000_000)] {
      let last = expires + span - TimeSpan(nanoseconds: 1)
      if !CacheFreshness.mayServe(
        copy, after: failure, at: last, rule: tier.collapsing.staleOnFailure)
      {
        break
      }
      begin = max(begin, time + span.seconds)
    }
    return begin
  }

  // MARK: What a manifest names

  /// The outage that has ended so shortly before a time that those who failed in it may still wait
  /// to ask again.
  func outage(before time: Double) -> OriginOutage? {
    outage(before: time, within: longestWait)
  }

  private func outage(before time: Double, within longest: Double) -> OriginOutage? {
    var last: OriginOutage?
    for outage in origin.outages where BackgroundAudience.seconds(outage.end) <= time {
      last = outage
    }
    guard let last, time < BackgroundAudience.seconds(last.end) + longest else { return nil }
    return last
  }

  /// How long after an outage the first of a viewer's retries may come, seconds.
  private var longestWait: Double {
    retryPolicy.longestWait.seconds + BackgroundAudience.longestFetch
  }

  /// When the first of those asks for an object who waited for the manifest that names it, after a
  /// time, seconds of the run.
  mutating func firstOfWaiting(
    _ caches: AskedCaches, _ known: EdgeKnowledge, for what: LawfulObject, at edge: Int,
    after time: Double,
    seenBy observer: Int
  ) -> Double {
    var first = known.firstAsked > time ? known.firstAsked : .infinity
    let delays = demand.delays
    guard let outage = known.outage,
      time < BackgroundAudience.seconds(outage.end) + longestWait + RequestDelays.longest
    else { return first }
    let offset = Int(what.object % ObjectLayout.stride)
    let asked = firstRetry(caches, what, at: edge, after: outage, seenBy: observer) {
      view, retried in
      if !what.isAsked(by: view) { return .infinity }
      let begin = retried > known.from ? retried : known.from
      let asked = begin + delays.quantile(offset, view.uniform(group: what.group ^ 0x8000_0000))
      return asked > time ? asked - retried : .infinity
    }
    if asked < first { first = asked }
    return first
  }

  /// The least, among the views at an edge that failed for want of a title's manifest in an outage
  /// and are still wanted when it ends, of when they ask for it again and a further delay.
  mutating func firstRetry(
    _ caches: AskedCaches, _ what: LawfulObject, at edge: Int, after outage: OriginOutage,
    seenBy observer: Int,
    delay: (OthersView, Double) -> Double
  ) -> Double {
    guard let version = what.version, let clock = demand.clock else {
      return .infinity
    }
    let begin = failing(
      caches, edge, .mediaManifest, expiredAt: version.expiredAt, in: outage)
    let isKnown = isBehind(caches, edge, observer)
    let end = BackgroundAudience.seconds(outage.end)
    return othersViews(caches, at: edge, what, from: begin).least(
      after: stretched(begin), before: clock.work(at: end)
    ) { view in
      if isKnown && view.isSimulated { return .infinity }
      let retried = retry(of: clock.time(ofWork: view.work), after: end)
      return retried < .infinity ? retried + delay(view, retried) : .infinity
    }
  }
}
