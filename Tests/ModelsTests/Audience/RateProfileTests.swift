import MediaUnits
import SimulationKernel
import Statistics
import Testing

@testable import AudienceModel

@Suite struct RateProfileTests {
  /// A ramp, a plateau, a step up, a fall to zero, a gap.
  static let uneven = RateProfile([
    (time: -10, rate: 0), (time: 0, rate: 2), (time: 5, rate: 2), (time: 5, rate: 7),
    (time: 9, rate: 0), (time: 14, rate: 0), (time: 20, rate: 3),
  ])

  private static func integral(_ profile: RateProfile, _ from: Double, _ until: Double) -> Double {
    var sum = 0.0
    for piece in profile.pieces {
      let (begin, end) = (max(from, piece.from), min(until, piece.until))
      if begin < end { sum += (end - begin) * (piece.rate(at: begin) + piece.rate(at: end)) / 2 }
    }
    return sum
  }

  @Test func `the integral of the rate up to the time found is the work asked for`() {
    let streams = RandomStreams(seed: 3, replication: 0)
    for index in 0..<2000 {
      let (a, b) = streams.uniformPair(.arrival, entity: UInt64(index))
      let start = -15 + 38 * a
      let left = RateProfileTests.integral(RateProfileTests.uneven, start, 20)
      let work = 40 * b
      let found = RateProfileTests.uneven.time(after: start, work: work)
      if work > left {
        #expect(found == .infinity)
      } else {
        #expect(found >= start && found <= 20)
        let done = RateProfileTests.integral(RateProfileTests.uneven, start, found)
        #expect(abs(done - work) < 1e-9)
      }
    }
    #expect(abs(RateProfileTests.uneven.total - (10 + 10 + 14 + 9)) < 1e-12)
    #expect(RateProfileTests.uneven.rate(at: 5) == 7 && RateProfileTests.uneven.rate(at: 30) == 0)
  }

  // caches.md section 7: peak over trough of 3 to 5
  @Test func `a day has its mean, its ratio and its peak where they are asked for`() {
    let day = DailyShape(peakToTrough: 4, period: 86_400, peakAt: 3600)
    #expect(abs(day.rate(at: 3600) - 1.6) < 1e-12)
    #expect(abs(day.rate(at: 3600 - 43_200) - 0.4) < 1e-12)
    #expect(abs(day.rate(at: 3600 + 5 * 86_400) - 1.6) < 1e-9)
    let whole = RateProfile(day.points(from: -1000, until: -1000 + 3 * 86_400))
    #expect(abs(whole.total - 3 * 86_400) < 1e-6)
    for hour in 0..<100 {
      let time = Double(hour) * 1777
      #expect(abs(whole.rate(at: time) - day.rate(at: time)) < 1e-9)
    }
  }

  @Test func `a crowd's extra sessions rise and fall over the ramp and follow the day`() {
    let plain = Crowd.extra(
      factor: 5, from: .seconds(100), length: .seconds(60), ramp: .seconds(20), day: nil)
    #expect(abs(plain.total - 4 * 40) < 1e-9)
    #expect(abs(plain.rate(at: 110) - 2) < 1e-9 && plain.rate(at: 130) == 4)
    #expect(abs(plain.rate(at: 150) - 2) < 1e-9 && plain.rate(at: 99) == 0)
    let day = DailyShape(peakToTrough: 3, period: 240, peakAt: 100)
    let shaped = Crowd.extra(
      factor: 5, from: .seconds(100), length: .seconds(60), ramp: .zero, day: day)
    for second in stride(from: 100.5, to: 160, by: 1) {
      #expect(abs(shaped.rate(at: second) - 4 * day.rate(at: second)) < 1e-9)
    }
  }
}
