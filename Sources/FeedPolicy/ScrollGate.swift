import MediaUnits

/// Decides whether mounts and prefetches are executed while the list moves.
///
/// Four rules, the candidates of OQ-09: none; a fixed debounce, which waits until no card has
/// crossed a threshold for a time; a limit on the speed; and the predicted rest, which above a
/// speed lets those cards through that will be on the screen when the list stands still.
///
/// The answer goes to ``VisibilityMachine/Event/admissionChanged(_:)``. `now` never goes back; a
/// timer that fires early or without being set is harmless.
///
/// Source: requirements VF-039 to VF-041, OQ-09.
public struct ScrollGate: PolicyMachine {
  /// When the gate is shut.
  public enum Rule: Sendable, Equatable {
    /// Never.
    case none
    /// After a crossing, for this long; another crossing starts the time anew. VF-040: 50 to
    /// 200 ms.
    case debounce(TimeSpan)
    /// While the speed is above this, viewports per second. VF-039: 1 to 5.
    case velocity(Double)
    /// Above this speed only for cards that are not on the screen at the predicted rest.
    case predictedRest(Double)
  }

  /// The rule in force.
  public struct Configuration: Sendable, Equatable {
    /// Default: at most 2 viewports per second (assumed, inside VF-039's 1 to 5).
    public var rule: Rule

    public init(rule: Rule = .velocity(2)) { self.rule = rule }
  }

  /// What may begin now; pauses and removals are never held up.
  public enum Admission: UInt8, Sendable, Equatable {
    /// Everything.
    case all = 0
    /// What concerns cards that will be on the screen at the predicted rest.
    case predicted
    /// Nothing.
    case none
  }

  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// The list moved: its velocity in viewports per second, and whether a card crossed a
    /// threshold.
    case scrolled(velocity: Double, crosses: Bool)
    /// The list stands still.
    case settled
    /// The timer of ``Command/setTimer(at:)`` fired.
    case timerFired
  }

  /// What the host has to do.
  public enum Command: Sendable, Equatable {
    /// Report this to the ``VisibilityMachine``.
    case admit(Admission)
    /// Report ``Event/timerFired`` at this time; replaces a timer that is set.
    case setTimer(at: Instant)
  }

  /// Where the gate stands.
  enum State: Sendable, Equatable {
    /// Everything may begin. Can transition to: narrow, shut, waiting.
    case open
    /// Predicted cards may begin. Can transition to: open.
    case narrow
    /// Too fast. Can transition to: open.
    case shut
    /// The debounce runs until this time. Can transition to: waiting (longer), open.
    case waiting(until: Instant)
  }

  public let configuration: Configuration
  var state = State.open
  /// How often the gate shut or narrowed.
  public private(set) var closings = 0
  /// Events that changed nothing because no timer was due or the velocity was not a number.
  public private(set) var ignored = 0

  /// - Precondition: a debounce is not negative; a limit on the speed is not NaN.
  public init(_ configuration: Configuration) {
    switch configuration.rule {
    case .none: break
    case .debounce(let delay): precondition(delay >= .zero, "a debounce is not negative")
    case .velocity(let limit), .predictedRest(let limit):
      precondition(limit == limit, "the limit is a number, got NaN")
    }
    self.configuration = configuration
  }

  /// What may begin now.
  public var admission: Admission {
    switch state {
    case .open: .all
    case .narrow: .predicted
    case .shut, .waiting: .none
    }
  }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    let before = admission
    switch event {
    case .scrolled(let velocity, let crosses):
      if velocity != velocity {
        ignored += 1
        return
      }
      move(abs(velocity), crosses: crosses, at: now, into: &commands)
    case .settled:
      // A debounce does not know why the crossings ended.
      if case .waiting = state { break }
      state = .open
    case .timerFired:
      guard case .waiting(let until) = state else {
        ignored += 1
        return
      }
      if now < until {
        ignored += 1
        commands.append(.setTimer(at: until))
      } else {
        state = .open
      }
    }
    if admission == before { return }
    if before == .all { closings += 1 }
    commands.append(.admit(admission))
  }

  private mutating func move(
    _ speed: Double, crosses: Bool, at now: Instant, into commands: inout [Command]
  ) {
    switch configuration.rule {
    case .none: break
    case .debounce(let delay):
      if !crosses || delay == .zero { return }
      let until = now.advanced(saturatingBy: delay)
      state = .waiting(until: until)
      commands.append(.setTimer(at: until))
    case .velocity(let limit): state = speed > limit ? .shut : .open
    case .predictedRest(let limit): state = speed > limit ? .narrow : .open
    }
  }
}
