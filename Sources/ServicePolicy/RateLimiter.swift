import MediaUnits

/// A limit on each client's requests, as a minimal web application firewall has it (SIG-076).
///
/// Every client has a ``TokenBucket``. The limiter remembers a bounded number of clients; the one
/// that was new longest ago is forgotten first, which can only be to its advantage. Leaves out: how
/// a client is told from others.
public struct RateLimiter: PolicyMachine {
  public struct Configuration: Sendable, Equatable {
    /// Requests of one client in a second, over a long time. Default 10 (assumed: a person who
    /// skips swipes about once a second, parameters section 6.2).
    public var rate: Double
    /// Requests at once. Default 40 (assumed).
    public var burst: Int64
    /// Clients that are remembered. Default 65,536 (assumed).
    public var clients: Int

    /// - Precondition: `rate` is above 0, `burst` and `clients` at least 1.
    public init(rate: Double = 10, burst: Int64 = 40, clients: Int = 65_536) {
      precondition(rate > 0 && burst >= 1 && clients >= 1, "a limit lets something through")
      self.rate = rate
      self.burst = burst
      self.clients = clients
    }
  }

  public enum Event: Sendable, Equatable {
    /// A request came.
    case asked(client: UInt64, request: UInt32)
  }

  public enum Command: Sendable, Equatable {
    case admit(request: UInt32)
    /// Answer 429; the wait is for `Retry-After`.
    case refuse(request: UInt32, after: TimeSpan)
  }

  public let configuration: Configuration
  var places: LookupTable
  var buckets: [TokenBucket] = []
  var keys: [UInt64] = []
  var oldest = 0

  public private(set) var admitted = 0
  public private(set) var refused = 0

  public init(_ configuration: Configuration) {
    self.configuration = configuration
    places = LookupTable(capacity: min(configuration.clients, 1024))
  }

  public mutating func handle(_ event: Event, at now: Instant, into commands: inout [Command]) {
    switch event {
    case .asked(let client, let request):
      let place = place(of: client)
      if buckets[place].take(at: now) {
        admitted += 1
        commands.append(.admit(request: request))
      } else {
        refused += 1
        commands.append(.refuse(request: request, after: buckets[place].wait(at: now)))
      }
    }
  }

  private mutating func place(of client: UInt64) -> Int {
    if let place = places[client] { return Int(place) }
    let bucket = TokenBucket(rate: configuration.rate, burst: configuration.burst)
    if keys.count < configuration.clients {
      places.set(client, to: UInt32(keys.count))
      keys.append(client)
      buckets.append(bucket)
      return keys.count - 1
    }
    let place = oldest
    oldest = (oldest + 1) % configuration.clients
    places.remove(keys[place])
    places.set(client, to: UInt32(place))
    keys[place] = client
    buckets[place] = bucket
    return place
  }
}
