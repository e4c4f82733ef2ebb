import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// A request for an object: from the device's disk, or from the edge.
extension Viewer {
  /// Gets an object from the disk cache or sends for it.
  mutating func request(
    _ index: Int, place: Int, _ offset: UInt32, _ asset: AssetClass,
    bytes: Int64, isPrefetch: Bool, _ context: inout ViewerContext
  ) {
    let state = items.at(place)
    requests[index].item = state.pointee.item
    requests[index].offset = offset
    requests[index].asset = asset
    requests[index].bytes = bytes
    requests[index].isPrefetch = isPrefetch
    requests[index].times.sentAt = context.now
    let isManifest = offset == ObjectLayout.mediaManifest
    let object = ObjectLayout.object(
      isManifest ? state.pointee.title.id.index : state.pointee.number, offset)
    requests[index].object = object
    requests[index].number = state.pointee.number
    if state.pointee.title.missing != 0 && state.pointee.title.lacks(asset) {
      take(index, &context)
      return
    }
    if state.pointee.isRepeated, let copy = touchDisk(object) {
      let response = response(onDisk: copy)
      if isManifest && numbers.hasVersions {
        requests[index].number = copy.number
      }
      if case .fresh = CacheFreshness.disposition(of: response, at: context.now) {
        requests[index].isFromDisk = true
        if isManifest { noteManifest(index, at: context.now, &context) }
        context.measures.client.count(asset, .hit, bytes: bytes)
        plan(
          .diskRead(
            request: UInt32(index),
            generation: requests[index].generation), at: context.now + devices[device].diskRead,
          context)
        return
      }
      requests[index].isConditional = true
      context.measures.client.count(asset, .revalidated, bytes: bytes)
    } else {
      context.measures.client.count(asset, .miss, bytes: bytes)
    }
    let entity = UInt64(session) << 32 | UInt64(state.pointee.item)
    requests[index].way.serviceDraw =
      streams.uniform(.request, entity: entity, draw: 2 * offset)
    context.measures.counts.requests += 1
    dispatchAnew(index, &context)
  }

  /// Ends a request for what the title does not have: there is nothing to wait for.
  mutating func take(_ index: Int, _ context: inout ViewerContext) {
    requests[index].isFromDisk = true
    requests[index].bytes = 0
    plan(
      .diskRead(
        request: UInt32(index),
        generation: requests[index].generation), at: context.now, context)
  }
}
