import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// Where there are edges.
private struct EdgePlaces {
  let count: Int
  let firstNodes: [UInt32]

  init(_ cdn: CDNConfiguration) {
    count = cdn.edges
    firstNodes = CacheHierarchy.firstNodes(cdn).map { UInt32($0) }
  }
}

/// What all viewers of a world share and nobody changes: the configuration, and what follows from
/// it for each of them.
///
/// The parts that are read often have memory of their own, so that reading a field copies no more
/// than the field.
struct FeedSetting: ~Copyable {
  private let byAddress = ByAddress()
  /// Where ``configuration`` is, for those who pass it on. They pass its address on, too: an access
  /// that yields so large a value is ended, where nothing is optimised, before the value is read.
  let configurationPlace: UnsafeMutablePointer<FeedConfiguration>
  var configuration: FeedConfiguration { unsafeAddress { UnsafePointer(configurationPlace) } }
  let catalogue: UnsafeMutablePointer<CatalogueConfiguration>
  let transport: UnsafeMutablePointer<TransportConfiguration>
  let policy: UnsafeMutablePointer<PolicyConfiguration>
  let networks: UnsafeMutablePointer<NetworkProfile>
  let devices: UnsafeMutablePointer<DeviceClass>
  let audience: UnsafeMutablePointer<AudienceConfiguration>
  let client: UnsafeMutablePointer<ClientConfiguration>
  /// Whether any of them is set.
  let hasClient: Bool
  let servers: FeedServers
  let hasRealPlayers: Bool
  let sources: DrawSources
  let numbers: TitleNumbers
  let origin: OriginDirectives
  /// Whether a device takes an object for fresh as long as its lifetime says, by class.
  let freshByLifetime: [Bool]
  /// Whether devices may keep objects of a class.
  let keptByDevices: [Bool]
  /// Nothing happens later.
  let lastInstant: Instant
  private let places: EdgePlaces
  let deviceCount: Int
  /// Items that a viewer knows at once; a power of two.
  let itemCount: Int
  /// For each network the place of its first cell.
  private let firstCell: [Int]
  // Of AudienceScale, for every item.
  private let headTitles: UInt32
  /// Titles of a group in the tail, of which one is simulated; 1 where all of them are.
  let titleStride: UInt32

  init(
    _ configuration: FeedConfiguration, streams: RandomStreams, servers: FeedServers,
    players: FeedPlayers = .modelled
  ) {
    configurationPlace = FeedSetting.memory([configuration])
    catalogue = FeedSetting.memory([configuration.catalogue])
    transport = FeedSetting.memory([configuration.transport])
    policy = FeedSetting.memory([configuration.policy])
    networks = FeedSetting.memory(configuration.networks)
    devices = FeedSetting.memory(configuration.devices)
    audience = FeedSetting.memory([configuration.audience])
    client = FeedSetting.memory([configuration.client])
    hasClient = configuration.client.isActive
    self.servers = servers
    hasRealPlayers = players == .real
    sources = DrawSources(streams: streams, normal: configuration.normal)
    numbers = TitleNumbers(configuration)
    let directives = OriginDirectives(configuration.cdn)
    origin = directives
    freshByLifetime = directives.directives.map {
      $0.maxAge != nil && !$0.options.contains(.noCache)
    }
    keptByDevices = directives.directives.map { CacheFreshness.isStorable($0, shared: false) }
    lastInstant = servers == .modelled ? configuration.end : .distantFuture
    places = EdgePlaces(configuration.cdn)
    deviceCount = configuration.devices.count
    itemCount = configuration.itemCount
    var cells = 0
    firstCell = configuration.networks.map { network in
      defer { cells += (network.cell?.count ?? 0) * configuration.cdn.edges }
      return cells
    }
    headTitles = configuration.scale.headTitles
    titleStride = configuration.scale.stride
  }

  deinit {
    catalogue.deinitialize(count: 1)
    catalogue.deallocate()
    transport.deinitialize(count: 1)
    transport.deallocate()
    policy.deinitialize(count: 1)
    policy.deallocate()
    networks.deinitialize(count: configuration.networks.count)
    networks.deallocate()
    devices.deinitialize(count: configuration.devices.count)
    devices.deallocate()
    audience.deinitialize(count: 1)
    audience.deallocate()
    client.deinitialize(count: 1)
    client.deallocate()
    configurationPlace.deinitialize(count: 1)
    configurationPlace.deallocate()
  }

  private static func memory<Value>(_ values: [Value]) -> UnsafeMutablePointer<Value> {
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: values.count)
    for index in values.indices { (memory + index).initialize(to: values[index]) }
    return memory
  }

  var streams: RandomStreams { sources.streams }
  /// Places that have edges, those of all providers the same ones.
  var edges: Int { places.count }
  /// Of each provider the node of its first edge.
  var firstNodes: [UInt32] { _read { yield places.firstNodes } }

  /// Index of a cohort: its network and its device class.
  func cohort(network: Int, device: Int) -> Int { network * deviceCount + device }

  /// Whether a copy on a device's disk is fresh until the run ends.
  func staysFresh(_ copy: DiskCopy) -> Bool {
    freshByLifetime[Int(copy.asset.rawValue)]
      && copy.storedAt.advanced(saturatingBy: copy.stated - copy.age) > lastInstant
  }

  /// The way to the servers of a session in a network.
  func session(_ number: UInt32, network: Int) -> ViewerTransport.Session {
    let u = streams.uniform(.roundTrip, entity: UInt64(number))
    var roundTrip = TimeSpan(seconds: networks[network].roundTrip.quantile(u))
    if roundTrip < .milliseconds(1) { roundTrip = .milliseconds(1) }
    if let fixed = transport.pointee.model.roundTrip { roundTrip = fixed }
    return ViewerTransport.Session(
      number: number, profile: networks + network, roundTrip: roundTrip,
      cell: cell(of: number, network: network),
      canResume: streams.uniform(.sessionChoice, entity: UInt64(number), draw: 3)
        < transport.pointee.resumption)
  }

  /// The cell of a session, or -1.
  private func cell(of session: UInt32, network: Int) -> Int {
    guard let cell = networks[network].cell else { return -1 }
    let edges = UInt32(self.edges)
    let edge = Int(session % edges)
    return firstCell[network] + edge * cell.count + Int(session / edges) % cell.count
  }

  /// What the cache keys of a session have beside the object.
  func keyValue(of session: UInt32) -> UInt32 {
    switch configuration.cdn.cacheKey {
    case .path: return 0
    case .session: return session + 1
    case .query(let values):
      let u = streams.uniform(.cacheKey, entity: UInt64(session))
      let value = UInt32(u * Double(values))
      return value < values ? value : values - 1
    }
  }

  /// The title that is simulated in a title's place: itself in the head, one of its group in the
  /// tail.
  func sampled(_ title: UInt32) -> UInt32 {
    if title < headTitles { return title }
    let (first, count) = configuration.scale.group(of: title, titles: catalogue.pointee.titles)
    let u = streams.uniform(.titleSample, entity: UInt64(first))
    let place = UInt32(u * Double(count))
    return first + (place < count ? place : count - 1)
  }

  /// Time from the beginning of the measured window.
  func measuredTime(_ now: Instant) -> TimeSpan { now - .zero - configuration.cdn.warmUp }
}
