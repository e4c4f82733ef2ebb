import AudienceModel
import CacheModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

typealias ViewerPointer = UnsafeMutablePointer<Viewer>

/// A session of one viewer: the device, the link, the policies and the items.
///
/// What happens to him stands in his ``agenda``; he meets others in the requests that reach his
/// edge, in the answers to them and in a cell, and in nothing else.
struct Viewer: ~Copyable {
  let setting: UnsafePointer<FeedSetting>
  private let byAddress = ByAddress()
  let slot: UInt32
  var isActive = false
  var traits = SessionTraits()

  var transport: ViewerTransport
  var requests: RequestTable
  /// A request that may travel with the next one.
  var companion: TravellingRequest?
  /// Whether the present turn has changed what is on the link.
  var isLinkChanged = false

  var pool: PlayerPool
  var prefetch: PrefetchPolicy
  var estimator: PlayerEstimator
  /// How far ahead the prefetch policy lets the current item load; nil: as the player does.
  var bufferLimit: TimeSpan?
  var disk = DeviceDisk()
  /// What few sessions ever have; nil before.
  var storyboarding: UnsafeMutablePointer<Storyboarding>?
  /// Titles that items of this session brought: only of those can the disk cache hold anything.
  var titles = SessionTitles()

  /// The pool's players.
  var players: Players
  let items: ItemTable
  var pages: FeedPages

  /// The item on the screen, and how many views there were before this one.
  var current: UInt32 = 0
  var viewCount: UInt32 = 0
  var view = Playback()

  /// What happens to the viewer by itself.
  var agenda = Agenda()
  /// What the app does beyond loading and playing; nil where nothing of it is set.
  var client: UnsafeMutablePointer<ClientState>?

  // Of a held segment's size: "from disk" and "prefetched".
  static let fromDisk: UInt32 = 1 << 31
  static let prefetched: UInt32 = 1 << 30
  static let sizeMask: UInt32 = (1 << 30) - 1

  /// A viewer with memory of its own; ``release()`` gives it back.
  ///
  /// - Parameter session: whose first link it has; ``begin(_:_:)`` makes it that session's.
  init(_ setting: UnsafePointer<FeedSetting>, slot: UInt32, session: UInt32, at now: Instant) {
    self.setting = setting
    self.slot = slot
    let policy = setting.pointee.policy
    let network = setting.pointee.configuration.choices(
      of: session, setting.pointee.streams
    ).network
    transport = ViewerTransport(
      setting.pointee.session(session, network: network), settings: setting.pointee.transport,
      sources: setting.pointee.sources, at: now)
    pool = PlayerPool(policy.pointee.pool)
    pages = FeedPages(policy.pointee)
    prefetch = PrefetchPolicy(policy.pointee.prefetch)
    estimator = PlayerEstimator(
      policy.pointee.player.estimator, initial: policy.pointee.initialEstimate)
    players = Players(count: policy.pointee.pool.size)
    items = ItemTable(count: setting.pointee.itemCount)
    requests = RequestTable(ChosenProvider(setting, session: session, at: now))
  }

  /// Gives the memory back; the viewer must not be used afterwards.
  mutating func release() {
    closeStoryboard()
    client?.deinitialize(count: 1)
    client?.deallocate()
    transport.release()
    players.release()
    requests.release()
    items.release()
  }

  /// Ends a viewer at a place of his own, and gives its memory back as well.
  static func free(_ place: ViewerPointer) {
    place.pointee.release()
    place.deinitialize(count: 1)
    place.deallocate()
  }

  /// Forgets the storyboard, and gives its memory back.
  mutating func closeStoryboard() {
    storyboarding?.deinitialize(count: 1)
    storyboarding?.deallocate()
    storyboarding = nil
  }

  /// Heap bytes of a viewer's own memory, without what the policies hold.
  var heapBytes: Int64 {
    var bytes =
      MemoryLayout<Viewer>.stride + players.heapBytes + transport.heapBytes + items.heapBytes
      + requests.heapBytes + disk.heapBytes + agenda.heapBytes + titles.heapBytes
    if storyboarding != nil { bytes += MemoryLayout<Storyboarding>.stride }
    return Int64(bytes)
  }
}

extension Viewer {
  var session: UInt32 { traits.session }
  var isWatched: Bool { traits.isWatched }
  var edge: UInt32 { traits.edge }
  var keyValue: UInt32 { traits.keyValue }
  var network: Int { traits.network }
  var device: Int { traits.device }
  var persona: Int { traits.persona }
  var arrivedAt: Instant { traits.arrivedAt }
  var endsAt: Instant { traits.endsAt }
  /// The cell that he is in; negative: none.
  var cell: Int { transport.cell }
}
