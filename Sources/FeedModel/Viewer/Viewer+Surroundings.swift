import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What a viewer reads of all that viewers share, and what he plans.
extension Viewer {
  // What every viewer reads.
  var configuration: FeedConfiguration {
    unsafeAddress { UnsafePointer(setting.pointee.configurationPlace) }
  }
  var catalogue: UnsafeMutablePointer<CatalogueConfiguration> { setting.pointee.catalogue }
  var transportSettings: UnsafeMutablePointer<TransportConfiguration> {
    setting.pointee.transport
  }
  var policy: UnsafeMutablePointer<PolicyConfiguration> { setting.pointee.policy }
  var networks: UnsafeMutablePointer<NetworkProfile> { setting.pointee.networks }
  var devices: UnsafeMutablePointer<DeviceClass> { setting.pointee.devices }
  var audience: UnsafeMutablePointer<AudienceConfiguration> { setting.pointee.audience }
  var clientSettings: UnsafeMutablePointer<ClientConfiguration> { setting.pointee.client }
  var hasClient: Bool { setting.pointee.hasClient }
  var servers: FeedServers { setting.pointee.servers }
  var streams: RandomStreams { setting.pointee.sources.streams }
  var numbers: TitleNumbers { _read { yield setting.pointee.numbers } }

  /// Plans a happening of the viewer's.
  mutating func plan(_ happening: Happening, at time: Instant, _ context: borrowing ViewerContext) {
    agenda.plan(happening, at: time, from: context.source)
  }

  /// The entity that a happening is counted for.
  func target(of entry: Agenda.Entry) -> UInt32 {
    entry.happening.isAtEdge ? CacheHierarchy.edgeEntity(Int(edge)) : session
  }
}
