import MediaUnits

/// Says when a call is of poor quality, and when it has been cut (ICC-044, ICC-045).
///
/// A warning comes up when a sample has been bad for ``Configuration/badFor`` and goes when samples
/// have been at most half as bad for ``Configuration/goodFor``. Nothing here ends a call but a
/// connection that stays cut. A sample names nobody.
public struct QualityMonitor: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// Lost packets, of all. Default 0.08 (parameters section 11).
    public var lossLimit: Double
    /// Default 400 ms (parameters section 11).
    public var roundTripLimit: TimeSpan
    /// Pictures a second. Default 15 (parameters section 11; signing needs 20 to 25, ICC-043).
    public var frameRateLimit: Double
    /// Default 3 s (parameters section 11).
    public var badFor: TimeSpan
    /// Default 5 s (parameters section 11).
    public var goodFor: TimeSpan
    /// A connection that is cut for so long is lost. Default 15 s: libwebrtc's write time-out
    /// (parameters section 11; ICC-045 compares 15 to 30 s).
    public var severedAfter: TimeSpan

    public init(
      lossLimit: Double = 0.08, roundTripLimit: TimeSpan = .milliseconds(400),
      frameRateLimit: Double = 15, badFor: TimeSpan = .seconds(3),
      goodFor: TimeSpan = .seconds(5), severedAfter: TimeSpan = .seconds(15)
    ) {
      self.lossLimit = lossLimit
      self.roundTripLimit = roundTripLimit
      self.frameRateLimit = frameRateLimit
      self.badFor = badFor
      self.goodFor = goodFor
      self.severedAfter = severedAfter
    }
  }

  /// What a second of the call was like.
  public struct Sample: Sendable, Equatable {
    /// Lost packets, of all.
    public var loss: Double
    public var roundTrip: TimeSpan
    /// Pictures a second.
    public var frameRate: Double

    public init(loss: Double, roundTrip: TimeSpan, frameRate: Double) {
      self.loss = loss
      self.roundTrip = roundTrip
      self.frameRate = frameRate
    }
  }

  public enum Event: Sendable, Equatable {
    case sample(Sample)
    /// Nothing comes through; later: something does again.
    case interrupted
    case resumed
    case timerFired(UInt32)
    /// A call begins or ends.
    case reset
  }

  public enum Command: Sendable, Equatable {
    case warn
    case clear
    case setTimer(UInt32, at: Instant)
    /// The media connection is lost.
    case severed
  }

  enum State: Sendable, Equatable {
    /// Can transition to: doubtful, cut.
    case good
    /// Bad since then. Can transition to: good, poor, cut.
    case doubtful(since: Instant)
    /// Warned. Can transition to: mending, cut.
    case poor
    /// Warned, and good since then. Can transition to: good, poor, cut.
    case mending(since: Instant)
    /// Nothing comes through. Can transition to: poor, over.
    case cut(timer: UInt32)
    /// Can transition to: good (another call).
    case over
  }

  public let configuration: Configuration
  var state = State.good
  var timer: UInt32 = 0
  public private(set) var warnings = 0
  /// Events that changed nothing.
  public private(set) var ignored = 0

  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// Whether the user is being warned.
  public var isPoor: Bool {
    switch state {
    case .poor, .mending, .cut: return true
    case .good, .doubtful, .over: return false
    }
  }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .reset:
      if isPoor { commands.append(.clear) }
      timer &+= 1
      state = .good
    case .sample(let sample): take(sample, at: now, into: &commands)
    case .interrupted:
      switch state {
      case .cut, .over: ignored += 1
      case .good, .doubtful, .poor, .mending:
        warn(into: &commands)
        timer &+= 1
        state = .cut(timer: timer)
        commands.append(
          .setTimer(timer, at: now.advanced(saturatingBy: configuration.severedAfter)))
      }
    case .resumed:
      guard case .cut = state else {
        ignored += 1
        return
      }
      timer &+= 1
      state = .poor
    case .timerFired(let timer):
      guard case .cut(let own) = state, own == timer else {
        ignored += 1
        return
      }
      state = .over
      commands.append(.severed)
    }
  }

  private mutating func warn(into commands: inout [Command]) {
    if isPoor { return }
    warnings += 1
    commands.append(.warn)
  }

  private mutating func take(
    _ sample: Sample, at now: Instant, into commands: inout [Command]
  ) {
    switch state {
    case .good: if isBad(sample, 1) { state = .doubtful(since: now) } else { ignored += 1 }
    case .doubtful(let since):
      if !isBad(sample, 1) {
        state = .good
      } else if now.elapsed(saturatingSince: since) >= configuration.badFor {
        warn(into: &commands)
        state = .poor
      }
    case .poor: if !isBad(sample, 0.5) { state = .mending(since: now) }
    case .mending(let since):
      if isBad(sample, 0.5) {
        state = .poor
      } else if now.elapsed(saturatingSince: since) >= configuration.goodFor {
        state = .good
        commands.append(.clear)
      }
    case .cut, .over: ignored += 1
    }
  }

  /// Whether a sample is beyond `share` of the limits of loss and delay, or has too few pictures. A
  /// number that is none is bad.
  private func isBad(_ sample: Sample, _ share: Double) -> Bool {
    !(sample.loss <= configuration.lossLimit * share)
      || sample.roundTrip > configuration.roundTripLimit.scaled(by: share)
      || !(sample.frameRate >= configuration.frameRateLimit)
  }
}
