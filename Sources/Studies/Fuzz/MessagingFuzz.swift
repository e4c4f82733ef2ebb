import MediaUnits
import MessageDelivery
import Models

/// The message protocol as something to search (S11).
public struct MessagingFuzz: FuzzTarget {
  /// The variants by name: the recommended ones, and the negative controls.
  public enum Variant: String, Sendable, CaseIterable {
    case recommended, tombstone, versioned, kept, announced, mediated, proxied
    case literal
    case pushOnly = "push-only"
    case boolean
    case forgetful

    /// Whether every property is expected to hold.
    public var isSound: Bool {
      switch self {
      case .recommended, .tombstone, .versioned, .kept, .announced, .mediated, .proxied:
        return true
      case .literal, .pushOnly, .boolean, .forgetful: return false
      }
    }
  }

  public let name: String
  public let configuration: MessagingConfiguration

  /// What a scenario's plan is called in files; its scenario stands there too.
  public static let planName = "messaging/scenario"

  public init(_ variant: Variant) {
    name = "messaging/\(variant.rawValue)"
    var configuration: MessagingConfiguration
    switch variant {
    case .recommended, .announced, .mediated, .proxied, .forgetful: configuration = .recommended
    case .tombstone: configuration = .tombstone
    case .versioned: configuration = .versioned
    case .kept: configuration = .kept
    case .literal: configuration = .literal
    case .pushOnly: configuration = .pushOnly
    case .boolean: configuration = .boolean
    }
    if variant == .announced { configuration.sender.sequence = .announced }
    if variant == .mediated { configuration.sender.sequence = .mediated }
    if variant == .proxied { configuration.sender.sequence = .proxied }
    if variant == .forgetful { configuration.receiver.keepsReports = false }
    self.configuration = MessagingFuzz.hurried(configuration)
  }

  /// Short waits: a run settles within minutes.
  static func hurried(_ configuration: MessagingConfiguration) -> MessagingConfiguration {
    var configuration = configuration
    let retry = RepeatRule(longestWait: .seconds(15), transferTimeout: .seconds(20))
    configuration.sender.retry = retry
    configuration.receiver.retry = retry
    configuration.poll.retry = retry
    return configuration
  }

  public func canReach(_ property: MessagingProperty) -> Bool {
    switch property {
    case .doubledRegistration, .lateRegistration:
      return configuration.sender.sequence != .mediated
    case .strayFound:
      return configuration.sender.sequence == .direct
        || configuration.sender.sequence == .announced
    case .pushLostPollFound, .staleReadSeen:
      return configuration.polls != nil || configuration.poll.pollsAtStart
        || configuration.poll.onPush != .nothing
    default: return true
    }
  }

  private static let faults: [FaultKind] = [
    .drop, .duplicate, .reorder, .delay, .corrupt, .crash, .crashAfterWrite, .slow, .throttle,
    .suspend, .skew, .serverError, .tooMany, .staleRead, .clientError,
  ]

  public func schedule(seed: UInt64) -> ProtocolSchedule<MessagingAction> {
    var draws = ScheduleDraws(seed: seed)
    // Each seed has about half of the faults, and some have none.
    let mask = draws.bits() & (draws.once(in: 8) ? 0 : .max)
    let kinds = Self.faults.indices.filter { mask >> UInt64($0) & 1 == 1 }
      .map { Self.faults[$0] }
    let actors = UInt32(2 + draws.below(3) / 2)
    let duration = draws.span(.seconds(20), .seconds(90))
    let count = 4 + draws.below(18)
    var steps: [ScheduledStep<MessagingAction>] = []
    for _ in 0..<count {
      let at = Instant.zero + draws.span(.zero, duration)
      let action = action(&draws, kinds, actors)
      steps.append(ScheduledStep(at: at, action))
      // Now and then the process ends just after its user has done something.
      if case .view(let client) = action, draws.once(in: 6) {
        steps.append(ScheduledStep(at: at + draws.span(.zero, .seconds(1)), .kill(client)))
      }
    }
    if kinds.contains(.delay) { overtake(&steps, &draws) }
    steps.sort { $0.at < $1.at }
    let isSafetyOnly = draws.once(in: 2)
    // Two clients at least are mended.
    var core: UInt64 = 3
    if actors > 2 { core = draws.once(in: 2) ? 7 : [3, 5, 6][draws.below(3)] }
    return ProtocolSchedule(
      seed: seed, actors: actors, duration: duration + .seconds(10),
      settling: isSafetyOnly ? .zero : .minutes(5), core: core, steps: steps)
  }

