import MediaUnits

/// When each of the coming items is expected to start playing: the sum of the watch times of those
/// before it, on a grid of one second.
///
/// Leaves out: the time of the swipe itself, back-swipes, stalls, the correlation of swipes.
///
/// Source: Li et al., "Dashlet", NSDI 2023 (section 4: play-start distributions by convolution).
struct SwipeForecast: Sendable {
  /// Seconds that are looked ahead; the published implementation's 25.
  static let horizon = 25

  /// Probability that the item at an offset of 1, 2 … starts in second t from now.
  private var starts: [Double]
  private var watch: [Double]

  init(items: Int) {
    starts = [Double](repeating: 0, count: items * SwipeForecast.horizon)
    watch = [Double](repeating: 0, count: items > 0 ? SwipeForecast.horizon : 0)
  }

  /// - Complexity: O(items · horizon²).
  mutating func compute(_ state: PrefetchState) {
    guard let current = state.current else { return }
    let horizon = SwipeForecast.horizon
    for offset in 1...max(1, state.reach) {
      if offset > state.reach { return }
      let item = offset == 1 ? current : state.item(offset - 1)
      fillWatch(state, item, from: offset == 1 ? state.position : .zero)
      let row = (offset - 1) * horizon
      if offset == 1 {
        for second in 0..<horizon { starts[row + second] = watch[second] }
        continue
      }
      for second in 0..<horizon {
        var sum = 0.0
        for earlier in 0...second {
          sum += starts[row - horizon + earlier] * watch[second - earlier]
        }
        starts[row + second] = sum
      }
    }
  }

  /// Probability that a viewer at a position leaves the item in second t from now.
  private mutating func fillWatch(_ state: PrefetchState, _ item: ItemID, from: TimeSpan) {
    let duration = state.duration(of: item)
    let curve = state.configuration.curves.index(for: duration)
    let left = duration.seconds - from.seconds
    let reached = state.configuration.curves.value(at: from.seconds, curve: curve)
    var alive = 1.0
    for second in 0..<SwipeForecast.horizon {
      var after = 0.0
      if Double(second + 1) < left && reached > 0 {
        after =
          state.configuration.curves.value(at: from.seconds + Double(second + 1), curve: curve)
          / reached
      }
      watch[second] = alive - after
      alive = after
    }
  }

  /// Stall, in seconds, that is expected within `lookAhead` when what begins `shift` into the item
  /// at an offset is not fetched until then, of the viewers who get that far into it.
  func penalty(offset: Int, shift: TimeSpan, survival: Double, lookAhead: Int) -> Double {
    let row = (offset - 1) * SwipeForecast.horizon
    let room = Double(lookAhead) - shift.seconds
    var sum = 0.0
    for second in 0..<SwipeForecast.horizon {
      let stall = room - Double(second)
      if stall <= 0 { break }
      sum += stall * starts[row + second]
    }
    return sum * survival
  }
}
