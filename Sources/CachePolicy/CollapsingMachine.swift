import MediaUnits

/// One request at a cache node for one key; the host gives the numbers.
public struct RequestNumber: DenseIdentifier {
  public var index: UInt32
  @inlinable
  public init(_ index: UInt32) { self.index = index }
}

/// One request of a cache node to the next tier; the machine gives the numbers.
public struct FetchNumber: Sendable, Equatable {
  /// Dense; given again after the fetch has ended.
  public var slot: UInt32
  /// Tells the fetches that had the same slot apart.
  public var generation: UInt32

  @inlinable
  public init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }
}

/// What a cache node does with simultaneous requests for one key.
///
/// Models: which requests go to the next tier and which wait for one that is under way, the copy
/// and its freshness, stale use while revalidating and after failures, repeated errors, and the
/// memory that a key is uncacheable. Leaves out: capacity (the host reports that the copy was
/// evicted), the bytes and their streaming, `Vary`, ranges.
///
/// A request is answered at once from a usable copy; what else happens depends on the mode:
/// - *none*: every other request goes forward.
/// - *absent only*: while nothing is stored, one request goes forward and holds a lock; the others
///   look again at intervals until they find a copy, find the lock free and take it, or have waited
///   long enough to go forward without storing. Requests for a stale copy all go forward.
/// - *full*: one request goes forward, the others wait for its answer, whether the key is absent or
///   stale. An answer that would not serve a new request either is given only to the request that
///   fetched it; some waiters are then sent forward by themselves, and each of their answers
///   releases more.
///
/// With `stale-while-revalidate` at most one fetch is under way in every mode.
///
/// Source: RFC 9111 section 4 (collapsed requests), RFC 5861; nginx `ngx_http_file_cache.c`;
/// Varnish `cache_hash.c`; Amazon CloudFront developer guide, "Simultaneous requests for the same
/// object".
public struct CollapsingMachine: PolicyMachine {
  /// What the host reports.
  public enum Event: Sendable, Equatable {
    /// A request for the key has come in.
    case requested(RequestNumber)
    /// A request need not be answered any more; its fetch goes on.
    case cancelled(RequestNumber)
    /// The next tier has answered, or will not.
    case answered(FetchNumber, Answer)
    /// The copy was evicted or purged.
    case evicted
    /// The time of the last ``Command/setTimer(at:)`` has come.
    case timerFired
  }

  /// What came of a fetch.
  public enum Answer: Sendable, Equatable {
    /// A response that may be stored, or a 304 that renews the copy.
    case stored(StoredResponse)
    /// A response that may not be stored.
    case uncacheable
    /// A definite error, such as 404, that may be repeated for this long. Replaces the copy.
    case negative(TimeSpan)
    /// No answer, or an error that says nothing about the object. It may be repeated, or the stale
    /// copy used without asking again, for `repeatFor`; zero or more.
    case failed(OriginFailure, repeatFor: TimeSpan)
  }

  /// What the host has to do, in order.
  public enum Command: Sendable, Equatable {
    /// Answer a request.
    case serve(RequestNumber, Service)
    /// Send a request to the next tier for a request that waits for it, or for none; conditional
    /// when there is a copy.
    case fetch(FetchNumber, waiting: RequestNumber?, isConditional: Bool)
    /// Put the answer of this fetch into the store.
    case store(FetchNumber)
    /// Remove the copy from the store: the object is gone.
    case discardCopy
    /// Report ``Event/timerFired`` then; replaces the last such command.
    case setTimer(at: Instant)
  }

  /// What a request is answered with.
  public enum Service: UInt8, Sendable, Equatable {
    /// The fresh copy.
    case fresh
    /// The stale copy, while a fetch is under way.
    case stale
    /// The stale copy, because a fetch has failed.
    case staleAfterFailure
    /// The answer of its own fetch.
    case fetched
    /// The copy that the fetch of another request brought.
    case collapsed
    /// An error: of its own fetch, or of the one that it waited for.
    case failed
    /// An error of an earlier fetch.
    case negative
  }

  /// The state of the key, for reports and tests. Computed from what is stored and under way.
  public enum State: Sendable, Equatable {
    /// Nothing is known. Can become: fetching.
    case absent
    /// Nothing is stored and a fetch is under way. Can become: fresh, stale, negative, hit for
    /// miss, absent.
    case fetching(waiters: Int)
    /// A usable copy. Can become: stale, absent.
    case fresh
    /// A copy that has expired. Can become: revalidating, absent.
    case stale
    /// A copy that has expired and a fetch under way. Can become: fresh, stale, negative, hit for
    /// miss, absent.
    case revalidating(waiters: Int)
    /// An error is repeated. Can become: absent, stale.
    case negative(until: Instant)
    /// The key is uncacheable: every request goes forward. Can become: absent, fresh, negative.
    case hitForMiss(until: Instant)
  }

  /// What is known besides the copy.
  enum Mark: Sendable, Equatable {
    /// Nothing. Can transition to: retryAfter, negative, hitForMiss.
    case none
    /// A fetch has failed: the copy is used stale until then, where that failure allows it. Can
    /// transition to: any.
    case retryAfter(Instant, OriginFailure)
    /// An error is repeated until then. Can transition to: any.
    case negative(Instant)
    /// Answers are uncacheable; requests do not wait for each other until then. Can transition to:
    /// any.
    case hitForMiss(Instant)
  }

