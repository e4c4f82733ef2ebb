import MediaUnits

/// The recommended family: first segments of the next items, nearest first; then more of them, in
/// the order of the expected stall; all as far as the throughput allows and as viewers are likely to
/// get, and the current item no further ahead than the throughput asks for.
///
/// Why so: nearly every item's first segment is watched, because a swipe always lands on the next
/// item, so breadth costs hardly any waste and is what a burst of swipes needs. What comes after it
/// is wasted by everyone who leaves before, so it is fetched only where the link may be too slow to
/// bring it in time (`cover` times slower than estimated), and where `leastWatched` of the viewers
/// get to it. All of it takes the link from the current item, so
///
/// - as many items are considered as the throughput beyond the bit rate brings within a typical watch
///   time, one at least, and no more than `leastWatched` of the sessions reach;
/// - as many are fetched at once as the bit rate fits into the throughput, one at least;
/// - nothing starts before the current item has the media that a link `cover` times slower needs.
///
/// What the player buffers beyond need is wasted at each swipe, too. A buffer that is filled by the
/// drift of a noisy rate runs dry with a probability that falls with drift times level, so its limit
/// is `bufferCover` segments over the throughput's excess, within `shortestBuffer` and
/// `longestBuffer`.
///
/// Source: own; the order of stalls is Dashlet's.
enum HazardOrdered: PrefetchPlanner {
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
    let limit = bufferLimit(state)
    plan.bufferLimit = limit
    plan.gate = .buffer(state.needed(limit, cover: cover))
    plan.parallel = Int(min(max(state.plenty ?? 1, 1), 100))
    for offset in stride(from: 1, through: breadth(state), by: 1) {
      plan.add(state.item(offset), .media(segment), offset == 1 ? .next : .further)
    }
    let depth = state.needed(configuration.headLength, cover: cover)
    if depth <= segment { return }
    forecast.compute(state)
    addDeeper(state, forecast, depth, into: &plan)
  }

  /// How many items are considered.
  private static func breadth(_ state: PrefetchState) -> Int {
    let configuration = state.configuration
    let excess = max(0, (state.plenty ?? 1) - 1)
    let spare = excess * typicalWatch.seconds / configuration.segmentLength.seconds
    let most = min(state.reach, 1 + Int(min(spare, 100)))
    guard let views = configuration.viewsPerSession, views > 1 else { return most }
    var reached = 1.0
    for offset in stride(from: 1, through: most, by: 1) {
      reached *= 1 - 1 / views
      if reached < configuration.leastWatched { return max(1, offset - 1) }
    }
    return most
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

  /// More of the items than their first segments, the largest expected stall first.
  private static func addDeeper(
    _ state: PrefetchState, _ forecast: SwipeForecast, _ depth: TimeSpan,
    into plan: inout PrefetchPlan
  ) {
    let configuration = state.configuration
    let segment = configuration.segmentLength
    let steps = Int(depth.wholeSteps(of: segment)) * configuration.itemsAhead
    for _ in 0..<steps {
      var best = 0
      var largest = Dashlet.threshold
      var from = TimeSpan.zero
      for offset in stride(from: 1, through: state.reach, by: 1) {
        let item = state.item(offset)
        guard let begin = plan.depth(of: item), begin < depth else { continue }
        let survival = configuration.curves.survival(at: begin, of: state.duration(of: item))
        if survival < configuration.leastWatched { continue }
        let found = forecast.penalty(
          offset: offset, shift: begin, survival: survival, lookAhead: SwipeForecast.horizon)
        if found > largest {
          largest = found
          best = offset
          from = begin
        }
      }
      if best == 0 { return }
      plan.add(state.item(best), .media(from + segment), .deeper)
    }
  }
}
