import CachePolicy
import MediaUnits
import SimulationKernel

/// The device's disk cache: what is stored, what is pushed out before it was of use (VF-022).
///
/// Items that are loaded live in memory beside it, so that an eviction costs a view nothing until
/// its title comes up again: what is reported is the pollution and not what follows from it.
extension FeedWorld {
  /// The place of an object on the disk; nil when it is absent. What is asked for is of use.
  mutating func touchDisk(_ viewer: ViewerPointer, _ object: UInt32) -> Int? {
    openDisk(viewer)
    guard let stored = viewer.pointee.disk.touch(object) else { return nil }
    guard let move = viewer.pointee.disk.promote(object, evicted: { _ in }) else { return stored }
    write(viewer, viewer.pointee.diskCopies[move.from], at: move.to)
    return move.to
  }

  /// What a device remembers of a response.
  mutating func response(onDisk copy: DiskCopy) -> StoredResponse {
    let said = directives(for: copy.asset, lifetime: copy.stated)
    guard
      let response = CacheFreshness.store(
        said, shared: false, at: copy.storedAt, initialAge: copy.age)
    else { preconditionFailure("what is on a disk may be stored") }
    return response
  }

  /// Stores an answer's object, if it is not too large.
  mutating func storeOnDisk(_ viewer: ViewerPointer, _ request: Request, _ copy: DiskCopy) {
    let isWanted = isToCome(viewer, request.item)
    if hasClient && isWanted { measures.clientSide.storedAhead += 1 }
    if viewer.pointee.disk.rule == .shared
      && viewer.pointee.diskLog.add(
        copy, object: request.object, bytes: request.bytes,
        capacity: viewer.pointee.disk.capacity.bytes,
        usual: usualLifetimes[Int(copy.asset.rawValue)], staysFresh: staysFresh(copy))
    {
      return
    }
    openDisk(viewer)
    let isStart = request.asset != .segment || request.segment == 0
    let isCounted = hasClient
    var out: [UInt32] = []
    let stored = viewer.pointee.disk.insert(
      request.object, size: ByteCount(request.bytes), request.asset, isUsed: !isWanted,
      isStart: isStart, evicted: { if isCounted { out.append($0) } })
    for object in out where belongsToCome(viewer, object) {
      measures.clientSide.evictedAhead += 1
    }
    if let stored { write(viewer, copy, at: stored) }
  }

  /// Whether a copy is fresh until the run ends.
  private func staysFresh(_ copy: DiskCopy) -> Bool {
    let remaining = copy.stated - copy.age
    return freshByLifetime[Int(copy.asset.rawValue)]
      && copy.storedAt.advanced(saturatingBy: remaining) > lastInstant
  }

  /// Repeats to the disk what was written down for it.
  private mutating func openDisk(_ viewer: ViewerPointer) {
    if !viewer.pointee.diskLog.isOpen { return }
    for entry in viewer.pointee.diskLog.close(usual: usualLifetimes) {
      // Of one part, in which neither use nor start matters; nothing leaves, because all fits.
      let stored = viewer.pointee.disk.insert(
        entry.object, size: ByteCount(Int64(entry.bytes)), entry.copy.asset, isUsed: false,
        isStart: false, evicted: { _ in })
      if let stored { write(viewer, entry.copy, at: stored) }
    }
  }

  private mutating func write(_ viewer: ViewerPointer, _ copy: DiskCopy, at place: Int) {
    while viewer.pointee.diskCopies.count <= place { viewer.pointee.diskCopies.append(copy) }
    viewer.pointee.diskCopies[place] = copy
  }

  /// Whether the viewer has not got to an item yet.
  private mutating func isToCome(_ viewer: ViewerPointer, _ item: UInt32) -> Bool {
    viewer.pointee.view.phase == .between
      ? item >= viewer.pointee.current : item > viewer.pointee.current
  }

  /// Whether an object is one of an item that the viewer has not got to yet.
  private mutating func belongsToCome(_ viewer: ViewerPointer, _ object: UInt32) -> Bool {
    let number = object / ObjectLayout.stride
    for place in 0..<FeedConfiguration.window {
      let state = viewer.pointee.items + place
      if state.pointee.item == ItemState.nobody { continue }
      let isOwner = state.pointee.number == number || state.pointee.title.id.index == number
      if isOwner && isToCome(viewer, state.pointee.item) { return true }
    }
    return false
  }
}
