/// The level choice of `no_save`: model-predictive control over the next chunks of a video with a
/// discounted throughput estimate (Yin et al. 2015, doi:10.1145/2785956.2787486, as MM22 has it).
///
/// The peer works out every plan, in lexicographic order, and takes the last of those with the
/// highest reward. So does this, to the last bit, but for plans that cannot have it: what a plan's
/// levels are worth by themselves does not depend on the time (``MM22Plans``), and a plan stalls no
/// less than its beginning.
struct MM22Control: Sendable {
  /// How many chunks are looked ahead at most.
  static let horizon = 5
  /// The weight of a second of stall in the plan.
  static let stallWeight = 4.3

  /// Throughput samples in MB/s.
  private var samples = RecentSamples()
  /// Relative errors of the estimates.
  private var errors = RecentSamples()
  private var lastEstimate: Double?
  /// By depth less one.
  private let plans: [MM22Plans]
  /// How long the chunk at each depth takes at each level, in milliseconds.
  private var times: [Double]

  init() {
    plans = (1...MM22Control.horizon).map { MM22Plans(depth: $0) }
    times = Array(repeating: 0, count: MM22Control.horizon * MM22Video.rates.count)
  }

  mutating func reset() {
    samples.removeAll()
    errors.removeAll()
    lastEstimate = nil
  }

  /// Learns from a download.
  mutating func record(bytes: Int64, delay: Int64) {
    samples.append(Double(bytes) / 1e6 / (Double(delay) / 1_000))
  }

  /// The level of the next chunk of a video that has one.
  ///
  /// - Complexity: O(3^depth) at worst; mostly a few plans of each first level.
  mutating func level(of video: Int, _ queue: borrowing MM22Queue) -> Int {
    let throughput = discountedEstimate()
    let depth = min(MM22Control.horizon, queue.chunksLeft(video))
    let (next, buffer, lastLevel) = queue.next(of: video)
    let levels = MM22Video.rates.count
    for position in 0..<depth {
      for level in 0..<levels {
        let bytes = queue.size(video, level: level, chunk: next + position)
        times[position * levels + level] = 1_000 * (Double(bytes) / 1e6) / throughput
      }
    }
    return times.withUnsafeBufferPointer { times in
      plans[depth - 1].best(times: times, buffer: Double(buffer), after: lastLevel ?? 0)
    }
  }

  /// The harmonic mean of the samples, lowered by the largest recent error, in MB/s. The peer
  /// counts the error of the new estimate against the sample it was made from as well.
  private mutating func discountedEstimate() -> Double {
    guard let last = samples.last, let mean = samples.harmonicMean else {
      preconditionFailure("the first decision is a download")
    }
    errors.append(lastEstimate.map { abs($0 - last) / last } ?? 0)
    errors.append(abs(mean - last) / last)
    lastEstimate = mean
    return mean / (1 + errors.largest)
  }
}

/// All plans of a number of chunks: a level for each, in lexicographic order.
struct MM22Plans: Sendable {
  private let depth: Int
  /// By plan: the sum of its rates, and of its changes of rate with the one before its first chunk,
  /// each over 1,000. The peer does not reset the level before the first chunk between plans, so
  /// that of every plan but the first is the last of the plan before.
  private let worth: [Double]
  private let changes: [Double]
  /// By position and beginning of a plan up to there: the most that worth less changes comes to
  /// among the plans that begin so, and ``margin``.
  private let most: [[Double]]
  /// What a sum in another order may be off by: of worth and changes, and as a part of the stall's.
  private static let margin = 1e-9
  private static let stallMargin = 1e-12
  private static let levels = MM22Video.rates.count

