import Models

/// How much may wait in front of a link before packets are turned away.
public enum LinkQueue: Sendable, Equatable {
  case unlimited
  /// Packets that wait; the one in transmission does not count.
  case packets(Int)
  /// Wire bytes that wait.
  case bytes(Int64)
  /// A packet is turned away when it would wait for longer, nanoseconds, and that many wait: what a
  /// scenario's `queueLimit` means, with the 20 packets that the simulator grants any queue.
  case time(Int64, leastPackets: Int)

  init(_ limit: QueueLimit) {
    switch limit {
    case .unlimited: self = .unlimited
    case .packets(let most): self = .packets(Int(clamping: most))
    case .bytes(let most): self = .bytes(most)
    }
  }
}

/// One direction of a link.
public struct LinkLaneProfile: Sendable, Equatable {
  /// Bits per second over the time since the profile was given; a packet keeps the rate at which
  /// its transmission began.
  public var rate: RateTrace
  /// From the end of a packet's transmission to its arrival, nanoseconds.
  public var delay: Int64
  public var queue: LinkQueue
  /// Losses after transmission: a lost packet has occupied the link.
  public var loss: PacketLoss

  /// - Parameter delay: at least 0.
  public init(
    rate: RateTrace, delay: Int64, queue: LinkQueue = .unlimited, loss: PacketLoss = .none
  ) {
    precondition(delay >= 0, "a delay of at least 0, not \(delay)")
    self.rate = rate
    self.delay = delay
    self.queue = queue
    self.loss = loss
  }
}

/// The link between one client address and the edge: a pair of lanes.
///
/// As in the transfer model (``TransferCase``): drop-tail queue in front of the downlink, an uplink
/// whose queue has no limit, half the round trip each way, losses on the downlink only, and
/// ``framing`` bytes per IP packet beyond what IP counts.
public struct LinkProfile: Sendable, Equatable {
  /// Towards the client.
  public var down: LinkLaneProfile
  /// Towards the edge.
  public var up: LinkLaneProfile
  /// Bytes on the wire per packet beyond IP's; the transfer model's 54 bytes per packet are 52 of
  /// TCP/IP with time stamps and 2 of these.
  public var framing: Int
  /// Key of the losses: links with the same key lose the same packets, counted from the time at
  /// which the profile was given. nil: the address is the key.
  public var lossKey: UInt64?

  public init(
    down: LinkLaneProfile, up: LinkLaneProfile, framing: Int = 2, lossKey: UInt64? = nil
  ) {
    precondition(framing >= 0, "framing of at least 0, not \(framing)")
    self.down = down
    self.up = up
    self.framing = framing
    self.lossKey = lossKey
  }

  /// A link with constant numbers.
  ///
  /// - Parameters:
  ///   - downlink: bits per second, as `uplink`.
  ///   - roundTrip: propagation there and back, nanoseconds.
  public init(
    downlink: Double, uplink: Double, roundTrip: Int64, loss: PacketLoss = .none,
    queue: LinkQueue = .packets(1000), lossKey: UInt64? = nil
  ) {
    self.init(
      down: LinkLaneProfile(
        rate: RateTrace(constant: downlink), delay: roundTrip / 2, queue: queue, loss: loss),
      up: LinkLaneProfile(rate: RateTrace(constant: uplink), delay: roundTrip - roundTrip / 2),
      lossKey: lossKey)
  }

  /// The link of a scenario's session: what ``FeedConfiguration/link(of:streams:length:)`` says.
  ///
  /// The loss key is the session's number, so that a run repeats its losses.
  public init(_ link: SessionLink, session: UInt32) {
    self.init(
      down: LinkLaneProfile(
        rate: link.rate, delay: link.roundTrip / 2,
        queue: .time(link.queueLimit, leastPackets: 20), loss: link.loss),
      up: LinkLaneProfile(
        rate: RateTrace(constant: link.uplinkRate), delay: link.roundTrip - link.roundTrip / 2),
      lossKey: UInt64(session))
  }

  /// A link that neither delays nor limits: 10 Gbit/s (assumed), no queue limit.
  public static let open = LinkProfile(
    downlink: 1e10, uplink: 1e10, roundTrip: 0, queue: .unlimited)
}
