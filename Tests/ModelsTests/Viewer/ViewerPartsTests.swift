import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import Testing

@testable import FeedModel

/// The parts of a viewer, each without the others.
@Suite struct ViewerPartsTests {
  // MARK: Requests

  @Test func `a free place is used again, and is another request`() {
    var requests = RequestTable()
    defer { requests.release() }
    var taken: [Int] = []
    for _ in 0..<9 { taken.append(requests.take()) }
    var count = requests.count
    #expect(taken == Array(0..<9) && count == 9)
    let generation = requests[3].generation
    let isCurrent = requests.isCurrent(3, generation)
    requests[3].bytes = 77
    requests[3].isActive = false
    let isOver = !requests.isCurrent(3, generation)
    #expect(isCurrent && isOver)
    let again = requests.take()
    count = requests.count
    #expect(again == 3 && count == 9)
    let (bytes, isActive) = (requests[3].bytes, requests[3].isActive)
    #expect(bytes == 0 && isActive)
    let (old, new) = (requests.isCurrent(3, generation), requests.isCurrent(3, generation &+ 1))
    let beyond = requests.isCurrent(9, 1) || requests.isCurrent(UInt16(9), UInt16(1))
    #expect(!old && new && !beyond)
    let short = requests.isCurrent(UInt16(3), UInt16(truncatingIfNeeded: generation &+ 1))
    #expect(short)
  }

  @Test func `a session that begins finds nobody waiting`() {
    var requests = RequestTable()
    defer { requests.release() }
    requests.atEdge = 2
    requests.withoutConnection = 1
    requests.reset()
    let (atEdge, withoutConnection) = (requests.atEdge, requests.withoutConnection)
    #expect(atEdge == 0 && withoutConnection == 0)
  }

  // MARK: Players

  @Test func `the main thread does one thing after another`() {
    var players = Players(count: 2)
    defer { players.release() }
    players.reset(at: .zero)
    let now = Instant.zero + .milliseconds(10)
    let first = players.work(.milliseconds(5), at: now)
    let second = players.work(.milliseconds(5), at: now)
    #expect(first == now + .milliseconds(5) && second == now + .milliseconds(10))
    let later = now + .milliseconds(30)
    let third = players.work(.milliseconds(5), at: later)
    #expect(third == later + .milliseconds(5))
    players.reset(at: now)
    let anew = players.work(.milliseconds(5), at: now)
    #expect(anew == now + .milliseconds(5))
  }

  @Test func `of players that nobody was told of the earliest comes first`() {
    var players = Players(count: 3)
    defer { players.release() }
    players.reset(at: .zero)
    let nobody = (players.firstUnheard()?.index, players.index(of: 7))
    #expect(nobody.0 == nil && nobody.1 == nil)
    players[0].readiness = .unheard(from: Instant.zero + .seconds(2))
    players[1].readiness = .heard
    players[2].readiness = .unheard(from: Instant.zero + .seconds(1))
    players[2].item = 7
    players[2].hasDecoder = true
    let first = players.firstUnheard()
    #expect(first?.index == 2 && first?.time == Instant.zero + .seconds(1))
    let (holder, decoders) = (players.index(of: 7), players.decoders)
    #expect(holder == 2 && decoders == 1)
    // Of two at a time the first in the pool.
    players[0].readiness = .unheard(from: Instant.zero + .seconds(1))
    let tied = players.firstUnheard()?.index
    #expect(tied == 0)
  }

  // MARK: Policies' commands

  @Test func `what a command brings about waits until it is done`() {
    var commands = PolicyCommands()
    commands.pool = [.play(SlotID(0)), .release(SlotID(1))]
    commands.queuePool()
    #expect(!commands.isEmpty)
    var done: [String] = []
    while let command = commands.take() {
      switch command {
      case .pool(.play):
        done.append("play")
        // The policy is told of it, and wants something.
        commands.prefetch = [.cancel(ItemID(4))]
        commands.queuePrefetch()
      case .pool(.release): done.append("release")
      case .prefetch(.cancel): done.append("cancel")
      default: done.append("?")
      }
    }
    #expect(done == ["play", "release", "cancel"])
    #expect(commands.isEmpty && commands.pool.isEmpty && commands.prefetch.isEmpty)
  }

  // MARK: The disk

  /// A disk of a device, with all that it needs to know.
  private struct Shelf: ~Copyable {
    let setting: UnsafeMutablePointer<FeedSetting>
    var disk = DeviceDisk()

    init(_ overrides: [String]) throws {
      setting = .allocate(capacity: 1)
      setting.initialize(
        to: FeedSetting(
          try scenario(overrides).configuration,
          streams: .init(seed: 1, replication: 0), servers: .modelled))
    }

    deinit {
      setting.deinitialize(count: 1)
      setting.deallocate()
    }

    mutating func store(_ object: UInt32, bytes: Int64) -> [UInt32] {
      var out: [UInt32] = []
      disk.store(
        DeviceDisk.Entry(
          object: object,
          copy: DiskCopy(
            storedAt: .zero, age: .zero, stated: .hours(24), number: object / ObjectLayout.stride,
            asset: .segment),
          bytes: bytes, isUsualSize: false, isWanted: false, isStart: false),
        device: 0, UnsafePointer(setting), evicted: { out.append($0) })
      return out
    }

    mutating func touch(_ object: UInt32) -> DiskCopy? {
      disk.touch(object, device: 0, UnsafePointer(setting))
    }
  }

  @Test func `a disk gives what was stored until something had to leave it`() throws {
    var shelf = try Shelf([])
    let capacity = shelf.setting.pointee.devices[0].diskCache.bytes
    let part = capacity / 3
    let objects = (1...4).map {
      ObjectLayout.object(UInt32($0), ObjectLayout.segment(0, rung: RungIndex(0)))
    }
    for object in objects[..<3] {
      let out = shelf.store(object, bytes: part)
      #expect(out.isEmpty)
    }
    let missing = shelf.touch(objects[3])
    #expect(missing == nil)
    // The oldest is of use, so that the second one leaves for the fourth.
    let first = shelf.touch(objects[0])
    #expect(first?.number == 1)
    let out = shelf.store(objects[3], bytes: part)
    #expect(out == [objects[1]])
    let left = shelf.touch(objects[1])
    let stayed = shelf.touch(objects[0])
    #expect(left == nil && stayed?.number == 1)
    shelf.disk.reset()
    let forgotten = shelf.touch(objects[0])
    #expect(forgotten == nil)
  }
}
