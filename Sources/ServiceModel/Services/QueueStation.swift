import MediaUnits

/// Servers with a queue before them: first come, first served within a priority, the higher
/// priority (the smaller number) first, nobody interrupted.
///
/// The station orders and counts; its owner draws how long a job takes and schedules its end. A job
/// that waits may leave (``abandon(_:)``); one in service is served to its end. With Poisson
/// arrivals this is M/G/c. Leaves out: who may join the queue (`LoadShedder`).
///
/// - Complexity: O(1) amortised for every operation.
public struct QueueStation: Sendable {
  /// A place in the queue.
  public struct Ticket: Sendable, Equatable {
    var priority: Int
    var sequence: Int
  }

  public enum Arrival: Sendable, Equatable {
    /// A server was free; the owner schedules the end.
    case started(until: Instant)
    case waits(Ticket)
  }

  /// A job that leaves the queue for a server.
  public struct Start: Sendable, Equatable {
    public var job: UInt32
    public var until: Instant
  }

  struct Entry: Sendable {
    var job: UInt32
    var service: TimeSpan
    var since: Instant
    var isLive: Bool
  }

  struct Line: Sendable {
    var entries: [Entry] = []
    var head = 0
    /// Sequence number of `entries[0]`.
    var first = 0

    mutating func compact() {
      if head < 256 || head * 2 < entries.count { return }
      entries.removeFirst(head)
      first += head
      head = 0
    }
  }

  public let servers: Int
  var lines: [Line]
  public private(set) var busy = 0
  /// Jobs that wait now.
  public private(set) var waiting = 0
  /// Jobs that were started, what they had waited, and what they take.
  public private(set) var started = 0
  public private(set) var waitTime = TimeSpan.zero
  public private(set) var busyTime = TimeSpan.zero
  /// Jobs that left the queue.
  public private(set) var abandoned = 0
  public private(set) var longestQueue = 0

  /// - Precondition: at least one server and one priority.
  public init(servers: Int, priorities: Int = 1) {
    precondition(servers >= 1 && priorities >= 1, "a station has a server and a queue")
    self.servers = servers
    lines = [Line](repeating: Line(), count: priorities)
  }

  /// A job comes. A priority beyond the last counts as the last.
  public mutating func arrive(
    _ job: UInt32, service: TimeSpan, priority: Int = 0, at now: Instant
  ) -> Arrival {
    if busy < servers {
      busy += 1
      return .started(until: begin(service, since: now, at: now))
    }
    let line = min(priority, lines.count - 1)
    lines[line].entries.append(Entry(job: job, service: service, since: now, isLive: true))
    waiting += 1
    longestQueue = max(longestQueue, waiting)
    return .waits(
      Ticket(priority: line, sequence: lines[line].first + lines[line].entries.count - 1))
  }

  /// A job's service has ended; the next one, if any.
  public mutating func end(at now: Instant) -> Start? {
    for line in 0..<lines.count {
      while lines[line].head < lines[line].entries.count {
        let entry = lines[line].entries[lines[line].head]
        lines[line].head += 1
        lines[line].compact()
        if !entry.isLive { continue }
        waiting -= 1
        return Start(job: entry.job, until: begin(entry.service, since: entry.since, at: now))
      }
    }
    busy -= 1
    return nil
  }

  /// Takes a job out of the queue; false when it has been started or taken out before.
  public mutating func abandon(_ ticket: Ticket) -> Bool {
    let place = ticket.sequence - lines[ticket.priority].first
    if place < lines[ticket.priority].head || !lines[ticket.priority].entries[place].isLive {
      return false
    }
    lines[ticket.priority].entries[place].isLive = false
    waiting -= 1
    abandoned += 1
    return true
  }

  private mutating func begin(
    _ service: TimeSpan, since: Instant, at now: Instant
  ) -> Instant {
    started += 1
    waitTime += now - since
    busyTime += service
    return now + service
  }
}
