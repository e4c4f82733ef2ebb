import MediaUnits

/// How a property of a protocol is judged.
public enum PropertyKind: UInt8, Sendable, Equatable {
  /// Holds at every event of every run, whatever goes wrong.
  case always
  /// Holds some time after everything that can be mended is.
  case eventually
  /// Happens in some run: a search in which it never does has not searched.
  case sometimes
}

/// The properties of one protocol; raw values count from 0, at most 64 of them.
public protocol ProtocolProperty: RawRepresentable, CaseIterable, Sendable, Equatable
where RawValue == UInt8 {
  var kind: PropertyKind { get }
  /// A short name with hyphens.
  var name: StaticString { get }
  /// One sentence.
  var statement: StaticString { get }
}

/// What a run has shown of its protocol's properties.
public struct ProtocolProbes<Property: ProtocolProperty>: Sendable {
  /// One broken property, where it was first seen broken.
  public struct Violation: Sendable {
    public var property: Property
    public var at: Instant
  }

  /// One bit for each `sometimes` that happened.
  public private(set) var reached: UInt64 = 0
  public private(set) var violations: [Violation] = []

  public init() {}

  /// Notes that something happened.
  public mutating func reach(_ property: Property) { reached |= 1 << UInt64(property.rawValue) }

  /// Notes a broken property, once.
  public mutating func check(_ property: Property, _ holds: Bool, at now: Instant) {
    if holds { return }
    for violation in violations where violation.property == property { return }
    violations.append(Violation(property: property, at: now))
  }
}

/// One message of a run, for a sequence diagram.
public struct SequenceEntry: Sendable, Equatable {
  /// Actors, by their place in the diagram.
  public var from, to: UInt32
  /// The protocol's number of the message's kind.
  public var label: UInt8
  /// A video, a call, an attempt: what the protocol tells messages apart by.
  public var number: UInt32
  public var sent: Instant
  /// nil when it was lost.
  public var received: Instant?

  public init(
    from: UInt32, to: UInt32, label: UInt8, number: UInt32, sent: Instant, received: Instant?
  ) {
    self.from = from
    self.to = to
    self.label = label
    self.number = number
    self.sent = sent
    self.received = received
  }
}

/// One step of an explicit schedule: something that a user or the environment does.
public struct ScheduledStep<Action: Sendable & Equatable>: Sendable, Equatable {
  public var at: Instant
  public var action: Action

  public init(at: Instant, _ action: Action) {
    self.at = at
    self.action = action
  }
}

/// A run that can be repeated: who takes part, how long, and every step.
public struct ProtocolSchedule<Action: Sendable & Equatable>: Sendable, Equatable {
  /// Of the delays that no fault changes.
  public var seed: UInt64
  public var actors: UInt32
  /// The steps come within this; then everything is mended and the run must settle.
  public var duration: TimeSpan
  /// How long it may take to settle; zero for a run that is judged by `always` alone.
  public var settling: TimeSpan
  /// Clients that take part after the mending, one bit each; the others never come back.
  public var core: UInt64
  /// In order of time.
  public var steps: [ScheduledStep<Action>]
  /// What becomes of the first messages from ``choicesFrom`` on, in order, beside what faults do.
  public var choices: [MessageChoice] = []
  public var choicesFrom = Instant.zero

  public init(
    seed: UInt64, actors: UInt32, duration: TimeSpan, settling: TimeSpan, core: UInt64 = .max,
    steps: [ScheduledStep<Action>]
  ) {
    self.seed = seed
    self.actors = actors
    self.duration = duration
    self.settling = settling
    self.core = core
    self.steps = steps
  }
}

/// What one run of a schedule came to.
public struct ProtocolRun<Property: ProtocolProperty>: Sendable {
  public var probes: ProtocolProbes<Property>
  /// The messages, if they were recorded.
  public var sequence: [SequenceEntry]
  /// Equal for equal runs.
  public var fingerprint: UInt64
  public var events: UInt64
  /// Messages whose fate was asked for since the choices began: as many an exhaustive search has.
  public var messages: Int

  public init(
    probes: ProtocolProbes<Property>, sequence: [SequenceEntry], fingerprint: UInt64,
    events: UInt64, messages: Int
  ) {
    self.probes = probes
    self.sequence = sequence
    self.fingerprint = fingerprint
    self.events = events
    self.messages = messages
  }
}
