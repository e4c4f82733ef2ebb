import CachePolicy
import MediaUnits

/// Runs one ``CollapsingMachine`` in virtual time against an origin with a constant delay.
///
/// At equal times answers come first, then timers, then requests.
struct CollapsingHost {
  /// One request and what became of it.
  struct Outcome: Equatable {
    var askedAt: Instant
    var servedAt: Instant?
    var service: CollapsingMachine.Service?
    /// Whether it was sent forward with a copy at hand.
    var wasConditional = false
    /// The background fetch that it started, if any.
    var background: FetchNumber?
    /// When that fetch ended.
    var backgroundEnd: Instant?

    var latency: TimeSpan? { servedAt.map { $0 - askedAt } }
  }

  /// What is still to come.
  private enum Pending: Equatable {
    case answer(FetchNumber, sentAt: Instant)
    case timer
    case request(RequestNumber)

    var rank: Int {
      switch self {
      case .answer: return 0
      case .timer: return 1
      case .request: return 2
      }
    }
  }

  /// How long the origin takes.
  var delay: TimeSpan
  /// What it answers, by when it was asked and when the answer comes.
  var origin: (_ askedAt: Instant, _ answeredAt: Instant) -> CollapsingMachine.Answer
  private(set) var machine: CollapsingMachine
  private(set) var outcomes: [Outcome] = []
  private(set) var fetches = 0
  private(set) var log: [(now: Instant, event: CollapsingMachine.Event)] = []
  private(set) var commands: [[CollapsingMachine.Command]] = []
  private(set) var now = Instant.zero
  private var pending: [(at: Instant, order: Int, what: Pending)] = []
  private var order = 0

  init(
    _ configuration: CollapsingMachine.Configuration, delay: TimeSpan,
    origin: @escaping (Instant, Instant) -> CollapsingMachine.Answer
  ) {
    machine = CollapsingMachine(configuration)
    self.delay = delay
    self.origin = origin
  }

  private mutating func schedule(_ what: Pending, at time: Instant) {
    pending.append((time, order, what))
    order += 1
  }

  /// Sends `count` requests at one time and runs until nothing is left to do; their outcomes.
  mutating func burst(_ count: Int, at time: Instant) -> [Outcome] {
    let first = outcomes.count
    for _ in 0..<count { request(at: time) }
    run()
    return Array(outcomes[first...])
  }

  mutating func request(at time: Instant) {
    let number = RequestNumber(UInt32(outcomes.count))
    outcomes.append(Outcome(askedAt: time))
    schedule(.request(number), at: time)
  }

  /// Reports an event by itself.
  mutating func report(_ event: CollapsingMachine.Event, at time: Instant) {
    now = time
    var list: [CollapsingMachine.Command] = []
    machine.handle(event, at: time, into: &list)
    log.append((time, event))
    commands.append(list)
    var asking: RequestNumber?
    if case .requested(let request) = event { asking = request }
    for command in list { perform(command, asking) }
  }

  /// Works off what is pending, up to and with `end`.
  mutating func run(until end: Instant = .distantFuture) {
    while let index = pending.indices.min(by: { isBefore(pending[$0], pending[$1]) }),
      pending[index].at <= end
    {
      let (time, _, what) = pending.remove(at: index)
      switch what {
      case .request(let request): report(.requested(request), at: time)
      case .timer: report(.timerFired, at: time)
      case .answer(let fetch, let sentAt):
        for place in outcomes.indices where outcomes[place].background == fetch {
          if outcomes[place].backgroundEnd == nil { outcomes[place].backgroundEnd = time }
        }
        report(.answered(fetch, origin(sentAt, time)), at: time)
      }
    }
  }

  private func isBefore(
    _ a: (at: Instant, order: Int, what: Pending), _ b: (at: Instant, order: Int, what: Pending)
  ) -> Bool {
    (a.at, a.what.rank, a.order) < (b.at, b.what.rank, b.order)
  }

  private mutating func perform(
    _ command: CollapsingMachine.Command, _ asking: RequestNumber?
  ) {
    switch command {
    case .serve(let request, let service):
      let place = Int(request.index)
      precondition(outcomes[place].servedAt == nil, "request \(place) is served twice")
      outcomes[place].servedAt = now
      outcomes[place].service = service
    case .fetch(let fetch, let waiting, let isConditional):
      fetches += 1
      if let waiting {
        outcomes[Int(waiting.index)].wasConditional = isConditional
      } else if let asking {
        outcomes[Int(asking.index)].background = fetch
      }
      schedule(.answer(fetch, sentAt: now), at: now + delay)
    case .setTimer(let time): schedule(.timer, at: time)
    case .store, .discardCopy: break
    }
  }

  /// Events that lead from a new machine to the present one give the commands that were given.
  func replays() -> Bool {
    var other = CollapsingMachine(machine.configuration)
    var list: [CollapsingMachine.Command] = []
    for (index, entry) in log.enumerated() {
      list.removeAll(keepingCapacity: true)
      other.handle(entry.event, at: entry.now, into: &list)
      if list != commands[index] { return false }
    }
    return true
  }
}

/// An answer with these directives, as a shared cache stores it.
func answer(
  _ cacheControl: String, at now: Instant, defaultGrace: TimeSpan = .zero
) -> CollapsingMachine.Answer {
  guard
    var stored = CacheFreshness.store(
      directives(cacheControl), shared: true, at: now, initialAge: .zero)
  else { return .uncacheable }
  if stored.staleWhileRevalidate == .zero { stored.staleWhileRevalidate = defaultGrace }
  return .stored(stored)
}
