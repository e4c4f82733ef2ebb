import CallSignalling
import MediaUnits

/// What is known of one call, beside the server's own record.
struct CallTruth {
  /// How far a call came.
  enum Stage { case ringing, connecting, connected }

  let id: CallID
  private let rungAt: Instant
  /// The interpreter could not hear the ring.
  let isUnheard: Bool
  private(set) var accepts = 0
  private(set) var ends = 0
  private(set) var acceptedAt = Instant.zero
  /// One of the parties is gone since.
  private(set) var goneAt: Instant?
  private var isRinging = true
  private var isConnected = false

  init(id: CallID, rungAt: Instant, isUnheard: Bool) {
    self.id = id
    self.rungAt = rungAt
    self.isUnheard = isUnheard
  }

  var stage: Stage { accepts == 0 ? .ringing : isConnected ? .connected : .connecting }

  /// It does not ring any more.
  ///
  /// - Returns: how long it rang; nil if its ring had ended before.
  mutating func endRing(at now: Instant) -> TimeSpan? {
    if !isRinging { return nil }
    isRinging = false
    return now - rungAt
  }

  mutating func accept(at now: Instant) {
    acceptedAt = now
    accepts += 1
  }

  mutating func connect() { isConnected = true }

  mutating func end() { ends += 1 }

  mutating func leave(at now: Instant) { if goneAt == nil { goneAt = now } }
}

/// The calls that the server knows. Few at one time, so that they are looked for one by one.
struct CallTruths {
  private var calls: [CallTruth] = []

  subscript(place: Int) -> CallTruth {
    _read { yield calls[place] }
    _modify { yield &calls[place] }
  }

  mutating func add(_ call: CallTruth) { calls.append(call) }

  func place(of call: CallID) -> Int? { calls.firstIndex { $0.id == call } }

  /// One call is over; the last one gets its place.
  mutating func remove(_ place: Int) {
    calls.swapAt(place, calls.count - 1)
    calls.removeLast()
  }

  /// The server has forgotten all of them.
  ///
  /// - Returns: them.
  mutating func removeAll() -> [CallTruth] {
    defer { calls = [] }
    return calls
  }
}