  /// A request that waits.
  struct Waiter: Sendable {
    var request: RequestNumber
    /// When it looks again, and when it will not wait any longer; with a lock only.
    var nextPoll: Instant
    var deadline: Instant
  }

  /// A fetch, or a free slot.
  struct Fetch: Sendable {
    var requester: RequestNumber?
    var generation: UInt32
    var isActive: Bool
    /// False for the fetch of a request that gave up waiting for the lock.
    var isStored: Bool
  }

  /// What the machine was created with.
  public let configuration: Configuration
  var copy: StoredResponse?
  var mark = Mark.none
  var waiters: [Waiter] = []
  var fetches: [Fetch] = []
  var freeSlots: [UInt32] = []
  /// The fetch that others wait for, or on account of which they are served stale.
  var leader: FetchNumber?
  /// Until when the leader's lock keeps others waiting.
  var lockedUntil = Instant.zero
  var timerAt: Instant?

  /// Fetches started.
  public private(set) var fetchCount: UInt64 = 0
  /// Events that changed nothing: answers of unknown fetches, early timers, late cancellations.
  public internal(set) var ignored: UInt64 = 0

  /// - Precondition: the configuration's spans are not negative, the poll interval is positive, and
  ///   at least one waiter is released at a time.
  public init(_ configuration: Configuration) {
    configuration.check()
    self.configuration = configuration
  }

  /// The copy that the node has, if any.
  public var stored: StoredResponse? { copy }

  /// Requests that wait for the fetch of another.
  public var waiterCount: Int { waiters.count }

  /// Fetches under way.
  public var activeFetches: Int { fetches.count - freeSlots.count }

  /// Whether nothing but the copy would be lost with the machine.
  public func isIdle(at now: Instant) -> Bool {
    waiters.isEmpty && activeFetches == 0 && currentMark(at: now) == .none
  }

  /// Makes an idle machine one for another key whose copy is `copy`; keeps the memory it has.
  ///
  /// Fetch numbers go on, so that an answer to the old key cannot be taken for one to the new.
  ///
  /// - Precondition: no fetch is under way and nobody waits.
  public mutating func reset(copy: StoredResponse?) {
    precondition(waiters.isEmpty && activeFetches == 0, "only an idle machine changes its key")
    self.copy = copy
    mark = .none
    leader = nil
    timerAt = nil
  }

  /// The state of the key.
  public func state(at now: Instant) -> State {
    switch currentMark(at: now) {
    case .negative(let end): return .negative(until: end)
    case .hitForMiss(let end): return .hitForMiss(until: end)
    case .none, .retryAfter: break
    }
    let isFetching = activeFetches > 0
    guard let copy else { return isFetching ? .fetching(waiters: waiters.count) : .absent }
    if case .fresh = CacheFreshness.disposition(of: copy, at: now) { return .fresh }
    return isFetching ? .revalidating(waiters: waiters.count) : .stale
  }

  public mutating func handle(
    _ event: Event, at now: Instant, into commands: inout [Command]
  ) {
    switch event {
    case .requested(let request): admit(request, woken: nil, at: now, into: &commands)
    case .cancelled(let request): cancel(request)
    case .answered(let fetch, let answer): finish(fetch, answer, at: now, into: &commands)
    case .evicted:
      copy = nil
      if case .retryAfter = mark { mark = .none }
    case .timerFired:
      guard let due = timerAt, due <= now else {
        ignored += 1
        return
      }
      timerAt = nil
      poll(at: now, into: &commands)
    }
  }

  /// The mark, unless its time is over.
  func currentMark(at now: Instant) -> Mark {
    switch mark {
    case .retryAfter(let end, _), .negative(let end), .hitForMiss(let end):
      return now < end ? mark : .none
    case .none: return .none
    }
  }

  /// Starts a fetch.
  mutating func begin(
    for requester: RequestNumber?, leads: Bool, isStored: Bool = true, at now: Instant,
    into commands: inout [Command]
  ) {
    let slot: UInt32
    if let free = freeSlots.popLast() {
      slot = free
      fetches[Int(slot)].generation &+= 1
      fetches[Int(slot)].requester = requester
      fetches[Int(slot)].isActive = true
      fetches[Int(slot)].isStored = isStored
    } else {
      slot = UInt32(fetches.count)
      fetches.append(
        Fetch(requester: requester, generation: 0, isActive: true, isStored: isStored))
    }
    fetchCount += 1
    let number = FetchNumber(slot: slot, generation: fetches[Int(slot)].generation)
    if leads {
      leader = number
      if case .absentOnly(let lock) = configuration.mode {
        lockedUntil = now.advanced(saturatingBy: lock.age)
      }
    }
    commands.append(.fetch(number, waiting: requester, isConditional: copy != nil))
  }

  /// Ends a fetch and says who waits for it by itself; nil if it is not under way.
  mutating func end(_ number: FetchNumber) -> Fetch? {
    let slot = Int(number.slot)
    guard slot < fetches.count, fetches[slot].isActive,
      fetches[slot].generation == number.generation
    else { return nil }
    fetches[slot].isActive = false
    freeSlots.append(number.slot)
    if leader == number { leader = nil }
    return fetches[slot]
  }

  private mutating func cancel(_ request: RequestNumber) {
    if let index = waiters.firstIndex(where: { $0.request == request }) {
      waiters.remove(at: index)
      return
    }
    for slot in fetches.indices where fetches[slot].isActive {
      if fetches[slot].requester == request {
        fetches[slot].requester = nil
        return
      }
    }
    ignored += 1
  }
}
