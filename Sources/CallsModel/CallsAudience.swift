import MediaUnits
import MessagingModel
import ModelBasics
import SimulationKernel

/// What the users of a measured run do and what happens to them (S12, S13).
///
/// Wishes for a call come at random times (one Poisson process, so that the load does not depend on
/// how the system fares); each takes a caller who is free. What goes wrong comes at random times by
/// client. Left out: the time of day.
public struct CallsAudience: Sendable, Equatable {
  public var callers: UInt32 = 40
  public var interpreters: UInt32 = 20
  public var duration = TimeSpan.hours(1)
  /// Nothing is counted before.
  public var warmUp = TimeSpan.minutes(2)
  /// Wishes of all callers together, an hour.
  public var callsPerHour = 240.0
  /// So many wishes come within ``togetherWithin`` of each other.
  public var together: UInt32 = 1
  public var togetherWithin = TimeSpan.milliseconds(200)
  /// Times that a network is gone, by client and hour, and for how long.
  public var outagesPerHour = 0.0
  public var outageLength = DelayLaw(.seconds(1), .seconds(30))
  /// Times that a connection is dead and neither end is told, by client and hour.
  public var deadPerHour = 0.0
  /// Times that an app goes to the background, by client and hour, and for how long.
  public var awayPerHour = 0.0
  public var awayLength = DelayLaw(.seconds(10), .minutes(2))
  /// Times that a process ends, by client and hour, and for how long.
  public var killsPerHour = 0.0
  public var killLength = DelayLaw(.seconds(2), .seconds(30))
  /// Stops of the server, an hour, and how long it needs to come back.
  public var stopsPerHour = 0.0
  public var stopLength = DelayLaw(.seconds(1), .seconds(5))

  public init() {}

  private enum Purpose: UInt64 {
    case wish = 0
    case together, outage, dead, away, kill, stop
  }

  private typealias Steps = [ScheduledStep<CallsAction>]

  /// What happens in one replication.
  public func schedule(_ streams: RandomStreams) -> ProtocolSchedule<CallsAction> {
    var steps: Steps = []
    addWishes(streams, &steps)
    for client in 0..<(callers + interpreters) {
      add(streams, .outage, client, outagesPerHour, outageLength) {
        steps.append(
          ScheduledStep(at: $0, .fault(Fault(.drop, target: client, length: $1))))
      }
      add(streams, .dead, client, deadPerHour, nil) { at, _ in
        steps.append(ScheduledStep(at: at, .fault(Fault(.halfOpen, target: client))))
      }
      add(streams, .away, client, awayPerHour, awayLength) {
        steps.append(ScheduledStep(at: $0, .suspend(client)))
        steps.append(ScheduledStep(at: $0 + $1, .resume(client)))
      }
      add(streams, .kill, client, killsPerHour, killLength) {
        steps.append(ScheduledStep(at: $0, .kill(client)))
        steps.append(ScheduledStep(at: $0 + $1, .start(client)))
      }
    }
    add(streams, .stop, 0, stopsPerHour, stopLength) {
      steps.append(
        ScheduledStep(at: $0, .fault(Fault(.crash, target: Fault.server, length: $1))))
    }
    // By time; what comes at the same time stays in order.
    let order = steps.indices.sorted { a, b in
      steps[a].at != steps[b].at ? steps[a].at < steps[b].at : a < b
    }
    return ProtocolSchedule(
      seed: streams.bits(.callHabit, entity: .max), actors: callers + interpreters,
      duration: duration, settling: .zero, steps: order.map { steps[$0] })
  }

  private func addWishes(_ streams: RandomStreams, _ steps: inout Steps) {
    var number: UInt32 = 0
    let size = max(together, 1)
    add(streams, .wish, 0, callsPerHour / Double(size), nil) { at, _ in
      for member in 0..<size {
        let u = streams.uniform(.callHabit, entity: Purpose.together.rawValue, draw: number)
        let wait = member == 0 ? TimeSpan.zero : togetherWithin.scaled(by: u)
        steps.append(ScheduledStep(at: at + wait, .wish(number)))
        number += 1
      }
    }
  }

  /// Calls `act` at the times of a Poisson process with so many an hour. A process that lasts goes
  /// on when it is over.
  private func add(
    _ streams: RandomStreams, _ purpose: Purpose, _ client: UInt32, _ perHour: Double,
    _ length: DelayLaw?, _ act: (Instant, TimeSpan) -> Void
  ) {
    if perHour <= 0 { return }
    let end = Instant.zero + duration
    let entity = UInt64(client) << 4 | purpose.rawValue
    var pair: UInt32 = 0
    var now = Instant.zero
    while true {
      let (u, v) = streams.uniformPair(.callHabit, entity: entity, pair: pair)
      pair += 1
      now += TimeSpan(seconds: -PortableMath.log(u) * 3_600 / perHour)
      if now >= end { return }
      let span = length?.span(v) ?? .zero
      act(now, span)
      now += span
    }
  }
}
