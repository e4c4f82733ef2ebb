import CallSignalling
import MediaUnits
import MessageDelivery

/// When a client asks, as a team's app may have it: as the shipped machine does with its defaults,
/// but for how often while something is in transit.
public struct SamplePolls: PolicyMachine {
  /// What a scenario may set.
  public struct Configuration: Sendable, Equatable {
    /// The wait for the next poll while something is in transit.
    public var trackedInterval = TimeSpan.seconds(30)

    /// The defaults.
    public init() {}
  }

  private var shipped: PollMachine

  public init(_ configuration: Configuration) {
    shipped = PollMachine(
      PollMachine.Configuration(trackedInterval: configuration.trackedInterval))
  }

  public mutating func handle(
    _ event: PollMachine.Event, at now: Instant, into commands: inout [PollMachine.Command]
  ) {
    shipped.handle(event, at: now, into: &commands)
  }
}

/// When a call is poor: as the shipped monitor says with its defaults, but for how long it has to
/// be bad.
public struct SampleQuality: PolicyMachine {
  /// What a scenario may set.
  public struct Configuration: Sendable, Equatable {
    /// How long a call has to be bad.
    public var badFor = TimeSpan.seconds(3)

    /// The defaults.
    public init() {}
  }

  private var shipped: QualityMonitor

  public init(_ configuration: Configuration) {
    shipped = QualityMonitor(QualityMonitor.Configuration(badFor: configuration.badFor))
  }

  public mutating func handle(
    _ event: QualityMonitor.Event, at now: Instant, into commands: inout [QualityMonitor.Command]
  ) {
    shipped.handle(event, at: now, into: &commands)
  }
}

/// A poll machine that no host can follow: it wakes itself, over and over.
public struct RestlessPolls: PolicyMachine {
  /// What a scenario may set.
  public struct Configuration: Sendable, Equatable {
    /// The defaults.
    public init() {}
  }

  public init(_ configuration: Configuration) {}

  public mutating func handle(
    _ event: PollMachine.Event, at now: Instant, into commands: inout [PollMachine.Command]
  ) {
    commands.append(.setTimer(1, at: now, jitter: .zero))
  }
}

/// A monitor that no host can follow: it warns a hundred times of every second.
public struct RestlessQuality: PolicyMachine {
  /// What a scenario may set.
  public struct Configuration: Sendable, Equatable {
    /// The defaults.
    public init() {}
  }

  public init(_ configuration: Configuration) {}

  public mutating func handle(
    _ event: QualityMonitor.Event, at now: Instant, into commands: inout [QualityMonitor.Command]
  ) {
    commands += Array(repeating: .warn, count: 100)
  }
}
