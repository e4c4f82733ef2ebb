import MediaUnits
import SimulationKernel
import Statistics

/// The kernel's table of a law, built the way a scenario builds it.
func table(_ law: Law) throws -> QuantileTable {
  let knots = try QuantileKnots.tabulate(law)
  // A searched quantile may differ in its last bits between the two sides of the median.
  var upper = knots.upper
  upper[0] = knots.lower[0]
  return QuantileTable(
    lower: knots.lower, upper: upper, maximumError: knots.maximumError, mean: knots.mean)
}

/// The kernel's alias table of weights.
func aliasTable(_ weights: [Double]) throws -> SimulationKernel.AliasTable {
  let built = try Statistics.AliasTable(weights: weights)
  return SimulationKernel.AliasTable(thresholds: built.thresholds, aliases: built.aliases)
}

/// A number of the tests' own stream names.
func stream(_ number: UInt16) -> StreamName { StreamName(rawValue: number) }

/// One event that a log remembers.
struct Handled: Equatable, Sendable {
  var time: Int64
  var phase: Phase
  var target: UInt32
  var source: UInt32
  var label: UInt32
}

/// Writes down what it is told to handle; events carry who scheduled them and in which phase.
struct Recorder: SimulatedWorld {
  struct Event: BitwiseCopyable, Sendable {
    var phase: Phase
    var source: UInt32
    /// The event's number, given by whoever schedules it.
    var label: UInt32
    /// Further events of one instant: each schedules the next with one less.
    var echoes: UInt32 = 0
  }

  var log: [Handled] = []
  var stopAt: UInt32?

  static func tag(of event: Event) -> UInt32 { event.label % 8 }
  static func name(ofTag tag: UInt32) -> StaticString { "label" }

  mutating func handle(_ event: Event, target: UInt32, in context: inout Context<Event>) {
    log.append(
      Handled(
        time: context.now.nanoseconds, phase: event.phase, target: target, source: event.source,
        label: event.label))
    if event.label == stopAt { context.stop() }
    if event.echoes > 0 {
      var echo = event
      echo.echoes -= 1
      context.schedule(echo, at: context.now, for: target, phase: event.phase)
    }
  }
}

extension Simulation where World == Recorder {
  /// Schedules an event that will be logged.
  @discardableResult
  mutating func schedule(_ each: Handled, echoes: UInt32 = 0) -> EventHandle {
    schedule(
      Recorder.Event(phase: each.phase, source: each.source, label: each.label, echoes: echoes),
      at: Instant(nanoseconds: each.time), for: each.target, source: each.source,
      phase: each.phase)
  }
}

/// Events in few instants and of few entities, so that every kind of tie occurs.
func crowdedEvents(_ count: Int, seed: UInt64) -> [Handled] {
  var random = SplitMix64(seed: seed)
  let phases: [Phase] = [.arrival, .normal, .observe]
  return (0..<count).map { label in
    Handled(
      time: Int64(random.next(below: 4)), phase: phases[random.next(below: 3)],
      target: UInt32(random.next(below: 5)), source: UInt32(random.next(below: 5)),
      label: UInt32(label))
  }
}

/// The canonical order by plain sorting; labels ascend in the order of scheduling.
func canonical(_ events: [Handled]) -> [Handled] {
  events.sorted {
    ($0.time, $0.phase.rawValue, $0.target, $0.source, $0.label)
      < ($1.time, $1.phase.rawValue, $1.target, $1.source, $1.label)
  }
}

/// The log of a run that handles `events` and nothing else.
func runLog(
  _ events: [Handled], shuffleTies: UInt64? = nil, pendingEvents: Int = 4096
) throws -> [Handled] {
  var simulation = Simulation(
    Recorder(), shuffleTies: shuffleTies, pendingEvents: pendingEvents)
  for each in events { simulation.schedule(each) }
  _ = try simulation.run()
  return simulation.world.log
}
