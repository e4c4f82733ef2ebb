import MediaUnits

/// When a player can render its item at once.
enum Readiness {
  /// Media or decoder are missing. Can transition to: planned, unheard.
  case unknown
  /// The pool will hear of it by a happening, or has. Can transition to: unknown.
  case planned
  /// From then on. Nothing follows from it before the item is the current one, so there is no
  /// event: the pool hears of it before it is told anything else. Can transition to: unknown,
  /// planned, heard.
  case unheard(from: Instant)
  /// The pool knows. Can transition to: unknown.
  case heard
}

/// A player of the pool as the device holds it.
struct PlayerState {
  var item = ItemState.nobody
  var generation: UInt32 = 0
  var isCreated = false
  var hasDecoder = false
  /// Set once the decoder's set-up is under way for the present item.
  var isPreparing = false
  /// When its decoder can be set up, and when the main thread had done its part for that.
  var playerReadyAt = Instant.zero
  var mainDoneAt = Instant.zero
  var readiness = Readiness.unknown
}

/// The players of a device's pool, and the main thread that works for them.
struct Players: ~Copyable {
  private let players: UnsafeMutableBufferPointer<PlayerState>
  /// When the app's main thread has done what it has to do.
  private var mainFreeAt = Instant.zero

  init(count: Int) { players = .allocate(capacity: count) }

  /// Gives the memory back; the players must not be used afterwards.
  func release() { players.deallocate() }

  /// As at the start of a session, in the same memory.
  mutating func reset(at now: Instant) {
    mainFreeAt = now
    players.initialize(repeating: PlayerState())
  }

  var count: Int { players.count }

  @inline(__always)
  subscript(index: Int) -> PlayerState {
    _read { yield players[index] }
    nonmutating _modify {
      // With the thread sanitizer, Swift 6.3 cannot compile a change to a buffer that is a field.
      let players = players
      yield &players[index]
    }
  }

  /// The player that has an item.
  func index(of item: UInt32) -> Int? {
    for index in 0..<players.count where players[index].item == item { return index }
    return nil
  }

  /// Players that have a decoder.
  var decoders: Int {
    var held = 0
    for index in 0..<players.count where players[index].hasDecoder { held += 1 }
    return held
  }

  /// The player that was or will be ready first among those of which the pool has not heard.
  func firstUnheard() -> (index: Int, time: Instant)? {
    var first: (index: Int, time: Instant)?
    for index in 0..<players.count {
      guard case .unheard(let time) = players[index].readiness else { continue }
      if let earliest = first, earliest.time <= time { continue }
      first = (index, time)
    }
    return first
  }

  /// When the main thread has done a piece of work that comes up now: after all that came before.
  mutating func work(_ length: TimeSpan, at now: Instant) -> Instant {
    let free = mainFreeAt
    mainFreeAt = (free > now ? free : now) + length
    return mainFreeAt
  }

  /// Where they lie: for asking for that memory in advance.
  var memory: UnsafeRawPointer? { players.baseAddress.map { UnsafeRawPointer($0) } }
  var heapBytes: Int { players.count * MemoryLayout<PlayerState>.stride }
}
