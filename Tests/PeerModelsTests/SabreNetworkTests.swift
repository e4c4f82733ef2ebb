import Foundation
import Testing

@testable import PeerModels

/// The network of the Sabre model, its estimator and its logarithm against arithmetic by hand.
@Suite struct SabreNetworkTests {
  @Test func `a wait for the first byte takes its share of each row's latency`() {
    var link = SabreLink(sabreNetwork((40, 1000, 100), (1000, 1000, 50)))
    // 40 ms are 0.4 of the first row's latency; 0.6 of the second row's are 30 ms.
    #expect(abs(link.latency() - 70) < 1e-9)
    #expect(abs(link.left - 970) < 1e-9)
  }

  @Test func `bits wait through rows that carry none`() {
    var link = SabreLink(sabreNetwork((100, 1000, 0), (500, 0, 0), (100, 200, 0)))
    // 100 ms carry 100,000 bits, 500 ms none, 20,000 bits more take 100 ms, and the last 1000 bits
    // the first ms of the next round.
    #expect(link.transfer(121_000) == 701)
    #expect(link.left == 99)
  }

  @Test func `the trace starts anew after its last row`() {
    var link = SabreLink(sabreNetwork((100, 1000, 0), (50, 10, 0)))
    link.wait(100)
    #expect(link.left == 0)
    link.wait(180)
    #expect(link.left == 20)
    #expect(link.transfer(200) == 20)
    #expect(link.transfer(1000) == 1)
  }

  @Test func `a part of a download has the least bits and lasts the least time`() {
    var fast = SabreLink(sabreNetwork((1000, 1000, 0)))
    #expect(fast.quantum(of: 1e6, bits: 12_000, time: 50) == .init(bits: 50_000, time: 50))
    #expect(fast.left == 950)
    var slow = SabreLink(sabreNetwork((1000, 100, 0)))
    #expect(slow.quantum(of: 1e6, bits: 12_000, time: 50) == .init(bits: 12_000, time: 120))
    var end = SabreLink(sabreNetwork((1000, 1000, 0)))
    #expect(end.quantum(of: 3000, bits: 12_000, time: 50) == .init(bits: 3000, time: 3))
  }

  @Test func `a part of a download goes on in the next row`() {
    var link = SabreLink(sabreNetwork((20, 1000, 0), (1000, 500, 0)))
    // 20 ms carry 20,000 bits; the 30 ms that are left carry 15,000.
    #expect(link.quantum(of: 1e6, bits: 12_000, time: 50) == .init(bits: 35_000, time: 50))
    #expect(link.left == 970)
  }

  @Test func `without bandwidth a part waits whole rows for bits, and only its time without`() {
    let rows = sabreNetwork((300, 0, 0), (1000, 1000, 0))
    var wanting = SabreLink(rows)
    // The wanted time is long over; the 12,000 bits come in the next row.
    #expect(wanting.quantum(of: 1e6, bits: 12_000, time: 50) == .init(bits: 12_000, time: 312))
    var waiting = SabreLink(rows)
    #expect(waiting.quantum(of: 1e6, bits: 0, time: 50) == .init(bits: 0, time: 50))
    #expect(waiting.left == 250)
    var longer = SabreLink(rows)
    #expect(longer.quantum(of: 1e6, bits: 0, time: 400) == .init(bits: 100_000, time: 400))
  }

  @Test func `one sample is the estimate`() {
    var estimator = SabreEstimator(segmentDuration: 3000)
    estimator.add(time: 700, throughput: 1234, latency: 90)
    #expect(abs(estimator.throughput - 1234) < 1e-9)
    #expect(abs(estimator.latency - 90) < 1e-10)
  }

  @Test func `the lower throughput and the higher latency of two half lives count`() {
    func mean(_ samples: [(weight: Double, value: Double)], halfLife: Double) -> Double {
      var (mean, total) = (0.0, 0.0)
      for (weight, value) in samples {
        let kept = pow(0.5, weight / halfLife)
        mean = kept * mean + (1 - kept) * value
        total += weight
      }
      return mean / (1 - pow(0.5, total / halfLife))
    }
    let rates = [(3000.0, 1000.0), (1500.0, 4000.0), (9000.0, 300.0), (10.0, 8000.0)]
    let delays = [100.0, 20.0, 400.0, 50.0]
    var estimator = SabreEstimator(segmentDuration: 2000)
    for (rate, delay) in zip(rates, delays) {
      estimator.add(time: rate.0, throughput: rate.1, latency: delay)
    }
    let expected = min(mean(rates, halfLife: 3000), mean(rates, halfLife: 8000))
    #expect(abs(estimator.throughput / expected - 1) < 1e-13)
    let samples = delays.map { (1.0, $0) }
    let latency = max(mean(samples, halfLife: 1.5), mean(samples, halfLife: 4))
    #expect(abs(estimator.latency / latency - 1) < 1e-13)
  }

  @Test func `the logarithm is rounded as the C library rounds it`() {
    var different = 0
    for step in 1...50_000 {
      let x = Double(step) * 0.737
      let (ours, theirs) = (SabreMath.logarithm(x), log(x))
      #expect(abs(ours - theirs) <= theirs.ulp, "ln \(x)")
      if ours != theirs { different += 1 }
    }
    // The share in which a good C library does not round to the nearest is below 1 in 100.
    #expect(different < 500)
  }

  @Test func `a power of one half is rounded as the C library rounds it`() {
    var different = 0
    for step in 0...50_000 {
      let x = Double(step) * 0.001_37
      let (ours, theirs) = (SabreMath.powerOfHalf(x), pow(0.5, x))
      #expect(abs(ours - theirs) <= theirs.ulp, "half to the power \(x)")
      if ours != theirs { different += 1 }
    }
    #expect(different < 500)
    #expect(SabreMath.powerOfHalf(0) == 1 && SabreMath.powerOfHalf(7) == 1.0 / 128)
  }

  @Test func `a film is repeated and cut to whole segments`() {
    let film = SabreMovie(
      segmentDuration: 2000, bitrates: [100], sizes: [[1], [2], [3]])
    let long = film.lasting(seconds: 13.5)
    #expect(long.segmentCount == 7)
    #expect((0..<7).map { long.size(segment: $0, level: 0) } == [1, 2, 3, 1, 2, 3, 1])
    #expect(film.lasting(seconds: 4).segmentCount == 2)
    #expect(film.lasting(seconds: 0.1).segmentCount == 1)
  }
}
