import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics

/// A device's disk cache: what is stored, what is pushed out before it was of use (VF-022).
///
/// As long as nothing has to leave it, a list stands for it (``DiskLog``).
struct DeviceDisk: ~Copyable {
  private var log = DiskLog()
  /// What few sessions ever have; nil before.
  private var opened: UnsafeMutablePointer<Opened>?

  /// A disk that is read.
  private struct Opened {
    /// What was looked for in the list that stands for the disk.
    var found = FoundCopies()
    var disk: DeviceCache
    /// By the places of ``disk``.
    var copies: [DiskCopy] = []

    mutating func write(_ copy: DiskCopy, at place: Int) {
      while copies.count <= place { copies.append(copy) }
      copies[place] = copy
    }
  }

  /// A response to be stored.
  struct Entry {
    var object: UInt32
    var copy: DiskCopy
    var bytes: Int64
    /// Its size follows from its number.
    var isUsualSize: Bool
    /// An item that the viewer has not got to yet waits for it.
    var isWanted: Bool
    /// It belongs to an item's start.
    var isStart: Bool
  }

  /// An empty disk, as at the start of a session.
  mutating func reset() {
    giveBack()
    opened = nil
    log.reset()
  }

  deinit { giveBack() }

  /// Gives the memory of a disk that is read back.
  private func giveBack() {
    opened?.deinitialize(count: 1)
    opened?.deallocate()
  }

  /// A copy of an object; nil when it is absent. What is asked for is of use.
  mutating func touch(
    _ object: UInt32, device: Int, _ setting: UnsafePointer<FeedSetting>
  ) -> DiskCopy? {
    if setting.pointee.client.pointee.diskRule == .shared && log.isOpen {
      guard let copy = find(object, device: device, setting) else { return nil }
      log.use(object)
      return copy
    }
    let opened = read(device: device, setting)
    guard let stored = opened.pointee.disk.touch(object) else { return nil }
    let copy = opened.pointee.copies[stored]
    if let move = opened.pointee.disk.promote(object, evicted: { _ in }) {
      opened.pointee.write(copy, at: move.to)
    }
    return copy
  }

  /// What was written down of an object: all of its title at once, because the others are asked for
  /// next.
  private mutating func find(
    _ object: UInt32, device: Int, _ setting: UnsafePointer<FeedSetting>
  ) -> DiskCopy? {
    let opened = open(device: device, setting)
    let title = object / ObjectLayout.stride
    if !opened.pointee.found.isOf(title) {
      opened.pointee.found.begin(title)
      log.forEach(usual: setting.pointee.origin.usualLifetimes, size: { _ in 0 }) {
        if case .stored(let object, let copy, _) = $0 { opened.pointee.found.add(object, copy) }
      }
    }
    return opened.pointee.found[object]
  }

  /// Stores an object, if it is not too large.
  ///
  /// - Parameter evicted: called with what leaves for it.
  mutating func store(
    _ entry: Entry, device: Int, _ setting: UnsafePointer<FeedSetting>,
    evicted: (UInt32) -> Void
  ) {
    if setting.pointee.client.pointee.diskRule == .shared
      && log.add(
        entry.copy, object: entry.object, bytes: entry.bytes,
        capacity: setting.pointee.devices[device].diskCache.bytes,
        usual: setting.pointee.origin.usualLifetimes[Int(entry.copy.asset.rawValue)],
        isUsualSize: entry.isUsualSize, staysFresh: setting.pointee.staysFresh(entry.copy))
    {
      opened?.pointee.found.add(entry.object, entry.copy)
      return
    }
    let opened = read(device: device, setting)
    let stored = opened.pointee.disk.insert(
      entry.object, size: ByteCount(entry.bytes), entry.copy.asset, isUsed: !entry.isWanted,
      isStart: entry.isStart, evicted: evicted)
    if let stored { opened.pointee.write(entry.copy, at: stored) }
  }

  /// The disk itself, with what was written down for it.
  private mutating func read(
    device: Int, _ setting: UnsafePointer<FeedSetting>
  ) -> UnsafeMutablePointer<Opened> {
    let opened = open(device: device, setting)
    if !log.isOpen { return opened }
    log.forEach(
      usual: setting.pointee.origin.usualLifetimes,
      size: { DeviceDisk.usualSize($0, setting) }
    ) { entry in
      switch entry {
      case .used(let object): _ = opened.pointee.disk.touch(object)
      case .stored(let object, let copy, let bytes):
        // Of one part, in which neither use nor start matters; nothing leaves, because all fits.
        let stored = opened.pointee.disk.insert(
          object, size: ByteCount(bytes), copy.asset, isUsed: false, isStart: false,
          evicted: { _ in })
        if let stored { opened.pointee.write(copy, at: stored) }
      }
    }
    log.close()
    return opened
  }

  /// Its memory, made when it is first read.
  private mutating func open(
    device: Int, _ setting: UnsafePointer<FeedSetting>
  ) -> UnsafeMutablePointer<Opened> {
    if let opened { return opened }
    let memory = UnsafeMutablePointer<Opened>.allocate(capacity: 1)
    memory.initialize(
      to: Opened(
        disk: DeviceCache(
          setting.pointee.client.pointee.diskRule,
          capacity: setting.pointee.devices[device].diskCache)))
    opened = memory
    return memory
  }

  /// The size of an object whose size follows from its number.
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

  /// Where the list begins and ends: for asking for that memory in advance.
  var memory: (start: UnsafeRawPointer?, end: UnsafeRawPointer?) { (log.start, log.end) }

  var heapBytes: Int {
    guard let opened else { return log.heapBytes }
    return log.heapBytes + MemoryLayout<Opened>.stride + opened.pointee.found.heapBytes
      + opened.pointee.copies.capacity * MemoryLayout<DiskCopy>.stride
  }
}
