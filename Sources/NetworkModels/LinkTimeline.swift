/// One scripted change of a session's link.
public struct LinkEvent: Sendable, Equatable {
  /// What happens.
  public enum Kind: Sendable, Equatable {
    /// The device changes its access network, for example from Wi-Fi to cellular: nothing moves for
    /// `outage` nanoseconds, at least 0 (parameters.md section 1.7: 0.5 to 3 s).
    ///
    /// `keepsConnections` is true when the address stays, as between two cells of one operator.
    /// When it changes, TCP connections are gone, because a connection is its pair of addresses
    /// (RFC 9293 section 3.3), and QUIC connections migrate (RFC 9000 section 9).
    case handOver(outage: Int64, keepsConnections: Bool)
    /// No radio for `length` nanoseconds, at least 0; connections outlive it.
    case tunnel(length: Int64)
    /// No radio from now to the session's end.
    case offline
    /// The rate is this from now on, bits per second, whatever the trace says; until the next
    /// ``step(rate:)`` or ``trace``.
    case step(rate: Double)
    /// The trace holds again after a ``step(rate:)``.
    case trace
  }

  /// When, nanoseconds since the session's start, at least 0.
  public let at: Int64
  /// What.
  public let kind: Kind

  /// An event; lengths and rates are finite and at least 0.
  public init(at: Int64, _ kind: Kind) {
    precondition(at >= 0, "an event at or after the session's start")
    switch kind {
    case .handOver(let outage, _):
      precondition(outage >= 0 && outage <= Int64.max - at, "an outage of at least 0")
    case .tunnel(let length):
      precondition(length >= 0 && length <= Int64.max - at, "a tunnel of at least 0")
    case .step(let rate): precondition(rate >= 0 && rate < .infinity, "a finite rate of at least 0")
    case .offline, .trace: break
    }
    self.at = at
    self.kind = kind
  }

  /// From when to when the event keeps the link silent; nil when it does not, `.max` for ever.
  var silence: (from: Int64, until: Int64)? {
    switch kind {
    case .handOver(let length, _), .tunnel(let length):
      length > 0 ? (at, at + length) : nil
    case .offline: (at, .max)
    case .step, .trace: nil
    }
  }
}

/// The scripted conditions of a session's link: hand-overs, tunnels, being offline, rate steps.
///
/// Laid over a ``RateTrace`` by ``RateTrace/overlaid(by:horizon:)``. What is left out: a hand-over
/// changes neither the round trip nor the loss, and the new network's rate is a
/// ``LinkEvent/Kind/step(rate:)`` of its own.
public struct LinkTimeline: Sendable, Equatable {
  /// Ordered by time; events of the same time keep the order in which they were given.
  public let events: [LinkEvent]
  /// When the link is silent: apart, ordered, not empty; the last may end at `.max`.
  public let silences: [Silence]

  /// A time span without any packet, nanoseconds; `until` is outside.
  public struct Silence: Sendable, Equatable {
    /// Its first nanosecond, and the first one after it.
    public var from, until: Int64
  }

  public init(_ events: [LinkEvent]) {
    var sorted = events
    // Insertion is stable; scripts are short.
    for index in sorted.indices.dropFirst() {
      var place = index
      while place > 0 && sorted[place - 1].at > sorted[place].at {
        sorted.swapAt(place - 1, place)
        place -= 1
      }
    }
    self.events = sorted
    var silences: [Silence] = []
    for event in sorted {
      guard let (from, until) = event.silence else { continue }
      if let last = silences.last, last.until >= from {
        if until > last.until { silences[silences.count - 1].until = until }
      } else {
        silences.append(Silence(from: from, until: until))
      }
    }
    self.silences = silences
  }

  /// The factor on any rate by time: 0 while the link is silent, else 1; nil when it never is.
  ///
  /// Rate steps are not part of it: they replace a trace's rate, see
  /// ``RateTrace/overlaid(by:horizon:)``.
  public var conditions: RateTrace? {
    if silences.isEmpty { return nil }
    return RateTrace(constant: 1).overlaid(by: silences, steps: [], horizon: .max)
  }

  /// The hand-overs with their outages, in order.
  public var handOvers: [HandOver] {
    var result: [HandOver] = []
    for event in events {
      guard case .handOver(let outage, let keeps) = event.kind else { continue }
      result.append(HandOver(from: event.at, until: event.at + outage, keepsConnections: keeps))
    }
    return result
  }

  /// Whether packets move at `time`; a rate of zero in the trace itself does not count.
  public func isUp(at time: Int64) -> Bool {
    for silence in silences {
      if time < silence.from { return true }
      if time < silence.until { return false }
    }
    return true
  }

  /// The first time at or after `time` at which packets move; `.max` for never.
  public func upTime(from time: Int64) -> Int64 {
    for silence in silences {
      if time < silence.from { return time }
      if time < silence.until { return silence.until }
    }
    return time
  }
}

