import MediaUnits
import Models

/// A request of the floor's viewer.
struct FloorRequest {
  enum State: UInt8 {
    /// Can become: up.
    case free
    /// On its way to the edge. Can become: waits, starts, comes, free.
    case up
    /// At the edge, which asks the next tier. Can become: starts, comes, free.
    case waits
    /// Its answer is on the way, the media for the first frame in it. Can become: comes, free.
    case starts
    /// Its answer is on the way, or the rest of it. Can become: free.
    case comes
  }

  fileprivate(set) var state = State.free
  var isPoster = false
  var rung: UInt8 = 0
  var segment: Int16 = 0
  var item: UInt32 = 0
  var object: UInt32 = 0
  /// Its number among those that wait at the edge.
  fileprivate(set) var waiting: UInt32 = 0
  var bytes: Int64 = 0
  /// When it becomes something else by itself.
  fileprivate(set) var time = FloorTimes.never
  /// When its answer's first byte is here, and its last one.
  fileprivate(set) var firstByteAt = Instant.zero
  fileprivate(set) var endsAt = Instant.zero
}

/// The requests of one viewer, each in a place of its own while it is under way, and how far each
/// has come.
struct FloorRequests {
  private static let limit = 16

  private let memory: UnsafeMutablePointer<FloorRequest>
  /// Requests under way and free places lie below this.
  private(set) var count = 0
  private(set) var waitingAtEdge = 0

  init() {
    memory = .allocate(capacity: FloorRequests.limit)
    memory.initialize(repeating: FloorRequest(), count: FloorRequests.limit)
  }

  /// Gives the memory back; the requests must not be used afterwards.
  func release() { memory.deallocate() }

  /// Asks for the memory of them.
  func approach() {
    ComingMemory.fetch(memory, bytes: count * MemoryLayout<FloorRequest>.stride)
  }

  subscript(index: Int) -> FloorRequest { _read { yield memory[index] } }

  /// The request that becomes something else first, if that is before `time`.
  func first(before time: Instant) -> (time: Instant, index: Int)? {
    var first = time
    var found = -1
    for index in 0..<count where memory[index].time < first {
      first = memory[index].time
      found = index
    }
    return found < 0 ? nil : (first, found)
  }

  /// A request goes out, and is at the edge at `time`.
  ///
  /// - Returns: its place.
  mutating func add(_ request: FloorRequest, atEdge time: Instant) -> Int {
    var index = 0
    while index < count && memory[index].state != .free { index += 1 }
    if index == count {
      precondition(index < FloorRequests.limit, "a viewer has few requests at a time")
      count += 1
    }
    memory[index] = request
    memory[index].state = .up
    memory[index].time = time
    return index
  }

  /// The edge has to ask the next tier.
  mutating func wait(_ index: Int, as number: UInt32) {
    memory[index].state = .waits
    memory[index].time = FloorTimes.never
    memory[index].waiting = number
    waitingAtEdge += 1
  }

  /// The answer comes; at `startsAt` the media for the first frame, where that is in it.
  mutating func come(
    _ index: Int, firstByteAt: Instant, startsAt: Instant?, endsAt: Instant
  ) {
    if memory[index].state == .waits { waitingAtEdge -= 1 }
    memory[index].firstByteAt = firstByteAt
    memory[index].endsAt = endsAt
    memory[index].state = startsAt == nil ? .comes : .starts
    memory[index].time = startsAt ?? endsAt
  }

  /// The media for the first frame is here; the rest comes.
  mutating func passStart(_ index: Int) {
    memory[index].state = .comes
    memory[index].time = memory[index].endsAt
  }

  /// A request is over or given up.
  ///
  /// - Returns: it as it was.
  mutating func remove(_ index: Int) -> FloorRequest {
    let request = memory[index]
    if request.state == .waits { waitingAtEdge -= 1 }
    memory[index] = FloorRequest()
    return request
  }
}
