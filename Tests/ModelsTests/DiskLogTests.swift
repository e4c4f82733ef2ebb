import CachePolicy
import MediaUnits
import SimulationKernel
import Testing

@testable import AudienceModel
@testable import FeedModel

/// The list that stands for a device's disk (SIG-029, VF-022): what went in comes out.
@Suite struct DiskLogTests {
  static let usual = AssetClass.allCases.map { TimeSpan.seconds(60 + Int64($0.rawValue)) }

  static func usualSize(_ object: UInt32) -> Int64 { 100 + Int64(object % 977) }

  /// Loading of some titles at a time, with now and then an object that is in no way usual.
  struct Loading {
    var streams: RandomStreams
    var draws: UInt32 = 0
    var now: Int64 = 0

    mutating func draw(_ below: UInt32) -> UInt32 {
      draws += 1
      return UInt32(streams.uniform(.sessionChoice, entity: 0, draw: draws) * Double(below))
    }

    /// The objects of a title, as a player asks for them, with a change of rung after some.
    mutating func title() -> [UInt32] {
      let number = draw(4) == 0 ? draw(4_000_000) : draw(50)
      var rung = RungIndex(draw(3))
      var offsets = [
        ObjectLayout.mediaManifest, ObjectLayout.poster, ObjectLayout.master,
        ObjectLayout.playlists + rung.index, ObjectLayout.inits + rung.index,
      ]
      for segment in 0..<Int(draw(12)) {
        if draw(6) == 0 {
          rung = RungIndex(draw(8))
          offsets += [ObjectLayout.playlists + rung.index, ObjectLayout.inits + rung.index]
        }
        offsets.append(ObjectLayout.segment(segment, rung: rung))
      }
      return offsets.map { ObjectLayout.object(number, $0) }
    }

