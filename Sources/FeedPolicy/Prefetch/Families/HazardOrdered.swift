import MediaUnits

/// The recommended family: first segments of the next items, nearest first; then more of them, in
/// the order of the expected stall, as deep as the throughput asks for and as viewers are likely to
/// get; and the current item no further ahead than the throughput asks for.
///
/// Why so: nearly every item's first segment is watched, because a swipe always lands on the next
/// item, so breadth costs hardly any waste and is what a burst of swipes needs. What comes after it
/// is wasted by everyone who leaves before, so it is fetched only where the link may be too slow to
/// bring it in time (`cover` times slower than estimated), and where `leastWatched` of the viewers
/// get to it. What the player buffers beyond need is wasted at each swipe, too: its buffer is
/// limited to `bufferCover` segments over the throughput's share of the bit rate, within
/// `shortestBuffer` and `longestBuffer`.
///
/// Source: own; the order of stalls is Dashlet's.
enum HazardOrdered: PrefetchPlanner {
  /// How many times slower than estimated a link may get, when the configuration does not say.
  static let cover = 3.0
  /// Bounds of the current item's buffer (assumed; REEL-017 sweeps the near statuses from 2 to 6 s,
  /// `parameters.md` section 4.2 has 20 s for the automatic one).
  static let shortestBuffer = TimeSpan.seconds(6)
  static let longestBuffer = TimeSpan.seconds(20)

  static func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan
  ) {
    let configuration = state.configuration
    let cover = configuration.cover ?? HazardOrdered.cover
    let segment = configuration.segmentLength
    let enough = state.needed(longestBuffer, cover: configuration.bufferCover)
    plan.bufferLimit = enough > shortestBuffer ? enough : shortestBuffer
    // A link with room needs less of the current item before it may turn to others.
    plan.gate = .buffer(state.needed(configuration.pauseBelowBuffer, cover: cover))
    for offset in stride(from: 1, through: state.reach, by: 1) {
      plan.add(state.item(offset), .media(segment), offset == 1 ? .next : .further)
    }
    let depth = state.needed(configuration.headLength, cover: cover)
    if depth <= segment { return }
    forecast.compute(state)
    addDeeper(state, forecast, depth, into: &plan)
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
