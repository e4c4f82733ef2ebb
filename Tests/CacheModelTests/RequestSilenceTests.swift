import MediaUnits
import SimulationKernel
import Testing

@testable import CacheModel

@Suite("How long a shared tier is not asked for an object")
struct RequestSilenceTests {
  /// Edges that keep an object for `pause` seconds after its last request, each asked `rate` times
  /// a second: the times at which any of them asks the next tier, over `span` seconds.
  private func misses(edges: Int, rate: Double, pause: Double, span: Double) -> [Double] {
    let streams = RandomStreams(seed: 7, replication: 0)
    var times: [Double] = []
    for edge in 0..<edges {
      var time = 0.0
      var draw: UInt32 = 0
      while true {
        let u = streams.uniform(.others, entity: UInt64(edge), draw: draw)
        draw += 1
        let gap = -PortableMath.log(u) / rate
        time += gap
        if time > span { break }
        if gap > pause { times.append(time) }
      }
    }
    return times.sorted()
  }

  /// The share of all windows of a length in which nobody asks.
  private func silentShare(_ times: [Double], window: Double, span: Double) -> Double {
    var silent = 0.0
    for (a, b) in zip(times, times.dropFirst()) where b - a > window { silent += b - a - window }
    return silent / span
  }

  @Test("is less than with Poisson requests where edges are in front", arguments: [1, 3])
  func edges(count: Int) {
    let (rate, pause, span) = (0.5, 2.0, 400_000.0)
    let times = misses(edges: count, rate: rate, pause: pause, span: span)
    let fetches = rate * PortableMath.exp(-rate * pause)
    var silence = RequestSilence()
    silence.edges = .init(count: Double(count), rate: fetches, pause: pause, stale: 0)
    #expect(abs(Double(times.count) / span / silence.rate - 1) < 0.01)
    for window in [0.5, 1, 2, 3, 5, 10] as [Double] {
      let seen = silentShare(times, window: window, span: span)
      // Windows overlap: of 70,000 fetches or more one standard error is below 0.001.
      #expect(abs(silence(window) - seen) < 0.004)
      if window >= 1 && window <= 5 {
        let poisson = PortableMath.exp(-silence.rate * window)
        #expect(poisson - seen > 0.01)
      }
    }
  }

  @Test("is that of Poisson requests where nothing leaves the edges")
  func withoutPauses() {
    var silence = RequestSilence()
    silence.random = 0.25
    #expect(silence(4) == PortableMath.exp(-1))
    #expect(silence.window(0.5) == 2)
  }

  @Test("and a time drawn from it has the probability that was drawn")
  func inverse() {
    var silence = RequestSilence()
    silence.random = 0.01
    silence.edges = .init(count: 4, rate: 0.1, pause: 3, stale: 0)
    silence.regions = .init(count: 2, rate: 0.02, pause: 20, stale: 0)
    for draw in [0.01, 0.3, 1, 4] as [Double] {
      let window = silence.window(draw)
      #expect(abs(silence(window) / PortableMath.exp(-draw) - 1) < 1e-6)
    }
    #expect(RequestSilence().window(1) == .infinity)
  }
}
