import AudienceModel
import CachePolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// How often each object is asked for, so that a cache can start as a long run would have left it.
///
/// An object's requests at an edge are taken as Poisson with rate (views of its title per second) x
/// (requests per view of an object at that place of a title so long, counted by a pilot run). A
/// session does not show a title twice, so a title's share of views is its inclusion probability
/// 1 - exp(-c·p), with c such that the shares sum to the views of a session.
public struct StationaryDemand: Sendable {
  /// Views per second of each title at one edge.
  public private(set) var viewRates: [Double]
  /// Requests per view.
  public let perView: RequestsPerView
  /// The objects of a title of unknown length.
  let kinds: [Kind]
  /// From a view's first request to the one at each offset.
  public let delays: RequestDelays
  /// Seconds from an item's first request until its view ends, in the mean.
  public let wantedSeconds: Double
  /// Views of a session.
  public let viewsPerSession: Double
  /// When the audience asks; nil where nobody asks by law alone.
  public var clock: DemandClock?

  /// - Parameters:
  ///   - viewsPerSecond: views per second at one edge.
  ///   - lengths: titles by their number of segments, less one.
  ///   - pilot: what a pilot run counted.
  public init(
    probabilities: [Double], viewsPerSecond: Double, viewsPerSession: Double, lengths: [Int64],
    pilot: OffsetCounts
  ) {
    self.viewsPerSession = viewsPerSession
    viewRates = StationaryDemand.shares(probabilities, viewsByMemory: pilot.viewsByMemory).map {
      $0 * viewsPerSecond
    }
    perView = RequestsPerView(pilot)
    kinds = perView.kinds(lengths: lengths)
    delays = pilot.delays
    wantedSeconds = pilot.items > 0 ? pilot.itemSeconds / Double(pilot.items) : 0
  }

  /// Turns a share of the views to exploration items, drawn evenly from the titles beyond a share
  /// of the ranks (SIG-071): they keep the tail in the caches.
  public mutating func explore(share: Double, from: Double) {
    if share <= 0 { return }
    let titles = Double(viewRates.count)
    let first = min(Int(from * titles), viewRates.count - 1)
    var all = 0.0
    for index in viewRates.indices {
      all += viewRates[index]
      viewRates[index] *= 1 - share
    }
    let each = share * all / (titles - Double(first))
    for index in first..<viewRates.count { viewRates[index] += each }
  }

  /// The demand of a part of the sessions.
  public func scaled(by share: Double) -> StationaryDemand {
    if share == 1 { return self }
    var part = self
    for index in part.viewRates.indices { part.viewRates[index] *= share }
    return part
  }

  /// Each title's share of the views.
  static func shares(_ probabilities: [Double], viewsByMemory: [Int64]) -> [Double] {
    var shares = [Double](repeating: 0, count: probabilities.count)
    let views = viewsByMemory.reduce(0, +)
    if views == 0 { return probabilities }
    let memory = AudienceConfiguration.rememberedItems
    var first = 0
    while first <= memory {
      // Neighbouring m give nearly the same shares: groups of a fourth of m.
      let last = first == memory ? memory : min(memory - 1, first + first / 4)
      var count: Int64 = 0
      var sum = 0.0
      for m in first...last {
        count += viewsByMemory[m]
        sum += Double(m) * Double(viewsByMemory[m])
      }
      if count > 0 {
        let limit = Double(probabilities.count) * 0.9
        let mean = sum / Double(count) < limit ? sum / Double(count) : limit
        add(
          probabilities, remembered: mean, weight: Double(count) / Double(views), to: &shares)
      }
      first = last + 1
    }
    return shares
  }

  /// Solves sum(k·p / (1 + m·k·p)) = 1 by Newton's method, from below: the sum is concave in k.
  private static func add(
    _ probabilities: [Double], remembered m: Double, weight: Double, to shares: inout [Double]
  ) {
    var k = 1.0
    for _ in 0..<60 {
      var sum = 0.0
      var slope = 0.0
      for p in probabilities {
        let inverse = 1 / (1 + m * k * p)
        sum += k * p * inverse
        slope += p * inverse * inverse
      }
      let step = (1 - sum) / slope
      k += step
      if step < k * 1e-9 { break }
    }
    for title in 0..<probabilities.count {
      shares[title] += weight * k * probabilities[title] / (1 + m * k * probabilities[title])
    }
  }

  /// Requests per second for an object at one edge; zero for new titles and versions.
  ///
  /// - Parameter segments: how many its title has.
  public func rate(of object: UInt32, segments: Int) -> Double {
    let title = Int(object / ObjectLayout.stride)
    if title >= viewRates.count { return 0 }
    return viewRates[title] * perView[Int(object % ObjectLayout.stride), segments]
  }
}

/// The part of a stationary LRU cache that the run has not touched yet, as bytes by age.
///
/// At time zero an LRU cache holds what was asked for most recently. The bytes last touched between
/// ages a and b are F(b) - F(a), F(x) = sum of size·(1 - s(x)), s the probability that nobody asks
/// for the object within x (``RequestSilence``); with millions of objects the actual figure differs
/// negligibly from this mean. Those bytes leave from the old end as the run brings others in. An
/// object asked for the first time was resident at time zero when the age of its last request, one
/// draw, lies inside the part that is left. Source for the characteristic time: Che, Tung, Wang,
/// IEEE JSAC 20(7), 2002, doi 10.1109/JSAC.2002.801752. The tests check it against long cold runs.
public struct UntouchedResidents: Sendable, Equatable {
  /// Age buckets: bucket b covers ages from edge(b) to edge(b + 1), a quarter octave each.
  static let buckets = 160
  private var bytes: [Double]
  private(set) var total: Double
  /// Buckets from this one on are gone.
  private(set) var frontier: Int
  /// The age at which objects leave a full cache at time zero, interpolated within a bucket;
  /// infinity where everything fits.
  public let characteristicTime: Double

