import AudienceModel
import CachePolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Since when those at an edge who are not simulated know of what is new, and who is the first to
/// ask for it then.
extension BackgroundAudience {
  /// Since when those at an edge know of an object.
  ///
  /// What a manifest names is asked for at an edge since a manifest there has named it, first by
  /// the view that waited for that. The copies of the manifest at all edges and at the tier behind
  /// them expire together, and the first view at any of the edges has the new one made. As long as
  /// the old one may be stale, a view is given that, and what it makes its edge ask for is the
  /// answer to the next view: so the new one is there after an edge's next view, and at the edge
  /// that had it made, which was given the tier's old one itself, after the one after that. When an
  /// outage ends, those who failed in it ask again before the next view, and all of them go on.
  ///
  /// - Parameter observer: the node that the law is told for, which knows of itself.
  mutating func knowledge(
    _ caches: AskedCaches, of what: LawfulObject, at edge: Int, seenBy observer: Int
  ) -> EdgeKnowledge {
    guard let version = what.version, let clock = demand.clock else {
      return EdgeKnowledge(from: what.from)
    }
    var since = edge == observer ? what.from : caches.asker.version.since
    var isAwaited = edge == observer ? version.isAwaited : caches.asker.version.isAwaited
    if edge != observer && (edge != caches.asker.node || since == .infinity) {
      let usableUntil = version.expiredAt + staleSpan(caches, edge, .mediaManifest)
      let made = version.madeAt - BackgroundAudience.sameTime
      var views = othersViews(caches, at: edge, what, from: made)
      var view = views.next(after: stretched(made))
      since = clock.time(ofWork: view.work)
      if since < version.madeAt + BackgroundAudience.sameTime && since < usableUntil {
        view = views.next()
        since = clock.time(ofWork: view.work)
      }
      // A simulated view is there by itself.
      isAwaited = since >= usableUntil && !(view.isSimulated && isBehind(caches, edge, observer))
      if let outage = outage(before: version.madeAt) {
        let retried = firstRetry(caches, what, at: edge, after: outage, seenBy: observer) { _, _ in
          0
        }
        if retried < since { (since, isAwaited) = (max(retried, made), true) }
      }
      since += BackgroundAudience.sameTime
    }
    var known = EdgeKnowledge(from: since)
    known.outage = outage(before: since)
    if isAwaited {
      var isOneOfThem = false
      if let outage = known.outage {
        isOneOfThem =
          firstRetry(caches, what, at: edge, after: outage, seenBy: observer) { _, _ in 0 } <= since
      }
      if !isOneOfThem { known.firstAsked = since + delayOfFirst(caches, what, at: edge) }
    }
    return known
  }

  /// How long after it got the manifest the view that waited for a version's first one at an edge
  /// asks for an object; infinity for never. The same view for every node: an edge and the tiers
  /// behind it are asked by it alike.
  private mutating func delayOfFirst(_ caches: AskedCaches, _ what: LawfulObject, at edge: Int)
    -> Double
  {
    let number = what.object / ObjectLayout.stride
    let offset = Int(what.object % ObjectLayout.stride)
    let (asked, delay) = streams.uniformPair(
      .othersView, entity: UInt64(caches.nodes[edge].entity) << 32 | UInt64(number),
      pair: .max - UInt32(ObjectLayout.group(of: UInt32(offset))))
    return asked < what.perView ? demand.delays.quantile(offset, delay) : .infinity
  }
}
