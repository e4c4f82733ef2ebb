import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The settings of the shipped policy code.
public struct PolicyConfiguration: Sendable {
  public var pool: PlayerPool.Configuration
  public var prefetch: PrefetchPolicy.Configuration
  public var startupCap: BitrateCap.Configuration
  public var bitrate: BitrateRule
  /// First estimate of the throughput (Media3's table by network, parameters.md section 1.4).
  public var initialEstimate: BitRate
  /// Media that must be buffered for the first frame, and after a stall.
  public var startThreshold, resumeThreshold: TimeSpan
  /// How far ahead of the playhead the current item is loaded.
  public var forwardBuffer: TimeSpan
  /// Items of a feed page, and items left that trigger the next page.
  public var pageSize, pageTrigger: UInt32
  /// Whether posters are fetched for items of the prefetch window.
  public var fetchesPosters: Bool
  /// How the players buffer beyond that.
  public var player = PlayerModel()
  /// The rung that is prefetched; nil: the one that the rules choose under the cap (VF-026).
  public var prefetchRung: RungIndex?
  /// Who decides what is prefetched in the place of the shipped policy; nil: nobody. What they may
  /// ask for reaches ``prefetch``'s `itemsAhead` items ahead.
  public var prefetchDeciders: (any PrefetchDeciders)?
  /// Who chooses the player that gives way in the place of ``pool``; nil: nobody.
  public var victimDecider: (any VictimDecider)?
  /// Who chooses the rendition in the place of ``bitrate``; nil: nobody.
  public var bitrateDecider: (any BitrateDecider)?
  /// Who lifts ``startupCap`` in the place of its rule; nil: nobody.
  public var releaseDecider: (any ReleaseDecider)?

  public init(
    pool: PlayerPool.Configuration, prefetch: PrefetchPolicy.Configuration,
    startupCap: BitrateCap.Configuration, bitrate: BitrateRule, initialEstimate: BitRate,
    startThreshold: TimeSpan, resumeThreshold: TimeSpan, forwardBuffer: TimeSpan,
    pageSize: UInt32, pageTrigger: UInt32, fetchesPosters: Bool
  ) {
    precondition(pageSize >= 1, "a feed page has at least one item")
    self.pool = pool
    self.prefetch = prefetch
    self.startupCap = startupCap
    self.bitrate = bitrate
    self.initialEstimate = initialEstimate
    self.startThreshold = startThreshold
    self.resumeThreshold = resumeThreshold
    self.forwardBuffer = forwardBuffer
    self.pageSize = pageSize
    self.pageTrigger = pageTrigger
    self.fetchesPosters = fetchesPosters
  }
}

/// Everything that a feed world is made of.
public struct FeedConfiguration: Sendable {
  public var catalogue: CatalogueConfiguration
  public var networks: [NetworkProfile]
  public var networkChoice: AliasTable
  public var transport: TransportConfiguration
  public var devices: [DeviceClass]
  public var deviceChoice: AliasTable
  public var cdn: CDNConfiguration
  public var audience: AudienceConfiguration
  public var policy: PolicyConfiguration
  /// Feed API: arrival of the request to first byte, seconds; bytes of one item in a page.
  public var feedLatency: QuantileTable
  public var feedBytesPerItem: Int64
  /// The standard normal law.
  public var normal: QuantileTable
  /// What the app does beyond loading and playing; off by default.
  public var client = ClientConfiguration()
  /// Parts of the measured time that are reported by themselves.
  public var windows: [MeasureWindow] = []
  /// How much of the audience is simulated viewer by viewer.
  public var scale = AudienceScale.whole
  /// A mixed feed in place of the feed of full-screen items; nil for the latter.
  public var surface: SurfaceConfiguration?

  public init(
    catalogue: CatalogueConfiguration, networks: [NetworkProfile], networkChoice: AliasTable,
    transport: TransportConfiguration, devices: [DeviceClass], deviceChoice: AliasTable,
    cdn: CDNConfiguration, audience: AudienceConfiguration, policy: PolicyConfiguration,
    feedLatency: QuantileTable, feedBytesPerItem: Int64, normal: QuantileTable
  ) {
    precondition(!networks.isEmpty && !devices.isEmpty)
    precondition(
      policy.prefetch.itemsAhead <= FeedConfiguration.maximumItemsAhead,
      "at most \(FeedConfiguration.maximumItemsAhead) items ahead")
    self.catalogue = catalogue
    self.networks = networks
    self.networkChoice = networkChoice
    self.transport = transport
    self.devices = devices
    self.deviceChoice = deviceChoice
    self.cdn = cdn
    self.audience = audience
    self.policy = policy
    self.feedLatency = feedLatency
    self.feedBytesPerItem = feedBytesPerItem
    self.normal = normal
  }

  /// Items of a session that are known at once; older ones are retired. A power of two, with
  /// places for those ahead, the current one and ``loadedBehind``.
  var itemCount: Int {
    let ahead = max(policy.prefetch.itemsAhead, policy.pool.ahead)
    let behind = max(policy.pool.behind, Int(FeedConfiguration.loadedBehind))
    return !client.isActive && ahead + 1 + behind <= 8 ? 8 : 16
  }
  /// Added to the distance of an item behind when decoders are shared out.
  static let rankBehind: Int64 = 1000
  /// Items so far behind the current one may still load: with the largest prefetch distance they
  /// and those ahead have places of their own.
  static let loadedBehind: UInt32 = 4
  /// Largest prefetch distance.
  public static let maximumItemsAhead = 10
}

extension FeedConfiguration {
  /// When a run ends.
  public var end: Instant {
    Instant.zero + cdn.warmUp + audience.window + audience.drain
  }

  /// The cells of all networks and edges, empty.
  func cells(_ streams: RandomStreams) -> [Cell] {
    var cells: [Cell] = []
    for network in networks {
      guard let cell = network.cell else { continue }
      for edge in 0..<cdn.edges {
        for _ in 0..<cell.count {
          cells.append(Cell(cell, edge: edge, of: network, transport, streams: streams))
        }
      }
    }
    return cells
  }

  /// Index of a cohort: its network and its device class.
  func cohort(network: Int, device: Int) -> Int { network * devices.count + device }

  /// What a session is: indexes of its network, its device class and its persona.
  func choices(
    of session: UInt32, _ streams: RandomStreams
  ) -> (network: Int, device: Int, persona: Int) {
    func bits(_ draw: UInt32) -> UInt64 {
      streams.bits(.sessionChoice, entity: UInt64(session), draw: draw)
    }
    return (
      Int(networkChoice.index(bits(0))), Int(deviceChoice.index(bits(1))),
      Int(audience.personaChoice.index(bits(2)))
    )
  }
}
