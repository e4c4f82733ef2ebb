import MediaUnits
import SimulationKernel

/// The capacity that the viewers of one access network share: a cell sector, a Wi-Fi channel, the
/// egress of a point of presence.
public struct CellConfiguration: Sendable, Equatable {
  /// Bits per second of one cell.
  public var capacity: Double
  /// Cells of the network at each edge; sessions are spread over them evenly.
  public var count: Int
  /// How a transfer's round trip decides its share.
  public var bias: RateBias
  /// The longest wait in a queue that all viewers share, first in, first out: an uplink of a
  /// building, the egress of a point of presence. Nil where each device has a queue of its own and
  /// a scheduler shares, as base stations do.
  public var queue: TimeSpan?

  public init(
    capacity: Double, count: Int = 1, bias: RateBias = RateBias(), queue: TimeSpan? = nil
  ) {
    precondition(capacity > 0 && count >= 1, "a cell has a capacity")
    self.capacity = capacity
    self.count = count
    self.bias = bias
    self.queue = queue
  }
}

/// One cell and whose transfers its flows are.
///
/// Weighted max-min sharing of the capacity, where a transfer is capped by its part of its viewer's
/// own link, or one queue (``CellQueue``). Left out: scheduling by channel quality, other traffic.
public struct Cell {
  /// Whose transfer a number stands for: the slot of the viewer, and its request.
  public struct Owner {
    public var slot: UInt32
    public var request: UInt32

    public init(slot: UInt32, request: UInt32) {
      self.slot = slot
      self.request = request
    }
  }

  /// The edge whose viewers use it.
  public let edge: Int
  /// What its transfers share, unless they have one queue.
  public var link: SharedBottleneck
  /// The one queue that they have.
  var queue: CellQueue?
  /// The next change of its link, as it is scheduled.
  public var event = EventHandle.none
  /// By the number of the transfer; numbers that are free keep their last owner.
  public private(set) var owners: [Owner] = []
  private var free: [Int32] = []

  public init(_ configuration: CellConfiguration, edge: Int) {
    self.edge = edge
    link = SharedBottleneck(capacity: configuration.capacity)
  }

  /// The same of a network, with its queue, if it has one.
  ///
  /// - Parameter transport: of all connections in it.
  public init(
    _ configuration: CellConfiguration, edge: Int, of profile: NetworkProfile,
    _ transport: TransportConfiguration, streams: RandomStreams
  ) {
    self.init(configuration, edge: edge)
    guard let limit = configuration.queue, transport.model == .firstFrame else { return }
    queue = CellQueue(
      capacity: configuration.capacity, limit: limit, profile, transport, streams: streams)
  }

  /// A number for a new flow.
  public mutating func take(_ owner: Owner) -> Int {
    if let number = free.popLast() {
      owners[Int(number)] = owner
      return Int(number)
    }
    owners.append(owner)
    return owners.count - 1
  }

  /// The flow has ended or was taken away.
  public mutating func giveBack(_ number: Int) { free.append(Int32(number)) }

  /// Works out what happens up to `now`.
  public mutating func advance(to now: Instant) {
    if queue != nil {
      queue?.advance(to: now.nanoseconds)
    } else {
      link.advance(to: now.nanoseconds)
    }
  }

  /// Whose a response in the queue is.
  mutating func own(_ number: Int, _ owner: Owner) {
    while owners.count <= number { owners.append(owner) }
    owners[number] = owner
  }

  /// Whose transfer has passed its mark or ended by `now`, of those that have not been taken; its
  /// flow's number is free from now on, unless it is in a queue and has passed its mark.
  public mutating func takeFinished(at now: Instant) -> (owner: Owner, flow: Int)? {
    if queue != nil {
      guard let report = queue?.takeReport(by: now.nanoseconds) else { return nil }
      return (owners[report.flow], report.flow)
    }
    guard let end = link.takeFinished() else { return nil }
    giveBack(end.flow)
    return (owners[end.flow], end.flow)
  }

  /// When something in it happens next; nil when nothing does. What ended at this instant while
  /// something else was changed is waiting to be taken.
  public func nextChange(at now: Instant) -> Instant? {
    if let next = queue?.nextChange {
      if next == .max { return nil }
      return next > now.nanoseconds ? Instant(nanoseconds: next) : now
    }
    if link.hasFinished { return now }
    let next = link.nextChange
    return next == .max ? nil : Instant(nanoseconds: next)
  }
}
