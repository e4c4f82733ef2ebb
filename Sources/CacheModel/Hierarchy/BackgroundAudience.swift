import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// The caches of a hierarchy in memory, edges first.
typealias NodeMemory = UnsafeMutableBufferPointer<CacheNode>

/// A cache node that asks another one about an object; a viewer is none.
struct AskingNode {
  /// -1 for a viewer.
  var node = -1
  /// When the copy was made that the request asks about; nil: it asks about none, or for what the
  /// copies of both nodes say of each other nothing follows.
  var copyMadeAt: Instant?
  /// Since when it knows the object's version.
  var version = VersionArrival()
}

/// The caches that the law is told for, and who asks.
struct AskedCaches {
  let nodes: NodeMemory
  /// How many edges there are; they come first.
  let edges: Int
  let asker: AskingNode
}

/// Viewers who are not simulated, and ask the caches by their law (docs/decisions/0018).
///
/// It is told of an object at a node when that is asked for, and brings the copy there to what they
/// have made of it since it was asked for last. It remembers since when each node knows of new
/// versions of titles, which the caches do not.
public struct BackgroundAudience {
  /// Who they are, and how much of them.
  public struct Configuration: Sendable {
    /// How much of the audience is simulated.
    public var scale: AudienceScale
    /// Sessions that are simulated, a second at one edge, and the mean length of any,
    /// seconds.
    public var sessionsPerSecondPerEdge: Double
    public var sessionSeconds: Double
    /// The rate of sessions over the day; nil: even.
    public var day: RateProfile?
    public var crowds: [Crowd] = []
    /// How a player asks again that was told of an error.
    public var retry: RetryPolicy

    public init(
      scale: AudienceScale, sessionsPerSecondPerEdge: Double, sessionSeconds: Double,
      retry: RetryPolicy
    ) {
      self.scale = scale
      self.sessionsPerSecondPerEdge = sessionsPerSecondPerEdge
      self.sessionSeconds = sessionSeconds
      self.retry = retry
    }

    /// That of a feed's viewers.
    public init(scale: AudienceScale, audience: AudienceConfiguration, retry: RetryPolicy) {
      self.scale = scale
      sessionsPerSecondPerEdge = audience.sessionsPerSecondPerEdge
      sessionSeconds = audience.sessionLength.mean
      day = audience.day
      crowds = audience.crowds
      self.retry = retry
    }
  }

  let demand: StationaryDemand
  let numbers: TitleNumbers
  let contents: StationaryContents
  let said: OriginDirectives
  let configuration: Boxed<Configuration>
  private(set) var origin: OriginConfiguration
  let start: CacheStart
  let edges: Int
  let warmUp: TimeSpan
  let streams: RandomStreams
  /// Sessions of the whole audience for each one that is simulated, and the inverse.
  let scaleFactor, simulatedShare: Double
  let headTitles: UInt32
  /// Mean time between simulated sessions, seconds.
  let sessionGap: Double
  let retryPolicy: RetryPolicy
  /// Of each node and version that is known there. Empty without versions.
  private var versionArrivals: [VersionArrival] = []
  private var versionPlaces = LookupTable()
  /// Memory of ``carry(_:_:_:_:until:_:)``.
  var lawfulScan = LawfulScan()

  /// - Parameter contents: what they have left when the run begins.
  public init(
    _ configuration: Configuration, _ cdn: CDNConfiguration, contents: StationaryContents,
    numbers: TitleNumbers, streams: RandomStreams
  ) {
    demand = contents.demand
    self.numbers = numbers
    self.contents = contents
    said = contents.said
    self.configuration = Boxed(configuration)
    origin = cdn.origin
    start = cdn.start
    edges = cdn.edges
    warmUp = cdn.warmUp
    self.streams = streams
    scaleFactor = configuration.scale.factor
    simulatedShare = 1 / configuration.scale.factor
    headTitles = configuration.scale.headTitles
    sessionGap = 1 / (configuration.sessionsPerSecondPerEdge * Double(cdn.edges))
    retryPolicy = configuration.retry
  }

  /// Goes on under other outages, which were the same until now.
  mutating func goOn(under outages: [OriginOutage]) { origin.outages = outages }

  // MARK: Versions

  /// Since when the manifest at a node has named an object's version; nil where that is not known.
  func versionArrival(_ node: Int, _ object: UInt32) -> VersionArrival? {
    if versionArrivals.isEmpty { return nil }
    let number = object / ObjectLayout.stride
    return versionPlaces[UInt64(node) << 32 | UInt64(number)].map { versionArrivals[Int($0)] }
  }

  /// A manifest at a node has named an object's version; the first time counts.
  mutating func noteVersion(at node: Int, _ object: UInt32, _ arrival: VersionArrival) {
    let key = UInt64(node) << 32 | UInt64(object / ObjectLayout.stride)
    if let place = versionPlaces[key] {
      if arrival.since < versionArrivals[Int(place)].since {
        versionArrivals[Int(place)] = arrival
      }
      return
    }
    versionPlaces.set(key, to: UInt32(versionArrivals.count))
    versionArrivals.append(arrival)
  }
}
