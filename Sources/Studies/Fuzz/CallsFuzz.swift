import CallSignalling
import MediaUnits
import Models

/// The call protocol as something to search (S12, S13).
public struct CallsFuzz: FuzzTarget {
  /// The variants by name: the recommended ones, and the negative controls.
  public enum Variant: String, Sendable, CaseIterable {
    case recommended, grace, waiting
    case unavailable
    case literal
    case unlocked

    /// Whether every property is expected to hold.
    public var isSound: Bool {
      switch self {
      case .recommended, .grace, .waiting, .unavailable: return true
      case .literal, .unlocked: return false
      }
    }
  }

  public let name: String
  public let configuration: CallsConfiguration

  /// Few relays and many clients that need one: the rare cases come up.
  static var crowded: CallsConfiguration {
    var configuration = CallsConfiguration()
    configuration.relayCapacity = 1
    configuration.mix = TranslationMix(symmetric: 0.3, restricted: 0.5, blocksUDP: 0.15)
    return configuration
  }

  public init(_ variant: Variant) {
    name = "calls/\(variant.rawValue)"
    var configuration = CallsFuzz.crowded
    switch variant {
    case .recommended: break
    case .grace:
      configuration.server.departure = .grace(.seconds(10))
      configuration.client.signallingGrace = .seconds(10)
    case .waiting: configuration.server.returning = .waiting
    case .unavailable: configuration.server.departure = .unavailable
    case .literal: configuration.server.departure = .available
    case .unlocked: configuration.server.lock = .checkThenAct
    }
    self.configuration = configuration
  }

  public init(_ variant: Variant, _ configuration: CallsConfiguration) {
    name = "calls/\(variant.rawValue)"
    self.configuration = configuration
  }

  public func canReach(_ property: CallsProperty) -> Bool {
    switch property {
    case .tokenTakenUp: return configuration.server.returning == .token
    default: return true
    }
  }

  private static let faults: [FaultKind] = [
    .drop, .delay, .halfOpen, .crash, .suspend, .rebind, .relayDown, .corrupt, .slow,
    .skew,
  ]

  public func schedule(seed: UInt64) -> ProtocolSchedule<CallsAction> {
    var draws = ScheduleDraws(seed: seed)
    let mask = draws.bits() & (draws.once(in: 8) ? 0 : .max)
    let kinds = Self.faults.indices.filter { mask >> UInt64($0) & 1 == 1 }
      .map { Self.faults[$0] }
    let callers = configuration.callers
    let actors = callers + 1 + UInt32(draws.below(2))
    let duration = draws.span(.seconds(20), .seconds(120))
    var steps: [ScheduledStep<CallsAction>] = []
    for _ in 0..<(4 + draws.below(18)) {
      let at = Instant.zero + draws.span(.seconds(1), duration)
      let action = action(&draws, kinds, callers, actors)
      steps.append(ScheduledStep(at: at, action))
      // A second caller at about the same time.
      if case .call(let caller, let peer) = action, draws.once(in: 2) {
        steps.append(
          ScheduledStep(
            at: at + draws.span(.zero, .milliseconds(200)), .call((caller + 1) % callers, peer)))
      }
    }
    steps.sort { $0.at < $1.at }
    return ProtocolSchedule(
      seed: seed, actors: actors, duration: duration + .seconds(5),
      settling: draws.once(in: 2) ? .zero : .seconds(120),
      core: draws.once(in: 2) ? .max : 1 | 1 << UInt64(callers), steps: steps)
  }

  private func action(
    _ draws: inout ScheduleDraws, _ kinds: [FaultKind], _ callers: UInt32, _ actors: UInt32
  ) -> CallsAction {
    let caller = UInt32(draws.below(Int(callers)))
    let interpreter = callers + UInt32(draws.below(Int(actors - callers)))
    let anyone = draws.once(in: 2) ? caller : interpreter
    switch draws.below(20) {
    case 0...6: return .call(caller, interpreter)
    case 7, 8: return .hangUp(anyone)
    case 9: return .accept(interpreter)
    case 10: return draws.once(in: 2) ? .goOffline(interpreter) : .goOnline(interpreter)
    case 11: return .report(anyone)
    case 12: return draws.once(in: 2) ? .suspend(anyone) : .resume(anyone)
    case 13: return draws.once(in: 2) ? .kill(anyone) : .start(anyone)
    case 14: return .goOnline(interpreter)
    default:
      if kinds.isEmpty { return .call(caller, interpreter) }
      return .fault(draws.fault(kinds, channels: [.everything, .socket], actors: actors))
    }
  }

  public func run(
    _ schedule: ProtocolSchedule<CallsAction>, records: Bool
  ) -> ProtocolRun<CallsProperty> {
    CallsWorld.run(configuration, schedule, records: records)
  }

  // MARK: Words

  public func client(in action: CallsAction) -> UInt32? {
    switch action {
    case .call(let client, let peer): return max(client, peer)
    case .wish: return nil
    case .hangUp(let client), .accept(let client), .decline(let client), .goOnline(let client),
      .goOffline(let client), .report(let client), .suspend(let client), .resume(let client),
      .kill(let client), .start(let client):
      return client
    case .fault(let fault): return fault.target < 64 ? fault.target : nil
    }
  }

  public func subject(of action: CallsAction) -> UInt32? {
    if case .call(let from, _) = action { return from }
    return client(in: action)
  }

  public func simpler(_ action: CallsAction) -> [CallsAction] {
    if case .fault(let fault) = action {
      return FaultText.simpler(fault).map { .fault($0) }
    }
    return []
  }

  public func text(_ action: CallsAction) -> String {
    switch action {
    case .call(let client, let peer): return "call \(client) \(peer)"
    case .wish(let number): return "wish \(number)"
    case .hangUp(let client): return "hang-up \(client)"
    case .accept(let client): return "accept \(client)"
    case .decline(let client): return "decline \(client)"
    case .goOnline(let client): return "online \(client)"
    case .goOffline(let client): return "offline \(client)"
    case .report(let client): return "report \(client)"
    case .suspend(let client): return "suspend \(client)"
    case .resume(let client): return "resume \(client)"
    case .kill(let client): return "kill \(client)"
    case .start(let client): return "start \(client)"
    case .fault(let fault): return FaultText.text(fault)
    }
  }

  public func action(_ words: [Substring]) -> CallsAction? {
    if words.first == "fault" { return FaultText.fault(words.dropFirst()).map { .fault($0) } }
    guard words.count >= 2, let client = UInt32(words[1]) else { return nil }
    switch (words[0], words.count) {
    case ("call", 3): return UInt32(words[2]).map { .call(client, $0) }
    case ("wish", 2): return .wish(client)
    case ("hang-up", 2): return .hangUp(client)
    case ("accept", 2): return .accept(client)
    case ("decline", 2): return .decline(client)
    case ("online", 2): return .goOnline(client)
    case ("offline", 2): return .goOffline(client)
    case ("report", 2): return .report(client)
    case ("suspend", 2): return .suspend(client)
    case ("resume", 2): return .resume(client)
    case ("kill", 2): return .kill(client)
    case ("start", 2): return .start(client)
    default: return nil
    }
  }

  public func actors(of schedule: ProtocolSchedule<CallsAction>) -> [String] {
    (0..<schedule.actors).map {
      $0 < configuration.callers ? "caller \($0)" : "interpreter \($0)"
    } + ["server"]
  }

  public func label(_ entry: SequenceEntry) -> String {
    let name = MessageType(rawValue: entry.label).map { "\($0)" } ?? "message"
    return entry.number == 0 ? name : "\(name) call \(entry.number)"
  }
}
