import AudienceModel
import CacheModel
import CachePolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// The edge, which has what it keeps with one probability for all.
extension SurfaceWorld {
  /// A request is at the edge, which answers at once, or when it has got what it does not keep.
  mutating func ask(_ viewer: inout SurfaceViewer, _ request: UInt32, _ generation: UInt32) {
    guard let asked = viewer.edgeRequest(request, generation) else { return }
    let wait = upstreamWait(asked)
    if wait == .zero {
      viewer.receive(Int(request), after: service(asked), &viewerContext)
    } else {
      viewer.wait(atEdge: Int(request), for: wait, &viewerContext)
    }
  }

  /// The edge has got what it did not keep.
  mutating func answer(_ viewer: inout SurfaceViewer, _ request: UInt32, _ generation: UInt32) {
    guard let asked = viewer.edgeRequest(request, generation) else { return }
    viewer.receive(Int(request), after: service(asked), &viewerContext)
  }

  /// What the edge takes for an answer.
  private func service(_ asked: SurfaceEdgeRequest) -> TimeSpan {
    let u = streams.uniform(.surfaceEdge, entity: asked.entity, draw: 2)
    return TimeSpan(seconds: configuration.cdn.edge.serviceTime.quantile(u))
  }

  /// Time of the way to the origin and its first byte: zero for a hit. Manifests are never kept.
  private mutating func upstreamWait(_ asked: SurfaceEdgeRequest) -> TimeSpan {
    let (u0, u1) = streams.uniformPair(.surfaceEdge, entity: asked.entity, pair: 0)
    let isKept = asked.asset != .mediaManifest
    viewerContext.measures.counts.deliveredBytes += asked.bytes
    if isKept && u0 < surface.pointee.edgeHits {
      viewerContext.measures.edge.count(asked.asset, .hit, bytes: asked.bytes)
      return .zero
    }
    viewerContext.measures.edge.count(asked.asset, isKept ? .miss : .bypass, bytes: asked.bytes)
    viewerContext.measures.counts.originRequests += 1
    viewerContext.measures.counts.originBytes += asked.bytes
    let trip = TimeSpan(seconds: configuration.cdn.edge.upstream.roundTrip.quantile(u1))
    let u3 = streams.uniform(.surfaceEdge, entity: asked.entity, draw: 3)
    let first = TimeSpan(seconds: configuration.cdn.origin.firstByte.quantile(u3))
    let floor = configuration.cdn.edge.upstream.floor
    return (trip > floor ? trip : floor) + first
  }
}
