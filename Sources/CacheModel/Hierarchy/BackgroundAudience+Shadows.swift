import AudienceModel
import CachePolicy
import MediaUnits
import SimulationKernel

/// What the next tier gives to those who are not simulated.
extension BackgroundAudience {
  /// Draws what the caches behind a node have of an object when the run begins.
  mutating func drawShadows(
    _ caches: AskedCaches, _ node: Int, _ handle: UInt32, _ what: LawfulObject
  ) {
    let next = caches.nodes[node].next
    if next < 0 { return }
    let key = caches.nodes[node].entries[Int(handle)].key
    let further = caches.nodes[next].next
    caches.nodes[node].setShadows(
      handle,
      (
        drawShadow(caches, next, key, what),
        further >= 0 ? drawShadow(caches, further, key, what) : .none
      ))
  }

  private mutating func drawShadow(
    _ caches: AskedCaches, _ node: Int, _ key: UInt64, _ what: LawfulObject
  ) -> ShadowCopy {
    guard what.from < 0,
      let drawn = contents.drawnCopy(caches.nodes, node, key: key, what.asset, edgeRate: what.rate),
      drawn.lastRequest <= caches.nodes[node].law?.characteristicTime ?? .infinity
    else {
      // Other edges may have known of it before this one.
      let from = min(what.from, what.version?.madeAt ?? .infinity)
      return ShadowCopy(madeAt: 0, isThere: false, asOf: from > 0 ? from : 0)
    }
    return ShadowCopy(madeAt: -drawn.age, isThere: true, asOf: 0)
  }

  /// Somebody who is not simulated fetches a copy: with the age that the next tier's has. While
  /// the origin fails, what is here stays as it is.
  ///
  /// - Returns: when the next one may.
  mutating func bring(
    _ caches: AskedCaches, _ copy: inout LawfulCopy, _ place: LawfulNode, _ what: LawfulObject,
    at time: Double,
    _ draws: inout LawfulDraws
  ) -> Double {
    var made = time
    let next = caches.nodes[place.node].next
    if next >= 0 && caches.nodes[place.node].configuration.inheritsAge {
      var shadows = caches.nodes[place.node].shadows(place.handle)
      made = take(caches, &shadows, place, next, isFirst: true, what, at: time, &draws)
      caches.nodes[place.node].setShadows(place.handle, shadows)
    }
    if made == time, let outage = origin.outage(at: BackgroundAudience.instant(time)) {
      return BackgroundAudience.seconds(outage.end)
    }
    let expiredAt = copy.fate == .resident ? copy.expiresAt : -.infinity
    let isAwaited = time >= expiredAt + staleSpan(caches, place.node, what.asset)
    copy.before = (copy.fate, copy.madeAt, copy.lifetime, copy.cameAt)
    copy.fate = .resident
    copy.madeAt = made
    copy.cameAt = time
    copy.lifetime = lawfulLifetime(caches, place.node, what.asset, madeAt: made)
    copy.isChanged = true
    // The view that fetched it has the old one, or goes on with what this names by itself.
    noteManifest(
      at: place.node, what.object, madeAt: made, cameAt: time + BackgroundAudience.sameTime,
      expiredAt: expiredAt, isAwaited: isAwaited)
    return time
  }

  private mutating func lawfulLifetime(
    _ caches: AskedCaches, _ node: Int, _ asset: AssetClass, madeAt: Double
  ) -> Double {
    if said.rules[Int(asset.rawValue)].synchronisedTo == .zero {
      return contents.tierDemand.lifetime(caches.nodes[node].tier, asset)
    }
    return caches.nodes[node].configuration.ttl.lifetime(of: lawfulDirectives(asset, at: madeAt))
  }

