import MediaUnits
import Testing

struct `Spans and instants` {
  @Test func `factories multiply and saturate`() {
    #expect(TimeSpan.microseconds(3).nanoseconds == 3_000)
    #expect(TimeSpan.minutes(2) == .seconds(120))
    #expect(TimeSpan.hours(24) == .days(1))
    #expect(TimeSpan.days(106_751) < .max)
    #expect(TimeSpan.days(106_752) == .max)
    #expect(TimeSpan.days(-106_752).nanoseconds == .min)
  }

  @Test func `real seconds round to the nearest nanosecond, ties away from zero`() {
    #expect(TimeSpan(seconds: 0.000_000_001_5).nanoseconds == 2)
    #expect(TimeSpan(seconds: -0.000_000_001_5).nanoseconds == -2)
    #expect(TimeSpan(seconds: 0.000_000_001_4).nanoseconds == 1)
    #expect(TimeSpan(seconds: .infinity) == .max)
    #expect(TimeSpan(seconds: -.infinity).nanoseconds == .min)
    #expect(TimeSpan(seconds: .nan) == .zero)
    #expect(TimeSpan(seconds: 1e300) == .max)
    #expect(TimeSpan(seconds: 9_223_372_036).nanoseconds == 9_223_372_036_000_000_000)
  }

  @Test func `division truncates toward zero and whole steps round down`() {
    #expect(TimeSpan(nanoseconds: -7) / 2 == TimeSpan(nanoseconds: -3))
    #expect(TimeSpan(nanoseconds: 7).wholeSteps(of: .nanoseconds(2)) == 3)
    #expect(TimeSpan(nanoseconds: -7).wholeSteps(of: .nanoseconds(2)) == -4)
    #expect(TimeSpan(nanoseconds: -8).wholeSteps(of: .nanoseconds(2)) == -4)
    #expect(TimeSpan(nanoseconds: .min).wholeSteps(of: .nanoseconds(1)) == .min)
    #expect(TimeSpan.seconds(3).scaled(by: 0.5) == .milliseconds(1_500))
  }

  @Test func `an instant moves by spans and saturates only when asked to`() {
    let start = Instant(nanoseconds: 5)
    #expect(start + .nanoseconds(3) - start == .nanoseconds(3))
    #expect(start.advanced(saturatingBy: .max) == .distantFuture)
    #expect(
      Instant(nanoseconds: -5).advanced(saturatingBy: TimeSpan(nanoseconds: .min)).nanoseconds
        == .min)
    #expect(start.advanced(saturatingBy: .nanoseconds(-5)) == .zero)
  }
}

struct `Bytes and rates` {
  @Test func `kilo is 1000 and kibi is 1024, saturating`() {
    #expect(ByteCount.kilobytes(2).bytes == 2_000)
    #expect(ByteCount.kibibytes(2).bytes == 2_048)
    #expect(ByteCount.gibibytes(1).bytes == 1 << 30)
    #expect(ByteCount.gigabytes(.max) == .unlimited)
    #expect(ByteCount.mebibytes(.min).bytes == .min)
    #expect(BitRate.megabits(.max).bitsPerSecond == .max)
    #expect(BitRate.kilobits(600).bitsPerSecond == 600_000)
  }

  @Test func `a transfer time rounds up and the bytes in a span round down`() {
    #expect(BitRate(bitsPerSecond: 8).timeToTransfer(ByteCount(1)) == .seconds(1))
    #expect(BitRate(bitsPerSecond: 3).timeToTransfer(ByteCount(1)).nanoseconds == 2_666_666_667)
    #expect(BitRate(bitsPerSecond: 3).bytes(in: .nanoseconds(2_666_666_667)) == ByteCount(1))
    #expect(BitRate(bitsPerSecond: 3).bytes(in: .nanoseconds(2_666_666_666)) == .zero)
    #expect(BitRate.zero.timeToTransfer(ByteCount(1)) == .max)
    #expect(BitRate.zero.timeToTransfer(.zero) == .zero)
    #expect(BitRate(bitsPerSecond: 1).timeToTransfer(.unlimited) == .max)
    #expect(BitRate(bitsPerSecond: .max).bytes(in: .max) == .unlimited)
    #expect(BitRate(bitsPerSecond: .max).timeToTransfer(.unlimited) == .seconds(8))
    #expect(BitRate.megabits(1).bytes(in: .nanoseconds(-1)) == .zero)
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `the time to transfer is the least span in which the bytes pass`(seed: UInt64) {
    var state = seed
    func draw(_ bound: UInt64) -> Int64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64((state >> 17) % bound)
    }
    let rate = BitRate(bitsPerSecond: 1 + draw(seed % 2 == 0 ? 1_000 : 10_000_000_000))
    let bytes = ByteCount(1 + draw(seed % 3 == 0 ? 100 : 10_000_000))
    let span = rate.timeToTransfer(bytes)
    #expect(rate.bytes(in: span) >= bytes)
    #expect(rate.bytes(in: span - .nanoseconds(1)) < bytes)
  }

  @Test func `a scaled rate rounds down and stays in range`() {
    #expect(BitRate(bitsPerSecond: 999).scaled(by: 0.5).bitsPerSecond == 499)
    #expect(BitRate(bitsPerSecond: 999).scaled(by: -1) == .zero)
    #expect(BitRate(bitsPerSecond: 999).scaled(by: .nan) == .zero)
    #expect(BitRate(bitsPerSecond: 999).scaled(by: .infinity).bitsPerSecond == .max)
  }

  @Test func `no data is not a ratio`() throws {
    #expect(Ratio(1, of: 0) == nil)
    #expect(Ratio(0, of: -1) == nil)
    #expect(try #require(Ratio(1, of: 4)).value == 0.25)
    #expect(Ratio(9, of: 4) == .one)
    #expect(Ratio(-9, of: 4) == .zero)
  }
}
