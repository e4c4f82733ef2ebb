import MediaUnits

/// How likely it is that nobody asks a node for an object within some time.
///
/// Viewers ask at random. A cache that fetches an object keeps it for its characteristic time T at
/// least, so that it does not fetch it again for want of it before T is over. Poisson requests of
/// the same rate would leave the node silent for longer, so that a tier behind small caches would
/// seem to keep objects for longer than it does. Fetches of stale copies are taken as random.
public struct RequestSilence: Sendable {
  /// Equal caches that ask the node.
  struct Fetchers: Sendable {
    var count = 0.0
    /// Fetches of what is absent, per second and cache.
    var rate = 0.0
    /// Seconds between two of them at least.
    var pause = 0.0
    /// Fetches of stale copies per second, of all.
    var stale = 0.0

    /// That none of them fetches within `window` seconds.
    ///
    /// After a fetch nothing is fetched for u seconds with probability S(u): 1 up to T, and then
    /// S'(u) = -m·S(u - T), m fetches a second in the long run, because a fetch at u has no request
    /// in the T before it. S is a sum over k of (-m·(u - k·T))^k / k!, as long as u > k·T, and a
    /// cache is silent from any time on for W with probability S(W + T).
    func silence(_ window: Double) -> Double {
      if count <= 0 || rate <= 0 { return 1 }
      if pause <= 0 { return PortableMath.exp(-count * rate * window) }
      // Rounding counts below 1e-8, where nobody is silent.
      if rate * window > 20 { return 0 }
      var sum = 1.0
      var order = 1.0
      var left = rate * window
      while left > 0 {
        var term = 1.0
        var factor = 1.0
        while factor <= order {
          term *= -left / factor
          factor += 1
        }
        sum += term
        if term.magnitude < 1e-12 && order > left { break }
        order += 1
        left -= rate * pause
      }
      return sum < 1e-8 ? 0 : PortableMath.exp(count * PortableMath.log(sum))
    }
  }

  /// Requests per second that come at random.
  var random = 0.0
  var edges = Fetchers()
  var regions = Fetchers()

  /// Requests per second.
  public var rate: Double { random + edges.count * edges.rate + regions.count * regions.rate }

  /// The probability that nobody asks within `window` seconds.
  public func callAsFunction(_ window: Double) -> Double {
    PortableMath.exp(-random * window) * edges.silence(window) * regions.silence(window)
  }

  /// Whether all requests come at random.
  var isRandom: Bool {
    (edges.count <= 0 || edges.rate <= 0) && (regions.count <= 0 || regions.rate <= 0)
  }

  /// The probability that somebody asks within `window` seconds, also where it is small.
  func broken(within window: Double) -> Double {
    let x = random * window
    if x > 0.01 || !isRandom { return 1 - self(window) }
    return x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5))))
  }

  /// How long nobody has asked, from an exponential draw of mean 1; infinity where nobody ever
  /// does.
  public func window(_ draw: Double) -> Double {
    // Poisson requests of the same rate are silent for longer.
    var longest = draw / rate
    if longest == .infinity || edges.rate == 0 && regions.rate == 0 { return longest }
    let probability = PortableMath.exp(-draw)
    var shortest = 0.0
    for _ in 0..<30 {
      let middle = (shortest + longest) / 2
      if self(middle) > probability { shortest = middle } else { longest = middle }
    }
    return longest
  }
}
