import Foundation
import MediaUnits
import NIOCore
import NIOPosix
import Testing

@testable import LoadHarness

/// The generator's own trouble is seen, named and told from the target's.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct GeneratorHealthTests {
  /// A report without trouble.
  private func good() -> HealthReport {
    var report = HealthReport()
    report.samples = 10
    report.loopLooks = 1_000
    report.descriptorLimit = 1_000
    report.descriptorsMax = 20
    report.memory = 1 << 30
    report.residentMax = 1 << 20
    report.idleShare = 0.5
    return report
  }

  @Test func `a report without trouble is healthy, and one without samples is not`() {
    #expect(good().verdict() == .healthy)
    guard case .unhealthy(let reasons) = HealthReport().verdict() else {
      Issue.record("no samples passed")
      return
    }
    #expect(reasons.map(\.kind).contains(.noSamples))
  }

  private static let troubles: [(HealthReason.Kind, @Sendable (inout HealthReport) -> Void)] = [
    (.loopLag, { $0.loopLagP99 = .milliseconds(11) }),
    (.scheduleSlip, { $0.slipP99 = .milliseconds(11) }),
    (.processShare, { $0.processShare = 0.95 }),
    (.idleShare, { $0.idleShare = 0.01 }), (.stealShare, { $0.stealShare = 0.2 }),
    (.descriptors, { $0.descriptorsMax = 901 }), (.clockJump, { $0.clockJump = .seconds(1) }),
    (.suspended, { $0.suspended = .seconds(1) }), (.memory, { $0.residentMax = 1_000_000_000 }),
    (.ownFailures, { $0.ownFailures = 1 }), (.noSamples, { $0.samples = 1 }),
  ]

  @Test func `each limit alone makes the generator unhealthy by its name`() {
    #expect(Set(Self.troubles.map(\.0)) == Set(HealthReason.Kind.allCases))
    for (kind, change) in Self.troubles {
      var report = good()
      change(&report)
      guard case .unhealthy(let reasons) = report.verdict() else {
        Issue.record("\(kind) passed")
        continue
      }
      #expect(reasons.map(\.kind) == [kind])
    }
  }

  @Test func `an event loop that is held up shows, with the looks that it missed`() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let health = GeneratorHealth(group: group, clock: LiveClock())
    health.start()
    try await Task.sleep(for: .milliseconds(100))
    try await group.next().submit { Thread.sleep(forTimeInterval: 0.4) }.get()
    try await Task.sleep(for: .milliseconds(300))
    health.stop()
    let report = health.report()
    #expect(report.loopLagMax >= .milliseconds(300))
    // 40 of some 80 looks fell into the stall.
    #expect(report.loopLagP99 >= .milliseconds(200))
    guard case .unhealthy(let reasons) = report.verdict() else {
      Issue.record("a stalled loop passed")
      return
    }
    #expect(reasons.map(\.kind).contains(.loopLag))
    try await group.shutdownGracefully()
  }

  @Test func `the machine is seen as it is`() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let clock = LiveClock()
    let health = GeneratorHealth(group: group, clock: clock)
    health.start()
    health.noteSlip(startedAt: .zero + .milliseconds(3), intendedAt: .zero)
    health.noteFailure(.unreachable)
    health.noteFailure(.descriptorsExhausted)
    // Some work of known length on this thread.
    let begun = clock.now
    var sum: UInt64 = 0
    while clock.now - begun < .milliseconds(600) { sum &+= sum ^ 0x9E37_79B9 }
    #expect(sum != 1)
    let files = (0..<50).compactMap { _ in FileHandle(forReadingAtPath: "/dev/null") }
    health.stop()
    let report = health.report()
    #expect(report.samples >= 2)
    #expect(report.processShare > 0.005)
    #expect(report.idleShare >= 0 && report.idleShare <= 1)
    #expect(report.descriptorsMax >= 50 + 3 && files.count == 50)
    #expect(report.descriptorLimit >= 1_024)
    #expect(report.descriptorLimit == DescriptorLimit.current().hard)
    #expect(report.residentMax > 1 << 20 && report.memory > report.residentMax)
    #expect(report.suspended == .zero)
    #expect(report.slips == 1 && report.slipMax >= .milliseconds(3))
    #expect(report.ownFailures == 1)
    try await group.shutdownGracefully()
  }

  @Test func `sleep and a set clock are told apart, and slewing is neither`() {
    var watch = ClockWatch()
    func reading(_ monotonic: Int64, boot: Int64, day: Int64) -> ClockWatch.Reading {
      let second: Int64 = 1_000_000_000
      return ClockWatch.Reading(
        monotonic: monotonic * second, bootTime: (monotonic + boot) * second,
        timeOfDay: (monotonic + day) * second)
    }
    watch.take(reading(0, boot: 100, day: 1_000))
    watch.take(reading(1, boot: 100, day: 1_000))
    #expect(watch.suspended == .zero && watch.jumps == .zero)
    // Ten seconds of sleep move the time of day as well.
    watch.take(reading(2, boot: 110, day: 1_010))
    #expect(watch.suspended == .seconds(10) && watch.jumps == .zero)
    watch.take(reading(3, boot: 110, day: 950))
    #expect(watch.suspended == .seconds(10) && watch.jumps == .seconds(60))
    watch.take(reading(4, boot: 110, day: 951))
    #expect(watch.jumps == .seconds(61))
  }

  @Test func `ticks are read from the first eight columns`() {
    var reading = MachineReading()
    reading.takeTicks("cpu  10 20 30 400 50 6 7 8 9 10")
    #expect(reading.ticks == 531 && reading.idleTicks == 450 && reading.stealTicks == 8)
    reading.takeTicks("nothing")
    #expect(reading.ticks == 531)
  }
}
