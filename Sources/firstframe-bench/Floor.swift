import MediaUnits
import Models
import SimulationKernel

/// A floor that is brought forward by steps.
final class Floor {
  private var simulation: Simulation<FloorWorld>

  init(_ configuration: FeedConfiguration, plan: FeedPlan, seed: UInt64) {
    simulation = Simulation(
      FloorWorld(
        configuration, plan: plan, streams: RandomStreams(seed: seed, replication: 0)))
  }

  var now: Instant { simulation.now }
  var active: Int { simulation.world.active }
  var counts: FloorCounts { simulation.world.shared.counts }
  var answered: TierCounters { simulation.world.answered }

  /// Goes on to a time, with so many viewers from its beginning on.
  func advance(to end: Instant, from begin: Instant, viewers: Int) {
    let coming = simulation.world.want(viewers, within: end - begin)
    for viewer in coming {
      let entity = FloorWorld.entity(viewer.slot)
      simulation.schedule(
        .viewerCame(slot: viewer.slot), at: begin + viewer.after, for: entity, source: entity)
    }
    do {
      _ = try simulation.run(until: end)
    } catch {
      preconditionFailure("the floor: \(error)")
    }
  }

  /// Adds what the machines of sessions under way have commanded.
  func finish() { simulation.world.countMachines() }
}
