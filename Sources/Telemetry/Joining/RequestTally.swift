import Scenario

/// What requests say together: outcomes at the cache, sizes, times, and how often each object was
/// asked for.
public struct RequestTally: Sendable {
  /// The most objects that are counted one by one.
  static let limit = 1 << 22

  public private(set) var count = 0
  /// Requests and bytes by ``Observation/CacheOutcome``.
  public private(set) var outcomes = [Int](
    repeating: 0, count: Observation.CacheOutcome.allCases.count)
  public private(set) var bytes = [Double](
    repeating: 0, count: Observation.CacheOutcome.allCases.count)
  /// Status codes of 400 and more.
  public private(set) var errors = 0
  public private(set) var sizes = ThinnedSample()
  public private(set) var durations = ThinnedSample()
  public private(set) var firstBytes = ThinnedSample()
  public private(set) var upstreams = ThinnedSample()
  public private(set) var roundTrips = ThinnedSample()
  public private(set) var throughputs = ThinnedSample()
  /// Lines with CMCD whose player's buffer had run dry.
  public private(set) var starved = 0
  public private(set) var withCMCD = 0
  /// Requests of players that load ahead of a view (CTA-5004-A, state `d`).
  public private(set) var preloads = 0
  /// Requests that came without CMCD, for objects that there was no room for.
  public private(set) var uncounted = 0
  private var objects = HandleTable()
  private var titles = HandleTable()
  private var objectTitles: [UInt32] = []
  private var objectCounts: [UInt32] = []

  public init() {}

  mutating func take(_ observation: Observation) {
    let request = observation.request
    count += 1
    outcomes[Int(request.outcome.rawValue)] += 1
    if !request.bytes.isNaN {
      bytes[Int(request.outcome.rawValue)] += request.bytes
      sizes.add(request.bytes)
    }
    if request.status >= 400 { errors += 1 }
    if !request.duration.isNaN { durations.add(request.duration) }
    let firstByte = request.firstByte.isNaN ? request.cmcd.firstByte : request.firstByte
    if !firstByte.isNaN { firstBytes.add(firstByte) }
    if !request.upstream.isNaN { upstreams.add(request.upstream) }
    if !request.roundTrip.isNaN { roundTrips.add(request.roundTrip) }
    let throughput = request.throughput.isNaN ? request.cmcd.throughput : request.throughput
    if !throughput.isNaN { throughputs.add(throughput) }
    if request.cmcd.version > 0 {
      withCMCD += 1
      if request.cmcd.isStarved { starved += 1 }
      if request.cmcd.state == 0x64 { preloads += 1 }
    }
    if observation.who.view == 0 && observation.who.object != 0 { countObject(observation.who) }
  }

  private mutating func countObject(_ names: Observation.Names) {
    if objects.count >= RequestTally.limit, objects.known(names.object) == nil {
      uncounted += 1
      return
    }
    let object = objects.handle(of: names.object)
    if object == objectCounts.count {
      objectCounts.append(0)
      objectTitles.append(UInt32(titles.handle(of: names.title)))
    }
    objectCounts[object] &+= 1
  }

  /// For each title how often its most requested object was asked for: a view asks for many objects
  /// of a title, each once at most.
  var titleCounts: [Int] {
    var most = [Int](repeating: 0, count: titles.count)
    for (object, title) in objectTitles.enumerated() {
      most[Int(title)] = max(most[Int(title)], Int(objectCounts[object]))
    }
    return most
  }

  var notes: [String] {
    var notes = [
      sizes.note("bytes"), durations.note("duration"), firstBytes.note("firstByte"),
      throughputs.note("throughput"), roundTrips.note("roundTrip"),
    ].compactMap { $0 }
    if uncounted > 0 {
      notes.append(
        "\(uncounted) requests are of other objects than the first \(RequestTally.limit): they are "
          + "not among the titles")
    }
    return notes
  }
}
