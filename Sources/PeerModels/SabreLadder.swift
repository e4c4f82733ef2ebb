/// The levels of a film and the constants that the policies derive from them once.
struct SabreLadder: Sendable {
  /// Play time of a segment, ms.
  let segmentDuration: Double
  /// kbit/s.
  let bitrates: [Double]
  /// The logarithm of each bit rate in units of the lowest, as a difference of logarithms.
  let utilities: [Double]
  /// BOLA-E's buffer weight, ms.
  let enhancedWeight: Double
  /// BOLA-E's weight of smoothness.
  let enhancedSmoothness: Double
  /// The buffer, ms, from which BOLA-E prefers each level to all below.
  let lowestBuffer: [Double]
  /// The buffer, ms, beyond which BOLA-E would rather wait than fetch each level.
  let highestBuffer: [Double]

  var count: Int { bitrates.count }
  var top: Int { bitrates.count - 1 }

  init(_ movie: SabreMovie, _ options: SabreOptions) {
    segmentDuration = movie.segmentDuration
    let rates = movie.bitrates
    bitrates = rates
    let lowest = SabreMath.logarithm(rates[0])
    utilities = rates.map { SabreMath.logarithm($0) - lowest }
    // BOLA-E counts from 1.
    let worths = rates.map { SabreMath.logarithm($0) + (1 - lowest) }
    let best = worths[worths.count - 1]
    let buffer = options.bufferLimit
    let weight: Double
    let smoothness: Double
    if options.keepsInsufficientBufferRule {
      // At least 10 s and 2 s for each level: Spiteri, Sitaraman and Sparacio 2018, section 4.
      let target = max(10_000 + 2000 * Double(rates.count), buffer)
      smoothness = (best - 1) / (target / 10_000 - 1)
      weight = 10_000 / smoothness
    } else {
      smoothness = SabreOptions.stallWeight - 1
      weight = (buffer - movie.segmentDuration) / (best + smoothness)
    }
    enhancedWeight = weight
    enhancedSmoothness = smoothness
    highestBuffer = worths.map { weight * ($0 + smoothness) }
    lowestBuffer = rates.indices.map { level in
      var least = 0.0
      for lower in 0..<level {
        let (rate, lowerRate) = (rates[level], rates[lower])
        let crossing =
          (rate * worths[lower] - lowerRate * worths[level]) / (rate - lowerRate)
        least = max(least, weight * (smoothness + crossing))
      }
      return least
    }
  }

  /// The highest level of which every step up to it is fetched, latency included, within its own
  /// play time at `throughput` kbit/s.
  func sustained(throughput: Double, latency: Double) -> Int {
    var level = 0
    while level < top
      && latency + segmentDuration * bitrates[level + 1] / throughput <= segmentDuration
    {
      level += 1
    }
    return level
  }

  /// The first level with the greatest value for each unit of bit rate (BOLA: Spiteri, Urgaonkar
  /// and Sitaraman 2016, doi:10.1109/INFOCOM.2016.7524428).
  func best(value: (Int) -> Double) -> Int {
    var best = 0
    var bestScore = -Double.infinity
    for level in bitrates.indices {
      let score = value(level) / bitrates[level]
      if score > bestScore { (best, bestScore) = (level, score) }
    }
    return best
  }
}
