/// A box of ISO base media (ISO/IEC 14496-12 section 4.2).
struct MP4Box {
  let name: String
  let body: ArraySlice<UInt8>

  /// Boxes that stand one behind the other and fill the bytes; nil for anything else.
  static func all(in bytes: ArraySlice<UInt8>) -> [MP4Box]? {
    var boxes: [MP4Box] = []
    var rest = bytes
    while !rest.isEmpty {
      guard rest.count >= 8 else { return nil }
      let start = rest.startIndex
      let size = rest[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
      guard size >= 8, size <= rest.count else { return nil }
      boxes.append(
        MP4Box(
          name: String(decoding: rest[(start + 4)..<(start + 8)], as: UTF8.self),
          body: rest[(start + 8)..<(start + size)]))
      rest = rest[(start + size)...]
    }
    return boxes
  }

  /// The first box at a path below it.
  ///
  /// - Parameter header: bytes before its own children.
  func first(_ path: String..., header: Int = 0) -> MP4Box? {
    var box = self
    for (place, name) in path.enumerated() {
      let children = MP4Box.all(in: box.body.dropFirst(place == 0 ? header : 0))
      guard let child = children?.first(where: { $0.name == name }) else { return nil }
      box = child
    }
    return box
  }

  /// The unsigned number of `count` bytes at a place; nil beyond the end.
  func number(_ offset: Int, _ count: Int = 4) -> UInt64? {
    let start = body.startIndex + offset
    guard offset >= 0, start + count <= body.endIndex else { return nil }
    return body[start..<(start + count)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Of a full box.
  var version: UInt64? { number(0, 1) }
  var flags: UInt64? { number(1, 3) }
}

/// What an init segment says about its one track of H.264.
struct MP4Track: Equatable {
  var timescale: UInt64
  var width, height: Int
  /// As RFC 6381 has it: `avc1.4d4015`.
  var codec: String

  init?(_ bytes: [UInt8]) {
    let boxes = MP4Box.all(in: bytes[...]) ?? []
    guard let movie = boxes.first(where: { $0.name == "moov" }),
      let media = movie.first("trak", "mdia"), let header = media.first("mdhd"),
      let timescale = header.number(header.version == 1 ? 20 : 12), timescale > 0,
      let entry = media.first("minf", "stbl", "stsd")?.first("avc1", header: 8),
      let width = entry.number(24, 2), let height = entry.number(26, 2),
      // A visual sample entry has 78 bytes before its boxes (section 12.1.3).
      let profile = entry.first("avcC", header: 78)?.number(1, 3)
    else { return nil }
    self.timescale = timescale
    (self.width, self.height) = (Int(width), Int(height))
    let digits = String(profile, radix: 16)
    codec = "avc1." + String(repeating: "0", count: 6 - digits.count) + digits
  }
}

/// What a media segment says about when its frames are decoded.
struct MP4Segment: Equatable {
  /// In units of the track's timescale.
  var start: UInt64
  var duration: UInt64
  var frames: Int
  /// Whether the first frame is a sync sample.
  var beginsWithKey: Bool

  /// - Returns: nil for anything but whole fragments whose tracks' headers have the defaults that
  ///   frames do not say themselves.
  init?(_ bytes: [UInt8]) {
    let boxes = MP4Box.all(in: bytes[...]) ?? []
    guard boxes.last?.name == "mdat" else { return nil }
    var found: MP4Segment?
    for box in boxes where box.name == "moof" {
      guard let part = MP4Segment(fragment: box) else { return nil }
      found =
        found.map { first in
          var sum = first
          sum.duration += part.duration
          sum.frames += part.frames
          return sum
        } ?? part
    }
    guard let found else { return nil }
    self = found
  }

  private init?(fragment: MP4Box) {
    guard let track = fragment.first("traf"), let header = track.first("tfhd"),
      let time = track.first("tfdt"), let run = track.first("trun"), let said = header.flags,
      let flags = run.flags, let count = run.number(4),
      let start = time.number(4, time.version == 1 ? 8 : 4)
    else { return nil }
    // Optional fields stand in the order of their bits (sections 8.8.7 and 8.8.8).
    func place(_ bits: [(UInt64, Int)], before bit: UInt64, in flags: UInt64) -> Int {
      bits.filter { $0.0 < bit && flags & $0.0 != 0 }.reduce(0) { $0 + $1.1 }
    }
    let defaults: [(UInt64, Int)] = [(0x1, 8), (0x2, 4), (0x8, 4), (0x10, 4), (0x20, 4)]
    func usual(_ bit: UInt64) -> UInt64? {
      said & bit == 0 ? nil : header.number(8 + place(defaults, before: bit, in: said))
    }
    let head: [(UInt64, Int)] = [(0x1, 4), (0x4, 4)]
    let fields: [(UInt64, Int)] = [(0x100, 4), (0x200, 4), (0x400, 4), (0x800, 4)]
    let first = 8 + place(head, before: 0x100, in: flags)
    let stride = place(fields, before: 0x1000, in: flags)
    func own(_ bit: UInt64, frame: Int) -> UInt64? {
      flags & bit == 0
        ? nil : run.number(first + frame * stride + place(fields, before: bit, in: flags))
    }
    guard (1...100_000).contains(count), Int(count) * stride + first <= run.body.count
    else { return nil }
    var duration: UInt64 = 0
    for frame in 0..<Int(count) {
      guard let length = own(0x100, frame: frame) ?? usual(0x8) else { return nil }
      duration += length
    }
    let stated = flags & 0x4 == 0 ? nil : run.number(8 + place(head, before: 0x4, in: flags))
    guard let kind = stated ?? own(0x400, frame: 0) ?? usual(0x20) else { return nil }
    self.start = start
    self.duration = duration
    frames = Int(count)
    // sample_is_non_sync_sample
    beginsWithKey = kind & 0x1_0000 == 0
  }
}
