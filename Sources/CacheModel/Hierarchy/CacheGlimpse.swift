import CachePolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// A request at an edge that leaves no trace there: nobody else's request, fetch, copy, count or
/// draw is another one because of it.
///
/// It meets the copies and the fetches under way that any request would meet at that time. Where
/// any other would fetch, the answer comes when its own fetch would bring it, by draws of its own
/// (``StreamName/glimpse``), and nothing is stored. What it waits for of others it looks at every
/// ``patience``, so that their answer is noticed up to that much late.
///
/// Left out: the origin's outages and its limit of requests at once, locks of absent keys, viewers
/// who are not simulated, and what a cache does for it, and remembers, after an error.
public struct CacheGlimpse {
  /// What a look has found.
  public enum Finding {
    /// A fresh copy at the edge.
    case fresh(age: TimeSpan, stated: TimeSpan)
    /// The edge answers at a time; `isArrival`: without having waited.
    case answered(NodeAnswer, at: Instant, isArrival: Bool)
    /// Nothing yet; it has to look again then.
    case later(Instant)
  }

  /// What it asks for.
  let request: EdgeRequest
  /// What the edge takes to answer, or to ask the next tier.
  let service: TimeSpan
  /// Of its draws.
  let entity: UInt64
  /// Where it is, -1 at the origin, and the nodes below with the round trip from each to the next.
  var node: Int
  var below: [(node: Int, roundTrip: TimeSpan)] = []
  /// Whether it waits there for a fetch of somebody else.
  var isWaiting = false
  /// When it was sent to the origin, and how often before.
  var sentAt = Instant.zero
  var attempt = 0

  /// How often it looks at what it waits for.
  static let patience = TimeSpan.microseconds(100)

  /// - Parameter number: of the session's requests, by which its draws are told apart.
  public init(_ request: EdgeRequest, service: TimeSpan, session: UInt32, number: UInt32) {
    self.request = request
    self.service = service
    entity = UInt64(session) << 32 | UInt64(number)
    node = Int(request.edge)
  }
}

extension CacheHierarchy {
  /// What a request that leaves no trace finds now.
  public func look(_ glimpse: inout CacheGlimpse, at now: Instant) -> CacheGlimpse.Finding {
    if glimpse.node < 0 { return askOrigin(&glimpse, at: now) }
    let (node, asset) = (glimpse.node, glimpse.request.asset)
    if start == .everything {
      return .fresh(age: .zero, stated: said.usualLifetimes[Int(asset.rawValue)])
    }
    let isFirst = !glimpse.isWaiting
    let isAtEdge = glimpse.below.isEmpty
    let entry = imagined(node, glimpse.request, at: now)
    let age = entry.stored.age(at: now)
    if isAtEdge && isFirst && entry.machine < 0 && isFresh(entry, at: now) {
      return .fresh(age: age, stated: entry.stated)
    }
    switch decision(node, entry, at: now) {
    case .serve(let service):
      var answer = NodeAnswer(
        kind: .content, tier: isFirst ? AnsweringTier(nodes[node].tier) : entry.source, age: age,
        stated: entry.stated)
      if service == .negative || service == .failed {
        answer = NodeAnswer(tier: AnsweringTier(nodes[node].tier))
      }
      if isAtEdge { return .answered(answer, at: now, isArrival: isFirst) }
      let delay = isFirst ? self.service(glimpse) : .zero
      return .answered(answer, at: arrival(glimpse, leaving: now + delay), isArrival: false)
    case .fetch:
      // What others have waited for may not have been admitted; they have it all the same.
      let directives = said.directives[Int(asset.rawValue)]
      if isFirst || !CacheFreshness.isStorable(directives, shared: true) {
        return fetch(&glimpse, at: now)
      }
      let answer = NodeAnswer(
        kind: .content, tier: .origin, stated: said.usualLifetimes[Int(asset.rawValue)])
      return .answered(answer, at: arrival(glimpse, leaving: now), isArrival: false)
    case .wait:
      glimpse.isWaiting = true
      return .later(now + CacheGlimpse.patience)
    }
  }

  private func isFresh(_ entry: NodeEntry, at now: Instant) -> Bool {
    guard entry.fate == .resident,
      case .fresh = CacheFreshness.disposition(of: entry.stored, at: now)
    else { return false }
    return true
  }

  /// An object as a node would find it if it were asked now.
  private func imagined(_ node: Int, _ request: EdgeRequest, at now: Instant) -> NodeEntry {
    let isStationary = start == .stationary
    let provider = provider(of: node)
    var entry: NodeEntry
    if let handle = nodes[node].knownHandle(of: request.key) {
      entry = nodes[node].entries[Int(handle)]
    } else {
      entry = NodeEntry(key: request.key, asset: request.asset)
      entry.bytes = request.bytes
      if isStationary { contents[provider].imagineResident(&entry, nodes, node) }
    }
    for purge in purges where purge.at <= now && entry.fate == .resident {
      if entry.stored.storedAt < purge.at && purge.covers(entry.asset) {
        entry.fate = .purged
        entry.stored.storedAt = purge.at
      }
    }
    if isStationary && nodes[node].tier != .edge {
      contents[provider].imagineRefreshed(
        &entry, nodes, node, outages: origin.configuration, at: now)
    }
    return entry
  }

