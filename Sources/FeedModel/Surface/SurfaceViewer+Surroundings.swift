import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What a viewer reads of all that viewers share.
extension SurfaceViewer {
  var catalogue: UnsafeMutablePointer<CatalogueConfiguration> { setting.pointee.catalogue }
  var policy: UnsafeMutablePointer<PolicyConfiguration> { setting.pointee.policy }
  var audience: UnsafeMutablePointer<AudienceConfiguration> { setting.pointee.audience }
  var streams: RandomStreams { setting.pointee.sources.streams }
  /// The class of his device.
  var device: UnsafeMutablePointer<DeviceClass> { setting.pointee.devices + traits.device }
  /// Nothing plays by itself on his device.
  var isLowEnd: Bool { surface.pointee.lowEnd[traits.device] }
  /// Whether players are kept for other cards.
  var isPooled: Bool { surface.pointee.reuse != .none }
  var screenHeight: Double { traits.geometry.screenHeight }

  func entity(_ number: UInt32) -> UInt64 { traits.entity(number) }

  /// Spends milliseconds of the main thread, those of a fast device.
  func spend(_ milliseconds: Double, _ context: inout SurfaceContext) {
    context.measures.surface.mainThread += Int64(milliseconds * traits.slowness * 1_000)
  }
}