  /// Now and then the requests of a sender are held up until after its next video to the same
  /// recipient: the registration of the first may then come after that of the second.
  private func overtake(
    _ steps: inout [ScheduledStep<MessagingAction>], _ draws: inout ScheduleDraws
  ) {
    for step in steps {
      guard case .send(let from, let to) = step.action, draws.once(in: 6) else { continue }
      let gap = draws.span(.seconds(2), .seconds(5))
      let fault = Fault(
        .delay, target: from, channel: .service, direction: .up, length: gap,
        amount: draws.span(.seconds(6), .seconds(9)).nanoseconds)
      steps.append(ScheduledStep(at: step.at, .fault(fault)))
      steps.append(ScheduledStep(at: step.at + gap, .send(from: from, to: to)))
    }
  }

  private func action(
    _ draws: inout ScheduleDraws, _ kinds: [FaultKind], _ actors: UInt32
  ) -> MessagingAction {
    let client = UInt32(draws.below(Int(actors)))
    switch draws.below(20) {
    case 0...5:
      let other = (client + 1 + UInt32(draws.below(Int(actors) - 1))) % actors
      return .send(from: client, to: other)
    case 6...8: return .view(client)
    case 9: return .leave(client)
    case 10: return .open(client)
    case 11: return draws.once(in: 2) ? .kill(client) : .open(client)
    case 12: return .connect(client, draws.once(in: 2))
    case 13: return .pushes(client, draws.once(in: 2))
    default:
      if kinds.isEmpty { return .view(client) }
      return .fault(
        draws.fault(kinds, channels: [.everything, .service, .store, .push], actors: actors))
    }
  }

  public func run(
    _ schedule: ProtocolSchedule<MessagingAction>, records: Bool
  ) -> ProtocolRun<MessagingProperty> {
    MessagingWorld.run(configuration, schedule, records: records)
  }

  // MARK: Words

  public func client(in action: MessagingAction) -> UInt32? {
    switch action {
    case .send(let from, let to): return max(from, to)
    case .view(let client), .open(let client), .leave(let client), .kill(let client),
      .connect(let client, _), .pushes(let client, _):
      return client
    case .fault(let fault): return fault.target < 64 ? fault.target : nil
    }
  }

  public func subject(of action: MessagingAction) -> UInt32? {
    if case .send(let from, _) = action { return from }
    return client(in: action)
  }

  public func simpler(_ action: MessagingAction) -> [MessagingAction] {
    if case .fault(let fault) = action {
      return FaultText.simpler(fault).map { .fault($0) }
    }
    return []
  }

  public func text(_ action: MessagingAction) -> String {
    switch action {
    case .send(let from, let to): return "send \(from) \(to)"
    case .view(let client): return "view \(client)"
    case .open(let client): return "open \(client)"
    case .leave(let client): return "leave \(client)"
    case .kill(let client): return "kill \(client)"
    case .connect(let client, let isOnline): return "connect \(client) \(isOnline)"
    case .pushes(let client, let works): return "pushes \(client) \(works)"
    case .fault(let fault): return FaultText.text(fault)
    }
  }

  public func action(_ words: [Substring]) -> MessagingAction? {
    if words.first == "fault" { return FaultText.fault(words.dropFirst()).map { .fault($0) } }
    guard words.count >= 2, let client = UInt32(words[1]) else { return nil }
    switch (words[0], words.count) {
    case ("send", 3): return UInt32(words[2]).map { .send(from: client, to: $0) }
    case ("view", 2): return .view(client)
    case ("open", 2): return .open(client)
    case ("leave", 2): return .leave(client)
    case ("kill", 2): return .kill(client)
    case ("connect", 3): return Bool(String(words[2])).map { .connect(client, $0) }
    case ("pushes", 3): return Bool(String(words[2])).map { .pushes(client, $0) }
    default: return nil
    }
  }

  public func actors(of schedule: ProtocolSchedule<MessagingAction>) -> [String] {
    (0..<schedule.actors).map { "client \($0)" } + ["service", "store"]
  }

  public func label(_ entry: SequenceEntry) -> String {
    let name = MessagingLabel(rawValue: entry.label).map { "\($0.name)" } ?? "message"
    switch MessagingLabel(rawValue: entry.label) {
    case .poll, .packet: return "\(name) \(entry.number)"
    case .push: return "\(name) v\(entry.number)"
    default: return "\(name) video \(entry.number)"
    }
  }
}
