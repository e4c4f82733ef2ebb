import SimulationKernel

/// A name for some content: different content has different names, but for one chance in 2^64 or
/// less among all that a machine ever sees.
public struct ContentKey: Sendable, Hashable, CustomStringConvertible {
  let high, low: UInt64

  /// 32 hexadecimal digits.
  public var description: String {
    [high, low].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// Makes the name of what is added, in the order in which it is added.
///
/// Four chains of 64 bits, in each of which every word takes part by two multiplications and a
/// rotation between them (the shape of Y. Collet's xxHash64), made one by SplitMix64's finaliser
/// (``SimulationKernel/SplitMix``). A word that differs leads to another state for good; it is no
/// hash against somebody who looks for two contents of one name. In place of the scenario's FNV-1a
/// because a name takes in megabytes, the program among them, and has more bits.
public struct ContentHash: Sendable {
  private var lanes = (SplitMix.hash(1), SplitMix.hash(2), SplitMix.hash(3), SplitMix.hash(4))
  private var count: UInt64 = 0

  public init() {}

  @inline(__always)
  private static func step(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    let sum = lane &+ word &* 0xBF58_476D_1CE4_E5B9
    return (sum << 31 | sum >> 33) &* SplitMix.step
  }

  /// Adds a number.
  public mutating func add(_ word: UInt64) {
    switch count % 4 {
    case 0: lanes.0 = ContentHash.step(lanes.0, word)
    case 1: lanes.1 = ContentHash.step(lanes.1, word)
    case 2: lanes.2 = ContentHash.step(lanes.2, word)
    default: lanes.3 = ContentHash.step(lanes.3, word)
    }
    count += 1
  }

  /// Adds bytes and how many they are.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count))
    var (a, b, c, d) = lanes
    var place = 0
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    while place + 32 <= bytes.count {
      a = ContentHash.step(a, word(place))
      b = ContentHash.step(b, word(place + 8))
      c = ContentHash.step(c, word(place + 16))
      d = ContentHash.step(d, word(place + 24))
      place += 32
    }
    lanes = (a, b, c, d)
    while place + 8 <= bytes.count {
      add(word(place))
      place += 8
    }
    if place == bytes.count { return }
    var rest: UInt64 = 0
    for (index, byte) in bytes[place...].enumerated() { rest |= UInt64(byte) << UInt64(8 * index) }
    add(rest)
  }

  /// Adds a text.
  public mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// The name of all that was added.
  public var key: ContentKey {
    var high = SplitMix.hash(count)
    var low = SplitMix.hash(~count)
    for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
      high = SplitMix.hash(high ^ lane)
      low = SplitMix.hash(low &+ SplitMix.hash(lane))
    }
    return ContentKey(high: high, low: low)
  }
}
