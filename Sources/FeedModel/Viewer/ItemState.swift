import AudienceModel
import FeedPolicy
import MediaUnits
import ModelBasics

/// When the steps of an item's start happened; `unset` when they have not.
struct StartupTimes {
  static let unset = Instant(nanoseconds: .min)
  var chainStart = unset
  var nameAt = unset
  var connectedAt = unset
  var secureAt = unset
  var manifest = unset
  var playlists = unset
  var initSegment = unset
  var firstByte = unset
  /// When the first segment's bytes began to use the link, after slow start and recovery.
  var joined = unset
  var data = unset
  var decoder = unset
  /// Of the first segment: when it was asked for, and what other transfers of the viewer cost
  /// before its first byte and after; `sharedBefore` of that before its item was current.
  var sent = unset
  var queued = TimeSpan.zero
  var shared = TimeSpan.zero
  var sharedBefore = TimeSpan.zero
}

/// What a viewer's app knows of one item of the feed.
struct ItemState {
  static let nobody = UInt32.max
  struct Known: OptionSet {
    let rawValue: UInt8
    static let manifest = Known(rawValue: 1)
    static let master = Known(rawValue: 2)
    static let poster = Known(rawValue: 4)
    static let vtt = Known(rawValue: 8)
    /// The first frame's media is there.
    static let data = Known(rawValue: 16)
    /// A frame was rendered.
    static let rendered = Known(rawValue: 32)
    /// The first frame's video is there, where audio is apart.
    static let video = Known(rawValue: 64)
  }

  var item = ItemState.nobody
  var title: Title
  /// Number of the title's objects in the version that is played: the one that the manifest names,
  /// and before there is a manifest the one that was current when the item came up.
  var number: UInt32 = 0
  /// The title was an item of this session before.
  var isRepeated = false
  var known: Known = []
  /// Bits by rung.
  var playlists: UInt8 = 0
  var inits: UInt8 = 0
  /// Rungs of the first segment and of the one that came last.
  var firstRung: RungIndex? {
    get { ItemState.rung(storedRungs.first) }
    set { storedRungs.first = ItemState.stored(newValue) }
  }
  var lastRung: RungIndex? {
    get { ItemState.rung(storedRungs.last) }
    set { storedRungs.last = ItemState.stored(newValue) }
  }
  private var storedRungs: (first: UInt8, last: UInt8) = (.max, .max)
  /// Stage below media that is wanted; nothing when none is.
  var stage = PrefetchStage.nothing
  /// Segments held, from the first on without a gap.
  @Packed<Int16> var segments = 0
  /// The request that loads the item's chain, or -1.
  @Packed<Int16> var loading = -1
  /// Their sizes and rungs.
  var heldSegments = HeldSegments()
  /// Media that the prefetch policy wants, and that the item's own player wants by its distance;
  /// zero for none.
  var prefetchTarget = TimeSpan.zero
  var playerTarget = TimeSpan.zero
  /// Media wanted; zero when nobody wants any. The larger need counts, and each of the two ends by
  /// itself: a prefetch that is cancelled leaves what the player wants, and the other way round.
  var target: TimeSpan { prefetchTarget > playerTarget ? prefetchTarget : playerTarget }
  /// Media for the first frame as the player sees it; zero: as the policy says.
  var startNeed = TimeSpan.zero
  /// What few items ever have; nil before.
  private var extras: UnsafeMutablePointer<ItemExtras>?
  /// Of items of a catalogue with audio of its own; they have their extras from the beginning.
  var audio: AudioState {
    get { extras?.pointee.audio ?? AudioState() }
    set {
      guard let extras else { preconditionFailure("an item with audio has extras") }
      extras.pointee.audio = newValue
    }
  }
  var cancelled: CancelledBytes { extras?.pointee.cancelled ?? CancelledBytes() }
  /// Delivered init bytes, and those of them that were prefetched.
  var initBytes: Int64 = 0
  var initPrefetched: Int64 = 0
  /// How far the item was ever rendered.
  var renderedTo = TimeSpan.zero
  var times = StartupTimes()
  /// When its poster was there; nil before.
  var posterAt: Instant? {
    get { storedPosterAt == StartupTimes.unset ? nil : storedPosterAt }
    set { storedPosterAt = newValue ?? StartupTimes.unset }
  }
  private var storedPosterAt = StartupTimes.unset

