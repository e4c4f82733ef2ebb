import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// What all viewers of the floor share and nobody changes.
struct FloorSetting: ~Copyable {
  private let byAddress = ByAddress()
  let catalogue: UnsafeMutablePointer<CatalogueConfiguration>
  let transport: UnsafeMutablePointer<TransportConfiguration>
  let networks: UnsafeMutablePointer<NetworkProfile>
  let policy: UnsafeMutablePointer<PolicyConfiguration>
  let audience: UnsafeMutablePointer<AudienceConfiguration>
  private let networkCount: Int
  private let networkChoice: AliasTable
  let sources: DrawSources
  /// An edge of which nothing is known, and a connection to it that was never opened.
  let host = Host(connections: 1)
  let edges: UInt32
  /// What an edge takes to answer: the median of its law.
  let service: TimeSpan

  /// - Precondition: the configuration has nothing that the floor does not do.
  init(_ configuration: FeedConfiguration, streams: RandomStreams) {
    precondition(
      configuration.catalogue.packaging == .progressive && configuration.catalogue.audioRate == nil,
      "the floor's titles are files that are asked for in ranges")
    precondition(
      configuration.networks.allSatisfy {
        $0.cell == nil && $0.timeline == nil && $0.traces.isEmpty
      }, "the floor's links are by themselves, and have a mean rate")
    precondition(
      configuration.transport.http != .http1, "a connection of the floor is never waited for")
    precondition(
      configuration.policy.player.minimumBuffer == nil
        && configuration.policy.player.topBuffer == nil
        && configuration.policy.player.keepUp == nil, "the floor's players have one buffer")
    if case .means = configuration.policy.player.estimator {
      preconditionFailure("the floor's players have the median")
    }
    precondition(
      !configuration.policy.prefetch.family.readsHazard
        && !configuration.policy.prefetch.suspendsOnStall,
      "the floor's prefetch policy is told of no lengths, positions and stalls")
    precondition(configuration.cdn.cacheKey == .path, "the floor's keys are objects")
    precondition(
      configuration.policy.prefetch.itemsAhead < FloorViewer.itemCount / 2
        && configuration.policy.pool.ahead < FloorViewer.itemCount / 2,
      "the items that are wanted have places")
    catalogue = FloorSetting.memory([configuration.catalogue])
    transport = FloorSetting.memory([configuration.transport])
    networks = FloorSetting.memory(configuration.networks)
    policy = FloorSetting.memory([configuration.policy])
    audience = FloorSetting.memory([configuration.audience])
    networkCount = configuration.networks.count
    networkChoice = configuration.networkChoice
    sources = DrawSources(streams: streams, normal: configuration.normal)
    edges = UInt32(configuration.cdn.edges)
    service = TimeSpan(seconds: configuration.cdn.edge.serviceTime.quantile(0.5))
  }

  deinit {
    host.release()
    catalogue.deinitialize(count: 1)
    catalogue.deallocate()
    transport.deinitialize(count: 1)
    transport.deallocate()
    networks.deinitialize(count: networkCount)
    networks.deallocate()
    policy.deinitialize(count: 1)
    policy.deallocate()
    audience.deinitialize(count: 1)
    audience.deallocate()
  }

  private static func memory<Value>(_ values: [Value]) -> UnsafeMutablePointer<Value> {
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: values.count)
    for index in values.indices { (memory + index).initialize(to: values[index]) }
    return memory
  }

  /// The way to the servers of a session, drawn as the world draws it.
  func path(of session: UInt32) -> FloorPath {
    let entity = UInt64(session)
    let network = Int(networkChoice.index(sources.streams.bits(.sessionChoice, entity: entity)))
    let u = sources.streams.uniform(.roundTrip, entity: entity)
    var roundTrip = TimeSpan(seconds: networks[network].roundTrip.quantile(u))
    if roundTrip < .milliseconds(1) { roundTrip = .milliseconds(1) }
    let rate = networks[network].sessionRate.quantile(
      sources.streams.uniform(.linkMean, entity: entity))
    return FloorPath(
      session: session, profile: networks + network, roundTrip: roundTrip,
      rate: rate * networks[network].rateFactor, connection: host.connections[0])
  }

  /// The kind of viewer that a session's is.
  func persona(of session: UInt32) -> Int {
    Int(
      audience.pointee.personaChoice.index(
        sources.streams.bits(.sessionChoice, entity: UInt64(session), draw: 2)))
  }
}
