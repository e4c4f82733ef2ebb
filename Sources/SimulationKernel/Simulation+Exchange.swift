import MediaUnits

// Events that cross from one simulation to another, for runs that are cut into parts which meet at
// known distances: the total order of events is that of one simulation with all of them.

extension Context {
  /// Takes the number of the source's next event, which this simulation or another will handle.
  @inlinable
  @inline(__always)
  public mutating func takeSequence() -> UInt32 {
    let sender = source
    if Int(sender) >= sequenceCapacity { growSequences(to: Int(sender) + 1) }
    let sequence = sequences[Int(sender)]
    precondition(sequence < .max, "one entity schedules fewer than 2^32 events")
    sequences[Int(sender)] = sequence + 1
    return sequence
  }

  /// Puts in an event with the number that its source has given it.
  ///
  /// - Precondition: `time` is not before ``now``; `target` and `source` are below ``entityLimit``.
  @inlinable
  mutating func deliver(
    _ event: Event, at time: Instant, for target: UInt32, source: UInt32, sequence: UInt32,
    phase: Phase
  ) {
    precondition(time >= now, "an event cannot be scheduled in the past")
    precondition(target < Self.entityLimit && source < Self.entityLimit)
    _ = queue.push(
      event, time: time.nanoseconds, upper: upper(time, phase, target, source),
      sequence: sequence, target: target, source: source)
  }
}

extension Simulation where World: ~Copyable {
  /// Puts in an event of another simulation, with the number that ``Context/takeSequence()`` gave.
  ///
  /// - Precondition: as ``Context/schedule(_:at:for:phase:)``.
  @inlinable
  public mutating func deliver(
    _ event: World.Event, at time: Instant, for target: UInt32, source: UInt32, sequence: UInt32,
    phase: Phase = .normal
  ) {
    context.deliver(
      event, at: time, for: target, source: source, sequence: sequence, phase: phase)
  }
}