/// What became of a connection.
public enum ConnectionFate: Sendable, Equatable {
  /// Nothing happened to it.
  case intact
  /// It moved to the new network and carries data from then on, nanoseconds since the session's
  /// start; `.max` when the link stays silent.
  case migrated(readyAt: Int64)
  /// The network under it went at that time and took it along.
  case lost(at: Int64)
}

extension LinkTimeline {
  /// What became at `time` of a connection that was opened at `opened`.
  ///
  /// A hand-over at the very time of opening comes before it. A migrated connection is ready one
  /// round trip after the link is up again: the path is validated by a challenge and its response
  /// (RFC 9000 section 8.2). Tunnels and being offline close nothing.
  ///
  /// - Parameters:
  ///   - migrates: true for QUIC, false for TCP.
  ///   - roundTrip: of the new network, nanoseconds.
  public func fate(
    openedAt opened: Int64, at time: Int64, migrates: Bool, roundTrip: Int64
  ) -> ConnectionFate {
    var fate = ConnectionFate.intact
    for event in events where event.at > opened && event.at <= time {
      guard case .handOver(let outage, false) = event.kind else { continue }
      if !migrates { return .lost(at: event.at) }
      let up = upTime(from: event.at + outage)
      let (ready, isBeyond) = up.addingReportingOverflow(roundTrip)
      fate = .migrated(readyAt: isBeyond ? .max : ready)
    }
    return fate
  }
}

extension RateTrace {
  /// This trace with the events of a timeline laid over it: zero while the link is silent, a step's
  /// rate from it on, else the trace's own rate at that time. Time runs on under a silence.
  ///
  /// A trace that loops is written out up to `horizon` nanoseconds, greater than 0, after which
  /// its last rate holds: give the session's length. Other traces end as they did.
  ///
  /// - Complexity: O(steps + events), the steps of a looping trace counted up to the horizon, each
  ///   O(log steps).
  public func overlaid(by timeline: LinkTimeline, horizon: Int64) -> RateTrace {
    if timeline.events.isEmpty { return self }
    var steps: [(at: Int64, rate: Double?)] = []
    for event in timeline.events {
      switch event.kind {
      case .step(let rate): steps.append((event.at, rate))
      case .trace: steps.append((event.at, nil))
      case .handOver, .tunnel, .offline: break
      }
    }
    return overlaid(by: timeline.silences, steps: steps, horizon: horizon)
  }

  /// - Parameter steps: ordered; nil for the trace's own rate.
  fileprivate func overlaid(
    by silences: [LinkTimeline.Silence], steps: [(at: Int64, rate: Double?)], horizon: Int64
  ) -> RateTrace {
    precondition(horizon > 0, "a horizon after the start")
    var result = Overlay(base: self, horizon: horizon)
    var (time, level): (Int64, Double?) = (0, nil)
    var (nextSilence, nextStep) = (0, 0)
    while time < .max {
      while nextStep < steps.count && steps[nextStep].at <= time {
        level = steps[nextStep].rate
        nextStep += 1
      }
      if nextSilence < silences.count && silences[nextSilence].until <= time { nextSilence += 1 }
      var until = nextStep < steps.count ? steps[nextStep].at : Int64.max
      var isSilent = false
      if nextSilence < silences.count {
        let silence = silences[nextSilence]
        isSilent = silence.from <= time
        until = Swift.min(until, isSilent ? silence.until : silence.from)
      }
      if isSilent {
        result.append(0, from: time)
      } else if let level {
        result.append(level, from: time)
      } else {
        result.appendBase(from: time, to: until)
      }
      time = until
    }
    return result.trace
  }

  /// A trace under construction.
  private struct Overlay {
    let base: RateTrace
    let horizon: Int64
    var starts: [Int64] = []
    var rates: [Double] = []

    init(base: RateTrace, horizon: Int64) {
      self.base = base
      self.horizon = horizon
    }

    mutating func append(_ rate: Double, from start: Int64) {
      if let last = rates.last, last == rate { return }
      starts.append(start)
      rates.append(rate)
    }

    mutating func appendBase(from start: Int64, to end: Int64) {
      if let rate = base.constantRate {
        append(rate, from: start)
        return
      }
      var stop = end
      if case .loop = base.end { stop = Swift.min(end, Swift.max(horizon, start)) }
      var time = start
      repeat {
        let (rate, until) = base.step(at: time)
        append(rate, from: time)
        time = until
      } while time < stop
    }

    var trace: RateTrace {
      // A trace that ends silent says so, whichever way it was written.
      if rates.count > 1, rates[rates.count - 1] == 0 {
        return RateTrace(
          starts: Array(starts.dropLast()), rates: Array(rates.dropLast()),
          end: .silence(at: starts[starts.count - 1]))
      }
      return RateTrace(starts: starts, rates: rates, end: .hold)
    }
  }
}