  /// What becomes of a request that is not answered by a fresh copy.
  private enum Decision {
    case serve(CollapsingMachine.Service)
    case fetch
    case wait
  }

  /// As the object's machine would decide, or a new one: a copy of it is told.
  private func decision(_ node: Int, _ entry: NodeEntry, at now: Instant) -> Decision {
    var machine = CollapsingMachine(nodes[node].configuration.collapsing)
    var commands: [CollapsingMachine.Command] = []
    if entry.machine >= 0 {
      machine = nodes[node].machines[Int(entry.machine)]
      if entry.fate != .resident { machine.handle(.evicted, at: now, into: &commands) }
    } else {
      machine.reset(copy: entry.fate == .resident ? entry.stored : nil)
    }
    let own = RequestNumber(.max)
    machine.handle(.requested(own), at: now, into: &commands)
    for command in commands {
      switch command {
      case .serve(let request, let service): if request == own { return .serve(service) }
      case .fetch(_, let waiting, _): if waiting == own { return .fetch }
      case .store, .discardCopy, .setTimer: break
      }
    }
    return .wait
  }

  // MARK: Up and down

  private enum Draw: UInt32 { case service, roundTrip, origin, lifetime }

  private func uniform(_ glimpse: CacheGlimpse, _ draw: Draw, attempt: Int = 0) -> Double {
    let place = UInt32(glimpse.below.count) << 8 | UInt32(attempt) << 4
    return streams.uniform(.glimpse, entity: glimpse.entity, draw: place | draw.rawValue)
  }

  /// What the node takes to answer, or to ask the next tier.
  private func service(_ glimpse: CacheGlimpse) -> TimeSpan {
    if glimpse.below.isEmpty { return glimpse.service }
    let time = nodes[glimpse.node].configuration.serviceTime
    return TimeSpan(seconds: time.quantile(uniform(glimpse, .service)))
  }

  /// When an answer that leaves the node at a time is at the edge.
  private func arrival(_ glimpse: CacheGlimpse, leaving time: Instant) -> Instant {
    var time = time
    for step in glimpse.below { time += step.roundTrip / 2 }
    return time
  }

  /// Goes up to the next tier or to the origin.
  private func fetch(_ glimpse: inout CacheGlimpse, at now: Instant) -> CacheGlimpse.Finding {
    let (node, service) = (glimpse.node, service(glimpse))
    glimpse.isWaiting = false
    glimpse.node = nodes[node].next
    glimpse.below.append((node, .zero))
    return send(&glimpse, from: node, at: now + service)
  }

  private func send(
    _ glimpse: inout CacheGlimpse, from node: Int, at sentAt: Instant
  ) -> CacheGlimpse.Finding {
    let upstream = nodes[node].configuration.upstream
    let u = uniform(glimpse, .roundTrip, attempt: glimpse.attempt)
    let roundTrip = max(TimeSpan(seconds: upstream.roundTrip.quantile(u)), upstream.floor)
    glimpse.below[glimpse.below.count - 1].roundTrip = roundTrip
    glimpse.sentAt = sentAt
    var time = sentAt + roundTrip / 2
    if !nodes[node].knownToBeConnected(at: sentAt) {
      time += roundTrip * upstream.handshakeRoundTrips
    }
    return .later(time)
  }

  /// The origin's answer, or a try more where it comes too late.
  private func askOrigin(
    _ glimpse: inout CacheGlimpse, at now: Instant
  ) -> CacheGlimpse.Finding {
    let (node, roundTrip) = glimpse.below[glimpse.below.count - 1]
    let upstream = nodes[node].configuration.upstream
    var answer = NodeAnswer(tier: .origin)
    var wait = origin.configuration.slowDownTime
    if origin.wouldAdmit(at: now) {
      wait = TimeSpan(
        seconds: origin.configuration.firstByte.quantile(
          uniform(glimpse, .origin, attempt: glimpse.attempt)))
      answer.kind = .content
      answer.stated = said.lifetime(
        glimpse.request.asset, at: now + wait, u: uniform(glimpse, .lifetime))
    }
    let end = glimpse.sentAt.advanced(saturatingBy: upstream.responseTimeout)
    if now + wait + roundTrip / 2 > end {
      glimpse.attempt += 1
      if glimpse.attempt < upstream.attempts {
        return send(&glimpse, from: node, at: max(end, now))
      }
      answer = NodeAnswer(failure: .timeout)
      wait = max(end, now) - now
    }
    return .answered(answer, at: arrival(glimpse, leaving: now + wait), isArrival: false)
  }
}
