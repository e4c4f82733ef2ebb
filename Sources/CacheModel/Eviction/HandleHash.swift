import SimulationKernel

/// Several hash places of one handle by double hashing (Kirsch and Mitzenmacher, 2006).
struct HandleHash {
  private let first: UInt64
  private let step: UInt64

  init(_ object: UInt32, seed: UInt64) {
    first = SplitMix.hash(seed ^ UInt64(object) &* SplitMix.step)
    step = SplitMix.hash(first) | 1
  }

  /// The place of hash `number` among `count`.
  @inline(__always)
  func place(_ number: UInt64, of count: Int) -> Int {
    Int((first &+ number &* step).multipliedFullWidth(by: UInt64(count)).high)
  }
}
