import SimulationKernel

/// The bytes of the stand-in's media: of any length, the same every time, made while they are sent,
/// and such that a client can tell whether it got the right ones.
///
/// 32 bytes of header, cut off in a shorter object: `FFSI`, format 1, kind, rendition, 0; then,
/// little-endian, title, version and index of 4 bytes each, length of 8, and the low 4 bytes of the
/// key. After that word w, 8 bytes little-endian, is SplitMix64's finaliser (Steele, Lea and Flood,
/// 2014) of key + w, where word 4 is the first after the header.
public struct StandinContent: Hashable, Sendable {
  public let item: MediaLayout.Item
  public let title, version: UInt32
  /// Bytes of the whole object.
  public let length: Int64
  /// What its bytes follow from.
  public let key: UInt64
  private let header: [UInt8]

  public init(_ item: MediaLayout.Item, title: UInt32, version: UInt32, length: Int64) {
    self.item = item
    self.title = title
    self.version = version
    self.length = length
    let (kind, rendition, index) = StandinContent.code(item)
    var words: [UInt64] = [
      0x4953_4646 | 1 << 32 | UInt64(kind) << 40 | UInt64(rendition) << 48,
      UInt64(title) | UInt64(version) << 32, UInt64(index), UInt64(bitPattern: length),
    ]
    key = words.reduce(SplitMix.step) { SplitMix.finalized($0 ^ $1) }
    words = [
      words[0], words[1], words[2] | words[3] << 32, words[3] >> 32 | (key & 0xFFFF_FFFF) << 32,
    ]
    header = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
  }

  private static func code(_ item: MediaLayout.Item) -> (kind: UInt8, rendition: UInt8, Int) {
    func number(_ rendition: MediaLayout.Rendition) -> UInt8 {
      switch rendition {
      case .video(let rung): UInt8(truncatingIfNeeded: rung)
      case .audio: 0xFF
      }
    }
    return switch item {
    case .masterPlaylist: (1, 0, 0)
    case .mediaPlaylist(let rendition): (2, number(rendition), 0)
    case .initSegment(let rendition): (3, number(rendition), 0)
    case .segment(let rendition, let index): (4, number(rendition), index)
    case .storyboard: (5, 0, 0)
    case .sprite(let index): (6, 0, index)
    case .poster: (7, 0, 0)
    }
  }

  @inline(__always)
  private func word(_ index: UInt64) -> UInt64 { SplitMix.finalized(key &+ index) }

  /// One byte.
  public func byte(_ offset: Int64) -> UInt8 {
    if offset < Int64(header.count) { return header[Int(offset)] }
    return UInt8(truncatingIfNeeded: word(UInt64(offset) >> 3) >> (UInt64(offset & 7) * 8))
  }

  /// Writes the bytes from `offset` on.
  public func fill(_ bytes: UnsafeMutableRawBufferPointer, from offset: Int64) {
    var place = 0
    while place < bytes.count
      && ((offset + Int64(place)) & 7 != 0 || offset + Int64(place) < Int64(header.count))
    {
      bytes[place] = byte(offset + Int64(place))
      place += 1
    }
    var index = UInt64(offset + Int64(place)) >> 3
    while place + 8 <= bytes.count {
      bytes.storeBytes(of: word(index).littleEndian, toByteOffset: place, as: UInt64.self)
      place += 8
      index &+= 1
    }
    while place < bytes.count {
      bytes[place] = byte(offset + Int64(place))
      place += 1
    }
  }

  /// Whether the bytes from `offset` on are these.
  public func matches(_ bytes: UnsafeRawBufferPointer, from offset: Int64) -> Bool {
    if offset + Int64(bytes.count) > length { return false }
    var place = 0
    while place < bytes.count {
      let at = offset + Int64(place)
      if at & 7 == 0 && at >= Int64(header.count) && place + 8 <= bytes.count {
        let found = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        if UInt64(littleEndian: found) != word(UInt64(at) >> 3) { return false }
        place += 8
      } else {
        if bytes[place] != byte(at) { return false }
        place += 1
      }
    }
    return true
  }
}

/// Checks the bytes of an object as they come in.
public struct StandinCheck: Sendable {
  public let content: StandinContent
  /// Bytes that have come so far.
  public private(set) var count: Int64 = 0
  /// Whether all of them were right.
  public private(set) var isRight = true

  /// - Parameter offset: where the bytes begin, in an answer to a range.
  public init(_ content: StandinContent, from offset: Int64 = 0) {
    self.content = content
    count = offset
  }

  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    if isRight { isRight = content.matches(bytes, from: count) }
    count += Int64(bytes.count)
  }

  /// Whether the whole object has come, and was right.
  public var isWhole: Bool { isRight && count == content.length }
}