  init(depth: Int) {
    self.depth = depth
    var count = 1
    for _ in 0..<depth { count *= MM22Plans.levels }
    var worth: [Double] = []
    var changes: [Double] = []
    var previous = 0
    for plan in 0..<count {
      var rates = 0.0
      var changed = 0.0
      for position in 0..<depth {
        let level = MM22Plans.level(plan, position, of: depth)
        rates += MM22Video.rates[level]
        if position > 0 {
          let before = MM22Plans.level(plan, position - 1, of: depth)
          changed += abs(MM22Video.rates[level] - MM22Video.rates[before])
        }
      }
      let first = MM22Video.rates[MM22Plans.level(plan, 0, of: depth)]
      worth.append(rates / 1_000)
      changes.append((changed + abs(first - MM22Video.rates[previous])) / 1_000)
      previous = MM22Plans.level(plan, depth - 1, of: depth)
    }
    var most: [[Double]] = []
    for position in 0..<depth {
      var group = count
      for _ in 0...position { group /= MM22Plans.levels }
      most.append(
        stride(from: 0, to: count, by: group).map { begin in
          // The first plan's change from the chunk before is at least the one that counts here: 0.
          let values = (begin..<begin + group).map { worth[$0] - changes[$0] }
          return (values.max() ?? 0) + MM22Plans.margin
        })
    }
    (self.worth, self.changes, self.most) = (worth, changes, most)
  }

  /// The level of a plan at a position.
  private static func level(_ plan: Int, _ position: Int, of depth: Int) -> Int {
    var rest = plan
    for _ in position..<depth - 1 { rest /= levels }
    return rest % levels
  }

  /// The first level of the last of the best plans.
  ///
  /// - Parameters:
  ///   - times: of the chunk at each position at each level, milliseconds.
  ///   - buffer: milliseconds of media held.
  ///   - level: that the chunk before had.
  func best(times: UnsafeBufferPointer<Double>, buffer: Double, after level: Int) -> Int {
    var search = Search(plans: self, times: times, after: level)
    // What plans of one level reach leaves most others behind.
    for level in 0..<MM22Plans.levels { search.tryConstant(level, buffer) }
    search.visit(position: 0, begin: 0, buffer: buffer, stall: 0)
    return search.choice
  }

  private struct Search {
    let plans: MM22Plans
    let times: UnsafeBufferPointer<Double>
    /// The changes of the first plan, which follows the chunk before.
    let firstChanges: Double
    var best = -Double.infinity
    var choice = 0
    /// What some plan reaches.
    private var reached = -Double.infinity

    init(plans: MM22Plans, times: UnsafeBufferPointer<Double>, after level: Int) {
      self.plans = plans
      self.times = times
      firstChanges = abs(MM22Video.rates[0] - MM22Video.rates[level]) / 1_000
    }

    private func reward(_ plan: Int, stall: Double) -> Double {
      let changes = plan == 0 ? firstChanges : plans.changes[plan]
      return plans.worth[plan] - MM22Control.stallWeight * stall / 1_000 - changes
    }

    @inline(__always)
    private static func extend(_ buffer: Double, _ stall: Double, by time: Double) -> (
      buffer: Double, stall: Double
    ) {
      let chunk = Double(MM22Video.chunkLength)
      return buffer < time ? (0 + chunk, stall + (time - buffer)) : (buffer - time + chunk, stall)
    }

    mutating func tryConstant(_ level: Int, _ buffer: Double) {
      var plan = 0
      var state = (buffer: buffer, stall: 0.0)
      for position in 0..<plans.depth {
        plan = plan * MM22Plans.levels + level
        let time = times[position * MM22Plans.levels + level]
        state = Search.extend(state.buffer, state.stall, by: time)
      }
      let reward = reward(plan, stall: state.stall)
      if reward > reached { reached = reward }
    }

    /// Works out the plans that begin like plan `begin` up to a position.
    mutating func visit(position: Int, begin: Int, buffer: Double, stall: Double) {
      for level in 0..<MM22Plans.levels {
        let time = times[position * MM22Plans.levels + level]
        let state = Search.extend(buffer, stall, by: time)
        let index = begin * MM22Plans.levels + level
        // The stall of a beginning that never ends leaves no bound, and no plan is passed over.
        let lost = MM22Control.stallWeight * state.stall / 1_000
        let bound = plans.most[position][index] - lost + lost * MM22Plans.stallMargin
        if bound < reached { continue }
        if position + 1 < plans.depth {
          visit(position: position + 1, begin: index, buffer: state.buffer, stall: state.stall)
          continue
        }
        let reward = reward(index, stall: state.stall)
        if reward >= best {
          best = reward
          var first = index
          for _ in 1..<plans.depth { first /= MM22Plans.levels }
          choice = first
          if reward > reached { reached = reward }
        }
      }
    }
  }
}
