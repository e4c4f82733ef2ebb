/// A small seeded generator for the bootstrap and for tests; not for the simulation.
///
/// SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014,
/// DOI 10.1145/2660193.2660195). Equal seeds give equal sequences on every platform.
public struct SplitMix64: Sendable, Equatable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number strictly between 0 and 1: the midpoint of one of 2^52 equal cells.
  public mutating func nextUniform() -> Double {
    (Double(next() >> 12) + 0.5) * 0x1p-52
  }

  /// A number in 0..<`count`, without bias (D. Lemire 2019, DOI 10.1145/3230636).
  ///
  /// - Precondition: `count` is above 0.
  public mutating func next(below count: Int) -> Int {
    precondition(count > 0, "expected a count above 0, got \(count)")
    let bound = UInt64(count)
    var product = next().multipliedFullWidth(by: bound)
    if product.low < bound {
      let floor = (0 &- bound) % bound
      while product.low < floor { product = next().multipliedFullWidth(by: bound) }
    }
    return Int(product.high)
  }
}

/// The least `x` in (`low`, `high`] where a non-decreasing function reaches 0, to 1e-13 relative.
///
/// `f` must be below 0 at `low` and at least 0 at `high`; it may jump. Illinois false position with
/// a halving step whenever it stalls; the halving is in floating-point order, not in distance, when
/// the ends differ in magnitude or sign, so that at most a few hundred evaluations reach any root.
/// At a jump placed on `high` the answer is `high` exactly.
/// - Throws: `statistics.numeric` when 400 steps do not suffice.
func leastRoot(
  low: Double, high: Double, fLow: Double = -.infinity, fHigh: Double = .infinity,
  _ f: (Double) throws(StatisticsError) -> Double
) throws(StatisticsError) -> Double {
  var low = low
  var high = high
  var fLow = fLow
  var fHigh = fHigh
  var previousWidth = Double.infinity
  var movedHigh: Bool?
  for step in 0..<400 {
    let width = high - low
    let tolerance = 0.5e-13 * max(abs(low), abs(high))
    if width <= 2 * tolerance || width <= 1e-300 { return high }
    let stalled = step % 3 == 2 && width > 0.25 * previousWidth
    if step % 3 == 2 { previousWidth = width }
    var x = stalled ? middle(low, high) : low + width * (fLow / (fLow - fHigh))
    if !x.isFinite { x = middle(low, high) }
    // A step of one tolerance off the ends lets the bracket close once the root is known.
    x = min(max(x, low + tolerance), high - tolerance)
    if !(x > low && x < high) { return high }
    let value = try f(x)
    if value >= 0 {
      // On a level stretch at 0 the search goes on to its left end.
      if value == 0 {
        let before = max(low, x - tolerance)
        let reaches = before > low ? try f(before) >= 0 : false
        if !reaches { return x }
      }
      high = x
      fHigh = value == 0 ? .infinity : value
      if movedHigh == true { fLow /= 2 }
      movedHigh = true
    } else {
      low = x
      fLow = value
      if movedHigh == false { fHigh /= 2 }
      movedHigh = false
    }
  }
  throw .numeric("a root after 400 steps", got: "the bracket \(low) to \(high)")
}

/// A number between `low` and `high`: their mean, or 0, or the middle in floating-point order.
private func middle(_ low: Double, _ high: Double) -> Double {
  if low < 0 && high > 0 { return 0 }
  if low >= 0 && high > 4 * low {
    return Double(bitPattern: (low.bitPattern + high.bitPattern) / 2)
  }
  if high <= 0 && low < 4 * high {
    return -Double(bitPattern: (low.magnitude.bitPattern + high.magnitude.bitPattern) / 2)
  }
  return low + (high - low) / 2
}
