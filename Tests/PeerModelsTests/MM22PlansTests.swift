import Testing

@testable import PeerModels

/// The search for a plan against all plans, worked out one by one as the peer does.
@Suite struct MM22PlansTests {
  /// The first level of the last of the best plans.
  private static func best(
    _ times: [Double], depth: Int, buffer: Double, after level: Int
  ) -> Int {
    let rates = MM22Video.rates
    var plans: [[Int]] = [[]]
    for _ in 0..<depth { plans = plans.flatMap { plan in rates.indices.map { plan + [$0] } } }
    var previous = level
    var best = -Double.infinity
    var choice = 0
    for plan in plans {
      var (held, stall, sum, changes) = (buffer, 0.0, 0.0, 0.0)
      for (position, level) in plan.enumerated() {
        let time = times[position * rates.count + level]
        if held < time {
          stall += time - held
          held = 0
        } else {
          held -= time
        }
        held += Double(MM22Video.chunkLength)
        sum += rates[level]
        if position > 0 { changes += abs(rates[level] - rates[plan[position - 1]]) }
      }
      let jump = abs(rates[plan[0]] - rates[previous])
      let reward =
        sum / 1_000 - MM22Control.stallWeight * stall / 1_000 - (changes + jump) / 1_000
      if reward >= best {
        best = reward
        choice = plan[0]
      }
      previous = plan[depth - 1]
    }
    return choice
  }

  /// Knuth's linear congruential generator (MMIX): fixed, so that a failure comes again.
  private struct LinearRandom: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state
    }
  }

  @Test("chooses as all plans do", arguments: 1...MM22Control.horizon)
  func agrees(depth: Int) {
    let plans = MM22Plans(depth: depth)
    var random = LinearRandom(state: UInt64(depth))
    var chosen: Set<Int> = []
    // Times that are often equal, so that plans are; and such as no throughput or no bytes make.
    let odd = [0, 1, 250, 500, 999, 1_000, 1_001, 4_000, 1e9, 1e15, .infinity, .nan]
    for round in 0..<3_000 {
      let scale = [100.0, 1_000, 3_000, 30_000][round % 4]
      let times = (0..<depth * MM22Video.rates.count).map { _ -> Double in
        if round % 5 == 0 { return odd.randomElement(using: &random) ?? 0 }
        return Double.random(in: 0...scale, using: &random)
      }
      let buffer = round % 3 == 0 ? 0 : Double(Int.random(in: 0...20_000, using: &random))
      let level = Int.random(in: MM22Video.rates.indices, using: &random)
      let choice = times.withUnsafeBufferPointer {
        plans.best(times: $0, buffer: buffer, after: level)
      }
      let expected = MM22PlansTests.best(times, depth: depth, buffer: buffer, after: level)
      #expect(choice == expected, "round \(round): \(times), buffer \(buffer), after \(level)")
      chosen.insert(choice)
    }
    #expect(chosen.count == MM22Video.rates.count, "each level is the best now and then")
  }
}
