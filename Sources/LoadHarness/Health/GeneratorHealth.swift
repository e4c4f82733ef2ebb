import Histogram
import MediaUnits
import NIOConcurrencyHelpers
import NIOCore

/// Watches the generator during a run, so that its own trouble is not taken for the target's.
///
/// Every event loop is looked at every 10 ms: how much later than asked for does it come to the
/// look? The machine is looked at every half second. How late requests start is handed in.
public final class GeneratorHealth: Sendable {
  private struct State {
    var isRunning = false
    var lag = GeneratorHealth.histogram()
    var slip = GeneratorHealth.histogram()
    var clocks = ClockWatch()
    var first: (reading: MachineReading, at: Int64)?
    var last: (reading: MachineReading, at: Int64)?
    var report = HealthReport()
  }

  private let group: (any EventLoopGroup)?
  private let clock: LiveClock
  private let state = NIOLockedValueBox(State())
  private static let lookInterval: Int64 = 10_000_000
  private static let sampleInterval: Int64 = 500_000_000

  /// - Parameter group: whose loops are looked at; nil for a run that is only read back.
  public init(group: (any EventLoopGroup)?, clock: LiveClock) {
    self.group = group
    self.clock = clock
  }

  /// Microseconds up to an hour, three digits.
  private static func histogram() -> Histogram<UInt64> {
    Histogram(highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: .three)
  }

  private static func microseconds(_ span: TimeSpan) -> UInt64 {
    UInt64(min(3_600_000_000, max(0, span.nanoseconds) / 1_000))
  }

  /// Raises the limit of descriptors and begins to watch.
  public func start() {
    let limit = DescriptorLimit.raise()
    let isNew = state.withLockedValue { state -> Bool in
      if state.isRunning { return false }
      state.isRunning = true
      state.report.descriptorLimit = limit.soft
      state.report.memory = MachineReading.memory()
      return true
    }
    if !isNew { return }
    sample()
    guard let group else { return }
    for loop in group.makeIterator() { look(at: loop, due: clock.now) }
    scheduleSample(on: group)
  }

  /// Stops watching; ``report()`` stays.
  public func stop() {
    sample()
    state.withLockedValue { $0.isRunning = false }
  }

  /// Notes how late a request started.
  public func noteSlip(startedAt: Instant, intendedAt: Instant) {
    let span = startedAt.elapsed(saturatingSince: intendedAt)
    state.withLockedValue { _ = $0.slip.record(GeneratorHealth.microseconds(span)) }
  }

  /// Notes a failed request; only those that are the generator's fault count.
  public func noteFailure(_ failure: LiveFailure) {
    if failure.isOurs { state.withLockedValue { $0.report.ownFailures += 1 } }
  }

  // MARK: looks

  private func look(at loop: any EventLoop, due: Instant) {
    loop.scheduleTask(deadline: clock.deadline(due)) { [self] in
      let now = clock.now
      let lag = now.elapsed(saturatingSince: due)
      let isRunning = state.withLockedValue { state -> Bool in
        // A loop that was held up for long missed looks in between: they count, too.
        state.lag.recordCorrectedValue(
          GeneratorHealth.microseconds(lag),
          expectedInterval: UInt64(GeneratorHealth.lookInterval / 1_000))
        state.report.loopLooks += 1
        return state.isRunning
      }
      if isRunning {
        look(at: loop, due: now + TimeSpan(nanoseconds: GeneratorHealth.lookInterval))
      }
    }
  }

  private func scheduleSample(on group: any EventLoopGroup) {
    group.next().scheduleTask(in: .nanoseconds(GeneratorHealth.sampleInterval)) { [self] in
      if !state.withLockedValue({ $0.isRunning }) { return }
      sample()
      scheduleSample(on: group)
    }
  }

  private func sample() {
    let reading = MachineReading.now()
    let clocks = ClockWatch.Reading.now()
    let cores = MachineReading.coreCount()
    state.withLockedValue { state in
      state.clocks.take(clocks)
      var report = state.report
      report.samples += 1
      report.descriptors = reading.descriptors
      report.descriptorsMax = max(report.descriptorsMax, reading.descriptors)
      report.resident = reading.resident
      report.residentMax = max(report.residentMax, reading.resident)
      if state.first == nil {
        state.first = (reading, clocks.monotonic)
        report.residentFirst = reading.resident
      }
      if let last = state.last, clocks.monotonic - last.at >= GeneratorHealth.sampleInterval / 2 {
        let shares = Shares(from: last, to: (reading, clocks.monotonic), cores: cores)
        report.processShareMax = max(report.processShareMax, shares.process)
        report.idleShareMin = min(report.idleShareMin, shares.idle)
      }
      state.last = (reading, clocks.monotonic)
      state.report = report
    }
  }

  /// Shares of the time between two readings.
  private struct Shares {
    var process = 0.0
    var idle = 1.0
    var steal = 0.0

    init(
      from first: (reading: MachineReading, at: Int64),
      to last: (reading: MachineReading, at: Int64), cores: Int
    ) {
      let elapsed = Double(last.at - first.at) * Double(cores)
      if elapsed > 0 {
        process = Double(last.reading.processTime - first.reading.processTime) / elapsed
      }
      let ticks = last.reading.ticks - first.reading.ticks
      if ticks > 0 {
        idle = Double(last.reading.idleTicks - first.reading.idleTicks) / Double(ticks)
        steal = Double(last.reading.stealTicks - first.reading.stealTicks) / Double(ticks)
      }
    }
  }

  /// What was seen so far.
  public func report() -> HealthReport {
    let cores = MachineReading.coreCount()
    return state.withLockedValue { state in
      var report = state.report
      if let first = state.first, let last = state.last {
        let shares = Shares(from: first, to: last, cores: cores)
        report.processShare = shares.process
        report.idleShare = shares.idle
        report.stealShare = shares.steal
      }
      report.clockJump = state.clocks.jumps
      report.suspended = state.clocks.suspended
      report.loopLagP50 = GeneratorHealth.quantile(state.lag, 50)
      report.loopLagP99 = GeneratorHealth.quantile(state.lag, 99)
      report.loopLagMax = GeneratorHealth.quantile(state.lag, 100)
      report.slips = Int(state.slip.totalCount)
      report.slipP50 = GeneratorHealth.quantile(state.slip, 50)
      report.slipP99 = GeneratorHealth.quantile(state.slip, 99)
      report.slipMax = GeneratorHealth.quantile(state.slip, 100)
      return report
    }
  }

  private static func quantile(_ histogram: Histogram<UInt64>, _ percentile: Double) -> TimeSpan {
    if histogram.totalCount == 0 { return .zero }
    return .microseconds(Int64(histogram.valueAtPercentile(percentile)))
  }
}