  /// An item that comes up.
  init(item: UInt32 = ItemState.nobody, title: Title, number: UInt32 = 0) {
    self.item = item
    self.title = title
    self.number = number
  }

  // A ladder has eight rungs at most.
  private static func rung(_ stored: UInt8) -> RungIndex? {
    stored == .max ? nil : RungIndex(UInt32(stored))
  }

  private static func stored(_ rung: RungIndex?) -> UInt8 {
    if let rung { return UInt8(rung.index) }
    return .max
  }

  /// Its extras, made when there are none.
  mutating func addExtras(_ blocks: inout WordBlocks) -> UnsafeMutablePointer<ItemExtras> {
    if let extras { return extras }
    let block = UnsafeMutableRawPointer(blocks.take(ItemExtras.words))
    let extras = block.initializeMemory(as: ItemExtras.self, to: ItemExtras())
    self.extras = extras
    return extras
  }

  /// Gives back what it holds beside itself.
  mutating func release(_ blocks: inout WordBlocks) {
    heldSegments.release(segments, &blocks)
    if let extras {
      let block = UnsafeMutableRawPointer(extras).bindMemory(
        to: UInt64.self, capacity: ItemExtras.words)
      blocks.put(block, ItemExtras.words)
    }
    extras = nil
  }

  /// Likewise, when there is nowhere to keep it.
  mutating func release() {
    heldSegments.release()
    extras?.deallocate()
    extras = nil
  }

  /// The feed's page says where the media is: no step comes before it.
  mutating func beginWithMedia(at now: Instant) {
    known = [.manifest, .master]
    times.manifest = now
    times.playlists = now
    times.initSegment = now
  }
}

/// What only some items have: audio of their own, transfers that were cancelled.
struct ItemExtras {
  static let words =
    (MemoryLayout<ItemExtras>.size + MemoryLayout<UInt64>.size - 1) / MemoryLayout<UInt64>.size

  var audio = AudioState()
  var cancelled = CancelledBytes()
}

/// Delivered bytes of an item's cancelled transfers, and the parts of them that were prefetched and
/// that were rendered before.
struct CancelledBytes {
  var all: Int64 = 0
  var prefetched: Int64 = 0
  var rendered: Int64 = 0
  var prefetchedRendered: Int64 = 0
}

/// Audio of its own, where titles have it.
struct AudioState {
  /// The request that loads it, or -1.
  @Packed<Int16> var loading = -1
  var hasPlaylist = false
  var hasInit = false
  /// Segments held, from the first on without a gap.
  @Packed<Int16> var segments = 0
  /// Delivered segment bytes from the network, and those of them that were prefetched.
  var bytes: Int64 = 0
  var prefetched: Int64 = 0
}

/// The items that a viewer's app holds, found by their number: as many as a power of two, each in
/// the place of the one that many before it.
struct ItemTable: ~Copyable {
  private let base: UnsafeMutablePointer<ItemState>
  let count: Int

  /// - Precondition: `count` is a power of two.
  init(count: Int) {
    self.count = count
    base = .allocate(capacity: count)
  }

  /// Gives the memory back; the table must not be used afterwards.
  func release() {
    for place in 0..<count { base[place].release() }
    base.deallocate()
  }

  /// Where an item is, if it is held.
  @inline(__always)
  func place(of item: UInt32) -> Int { Int(truncatingIfNeeded: item) & (count - 1) }

  @inline(__always)
  func at(_ place: Int) -> UnsafeMutablePointer<ItemState> { base + place }

  @inline(__always)
  subscript(place: Int) -> ItemState {
    _read { yield base[place] }
    nonmutating _modify { yield &base[place] }
  }

  /// Puts a blank item into every place.
  func clear(_ blank: ItemState) {
    for place in 0..<count { base[place] = blank }
  }

  var heapBytes: Int {
    var bytes = count * MemoryLayout<ItemState>.stride
    for place in 0..<count where base[place].item != ItemState.nobody {
      bytes += HeldSegments.bytes(base[place].segments)
    }
    return bytes
  }
}
