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

extension BackgroundAudience {
  /// No fetch takes longer, seconds; outages aside, in which the law's viewers fetch nothing.
  static let longestFetch = 5.0

  /// Takes the last copy of the law back when it is still on its way, and notes its fetch.
  mutating func waitForCopy(
    _ caches: AskedCaches, _ copy: inout LawfulCopy, _ node: Int, _ handle: UInt32, at now: Instant,
    _ draws: inout LawfulDraws
  ) -> OthersFetch? {
    let time = BackgroundAudience.seconds(now)
    guard copy.fate == .resident, let before = copy.before,
      time - copy.cameAt < BackgroundAudience.longestFetch
    else { return nil }
    // A copy that was made when it was fetched is the origin's.
    let isOrigins = copy.madeAt == copy.cameAt
    var span = 0.0
    var place = node
    while place >= 0 {
      let upstream = caches.nodes[place].configuration.upstream
      let drawn = upstream.roundTrip.quantile(draws.uniform())
      span += drawn > upstream.floor.seconds ? drawn : upstream.floor.seconds
      place = caches.nodes[place].next
      if place >= 0 {
        span += caches.nodes[place].configuration.serviceTime.quantile(draws.uniform())
      }
      if !isOrigins { break }
    }
    if isOrigins { span += origin.firstByte.quantile(draws.uniform()) }
    if copy.cameAt + span <= time { return nil }
    let age = copy.cameAt - copy.madeAt + span / 2
    let fetch = OthersFetch(
      node: node, handle: handle,
      endsAt: BackgroundAudience.instant(copy.cameAt + span),
      tier: isOrigins || caches.nodes[node].next < 0
        ? .origin : AnsweringTier(caches.nodes[caches.nodes[node].next].tier),
      age: TimeSpan(seconds: isOrigins ? 0 : age))
    copy.fate = before.fate
    copy.madeAt = before.madeAt
    copy.lifetime = before.lifetime
    copy.cameAt = before.cameAt
    return fetch
  }
}