  /// When the copy was made that a cache behind the node gives at `time`.
  private mutating func take(
    _ caches: AskedCaches, _ shadows: inout (ShadowCopy, ShadowCopy), _ place: LawfulNode,
    _ next: Int, isFirst: Bool,
    _ what: LawfulObject, at time: Double, _ draws: inout LawfulDraws
  ) -> Double {
    var shadow = isFirst ? shadows.0 : shadows.1
    let tier = caches.nodes[next].tier
    if contents.tierDemand.lifetime(tier, what.asset) <= 0 { return time }
    if let kept = caches.nodes[next].law?.characteristicTime, kept.isFinite,
      draws.uniform() < contents.tierDemand.silence(tier, what.rate, what.asset)(kept)
    {
      shadow.isThere = false
      shadow.asOf = time
    }
    let clock = place.clock
    let limit = clock.work(at: time)
    var answer: Double?
    while answer == nil {
      var begin = shadow.asOf
      if shadow.isThere {
        let expires =
          shadow.madeAt + lawfulLifetime(caches, next, what.asset, madeAt: shadow.madeAt)
        if time < expires {
          answer = shadow.madeAt
          break
        }
        if expires > begin { begin = expires }
      }
      let work =
        begin < time
        ? firstView(
          caches, behind: next, what, after: clock.work(at: begin), before: limit,
          seenBy: place.node)
        : limit
      var renewed = work < limit ? clock.time(ofWork: work) : time
      if renewed < time, let outage = origin.outage(at: BackgroundAudience.instant(renewed)) {
        renewed =
          BackgroundAudience.seconds(outage.end) < time
          ? BackgroundAudience.seconds(outage.end) : time
      }
      if renewed >= time {
        renewed = time
        answer = time
        if shadow.isThere {
          let usable =
            shadow.madeAt + lawfulLifetime(caches, next, what.asset, madeAt: shadow.madeAt)
            + staleSpan(caches, next, what.asset)
          if time < usable { answer = shadow.madeAt }
        }
        if origin.outage(at: BackgroundAudience.instant(time)) != nil { break }
      }
      let further = caches.nodes[next].next
      if isFirst && further >= 0 && caches.nodes[next].configuration.inheritsAge {
        shadow.madeAt = take(
          caches, &shadows, place, further, isFirst: false, what, at: renewed, &draws)
        if answer == time { answer = shadow.madeAt }
      } else {
        shadow.madeAt = renewed
      }
      shadow.isThere = true
      shadow.asOf = renewed
    }
    if isFirst { shadows.0 = shadow } else { shadows.1 = shadow }
    return answer ?? time
  }

  /// For how long after it has expired a node gives a copy away while it renews it, seconds.
  mutating func staleSpan(_ caches: AskedCaches, _ node: Int, _ asset: AssetClass) -> Double {
    let tier = caches.nodes[node].configuration
    guard tier.collapsing.revalidation == .background,
      let response = tier.ttl.store(
        said.directives[Int(asset.rawValue)], at: .zero, initialAge: .zero)
    else { return 0 }
    return response.staleWhileRevalidate.seconds
  }
}

extension CacheNode {
  /// What an object's shadows are: of the next tier, and of the one after that.
  func shadows(_ handle: UInt32) -> (ShadowCopy, ShadowCopy) {
    (shadowCopies[2 * Int(handle)], shadowCopies[2 * Int(handle) + 1])
  }

  mutating func setShadows(_ handle: UInt32, _ copies: (ShadowCopy, ShadowCopy)) {
    while shadowCopies.count < 2 * Int(handle) + 2 { shadowCopies.append(.none) }
    shadowCopies[2 * Int(handle)] = copies.0
    shadowCopies[2 * Int(handle) + 1] = copies.1
  }

  /// Takes over what a copy that has come to this node says of the next tier's: that gave it, and
  /// has renewed it at once where it was stale.
  mutating func tellShadow(
    _ handle: UInt32, madeAt: Double, cameAt: Double, _ expiresAt: Double
  ) {
    if next < 0 || cameAt <= 0 || entries[Int(handle)].fate != .resident { return }
    let made = expiresAt <= cameAt ? cameAt : madeAt
    var copies = shadows(handle)
    if copies.0.isThere && copies.0.madeAt >= made { return }
    copies.0 = ShadowCopy(madeAt: made, isThere: true, asOf: cameAt)
    setShadows(handle, copies)
  }

  /// Nobody has a copy any more.
  mutating func purgeShadows(_ handle: UInt32, at time: Double) {
    if next < 0 { return }
    let gone = ShadowCopy(madeAt: 0, isThere: false, asOf: time)
    setShadows(handle, (gone, gone))
  }
}
