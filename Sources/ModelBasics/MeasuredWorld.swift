import MediaUnits
import SimulationKernel

/// A world that is run to its end and then says what it has measured.
public protocol MeasuredWorld: ~Copyable, SimulatedWorld {
  associatedtype Measures: Sendable
  var measures: Measures { get }
  /// Schedules the first events.
  static func start(_ simulation: inout Simulation<Self>)
  /// Closes what is open at the end.
  mutating func finish()
}

/// What a run has shown.
public struct MeasuredRun<Measures: Sendable>: Sendable {
  public var measures: Measures
  public var events: UInt64
  public var end: Instant
  public var fingerprint: Fingerprint

  @inlinable
  public init(measures: Measures, events: UInt64, end: Instant, fingerprint: Fingerprint) {
    self.measures = measures
    self.events = events
    self.end = end
    self.fingerprint = fingerprint
  }
}

extension MeasuredWorld where Self: ~Copyable {
  /// Runs until nothing is left to happen.
  ///
  /// - Throws: ``SimulationError`` when a limit is reached.
  @inlinable
  public static func run(
    _ world: consuming Self, shuffleTies: UInt64?
  ) throws(SimulationError) -> MeasuredRun<Measures> {
    var simulation = Simulation(world, shuffleTies: shuffleTies)
    start(&simulation)
    let summary = try simulation.run(eventLimit: 1 << 36)
    simulation.world.finish()
    return MeasuredRun(
      measures: simulation.world.measures, events: summary.events, end: simulation.now,
      fingerprint: simulation.fingerprint)
  }
}
