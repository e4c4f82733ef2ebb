import AudienceModel
import CacheModel
import CachePolicy
import MediaUnits

/// The device's disk cache as a viewer uses it.
///
/// Items that are loaded live in memory beside it, so that an eviction costs a view nothing until
/// its title comes up again: what is reported is the pollution and not what follows from it.
extension Viewer {
  /// A copy of an object on the disk; nil when it is absent. What is asked for is of use.
  mutating func touchDisk(_ object: UInt32) -> DiskCopy? {
    disk.touch(object, device: device, setting)
  }

  /// What a device remembers of a response.
  func response(onDisk copy: DiskCopy) -> StoredResponse {
    let stated = setting.pointee.origin.directives(for: copy.asset, lifetime: copy.stated)
    guard
      let response = CacheFreshness.store(
        stated, shared: false, at: copy.storedAt, initialAge: copy.age)
    else { preconditionFailure("what is on a disk may be stored") }
    return response
  }

  /// Stores an answer's object, if it is not too large.
  mutating func storeOnDisk(_ request: Request, _ copy: DiskCopy, _ context: inout ViewerContext) {
    let isWanted = isToCome(request.item)
    if hasClient && isWanted { context.measures.clientSide.storedAhead += 1 }
    let isCounted = hasClient
    var out: [UInt32] = []
    disk.store(
      DeviceDisk.Entry(
        object: request.object, copy: copy, bytes: request.bytes,
        isUsualSize: hasUsualSize(request), isWanted: isWanted,
        isStart: request.asset != .segment || request.segment == 0),
      device: device, setting, evicted: { if isCounted { out.append($0) } })
    for object in out where belongsToCome(object) {
      context.measures.clientSide.evictedAhead += 1
    }
  }

  /// Whether an object's size follows from its number: what the chain asks modelled servers for, of
  /// a catalogue without versions.
  private func hasUsualSize(_ request: Request) -> Bool {
    servers == .modelled && !numbers.hasVersions
      && (request.destination == .poster || request.destination == .chain)
  }

  /// Whether the viewer has not got to an item yet.
  private func isToCome(_ item: UInt32) -> Bool {
    view.phase == .between
      ? item >= current : item > current
  }

  /// Whether an object is one of an item that the viewer has not got to yet.
  private func belongsToCome(_ object: UInt32) -> Bool {
    let number = object / ObjectLayout.stride
    for place in 0..<items.count {
      let state = items.at(place)
      if state.pointee.item == ItemState.nobody { continue }
      let isOwner = state.pointee.number == number || state.pointee.title.id.index == number
      if isOwner && isToCome(state.pointee.item) { return true }
    }
    return false
  }
}
