import CachePolicy
import FeedPolicy
import MediaUnits
import SimulationKernel

/// The device's disk cache: what is stored, what is pushed out before it was of use (VF-022).
///
/// Items that are loaded live in memory beside it, so that an eviction costs a view nothing until
/// its title comes up again: what is reported is the pollution and not what follows from it.
extension FeedWorld {
  /// The place of an object on the disk; nil when it is absent. What is asked for is of use.
  mutating func touchDisk(_ viewer: ViewerPointer, _ object: UInt32) -> Int? {
    let extras = openDisk(viewer)
    guard let stored = extras.pointee.disk.touch(object) else { return nil }
    guard let move = extras.pointee.disk.promote(object, evicted: { _ in }) else { return stored }
    write(extras, extras.pointee.diskCopies[move.from], at: move.to)
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
    if clientSettings.pointee.diskRule == .shared
      && viewer.pointee.diskLog.add(
        copy, object: request.object, bytes: request.bytes,
        capacity: devices[viewer.pointee.device].diskCache.bytes,
        usual: usualLifetimes[Int(copy.asset.rawValue)], isUsualSize: hasUsualSize(request),
        staysFresh: staysFresh(copy))
    {
      return
    }
    let extras = openDisk(viewer)
    let isStart = request.asset != .segment || request.segment == 0
    let isCounted = hasClient
    var out: [UInt32] = []
    let stored = extras.pointee.disk.insert(
      request.object, size: ByteCount(request.bytes), request.asset, isUsed: !isWanted,
      isStart: isStart, evicted: { if isCounted { out.append($0) } })
    for object in out where belongsToCome(viewer, object) {
      measures.clientSide.evictedAhead += 1
    }
    if let stored { write(extras, copy, at: stored) }
  }

  /// Whether a copy is fresh until the run ends.
  private func staysFresh(_ copy: DiskCopy) -> Bool {
    let remaining = copy.stated - copy.age
    return freshByLifetime[Int(copy.asset.rawValue)]
      && copy.storedAt.advanced(saturatingBy: remaining) > lastInstant
  }

  /// Whether an object's size follows from its number: media of a catalogue without versions.
  private func hasUsualSize(_ request: Request) -> Bool {
    if numbers.hasVersions { return false }
    let isMedia = request.asset == .segment || request.asset == .initSegment
    return request.destination == .poster || isMedia && request.destination == .chain
  }

  /// The size of such an object.
  private static func usualSize(
    _ object: UInt32, _ catalogue: UnsafeMutablePointer<CatalogueConfiguration>,
    _ sources: LinkRate.Sources
  ) -> Int64 {
    let offset = object % ObjectLayout.stride
    if offset == ObjectLayout.poster { return catalogue.pointee.posterBytes }
    guard let segment = ObjectLayout.segmentIndex(of: offset) else {
      return catalogue.pointee.initBytes
    }
    let title = Title(
      TitleID(object / ObjectLayout.stride), catalogue: catalogue, streams: sources.streams)
    let rung = RungIndex((offset - ObjectLayout.segments) / UInt32(ObjectLayout.maximumSegments))
    return title.segmentBytes(
      segment, rate: catalogue.pointee.ladder[rung], sources: sources, catalogue: catalogue)
  }

  /// Repeats to the disk what was written down for it.
  private mutating func openDisk(
    _ viewer: ViewerPointer
  ) -> UnsafeMutablePointer<ViewerExtras> {
    let extras = extras(viewer)
    if !viewer.pointee.diskLog.isOpen { return extras }
    let (catalogue, sources) = (catalogue, sources)
    let entries = viewer.pointee.diskLog.close(usual: usualLifetimes) {
      FeedWorld.usualSize($0, catalogue, sources)
    }
    for entry in entries {
      // Of one part, in which neither use nor start matters; nothing leaves, because all fits.
      let stored = extras.pointee.disk.insert(
        entry.object, size: ByteCount(Int64(entry.bytes)), entry.copy.asset, isUsed: false,
        isStart: false, evicted: { _ in })
      if let stored { write(extras, entry.copy, at: stored) }
    }
    return extras
  }

  /// A viewer's disk and storyboard, made when they are first asked for.
  mutating func extras(_ viewer: ViewerPointer) -> UnsafeMutablePointer<ViewerExtras> {
    if let extras = viewer.pointee.extras { return extras }
    let extras = UnsafeMutablePointer<ViewerExtras>.allocate(capacity: 1)
    extras.initialize(
      to: ViewerExtras(
        disk: DeviceCache(
          clientSettings.pointee.diskRule,
          capacity: devices[viewer.pointee.device].diskCache)))
    viewer.pointee.extras = extras
    return extras
  }

  private mutating func write(
    _ extras: UnsafeMutablePointer<ViewerExtras>, _ copy: DiskCopy, at place: Int
  ) {
    while extras.pointee.diskCopies.count <= place { extras.pointee.diskCopies.append(copy) }
    extras.pointee.diskCopies[place] = copy
  }

  /// Whether the viewer has not got to an item yet.
  private mutating func isToCome(_ viewer: ViewerPointer, _ item: UInt32) -> Bool {
    viewer.pointee.view.phase == .between
      ? item >= viewer.pointee.current : item > viewer.pointee.current
  }

  /// Whether an object is one of an item that the viewer has not got to yet.
  private mutating func belongsToCome(_ viewer: ViewerPointer, _ object: UInt32) -> Bool {
    let number = object / ObjectLayout.stride
    for place in 0..<itemCount {
      let state = viewer.pointee.items + place
      if state.pointee.item == ItemState.nobody { continue }
      let isOwner = state.pointee.number == number || state.pointee.title.id.index == number
      if isOwner && isToCome(viewer, state.pointee.item) { return true }
    }
    return false
  }
}
