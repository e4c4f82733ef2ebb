/// The level choice of `no_save`: model-predictive control over the next chunks of a video with a
/// discounted throughput estimate (Yin et al. 2015, doi:10.1145/2785956.2787486, as MM22 has it).
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
  /// The plan under evaluation, by depth.
  private var levels: [Int]
  /// How long the chunk at each depth takes at each level, in milliseconds.
  private var times: [Double]
  /// What each prefix of the plan leads to; element d is the state before chunk d.
  private var states: [State]

  private struct State {
    var buffer = 0.0
    var stall = 0.0
    /// The sum of the rates.
    var rates = 0.0
    /// The changes of rate, the one before the first chunk left out.
    var changes = 0.0
  }

  init() {
    levels = Array(repeating: 0, count: MM22Control.horizon)
    times = Array(repeating: 0, count: MM22Control.horizon * MM22Video.rates.count)
    states = Array(repeating: State(), count: MM22Control.horizon + 1)
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
  mutating func level(of video: Int, _ queue: MM22Queue) -> Int {
    let throughput = discountedEstimate()
    let player = queue.players[video]
    let depth = min(MM22Control.horizon, queue.chunksLeft(video))
    let top = MM22Video.rates.count - 1
    for position in 0..<depth {
      levels[position] = 0
      for level in 0...top {
        let bytes = queue.videos[video].size(level: level, chunk: player.count + position)
        times[position * (top + 1) + level] = 1_000 * (Double(bytes) / 1e6) / throughput
      }
    }
    states[0] = State(buffer: Double(player.buffer))
    // The peer does not reset the level before the first chunk between plans.
    var previous = player.lastLevel ?? 0
    var best = -Double.infinity
    var choice = 0
    var changed = 0
    // Plans in lexicographic order; only what follows the first changed level is worked out again.
    while true {
      for position in changed..<depth { extend(position) }
      let jump = abs(MM22Video.rates[levels[0]] - MM22Video.rates[previous])
      let end = states[depth]
      let reward =
        end.rates / 1_000 - MM22Control.stallWeight * end.stall / 1_000
        - (end.changes + jump) / 1_000
      if reward >= best {
        best = reward
        choice = levels[0]
      }
      previous = levels[depth - 1]
      changed = depth - 1
      while changed >= 0 && levels[changed] == top {
        levels[changed] = 0
        changed -= 1
      }
      if changed < 0 { return choice }
      levels[changed] += 1
    }
  }

  /// Works out the state after the chunk at `position` of the plan.
  private mutating func extend(_ position: Int) {
    let level = levels[position]
    let rate = MM22Video.rates[level]
    let time = times[position * MM22Video.rates.count + level]
    var state = states[position]
    if state.buffer < time {
      state.stall += time - state.buffer
      state.buffer = 0
    } else {
      state.buffer -= time
    }
    state.buffer += Double(MM22Video.chunkLength)
    state.rates += rate
    if position > 0 { state.changes += abs(rate - MM22Video.rates[levels[position - 1]]) }
    states[position + 1] = state
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
