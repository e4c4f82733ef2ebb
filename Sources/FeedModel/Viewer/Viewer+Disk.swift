import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// The device's disk cache: what is stored, what is pushed out before it was of use (VF-022).
///
/// Items that are loaded live in memory beside it, so that an eviction costs a view nothing until
/// its title comes up again: what is reported is the pollution and not what follows from it.
extension Viewer {
  /// A copy of an object on the disk; nil when it is absent. What is asked for is of use.
  mutating func touchDisk(_ object: UInt32) -> DiskCopy? {
    if clientSettings.pointee.diskRule == .shared && diskLog.isOpen {
      guard let copy = findInLog(object) else { return nil }
      diskLog.use(object)
      return copy
    }
    let extras = openDisk()
    guard let stored = extras.pointee.disk.touch(object) else { return nil }
    let copy = extras.pointee.diskCopies[stored]
    if let move = extras.pointee.disk.promote(object, evicted: { _ in }) {
      Viewer.write(extras, copy, at: move.to)
    }
    return copy
  }

  /// What was written down of an object: all of its title at once, because the others are asked for
  /// next.
  private mutating func findInLog(_ object: UInt32) -> DiskCopy? {
    let extras = openExtras()
    let title = object / ObjectLayout.stride
    if !extras.pointee.found.isOf(title) {
      extras.pointee.found.begin(title)
      diskLog.forEach(usual: setting.pointee.origin.usualLifetimes, size: { _ in 0 }) {
        if case .stored(let object, let copy, _) = $0 { extras.pointee.found.add(object, copy) }
      }
    }
    return extras.pointee.found[object]
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
    if clientSettings.pointee.diskRule == .shared
      && diskLog.add(
        copy, object: request.object, bytes: request.bytes,
        capacity: devices[device].diskCache.bytes,
        usual: setting.pointee.origin.usualLifetimes[Int(copy.asset.rawValue)],
        isUsualSize: hasUsualSize(request),
        staysFresh: staysFresh(copy))
    {
      self.extras?.pointee.found.add(request.object, copy)
      return
    }
    let extras = openDisk()
    let isStart = request.asset != .segment || request.segment == 0
    let isCounted = hasClient
    var out: [UInt32] = []
    let stored = extras.pointee.disk.insert(
      request.object, size: ByteCount(request.bytes), request.asset, isUsed: !isWanted,
      isStart: isStart, evicted: { if isCounted { out.append($0) } })
    for object in out where belongsToCome(object) {
      context.measures.clientSide.evictedAhead += 1
    }
    if let stored { Viewer.write(extras, copy, at: stored) }
  }

  /// Whether a copy is fresh until the run ends.
  private func staysFresh(_ copy: DiskCopy) -> Bool {
    let remaining = copy.stated - copy.age
    return setting.pointee.freshByLifetime[Int(copy.asset.rawValue)]
      && copy.storedAt.advanced(saturatingBy: remaining) > setting.pointee.lastInstant
  }

  /// Whether an object's size follows from its number: what the chain asks modelled servers for, of
  /// a catalogue without versions.
  private func hasUsualSize(_ request: Request) -> Bool {
    servers == .modelled && !numbers.hasVersions
      && (request.destination == .poster || request.destination == .chain)
  }

  /// The size of such an object.
  private static func usualSize(_ object: UInt32, _ setting: UnsafePointer<FeedSetting>) -> Int64 {
    let catalogue = setting.pointee.catalogue
    let offset = object % ObjectLayout.stride
    var title: Title {
      Title(
        TitleID(object / ObjectLayout.stride), catalogue: catalogue,
        streams: setting.pointee.streams)
    }
    switch ObjectLayout.assetClass(of: offset) {
    case .mediaManifest: return catalogue.pointee.manifestBytes
    case .masterPlaylist:
      return catalogue.pointee.packaging == .dash
        ? catalogue.pointee.descriptionBytes : catalogue.pointee.masterBytes
    case .mediaPlaylist: return catalogue.pointee.mediaPlaylistBytes(of: title)
    case .initSegment: return catalogue.pointee.initBytes
    case .poster: return catalogue.pointee.posterBytes
    case .segment:
      let segment = ObjectLayout.segmentIndex(of: offset) ?? 0
      let rate = catalogue.pointee.ladder[ObjectLayout.rung(of: offset)]
      let bytes = title.segmentBytes(
        segment, rate: rate, sources: setting.pointee.sources, catalogue: catalogue)
      let holdsInit = catalogue.pointee.packaging == .progressive && segment == 0
      return holdsInit ? bytes + catalogue.pointee.initBytes : bytes
    default: preconditionFailure("the chain asks for no other object")
    }
  }

  /// Repeats to the disk what was written down for it.
  private mutating func openDisk() -> UnsafeMutablePointer<ViewerExtras> {
    let extras = openExtras()
    if !diskLog.isOpen { return extras }
    let setting = setting
    diskLog.forEach(
      usual: setting.pointee.origin.usualLifetimes,
      size: { Viewer.usualSize($0, setting) }
    ) { entry in
      switch entry {
      case .used(let object): _ = extras.pointee.disk.touch(object)
      case .stored(let object, let copy, let bytes):
        // Of one part, in which neither use nor start matters; nothing leaves, because all fits.
        let stored = extras.pointee.disk.insert(
          object, size: ByteCount(bytes), copy.asset, isUsed: false, isStart: false,
          evicted: { _ in })
        if let stored { Viewer.write(extras, copy, at: stored) }
      }
    }
    diskLog.close()
    return extras
  }

  /// A viewer's disk and storyboard, made when they are first asked for.
  mutating func openExtras() -> UnsafeMutablePointer<ViewerExtras> {
    if let extras = self.extras { return extras }
    let extras = UnsafeMutablePointer<ViewerExtras>.allocate(capacity: 1)
    extras.initialize(
      to: ViewerExtras(
        disk: DeviceCache(
          clientSettings.pointee.diskRule,
          capacity: devices[device].diskCache)))
    self.extras = extras
    return extras
  }

  private static func write(
    _ extras: UnsafeMutablePointer<ViewerExtras>, _ copy: DiskCopy, at place: Int
  ) {
    while extras.pointee.diskCopies.count <= place { extras.pointee.diskCopies.append(copy) }
    extras.pointee.diskCopies[place] = copy
  }

  /// Whether the viewer has not got to an item yet.
  private func isToCome(_ item: UInt32) -> Bool {
    view.phase == .between
      ? item >= current : item > current
  }

  /// Whether an object is one of an item that the viewer has not got to yet.
  private func belongsToCome(_ object: UInt32) -> Bool {
    let number = object / ObjectLayout.stride
    for place in 0..<itemCount {
      let state = items + place
      if state.pointee.item == ItemState.nobody { continue }
      let isOwner = state.pointee.number == number || state.pointee.title.id.index == number
      if isOwner && isToCome(state.pointee.item) { return true }
    }
    return false
  }
}
