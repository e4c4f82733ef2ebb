import MediaUnits
import ModelBasics
import SimulationKernel

/// What the users of a group of clients do in a day: when they open the app, send and look, and
/// when their connections fail. Groups do not meet.
///
/// Sessions come at random times (a Poisson process by client); within one the user looks at what
/// has come every few seconds, and sends now and then. Connections are up and down by turns. Left
/// out: the time of day, and answers that are sent because something came.
public struct MessagingAudience: Sendable {
  public var clients: UInt32 = 4
  public var duration = TimeSpan.hours(24)
  /// Openings of the app by one client, a day.
  public var opensPerDay = 20.0
  /// Seconds that the app stays open.
  public var sessionLength = QuantileTable(constant: 120)
  /// Videos that one client sends a day.
  public var sendsPerDay = 8.0
  /// Between two looks at what has come.
  public var lookEvery = TimeSpan.seconds(5)
  /// Sessions that end with the process being killed.
  public var killShare = 0.0
  /// Times that a connection fails, by client and day, and for how many seconds.
  public var outagesPerDay = 0.0
  public var outageLength = QuantileTable(constant: 60)
  /// Clients whose push channel is blocked all the time.
  public var blockedShare = 0.0

  public init() {}

  private enum Purpose: UInt32 {
    case session = 0
    case length, ending, send, peer, outage, outageLength, block, looks
  }

  /// The numbers of one client of one group.
  private struct Draws {
    let streams: RandomStreams
    let entity: UInt64
    var count: [UInt32] = [UInt32](repeating: 0, count: 16)

    /// The next number of (0, 1) of a purpose.
    mutating func next(_ purpose: Purpose) -> Double {
      let index = Int(purpose.rawValue)
      count[index] += 1
      return streams.uniform(
        .messageUser, entity: entity << 4 | UInt64(index), draw: count[index])
    }

    /// The next gap of a process with so many events a day.
    mutating func gap(_ purpose: Purpose, perDay: Double) -> TimeSpan {
      TimeSpan(seconds: -PortableMath.log(next(purpose)) * 86_400 / perDay)
    }
  }

  /// What the clients of a group do.
  public func schedule(
    group: UInt32, _ streams: RandomStreams
  ) -> ProtocolSchedule<MessagingAction> {
    var steps: [ScheduledStep<MessagingAction>] = []
    let end = Instant.zero + duration
    for client in 0..<clients {
      var draws = Draws(streams: streams, entity: UInt64(group) << 8 | UInt64(client))
      // Everybody begins with the app closed.
      steps.append(ScheduledStep(at: .zero + .milliseconds(1), .leave(client)))
      if draws.next(.block) < blockedShare {
        steps.append(ScheduledStep(at: .zero, .pushes(client, false)))
      }
      addSessions(client, end, &draws, &steps)
      addOutages(client, end, &draws, &steps)
    }
    // By time; what comes at the same time stays in order.
    let order = steps.indices.sorted { a, b in
      steps[a].at != steps[b].at ? steps[a].at < steps[b].at : a < b
    }
    return ProtocolSchedule(
      seed: streams.bits(.messageUser, entity: .max - UInt64(group)), actors: clients,
      duration: duration, settling: .zero, steps: order.map { steps[$0] })
  }

  private func addSessions(
    _ client: UInt32, _ end: Instant, _ draws: inout Draws,
    _ steps: inout [ScheduledStep<MessagingAction>]
  ) {
    if opensPerDay <= 0 { return }
    let sendsPerSession = sendsPerDay / opensPerDay
    var now = Instant.zero + .milliseconds(2) + draws.gap(.session, perDay: opensPerDay)
    while now < end {
      steps.append(ScheduledStep(at: now, .open(client)))
      let length = TimeSpan(seconds: sessionLength.quantile(draws.next(.length)))
      let close = min(now + length, end)
      // The user's looks do not keep step with anything: the first comes after a part of the gap.
      var look = now + lookEvery.scaled(by: draws.next(.looks))
      while look < close {
        steps.append(ScheduledStep(at: look, .view(client)))
        look += lookEvery
      }
      addSends(client, from: now, to: close, sendsPerSession, &draws, &steps)
      let isKilled = draws.next(.ending) < killShare
      if close < end {
        steps.append(ScheduledStep(at: close, isKilled ? .kill(client) : .leave(client)))
      }
      now = close + draws.gap(.session, perDay: opensPerDay)
    }
  }

  /// A Poisson number of videos, each at any time of the session and to any of the others.
  private func addSends(
    _ client: UInt32, from: Instant, to: Instant, _ mean: Double, _ draws: inout Draws,
    _ steps: inout [ScheduledStep<MessagingAction>]
  ) {
    var sum = -PortableMath.log(draws.next(.send))
    while sum < mean {
      let at = from + (to - from).scaled(by: draws.next(.peer))
      let other = UInt32(draws.next(.peer) * Double(clients - 1))
      let peer = other < client ? other : other + 1
      steps.append(ScheduledStep(at: at, .send(from: client, to: peer)))
      sum -= PortableMath.log(draws.next(.send))
    }
  }

  private func addOutages(
    _ client: UInt32, _ end: Instant, _ draws: inout Draws,
    _ steps: inout [ScheduledStep<MessagingAction>]
  ) {
    if outagesPerDay <= 0 { return }
    var now = Instant.zero + draws.gap(.outage, perDay: outagesPerDay)
    while now < end {
      steps.append(ScheduledStep(at: now, .connect(client, false)))
      now += TimeSpan(seconds: outageLength.quantile(draws.next(.outageLength)))
      if now < end { steps.append(ScheduledStep(at: now, .connect(client, true))) }
      now += draws.gap(.outage, perDay: outagesPerDay)
    }
  }
}
