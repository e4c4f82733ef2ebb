import MediaUnits

/// Segments of the coming items in the order of the stall that is expected without them.
///
/// The start of each item is a distribution: the watch times before it, convolved. A segment whose
/// expected stall within 25 s is below a threshold is not wanted. Those that are wanted stand in
/// the order of the stall expected within a shorter look-ahead, the shorter the more there are; and
/// all wait while the current item's next segment would cost more than the first of them. Segments
/// are fetched one at a time when `concurrency` is 1.
///
/// Leaves out: the choice of the bit rate (the host's rule and cap), and the exact sequence with
/// the current item's segments, which the player fetches by itself.
///
/// Source: Li, Xie, Netravali and Jamieson, "Dashlet: Taming Swipe Uncertainty for Robust Short
/// Video Streaming", NSDI 2023, arXiv 2204.12954; the look-ahead of 25 s, the threshold and the
/// shorter look-ahead are those of the published implementation (PrincetonUniversity/Dashlet).
enum Dashlet: PrefetchPlanner {
  static var row: PrefetchRow {
    PrefetchRow(
      "dashlet", "By the stall that is expected without a segment (Li et al., NSDI 2023)",
      [
        .init(.itemsAhead, "4", "the published implementation: five videos"),
        .init(.concurrency, "1", "the published implementation: one chunk at a time"),
      ] + PrefetchSetting.common)
  }

  /// Expected stall, in seconds, from which a segment is wanted: the reward of the lowest rate over
  /// the weight of a second of stall.
  static let threshold = 1_143.0 / 700_000
  /// The shorter look-ahead is at least this, in seconds.
  static let leastLookAhead = 10

  static func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan
  ) {
    forecast.compute(state)
    let segment = state.configuration.segmentLength
    var wanted = currentSegments(state)
    for offset in stride(from: 1, through: state.reach, by: 1) {
      var held = heldSegments(state, offset)
      while penalty(state, forecast, offset, held, SwipeForecast.horizon) > threshold {
        wanted += 1
        held += segment
      }
    }
    var lookAhead = leastLookAhead
    if wanted > 0 { lookAhead = max(2 * SwipeForecast.horizon / wanted + 1, leastLookAhead) }
    addByPenalty(state, forecast, lookAhead, into: &plan)
    let own = currentPenalty(state, lookAhead)
    guard let first = plan.wishes.first else { return }
    let offset = Int(first.item.index) - Int(state.current?.index ?? 0)
    let best = penalty(state, forecast, offset, first.depth.length - segment, lookAhead)
    plan.gate = own > best ? .closed : .open
  }

  /// The segments that are wanted, the largest penalty first; an item's own stand in order, because
  /// each has less than the one before it.
  static func addByPenalty(
    _ state: PrefetchState, _ forecast: SwipeForecast, _ lookAhead: Int,
    into plan: inout PrefetchPlan
  ) {
    let segment = state.configuration.segmentLength
    let most = state.configuration.itemsAhead * Int(SwipeForecast.horizon)
    for _ in 0..<most {
      var best = 0
      var largest = 0.0
      var from = TimeSpan.zero
      for offset in stride(from: 1, through: state.reach, by: 1) {
        let begin = plan.depth(of: state.item(offset)) ?? heldSegments(state, offset)
        if penalty(state, forecast, offset, begin, SwipeForecast.horizon) <= threshold { continue }
        let found = penalty(state, forecast, offset, begin, lookAhead)
        if found > largest {
          largest = found
          best = offset
          from = begin
        }
      }
      if best == 0 { return }
      let kind: PrefetchPolicy.Priority = from > .zero ? .deeper : best == 1 ? .next : .further
      plan.add(state.item(best), .media(from + segment), kind)
    }
  }

  /// What is held of an item, in whole segments: a part of one is fetched with the rest of it, so
  /// that news of its progress does not ask for more.
  private static func heldSegments(_ state: PrefetchState, _ offset: Int) -> TimeSpan {
    let segment = state.configuration.segmentLength
    return segment * state.held(state.item(offset)).wholeSteps(of: segment)
  }

  /// The penalty of the segment that begins at a position of the item at an offset.
  static func penalty(
    _ state: PrefetchState, _ forecast: SwipeForecast, _ offset: Int, _ begin: TimeSpan,
    _ lookAhead: Int
  ) -> Double {
    if begin >= .seconds(Int64(lookAhead)) { return 0 }
    let survival = state.configuration.curves.survival(
      at: begin, of: state.duration(of: state.item(offset)))
    return forecast.penalty(
      offset: offset, shift: begin, survival: survival, lookAhead: lookAhead)
  }

  /// The penalty of the current item's next segment; zero when all of it is there.
  private static func currentPenalty(_ state: PrefetchState, _ lookAhead: Int) -> Double {
    guard let current = state.current, !state.isComplete else { return 0 }
    let duration = state.duration(of: current)
    let here = state.configuration.curves.survival(at: state.position, of: duration)
    let there = state.configuration.curves.survival(
      at: state.position + state.bufferAhead, of: duration)
    let room = Double(lookAhead) - state.bufferAhead.seconds
    return room > 0 && here > 0 ? room * there / here : 0
  }

  /// How many segments of the current item are within the look-ahead.
  private static func currentSegments(_ state: PrefetchState) -> Int {
    guard let current = state.current, !state.isComplete else { return 0 }
    let left = state.duration(of: current) - state.position - state.bufferAhead
    let room = TimeSpan.seconds(Int64(SwipeForecast.horizon)) - state.bufferAhead
    let span = left < room ? left : room
    if span <= .zero { return 0 }
    return Int((span - .nanoseconds(1)).wholeSteps(of: state.configuration.segmentLength)) + 1
  }
}
