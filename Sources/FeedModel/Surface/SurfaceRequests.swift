import CachePolicy
import FeedPolicy
import MediaUnits
import NetworkModels

/// What a viewer of a mixed feed has asked for and not got yet.
struct SurfaceRequest {
  /// Whom the answer is for.
  enum Purpose {
    /// A card, by its number; the edge answers.
    case card(Int)
    /// A page, by the pager's number of the request; the feed's host answers.
    case page(UInt32)
  }

  let purpose: Purpose
  let asset: AssetClass
  let rung: RungIndex
  /// Of the answer's body.
  let bytes: Int64
  /// Its number among those to the edge, from 0: of what the edge draws for it.
  fileprivate(set) var serial: UInt32 = 0
  /// No connection is free yet.
  fileprivate(set) var isWaiting = false
  /// Place of the connection at its host.
  var connection = 0
  /// Of the whole answer; 0 until it begins to come.
  var wireBytes = 0.0
  var firstByteAt = Instant.zero

  init(
    _ purpose: Purpose, asset: AssetClass, rung: RungIndex = RungIndex(0), bytes: Int64
  ) {
    self.purpose = purpose
    self.asset = asset
    self.rung = rung
    self.bytes = bytes
  }

  var server: ViewerTransport.Server {
    if case .page = purpose { return .service }
    return .edge
  }

  /// Whether the answer is media, whose bytes are accounted for.
  var isMedia: Bool { asset == .segment || asset == .initSegment }

  /// Body bytes that have come when so many bytes of the answer are still to come on the wire.
  func arrived(remaining: Double) -> Int64 { Int64(Double(bytes) * share(remaining: remaining)) }

  /// The share of its bytes that has come by then.
  func share(remaining: Double) -> Double {
    ViewerTransport.Transfer.arrivedShare(remaining: remaining, of: wireBytes)
  }
}

/// A viewer's requests: those in use, and free places that are used again.
struct SurfaceRequests {
  private var places: [SurfaceRequest?] = []
  /// Tells the requests of one place apart.
  private var generations: [UInt32] = []
  /// Requests to the edge that were made so far.
  private var made: UInt32 = 0
  /// Requests for which no connection is free.
  private(set) var waiting = 0

  /// Places, in use or free.
  var count: Int { places.count }

  /// The request at a place.
  ///
  /// - Precondition: there is one.
  subscript(place: Int) -> SurfaceRequest {
    get { places[place]! }
    set { places[place] = newValue }
  }

  func isUsed(_ place: Int) -> Bool { places[place] != nil }

  func generation(of place: Int) -> UInt32 { generations[place] }

  /// Whether a request is still the one that is meant.
  func isCurrent(_ place: UInt32, _ generation: UInt32) -> Bool {
    isUsed(Int(place)) && generations[Int(place)] == generation
  }

  /// Takes a request in.
  ///
  /// - Returns: its place.
  mutating func add(_ new: SurfaceRequest) -> Int {
    var request = new
    if request.server == .edge {
      request.serial = made
      made += 1
    }
    var place = 0
    while place < places.count && places[place] != nil { place += 1 }
    if place == places.count {
      places.append(nil)
      generations.append(0)
    }
    places[place] = request
    generations[place] &+= 1
    return place
  }

  /// Takes a request out.
  mutating func remove(_ place: Int) -> SurfaceRequest {
    let request = self[place]
    if request.isWaiting { waiting -= 1 }
    places[place] = nil
    return request
  }

  /// A request is to be sent once more; what was scheduled for it is void.
  ///
  /// - Returns: the request as it was.
  mutating func renew(_ place: Int) -> SurfaceRequest {
    let old = self[place]
    if old.isWaiting { leave(place) }
    self[place].wireBytes = 0
    generations[place] &+= 1
    return old
  }

  /// No connection is free for a request.
  mutating func wait(_ place: Int) {
    self[place].isWaiting = true
    waiting += 1
  }

  /// A request leaves that has waited for a connection.
  mutating func leave(_ place: Int) {
    self[place].isWaiting = false
    waiting -= 1
  }
}
