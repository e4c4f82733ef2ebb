import MediaUnits

/// In the order of play, each item up to a limit of its own that retention, order and throughput
/// set; nothing is fetched when all have theirs.
///
/// A segment is wanted when the share of viewers who get to it, from where they are, reaches a
/// floor. The floor rises with the throughput, because what is skipped now can be had quickly
/// later, and with the item's distance. The current item has such a limit, too, and goes first
/// while it has less than `pauseBelowBuffer` or its limit.
///
/// Leaves out: the joint choice of the bit rate (the host's rule and cap). The article's fitted
/// limits are not public in a form that could be read here, so the floors are assumed.
///
/// Source: Zhou, Zhong, Geng and Yu, "PDAS: Probability-Driven Adaptive Streaming for Short Video",
/// ACM MM 2022, as its abstract and the team's own account describe it; Zuo et al., ACM MM 2022,
/// arXiv 2206.09839, for the challenge.
enum ProbabilityDriven: PrefetchPlanner {
  static var row: PrefetchRow {
    PrefetchRow(
      "pdas",
      "In the order of play, up to limits by retention and throughput (Zhou et al., 2022)",
      [
        .init(.itemsAhead, "4", "the challenge: a queue of five videos"),
        .init(.concurrency, "1", "the challenge: one chunk at a time"),
      ] + PrefetchSetting.common)
  }

  /// Share of viewers from which a segment is wanted, on a link no faster than the bit rate and on
  /// one four times as fast (assumed).
  static let floors = (scarce: 0.2, plentiful: 0.6)
  /// How much the floor rises with each item between (assumed).
  static let step = 0.05

  static func plan(
    _ state: PrefetchState, _ forecast: inout SwipeForecast, into plan: inout PrefetchPlan
  ) {
    guard let current = state.current else { return }
    let own = limit(state, current, from: state.position, distance: 0)
    plan.bufferLimit = own
    let pause = state.configuration.pauseBelowBuffer
    plan.gate = .buffer(own < pause ? own : pause)
    for offset in stride(from: 1, through: state.reach, by: 1) {
      let item = state.item(offset)
      let length = limit(state, item, from: .zero, distance: offset)
      plan.add(item, .media(length), offset == 1 ? .next : .further)
    }
  }

  /// Media of an item beyond a position that enough viewers will see: whole segments, at least one.
  static func limit(
    _ state: PrefetchState, _ item: ItemID, from: TimeSpan, distance: Int
  ) -> TimeSpan {
    let plenty = state.plenty ?? 1
    let share = plenty <= 1 ? 0 : plenty >= 4 ? 1 : (plenty - 1) / 3
    let floor =
      floors.scarce + (floors.plentiful - floors.scarce) * share + step * Double(distance)
    let duration = state.duration(of: item)
    let curves = state.configuration.curves
    let here = curves.survival(at: from, of: duration)
    let segment = state.configuration.segmentLength
    var length = segment
    let most = TimeSpan.seconds(Int64(SwipeForecast.horizon))
    while length < most && here > 0
      && curves.survival(at: from + length, of: duration) / here >= floor
    {
      length += segment
    }
    return length
  }
}
