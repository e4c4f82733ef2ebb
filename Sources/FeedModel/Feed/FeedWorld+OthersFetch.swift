import CacheModel
import CachePolicy
import MediaUnits
import SimulationKernel

/// A fetch under way that somebody who is not simulated began.
struct OthersFetch {
  var node: Int
  var handle: UInt32
  /// When its answer comes, what answers, and how old the answer is then.
  var endsAt: Instant
  var tier: AnsweringTier
  var age: TimeSpan
}

extension FeedWorld {
  /// No fetch takes longer, seconds; outages aside, in which the law's viewers fetch nothing.
  static let longestFetch = 5.0

  /// Takes the last copy of the law back when it is still on its way, and notes its fetch.
  mutating func waitForCopy(
    _ copy: inout LawfulCopy, _ node: Int, _ handle: UInt32, at now: Instant,
    _ draws: inout LawfulDraws
  ) {
    let time = Double(now.nanoseconds) * 1e-9
    guard copy.fate == .resident, let before = copy.before,
      time - copy.cameAt < FeedWorld.longestFetch
    else { return }
    // A copy that was made when it was fetched is the origin's.
    let isOrigins = copy.madeAt == copy.cameAt
    var span = 0.0
    var place = node
    while place >= 0 {
      let upstream = nodes[place].configuration.upstream
      let drawn = upstream.roundTrip.quantile(draws.uniform())
      span += drawn > upstream.floor.seconds ? drawn : upstream.floor.seconds
      place = nodes[place].next
      if place >= 0 { span += nodes[place].configuration.serviceTime.quantile(draws.uniform()) }
      if !isOrigins { break }
    }
    if isOrigins { span += origin.configuration.firstByte.quantile(draws.uniform()) }
    if copy.cameAt + span <= time { return }
    let age = copy.cameAt - copy.madeAt + span / 2
    othersFetch = OthersFetch(
      node: node, handle: handle,
      endsAt: Instant.zero.advanced(saturatingBy: TimeSpan(seconds: copy.cameAt + span)),
      tier: isOrigins || nodes[node].next < 0
        ? .origin : AnsweringTier(nodes[nodes[node].next].tier),
      age: TimeSpan(seconds: isOrigins ? 0 : age))
    copy.fate = before.fate
    copy.madeAt = before.madeAt
    copy.lifetime = before.lifetime
    copy.cameAt = before.cameAt
  }

  /// Puts the fetch that was noted under way, so that those who come now wait for it, or are served
  /// stale, as the object's machine says.
  mutating func beginOthersFetch(_ context: inout Context<FeedEvent>) {
    guard let noted = othersFetch else { return }
    othersFetch = nil
    let (node, index) = (noted.node, Int(noted.handle))
    let machine = nodes[node].machine(for: noted.handle, at: context.now)
    let entry = nodes[node].entries[index]
    let asker = nodes[node].add(
      NodeRequest(
        child: NodeRequest.nobody, slot: 0, index: 0, asset: entry.asset, bytes: entry.bytes,
        service: .zero))
    var commands: [CollapsingMachine.Command] = []
    nodes[node].machines[machine].handle(
      .requested(RequestNumber(asker)), at: context.now, into: &commands)
    for command in commands {
      switch command {
      case .serve(let request, _): _ = nodes[node].take(request.index)
      case .fetch(let number, _, let isConditional):
        nodes[node].entries[index].fetches += 1
        var fetch = NodeFetch(
          key: entry.key, number: number, machine: Int32(machine), handle: noted.handle,
          asset: entry.asset, isConditional: isConditional, isBackground: false,
          bytes: entry.bytes, draw: entry.fetches)
        fetch.isOthers = true
        fetch.state = .down
        fetch.wasMissed = entry.wasMissed
        fetch.answer = NodeAnswer(
          kind: .content, tier: noted.tier, age: noted.age,
          stated: usualLifetimes[Int(entry.asset.rawValue)], bytes: entry.bytes)
        let place = nodes[node].add(fetch)
        context.schedule(
          .answerAtNode(node: UInt16(node), fetch: UInt32(place)), at: noted.endsAt,
          for: nodes[node].entity, phase: .arrival)
      case .setTimer(let time):
        context.cancel(nodes[node].machineStates[machine].timer)
        nodes[node].machineStates[machine].timer = context.schedule(
          .nodeTimer(node: UInt16(node), machine: UInt32(machine)), at: time,
          for: nodes[node].entity)
      case .store, .discardCopy: break
      }
    }
  }
}
