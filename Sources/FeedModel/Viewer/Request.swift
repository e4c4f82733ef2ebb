import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels

/// One request of a viewer.
struct Request {
  enum Destination: UInt8 {
    case feed, chain, poster, vtt, sprite, audio, events

    /// The feed's host answers, not an edge.
    var isService: Bool { self == .feed || self == .events }
  }
  var server: ViewerTransport.Server {
    destination.isService ? .service : .edge(ofProvider: provider)
  }
  var generation: UInt32 = 0
  var item: UInt32 = 0
  var offset: UInt32 = 0
  var object: UInt32 = 0
  /// Of a manifest: the number of the version that it names.
  var number: UInt32 = 0
  /// Its number among the requests that wait at the edge; `.max`: it does not.
  var waiting = UInt32.max
  @Packed<Int16> var segment = 0
  /// Place of the connection at its host.
  @Packed<Int8> var connection = 0
  var rung: RungIndex {
    get { RungIndex(UInt32(storedRung)) }
    set { storedRung = UInt8(newValue.index) }
  }
  private var storedRung: UInt8 = 0
  /// Whose edge it goes to.
  var provider: UInt8 {
    get { answer.provider }
    set { answer.provider = newValue }
  }
  var isActive = false
  var destination = Destination.chain
  var asset = AssetClass.feed
  var isPrefetch = false
  var isFromDisk = false
  var isConditional = false
  /// No connection is free yet.
  var isWaiting = false
  /// It is not under way: it will be sent again.
  var isBackingOff = false
  /// How often it was sent again.
  var retries: UInt8 = 0
  /// Where the servers are real: what has come of the answer, and whether the modelled link has
  /// carried its body.
  var outside = OutsideState.inside
  var isLinkDone = false
  var bytes: Int64 = 0
  var answer = RequestAnswer()
  var times = RequestTimes()
  var way = RequestWay()
}

/// What answered a request.
struct RequestAnswer {
  /// Age of the answer when it left the edge, and the lifetime that the origin stated.
  var age = TimeSpan.zero
  var stated = TimeSpan.zero
  var tier = AnsweringTier.none
  var reason = MissReason.none
  /// The answer is an error.
  var isError = false
  /// Because its server could not be found.
  var hasNoName = false
  /// The edge answered without waiting for another tier.
  var isImmediate = true
  /// Whose edge that is, or is asked.
  var provider: UInt8 = 0
}

/// When the steps of a request happened.
struct RequestTimes {
  var sentAt = Instant.zero
  var firstByteAt = Instant.zero
  /// When the transfer's rounds of waiting were over.
  var joinedAt = Instant.zero
  /// Time that the viewer's other transfers cost before the first byte: no free connection, a queue
  /// in front of the link.
  var queued = TimeSpan.zero
  /// When it was first at the edge, and how long until the answer left, retries included; zero when
  /// the edge answered at once.
  var edgeAt = Instant.zero
  var upstreamWait = TimeSpan.zero
  /// From when on an edge has had it, as far as the viewer can tell.
  var reachesAt = Instant.zero
}

/// What a request takes on its way and at the server.
struct RequestWay {
  /// Bytes that it carries beside its head, and those of its answer on the wire.
  var bodyBytes: Int64 = 0
  var wireBytes: Double = 0
  /// Uniform on 0 ..< 1: what the server takes.
  var serviceDraw = 0.5
}

/// A viewer's requests: those in use, and free places that are used again.
struct RequestTable: ~Copyable {
  private var base: UnsafeMutablePointer<Request>
  /// Places, in use or free.
  private(set) var count = 0
  private var capacity = RequestTable.first
  /// Requests for which no connection is free.
  var withoutConnection = 0
  /// Requests that wait at the edge.
  var atEdge = 0
  /// Whom each of them goes to; nil where there is one provider.
  let choice: UnsafeMutablePointer<ChosenProvider>?

  /// Places that have room before the first growth.
  private static let first = 4

  /// - Parameter choice: of one provider among several; nil for one alone.
  init(_ choice: ChosenProvider? = nil) {
    base = .allocate(capacity: RequestTable.first)
    self.choice = choice.map { choice in
      let memory = UnsafeMutablePointer<ChosenProvider>.allocate(capacity: 1)
      memory.initialize(to: choice)
      return memory
    }
  }

  /// Gives the memory back; the table must not be used afterwards.
  func release() {
    base.deallocate()
    choice?.deinitialize(count: 1)
    choice?.deallocate()
  }

  /// Nobody waits any more.
  mutating func reset() {
    withoutConnection = 0
    atEdge = 0
  }

  @inline(__always)
  func at(_ index: Int) -> UnsafeMutablePointer<Request> { base + index }

  @inline(__always)
  subscript(index: Int) -> Request {
    _read { yield base[index] }
    nonmutating _modify { yield &base[index] }
  }

  /// A free request; its generation distinguishes it from earlier ones at the same place.
  mutating func take() -> Int {
    var index = 0
    while index < count && base[index].isActive { index += 1 }
    if index == count { add() }
    let generation = base[index].generation &+ 1
    base[index] = Request()
    base[index].generation = generation
    base[index].isActive = true
    return index
  }

  /// Makes room for one more.
  private mutating func add() {
    if count == capacity {
      let larger = capacity + 1 + capacity / 4
      let memory = UnsafeMutablePointer<Request>.allocate(capacity: larger)
      memory.moveInitialize(from: base, count: count)
      base.deallocate()
      base = memory
      capacity = larger
    }
    (base + count).initialize(to: Request())
    count += 1
  }

  /// Whether a request is still the one that is meant.
  func isCurrent(_ request: Int, _ generation: UInt32) -> Bool {
    request < count && base[request].isActive && base[request].generation == generation
  }

  /// The same by the low half of its generation.
  func isCurrent(_ request: UInt16, _ generation: UInt16) -> Bool {
    let index = Int(request)
    return index < count && base[index].isActive
      && UInt16(truncatingIfNeeded: base[index].generation) == generation
  }

  var heapBytes: Int {
    capacity * MemoryLayout<Request>.stride
      + (choice == nil ? 0 : MemoryLayout<ChosenProvider>.stride)
  }
}