    /// What is stored of an object, and whether its size is the usual one and it stays fresh.
    mutating func copy(_ object: UInt32) -> (DiskCopy, bytes: Int64, isUsual: Bool, stays: Bool) {
      now += Int64(draw(1_000_000_000))
      let usualAsset =
        ObjectLayout.assetClass(of: object % ObjectLayout.stride) ?? AssetClass.segment
      let asset = draw(40) == 0 ? AssetClass.allCases[Int(draw(9))] : usualAsset
      let isUsual = draw(20) != 0
      var copy = DiskCopy(
        storedAt: Instant(nanoseconds: now), age: .seconds(draw(8) == 0 ? Int64(draw(50)) : 0),
        stated: DiskLogTests.usual[Int(asset.rawValue)], number: object / ObjectLayout.stride,
        asset: asset)
      if draw(15) == 0 { copy.stated = .milliseconds(Int64(draw(1_000_000))) }
      if draw(15) == 0 { copy.number = draw(1_000_000) }
      let bytes = isUsual ? DiskLogTests.usualSize(object) : Int64(draw(.max))
      return (copy, bytes, isUsual, usualAsset == .segment || draw(3) == 0)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `every entry comes out as it went in, in order`(seed: UInt64) {
    var loading = Loading(streams: RandomStreams(seed: seed, replication: 0))
    var log = DiskLog()
    var expected: [(entry: DiskLog.Entry, stays: Bool)] = []
    // As many titles at a time as loaders have, and more than the list remembers.
    var titles = (0..<(seed % 2 == 0 ? 3 : 11)).map { _ in loading.title()[...] }
    var used: UInt32?
    for _ in 0..<2000 {
      let index = Int(loading.draw(UInt32(titles.count)))
      guard let object = titles[index].popFirst() else {
        titles[index] = loading.title()[...]
        continue
      }
      if let object = used, loading.draw(10) == 0 {
        log.use(object)
        expected.append((.used(object), false))
      }
      let (copy, bytes, isUsual, stays) = loading.copy(object)
      let isTaken = log.add(
        copy, object: object, bytes: bytes, capacity: .max,
        usual: Self.usual[Int(copy.asset.rawValue)], isUsualSize: isUsual, staysFresh: stays)
      #expect(isTaken)
      expected.append((.stored(object, copy, bytes: bytes), stays))
      if loading.draw(3) == 0 { used = object }
    }
    #expect(expected.count > 1000)
    let entries = entries(log)
    #expect(entries.count == expected.count)
    for (entry, wanted) in zip(entries, expected) {
      guard wanted.stays else {
        #expect(entry == wanted.entry)
        continue
      }
      // Of what stays fresh nothing of its time is asked again.
      guard case .stored(let object, let copy, let bytes) = entry,
        case .stored(let wantedObject, let wantedCopy, let wantedBytes) = wanted.entry
      else {
        Issue.record("\(entry) is no object")
        continue
      }
      #expect(object == wantedObject)
      #expect(bytes == wantedBytes)
      #expect(copy.asset == wantedCopy.asset)
      #expect(copy.number == wantedCopy.number)
    }
  }

  private func entries(_ log: borrowing DiskLog) -> [DiskLog.Entry] {
    var entries: [DiskLog.Entry] = []
    log.forEach(usual: Self.usual, size: Self.usualSize) { entries.append($0) }
    return entries
  }

  @Test func `a title of ten segments that others interrupt takes some thirty bytes`() {
    var log = DiskLog()
    var now: Int64 = 0
    let titles = 400
    // A title is loaded while the one before it goes on.
    for number in 0..<UInt32(titles) {
      var offsets = [
        ObjectLayout.mediaManifest, ObjectLayout.poster, ObjectLayout.master,
        ObjectLayout.playlists + 1, ObjectLayout.inits + 1,
      ]
      offsets += (0..<5).map { ObjectLayout.segment($0, rung: RungIndex(1)) }
      let before = (5..<10).map { ObjectLayout.segment($0, rung: RungIndex(1)) }
      for step in 0..<10 {
        now += 70_000_000
        add(&log, ObjectLayout.object(70_000 + number, offsets[step]), now)
        if step % 2 == 1, number > 0 {
          add(&log, ObjectLayout.object(69_999 + number, before[step / 2]), now)
        }
      }
    }
    let bytes = log.heapBytes
    #expect(bytes < 35 * titles)
  }

  private func add(_ log: inout DiskLog, _ object: UInt32, _ now: Int64) {
    guard let asset = ObjectLayout.assetClass(of: object % ObjectLayout.stride) else {
      Issue.record("offset of no object")
      return
    }
    let isList = [.mediaManifest, .masterPlaylist, .mediaPlaylist].contains(asset)
    let copy = DiskCopy(
      storedAt: Instant(nanoseconds: now), age: .zero, stated: Self.usual[Int(asset.rawValue)],
      number: object / ObjectLayout.stride, asset: asset)
    let isTaken = log.add(
      copy, object: object, bytes: Self.usualSize(object), capacity: .max, usual: copy.stated,
      isUsualSize: true, staysFresh: !isList)
    #expect(isTaken)
  }

  @Test func `a disk that may be full decides for itself, and so does one that is in use`() {
    var log = DiskLog()
    #expect(addOfHundred(&log, 60))
    #expect(!addOfHundred(&log, 41))
    #expect(addOfHundred(&log, 40))
    #expect(entries(log).count == 2)
    let before = (isOpen: log.isOpen, bytes: log.heapBytes)
    #expect(before.isOpen)
    #expect(before.bytes > 0)
    log.close()
    let after = (isOpen: log.isOpen, bytes: log.heapBytes)
    #expect(!after.isOpen)
    #expect(after.bytes == 0)
    #expect(entries(log).isEmpty)
    #expect(!addOfHundred(&log, 0))
    log.reset()
    #expect(addOfHundred(&log, 0))
    #expect(entries(log).count == 1)
  }

  /// Whether a segment was taken of what goes on a disk of a hundred bytes.
  private func addOfHundred(_ log: inout DiskLog, _ bytes: Int64) -> Bool {
    let copy = DiskCopy(
      storedAt: .zero, age: .zero, stated: .seconds(1), number: 1, asset: .segment)
    return log.add(
      copy, object: ObjectLayout.stride + 40, bytes: bytes, capacity: 100, usual: .seconds(1),
      isUsualSize: false, staysFresh: true)
  }

  @Test func `the last copy of an object is found, and only of the title that is looked for`() {
    var found = FoundCopies()
    func copy(_ number: UInt32) -> DiskCopy {
      DiskCopy(storedAt: .zero, age: .zero, stated: .zero, number: number, asset: .segment)
    }
    #expect(!found.isOf(0))
    found.add(5, copy(1))
    #expect(found[5] == nil)
    found.begin(0)
    #expect(found.isOf(0))
    found.add(5, copy(1))
    found.add(6, copy(2))
    found.add(5, copy(3))
    found.add(ObjectLayout.stride + 5, copy(4))
    #expect(found[5]?.number == 3)
    #expect(found[6]?.number == 2)
    #expect(found[ObjectLayout.stride + 5] == nil)
    found.begin(1)
    #expect(found[5] == nil)
  }
}
