import MediaUnits

extension PolicyMachine {
  /// The commands of one event.
  public mutating func tell(_ event: Event, at now: Instant = .zero) -> [Command] {
    var commands: [Command] = []
    handle(event, at: now, into: &commands)
    return commands
  }

  /// The commands of several events, one after the other.
  @discardableResult
  public mutating func tell(all events: [Event], at now: Instant = .zero) -> [Command] {
    var commands: [Command] = []
    for event in events { handle(event, at: now, into: &commands) }
    return commands
  }
}

/// So many milliseconds from the start.
public func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }
