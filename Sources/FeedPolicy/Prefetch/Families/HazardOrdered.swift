import MediaUnits

/// The recommended family: first segments of the next items, nearest first; the init segments of
/// those beyond; then more of the next item. All as far as the throughput allows and as viewers are
/// likely to get, and the current item no further ahead than the throughput asks for.
///
/// Why so: nearly every item's first segment is watched, because a swipe always lands on the next
/// item, so breadth costs hardly any waste and is what a burst of swipes needs. The chain up to the
/// init segment costs a few kilobytes and most of the round trips. What comes after the first
/// segment is wasted by everyone who leaves before, so it is fetched only where the link may be too
/// slow to bring it in time (`cover` times slower than estimated), while `leastWatched` of the
/// viewers get to it, and of the next item alone: the others' turn comes. All of it takes the link
/// from the current item, so
///
/// - of as many items a first segment is wanted as the throughput beyond the bit rate brings within
///   a typical watch time, of one at least, and no item that fewer than `leastWatched` of the
///   sessions reach is considered;
/// - as many are fetched at once as the bit rate fits into the throughput, one at least;
/// - nothing starts before the current item has the media that a link `cover` times slower needs,
///   within `pauseBelowBuffer`.
///
/// What the player buffers beyond need is wasted at each swipe, too. A buffer that is filled by the
/// drift of a noisy rate runs dry with a probability that falls with drift times level, so its
/// limit is `bufferCover` segments over the throughput's excess, within `shortestBuffer` and
/// `longestBuffer`.
///
/// Source: own; stages as in Media3's preload manager.
enum HazardOrdered: PrefetchPlanner {
  static var row: PrefetchRow {
    PrefetchRow(
      "hazard", "First segments first, then by hazard, as deep as the throughput asks for",
      [
        .init(.headLength, "8 s", "SIG-023"), .init(.itemsAhead, "8", "results/answers/OQ-10.md"),
        .init(.concurrency, "4", "results/answers/OQ-10.md"),
        .init(.cover, "3", "VF-026; value assumed"), .init(.leastWatched, "50 %", "assumed"),
        .init(.bufferCover, "3", "results/answers/OQ-10.md"),
      ] + PrefetchSetting.common)
  }

  /// How many times slower than estimated a link may get, when the configuration does not say.
  static let cover = 3.0
  /// Bounds of the current item's buffer (assumed; REEL-017 sweeps the near statuses from 2 to 6 s,
  /// `parameters.md` section 4.2 has 20 s for the automatic one).
  static let shortestBuffer = TimeSpan.seconds(6)
  static let longestBuffer = TimeSpan.seconds(20)
  /// A typical watch time (`parameters.md` section 6.2: 7.4 s of an item of 10 to 20 s).
  static let typicalWatch = TimeSpan.seconds(7)

  static func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan
  ) {
    let configuration = state.configuration
    let cover = configuration.cover ?? HazardOrdered.cover
    let segment = configuration.segmentLength
    plan.bufferLimit = bufferLimit(state)
    plan.gate = .buffer(state.needed(configuration.pauseBelowBuffer, cover: cover))
    plan.parallel = Int(min(max(state.plenty ?? 1, 1), 100))
    let considered = reachable(state)
    let breadth = min(considered, breadth(state))
    for offset in stride(from: 1, through: breadth, by: 1) {
      plan.add(state.item(offset), .media(segment), offset == 1 ? .next : .further)
    }
    for offset in stride(from: breadth + 1, through: considered, by: 1) {
      plan.add(state.item(offset), PrefetchDepth(.initSegment), .further)
    }
    if considered >= 1 { addDeeper(state, cover, into: &plan) }
  }

  /// More of the next item than its first segment, while enough viewers get to it.
  private static func addDeeper(
    _ state: PrefetchState, _ cover: Double, into plan: inout PrefetchPlan
  ) {
    let configuration = state.configuration
    let segment = configuration.segmentLength
    let next = state.item(1)
    let duration = state.duration(of: next)
    let most = state.needed(configuration.headLength, cover: cover)
    var length = segment
    while length < most
      && configuration.curves.survival(at: length, of: duration) >= configuration.leastWatched
    {
      length += segment
    }
    if length > segment { plan.add(next, .media(length), .deeper) }
  }

  /// Items that enough sessions reach.
  private static func reachable(_ state: PrefetchState) -> Int {
    let configuration = state.configuration
    guard let views = configuration.viewsPerSession, views > 1 else { return state.reach }
    var reached = 1.0
    for offset in stride(from: 1, through: state.reach, by: 1) {
      reached *= 1 - 1 / views
      if reached < configuration.leastWatched { return max(1, offset - 1) }
    }
    return state.reach
  }

  /// Items whose first segments the throughput beyond the bit rate brings in a typical watch time.
  private static func breadth(_ state: PrefetchState) -> Int {
    let excess = max(0, (state.plenty ?? 1) - 1)
    let spare =
      excess * typicalWatch.seconds / state.configuration.segmentLength.seconds
    return 1 + Int(min(spare, 100))
  }

  /// How far ahead the current item is loaded: whole segments.
  private static func bufferLimit(_ state: PrefetchState) -> TimeSpan {
    let excess = (state.plenty ?? 1) - 1
    if excess <= 0 { return longestBuffer }
    let segment = state.configuration.segmentLength
    let wanted = segment.scaled(by: state.configuration.bufferCover / excess)
    if wanted >= longestBuffer { return longestBuffer }
    let whole = segment * ((wanted - .nanoseconds(1)).wholeSteps(of: segment) + 1)
    return max(shortestBuffer, min(whole, longestBuffer))
  }
}
