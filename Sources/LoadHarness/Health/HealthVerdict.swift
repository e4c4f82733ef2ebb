import MediaUnits

/// What a generator may be like for its measurements to count. All assumed unless a field says
/// otherwise; a run states those it was judged by.
public struct HealthLimits: Sendable, Hashable {
  /// 99 % of the looks at an event loop are late by at most this. 10 ms: a hundredth of the
  /// tightest TTFF budget (SIG: P75 below 1.2 s).
  public var loopLag: TimeSpan = .milliseconds(10)
  /// 99 % of the requests start at most this late. As ``loopLag``.
  public var scheduleSlip: TimeSpan = .milliseconds(10)
  /// The process's share of all cores, mean of the run.
  public var processShare = 0.9
  /// What the machine has left, mean of the run. Where generator and target share cores it gets
  /// small before either is in trouble.
  public var idleShare = 0.02
  /// Time that a host took away from this virtual machine, mean of the run.
  public var stealShare = 0.05
  /// Open descriptors of those allowed.
  public var descriptorShare = 0.9
  /// The sum of jumps of the time of day against the monotonic clock. Slewing moves both.
  public var clockJump: TimeSpan = .milliseconds(100)
  /// How long the machine may have slept. Clocks read one after the other differ by microseconds.
  public var suspended: TimeSpan = .milliseconds(10)
  /// Resident memory of what the machine has.
  public var memoryShare = 0.8
  /// Requests that failed for want of descriptors or ports.
  public var ownFailures = 0

  public init() {}
}

/// Whether a generator was fit to measure. An unhealthy one makes a run `invalid` (exit code 13).
public enum HealthVerdict: Sendable, Hashable {
  case healthy
  case unhealthy([HealthReason])
}

/// A limit that was broken.
public struct HealthReason: Sendable, Hashable, CustomStringConvertible {
  public enum Kind: String, Sendable, CaseIterable {
    case loopLag = "loop-lag"
    case scheduleSlip = "schedule-slip"
    case processShare = "process-cpu"
    case idleShare = "machine-idle"
    case stealShare = "machine-steal"
    case descriptors = "descriptors"
    case clockJump = "clock-jump"
    case suspended = "suspended"
    case memory = "memory"
    case ownFailures = "own-failures"
    /// Nothing was seen: that is never healthy.
    case noSamples = "no-samples"
  }

  public let kind: Kind
  /// What was seen and what is allowed, in words.
  public let detail: String

  public init(kind: Kind, detail: String) {
    self.kind = kind
    self.detail = detail
  }

  public var description: String { "\(kind.rawValue): \(detail)" }
}

/// What a generator was like.
public struct HealthReport: Sendable, Hashable {
  /// Looks at the machine.
  public var samples = 0
  /// Looks at event loops.
  public var loopLooks = 0
  public var loopLagP50 = TimeSpan.zero
  public var loopLagP99 = TimeSpan.zero
  public var loopLagMax = TimeSpan.zero
  /// Requests whose start was handed in.
  public var slips = 0
  public var slipP50 = TimeSpan.zero
  public var slipP99 = TimeSpan.zero
  public var slipMax = TimeSpan.zero
  /// Of all cores, 0 to 1.
  public var processShare = 0.0
  public var processShareMax = 0.0
  public var idleShare = 1.0
  public var idleShareMin = 1.0
  public var stealShare = 0.0
  public var descriptors = 0
  public var descriptorsMax = 0
  public var descriptorLimit = 0
  public var clockJump = TimeSpan.zero
  public var suspended = TimeSpan.zero
  /// Bytes.
  public var residentFirst = 0
  public var resident = 0
  public var residentMax = 0
  public var memory = 0
  public var ownFailures = 0

  public init() {}

  /// Holds the report against limits.
  public func verdict(_ limits: HealthLimits = HealthLimits()) -> HealthVerdict {
    var reasons: [HealthReason] = []
    func check(_ isBad: Bool, _ kind: HealthReason.Kind, _ seen: String, _ limit: String) {
      if isBad { reasons.append(HealthReason(kind: kind, detail: "\(seen), allowed \(limit)")) }
    }
    func text(_ span: TimeSpan) -> String { "\(span.nanoseconds / 1_000) us" }
    func text(_ share: Double) -> String { "\(Int((share * 1_000).rounded()))e-3" }
    check(samples < 2 || loopLooks == 0, .noSamples, "\(samples) samples", "2 or more")
    check(loopLagP99 > limits.loopLag, .loopLag, "P99 \(text(loopLagP99))", text(limits.loopLag))
    check(
      slipP99 > limits.scheduleSlip, .scheduleSlip, "P99 \(text(slipP99))",
      text(limits.scheduleSlip))
    check(
      processShare > limits.processShare, .processShare, text(processShare),
      text(limits.processShare))
    check(idleShare < limits.idleShare, .idleShare, text(idleShare), text(limits.idleShare))
    check(stealShare > limits.stealShare, .stealShare, text(stealShare), text(limits.stealShare))
    check(
      Double(descriptorsMax) > limits.descriptorShare * Double(descriptorLimit), .descriptors,
      "\(descriptorsMax) of \(descriptorLimit)", text(limits.descriptorShare))
    check(clockJump > limits.clockJump, .clockJump, text(clockJump), text(limits.clockJump))
    check(suspended > limits.suspended, .suspended, text(suspended), text(limits.suspended))
    check(
      Double(residentMax) > limits.memoryShare * Double(memory), .memory,
      "\(residentMax) of \(memory) bytes", text(limits.memoryShare))
    check(
      ownFailures > limits.ownFailures, .ownFailures, "\(ownFailures)", "\(limits.ownFailures)")
    return reasons.isEmpty ? .healthy : .unhealthy(reasons)
  }
}
