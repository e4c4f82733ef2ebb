import SimulationKernel

/// Random numbers of what a policy is asked or told for a rehearsal.
struct RehearsalDraws {
  private var state: UInt64

  /// Equal seeds draw the same.
  init(seed: UInt64) { state = SplitMix.hash(seed) }

  /// 0 to below a count.
  mutating func below(_ count: Int) -> Int {
    state = state &+ SplitMix.step
    return Int(SplitMix.finalized(state) % UInt64(count))
  }

  mutating func flag() -> Bool { below(2) == 0 }
}