  static func edge(_ bucket: Int) -> Double {
    bucket == 0 ? 0 : PortableMath.exp(Double(bucket - 16) * 0.173_286_795_139_986_33)
  }

  static func bucket(age: Double) -> Int {
    if age < edge(1) { return 0 }
    let place = Int(PortableMath.log(age) * 5.770_780_163_555_854) + 16
    return place < 0 ? 0 : place < buckets ? place : buckets - 1
  }

  /// - Parameters:
  ///   - silence: how long this tier is not asked for an object, from its class and its requests
  ///     per second at an edge.
  ///   - capacity: bytes of the tier.
  ///   - copies: among how many keys the demand for each object is spread; the rates above are
  ///     those of one key.
  public init(
    demand: StationaryDemand, capacity: ByteCount, copies: Double = 1,
    silence: (AssetClass, Double) -> RequestSilence
  ) {
    self.init(
      UntouchedResidents.bytes(
        demand: demand, titles: 0..<demand.viewRates.count, copies: copies, silence: silence),
      capacity: capacity)
  }

  /// - Parameter sums: bytes by bucket of age.
  public init(_ sums: [Double], capacity: ByteCount) {
    bytes = sums
    total = 0
    frontier = 0
    let limit = Double(capacity.bytes)
    while frontier < UntouchedResidents.buckets && total + sums[frontier] <= limit {
      total += sums[frontier]
      frontier += 1
    }
    if frontier == UntouchedResidents.buckets {
      characteristicTime = .infinity
    } else {
      let (begin, end) = (
        UntouchedResidents.edge(frontier), UntouchedResidents.edge(frontier + 1)
      )
      characteristicTime = begin + (end - begin) * (limit - total) / sums[frontier]
    }
  }

  /// Bytes of the objects of some titles by the age of their last request, as ``init`` has them.
  public static func bytes(
    demand: StationaryDemand, titles: Range<Int>, copies: Double,
    silence: (AssetClass, Double) -> RequestSilence
  ) -> [Double] {
    let edges = (0...UntouchedResidents.buckets).map { UntouchedResidents.edge($0) }
    var sums = [Double](repeating: 0, count: UntouchedResidents.buckets)
    // That somebody asked within the age of each edge.
    var asked = [Double](repeating: 0, count: edges.count)
    demand.forEachGroup(of: titles) { group in
      let silence = silence(group.asset, group.rate / copies)
      let weight = group.objects * group.bytes * copies
      let isRandom = silence.isRandom
      for bucket in 0..<UntouchedResidents.buckets {
        if isRandom && bucket >= 4 {
          // Edges double with each octave, and of two halves either was asked in, or both.
          let half = asked[bucket - 3]
          asked[bucket + 1] = half * (2 - half)
        } else {
          asked[bucket + 1] = silence.broken(within: edges[bucket + 1])
        }
        sums[bucket] += weight * (asked[bucket + 1] - asked[bucket])
        if asked[bucket + 1] > 1 - 1e-9 { break }
      }
    }
    return sums
  }

  /// Whether an object of `age` is in the untouched part.
  func holds(age: Double) -> Bool { UntouchedResidents.bucket(age: age) < frontier }

  /// Takes an object of `age` out of the untouched part; false when it is not in it.
  mutating func take(age: Double, size: Int64) -> Bool {
    let place = UntouchedResidents.bucket(age: age)
    if place >= frontier { return false }
    let part = bytes[place] < Double(size) ? bytes[place] : Double(size)
    bytes[place] -= part
    total -= part
    return true
  }

  /// Lets the buckets from `place` on go.
  mutating func keep(_ place: Int) {
    while frontier > place {
      frontier -= 1
      total -= bytes[frontier]
      bytes[frontier] = 0
    }
  }

  /// Lets the oldest go until at most `room` bytes are left.
  mutating func shrink(to room: Double) {
    while total > room && frontier > 0 {
      frontier -= 1
      total -= bytes[frontier]
      bytes[frontier] = 0
    }
    if total < 0 { total = 0 }
  }
}

extension UntouchedResidents {
  func write(to writer: inout WordWriter) {
    for part in bytes { writer.add(part) }
    writer.add(total)
    writer.add(Int64(frontier))
    writer.add(characteristicTime)
  }

  init?(_ reader: inout WordReader) {
    var bytes: [Double] = []
    for _ in 0..<UntouchedResidents.buckets {
      guard let part = reader.double() else { return nil }
      bytes.append(part)
    }
    guard let total = reader.double(), let frontier = reader.integer(),
      frontier >= 0 && frontier <= Int64(UntouchedResidents.buckets),
      let characteristicTime = reader.double()
    else { return nil }
    self.bytes = bytes
    self.total = total
    self.frontier = Int(frontier)
    self.characteristicTime = characteristicTime
  }
}
