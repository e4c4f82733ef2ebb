import MediaUnits
import SimulationKernel

/// The origin at work: who is being served, who waits, and how often each object was asked for.
public struct Origin {
  /// A request that waits for a place.
  public struct Ticket {
    /// The node that asks, and the place of its fetch there.
    public var node: UInt16
    public var fetch: UInt32

    public init(node: UInt16, fetch: UInt32) {
      self.node = node
      self.fetch = fetch
    }
  }

  /// As the scenario has it.
  public private(set) var configuration: OriginConfiguration
  private var busy = 0
  private var queue: [Ticket] = []
  private var head = 0
  /// Requests that may come at once, and since when.
  private var tokens: Double
  private var refilledAt = Instant.zero
  /// The second of the clock and its requests.
  private var second: Int64 = -1
  private var inSecond: Int64 = 0
  private var places = LookupTable(capacity: 256)
  private var windows: [(end: Instant, count: Int64)] = []

  public init(_ configuration: OriginConfiguration) {
    self.configuration = configuration
    tokens = max(configuration.requestRate ?? 0, 1)
  }

  /// Goes on under other outages, which were the same until now.
  mutating func goOn(under outages: [OriginOutage]) { configuration.outages = outages }

  /// Whether the limit of requests a second lets another one through.
  public mutating func admits(at now: Instant) -> Bool {
    guard let rate = configuration.requestRate else { return true }
    tokens += (now - refilledAt).seconds * rate
    let most = rate > 1 ? rate : 1
    if tokens > most { tokens = most }
    refilledAt = now
    if tokens < 1 { return false }
    tokens -= 1
    return true
  }

  /// Whether it would let one through that nobody counts.
  func wouldAdmit(at now: Instant) -> Bool {
    guard let rate = configuration.requestRate else { return true }
    return tokens + (now - refilledAt).seconds * rate >= 1
  }

  /// Takes a place; false: all are taken, and the request waits for one.
  public mutating func takePlace(_ ticket: Ticket) -> Bool {
    guard let limit = configuration.concurrency else { return true }
    if busy < limit {
      busy += 1
      return true
    }
    queue.append(ticket)
    return false
  }

  /// A request is done: who has its place now, if anybody waited.
  public mutating func leavePlace() -> Ticket? {
    if head == queue.count {
      busy -= 1
      return nil
    }
    let ticket = queue[head]
    head += 1
    // The front is given back when it is half of the queue.
    if head * 2 >= queue.count {
      queue.removeFirst(head)
      head = 0
    }
    return ticket
  }

  /// Counts a request; returns the requests of this second and of the object's lifetime so far.
  public mutating func count(
    _ object: UInt32, lifetime: TimeSpan, at now: Instant
  ) -> (inSecond: Int64, inLifetime: Int64) {
    let present = now.nanoseconds / 1_000_000_000
    if present != second {
      second = present
      inSecond = 0
    }
    inSecond += 1
    let end = now.advanced(saturatingBy: lifetime)
    guard let place = places[UInt64(object)] else {
      places.set(UInt64(object), to: UInt32(windows.count))
      windows.append((end, 1))
      return (inSecond, 1)
    }
    if now >= windows[Int(place)].end {
      windows[Int(place)] = (end, 1)
    } else {
      windows[Int(place)].count += 1
    }
    return (inSecond, windows[Int(place)].count)
  }
}
