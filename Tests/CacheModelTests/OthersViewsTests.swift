import SimulationKernel
import Testing

@testable import CacheModel

/// The views of those who are not simulated, as a pure function of the seed.
@Suite struct OthersViewsTests {
  private static let streams = RandomStreams(seed: 7, replication: 3)

  private func views(rate: Double, place: UInt32 = 2, title: UInt32 = 11) -> OthersViews {
    OthersViews(
      OthersViewsTests.streams, place: place, title: title, first: 0, rate: rate,
      simulatedShare: 0.1)
  }

  @Test func `whoever asks at whichever time meets the same views`() {
    var all: [OthersView] = []
    var scan = views(rate: 0.7)
    var view = scan.next(after: 0)
    while view.work < 2000 {
      all.append(view)
      view = scan.next()
    }
    #expect(all.count > 1000)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.work < $1.work })
    // Backwards, from between two views each.
    var random = views(rate: 0.7)
    for index in (1..<all.count).reversed() {
      let found = random.next(after: all[index - 1].work)
      #expect(found.work == all[index].work && found.seed == all[index].seed)
    }
  }

  @Test func `they are a Poisson process of the rate, one in ten of them simulated`() {
    let rate = 0.25
    let span = 8.0
    var counts: [Double] = []
    var (simulated, sum) = (0.0, 0.0)
    var scan = views(rate: rate)
    var view = scan.next(after: 0)
    for window in 0..<20_000 {
      var count = 0.0
      while view.work < Double(window + 1) * span {
        count += 1
        if view.isSimulated { simulated += 1 }
        view = scan.next()
      }
      counts.append(count)
      sum += count
    }
    let n = Double(counts.count)
    let mean = sum / n
    let variance = counts.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (n - 1)
    // Mean and variance of a Poisson number are its parameter m; the variance of the latter's
    // estimate is (m + 2·m²) / n.
    let m = rate * span
    #expect(abs(mean - m) < 4 * (m / n).squareRoot(), "\(mean)")
    #expect(abs(variance - m) < 4 * ((m + 2 * m * m) / n).squareRoot(), "\(variance)")
    #expect(abs(simulated - 0.1 * sum) < 4 * (0.09 * sum).squareRoot(), "\(simulated)")
  }

  @Test func `other places and titles have other views`() {
    var here = views(rate: 1)
    var there = views(rate: 1, place: 3)
    var other = views(rate: 1, title: 12)
    let (a, b, c) = (here.next(after: 0), there.next(after: 0), other.next(after: 0))
    #expect(a.work != b.work && a.work != c.work && b.work != c.work)
  }

  @Test func `objects of one rung are asked for by the same views`() {
    var scan = views(rate: 1)
    var (first, later, elsewhere, both) = (0, 0, 0, 0)
    let count = 20_000
    for _ in 0..<count {
      let view = scan.next()
      let begins = view.asks(0.6, group: 1)
      if begins { first += 1 }
      if view.asks(0.2, group: 1) {
        later += 1
        #expect(begins)
      }
      if view.asks(0.5, group: 2) {
        elsewhere += 1
        if begins { both += 1 }
      }
    }
    func isNear(_ found: Int, _ share: Double) -> Bool {
      let n = Double(count)
      return abs(Double(found) - share * n) < 4 * (share * (1 - share) * n).squareRoot()
    }
    #expect(isNear(first, 0.6) && isNear(later, 0.2) && isNear(elsewhere, 0.5))
    // Of another rung independently.
    #expect(isNear(both, 0.3))
  }
}
