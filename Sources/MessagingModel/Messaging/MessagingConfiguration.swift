import MediaUnits
import MessageDelivery
import SimulationKernel

/// A span between two bounds, drawn evenly, of which a share goes beyond; or a span of any law.
///
/// The even form is assumed: searches want short delays and long ones alike. Its bounds stand where
/// it is used. Scenarios that measure give the law itself.
public struct DelayLaw: Sendable, Equatable {
  public var shortest: TimeSpan
  public var longest: TimeSpan
  /// This share is spread between `longest` and `tail` instead.
  public var tailShare: Double
  public var tail: TimeSpan
  /// The law in seconds; nil for the even form.
  public var table: QuantileTable?

  public init(
    _ shortest: TimeSpan, _ longest: TimeSpan, tailShare: Double = 0, tail: TimeSpan = .zero
  ) {
    precondition(shortest >= .zero && longest >= shortest, "bounds are in order")
    precondition(tailShare >= 0 && tailShare <= 1, "a share is within 0 and 1")
    precondition(tailShare == 0 || tail >= longest, "the tail is beyond")
    self.shortest = shortest
    self.longest = longest
    self.tailShare = tailShare
    self.tail = tail
  }

  /// A span by its quantiles in seconds, from 0 on.
  public init(_ table: QuantileTable) {
    self.init(.zero, .zero)
    self.table = table
  }

  public static func == (a: DelayLaw, b: DelayLaw) -> Bool {
    a.shortest == b.shortest && a.longest == b.longest && a.tailShare == b.tailShare
      && a.tail == b.tail && a.table?.isEqual(to: b.table) ?? (b.table == nil)
  }

  /// The span for a uniform number of (0, 1).
  public func span(_ u: Double) -> TimeSpan {
    if let table { return TimeSpan(seconds: table.quantile(u)) }
    if u < tailShare { return longest + (tail - longest).scaled(by: u / tailShare) }
    return shortest + (longest - shortest).scaled(by: (u - tailShare) / (1 - tailShare))
  }
}

/// Everything that one run of the message world depends on but its schedule.
public struct MessagingConfiguration: Sendable, Equatable {
  public var sender = SenderMachine.Configuration()
  public var receiver = ReceiverMachine.Configuration()
  public var poll = PollMachine.Configuration()
  /// Who decides when clients ask the server; nil: the shipped machine, by ``poll``.
  public var polls: ForeignPolls?
  public var server = MessageServer.Configuration()
  /// One way between a client and the service, without processing. 20 to 120 ms (assumed:
  /// half of a loaded round trip, parameters section 1.7).
  public var network = DelayLaw(
    .milliseconds(20), .milliseconds(120), tailShare: 0.02, tail: .milliseconds(600))
  /// A video into or out of the store: 0.3 to 4 s (assumed: 2 MB at 4 to 50 Mbit/s).
  public var transfer = DelayLaw(.milliseconds(300), .seconds(4))
  /// A push: 0.2 to 2 s, 3 % up to 20 s (parameters section 9: median 0.6 s, p95 2.1 s).
  public var push = DelayLaw(
    .milliseconds(200), .seconds(2), tailShare: 0.03, tail: .seconds(20))
  /// Pushes that never arrive, of all. Default 0: the schedule says what is lost.
  public var pushLoss = 0.0
  /// Wakes of an app in the background, in an hour (parameters section 9: 2 to 3).
  public var wakesPerHour = 3
  /// Whether an app in the background keeps its connection (TBM-046).
  public var runsInBackground = false
  /// How long the store keeps telling the service of a new video until it is heard; mediated
  /// uploads only. 100 ms to 1.5 s (assumed).
  public var storeEvent = DelayLaw(.milliseconds(100), .milliseconds(1_500))

  /// Requests and answers that are lost, of all. Default 0: the schedule says what is lost.
  public var requestLoss = 0.0
  /// Videos that their recipients never view, of all. Default 0.
  public var neverViewed = 0.0
  /// So long after an opening with HTTP the screen is compared with what the service had then
  /// (TBM-007); zero for never. Default 0.
  public var openGrace = TimeSpan.zero

  public init() {}

  /// The way that the answers to the open questions recommend: names in pushes of the full state,
  /// versions in packets, videos kept until another takes their place.
  public static var recommended: MessagingConfiguration {
    var configuration = MessagingConfiguration()
    configuration.server.sweepPeriod = .minutes(1)
    configuration.server.strayAge = .minutes(2)
    return configuration
  }

  /// The literal rules of the source: what a packet leaves out was viewed, and is forgotten when it
  /// is viewed (TBM-031). A negative control.
  public static var literal: MessagingConfiguration {
    var configuration = recommended
    configuration.sender.missing = .viewed
    configuration.server.cleanup = .onView
    return configuration
  }

  /// A tombstone until the sender has acknowledged it.
  public static var tombstone: MessagingConfiguration {
    var configuration = recommended
    configuration.sender.missing = .nothing
    configuration.sender.acknowledges = true
    configuration.server.cleanup = .onAcknowledgement
    return configuration
  }

  /// Forgotten when it is viewed, with versions in the packets.
  public static var versioned: MessagingConfiguration {
    var configuration = recommended
    configuration.sender.missing = .viewedIfNewer
    configuration.server.cleanup = .onView
    return configuration
  }

  /// Kept until another takes its place; what a packet leaves out means nothing.
  public static var kept: MessagingConfiguration {
    var configuration = recommended
    configuration.sender.missing = .nothing
    return configuration
  }

  /// Push alone (TBM-010). A negative control.
  public static var pushOnly: MessagingConfiguration {
    var configuration = recommended
    configuration.poll.pollsAtStart = false
    configuration.poll.onPush = .nothing
    configuration.poll.trackedInterval = .zero
    configuration.poll.idleInterval = .zero
    return configuration
  }

  /// One boolean for each pair, and nothing for a viewed video (TBM-022, TBM-055). A negative
  /// control.
  public static var boolean: MessagingConfiguration {
    var configuration = literal
    configuration.server.identity = .pair
    configuration.server.lattice = .three
    configuration.receiver.lattice = .three
    return configuration
  }
}
