/// A byte, or as many bytes as came so far before.
struct DeflateToken {
  /// The symbol that ends a block.
  static let end = 256

  private let held: UInt32

  init(literal: UInt8) { held = UInt32(literal) }

  init(length: Int, distance: Int) { held = UInt32(length) << 16 | UInt32(distance) }

  var literal: Int { Int(held) }

  /// Nil of a byte.
  var match: (length: Int, distance: Int)? {
    held >> 16 == 0 ? nil : (Int(held >> 16), Int(held & 0xFFFF))
  }
}

/// Finds what was there before: the longest of the nearest places that begin with the same three
/// bytes, and that of the next byte where it is longer.
struct DeflateMatcher {
  private static let window = 1 << 15
  private static let leastLength = 3
  private static let mostLength = 258
  /// Places that are looked at for each byte, the nearest ones first.
  private static let mostPlaces = 256

  private var heads = [Int32](repeating: -1, count: 1 << 16)
  private var earlier = [Int32](repeating: -1, count: DeflateMatcher.window)

  static func tokens(of data: [UInt8]) -> [DeflateToken] {
    var matcher = DeflateMatcher()
    return data.withUnsafeBufferPointer { matcher.tokens($0) }
  }

  private mutating func tokens(_ data: UnsafeBufferPointer<UInt8>) -> [DeflateToken] {
    var tokens: [DeflateToken] = []
    tokens.reserveCapacity(data.count / 2)
    var place = 0
    var held: (length: Int, distance: Int)?
    while place < data.count {
      let limit = held?.length ?? DeflateMatcher.leastLength - 1
      // A long match is not looked at twice.
      let found = limit < 128 ? longest(data, place, above: limit) : nil
      add(data, place)
      if let known = held {
        if found != nil {
          // The byte before is one by itself: the match from here on is longer.
          tokens.append(DeflateToken(literal: data[place - 1]))
          held = found
          place += 1
        } else {
          tokens.append(DeflateToken(length: known.length, distance: known.distance))
          for next in place + 1..<max(place + 1, place - 1 + known.length) { add(data, next) }
          place += known.length - 1
          held = nil
        }
      } else if found != nil {
        held = found
        place += 1
      } else {
        tokens.append(DeflateToken(literal: data[place]))
        place += 1
      }
    }
    if let known = held {
      tokens.append(DeflateToken(length: known.length, distance: known.distance))
    }
    return tokens
  }

  private func slot(_ data: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int {
    let three =
      UInt32(data[place]) << 16 | UInt32(data[place + 1]) << 8 | UInt32(data[place + 2])
    return Int((three &* 0x9E37_79B1) >> 16)
  }

  private mutating func add(_ data: UnsafeBufferPointer<UInt8>, _ place: Int) {
    if place + DeflateMatcher.leastLength > data.count { return }
    let slot = slot(data, place)
    earlier[place & (DeflateMatcher.window - 1)] = heads[slot]
    heads[slot] = Int32(place)
  }

  /// The longest match at a place; nil where none is longer than `least`.
  private func longest(
    _ data: UnsafeBufferPointer<UInt8>, _ place: Int, above least: Int
  ) -> (length: Int, distance: Int)? {
    let most = min(DeflateMatcher.mostLength, data.count - place)
    if most <= least || most < DeflateMatcher.leastLength { return nil }
    var best = least
    var distance = 0
    var candidate = Int(heads[slot(data, place)])
    var left = DeflateMatcher.mostPlaces
    while candidate >= 0, place - candidate <= DeflateMatcher.window, left > 0 {
      if data[candidate + best] == data[place + best], data[candidate] == data[place] {
        var length = 0
        while length < most, data[candidate + length] == data[place + length] { length += 1 }
        if length > best {
          (best, distance) = (length, place - candidate)
          if length == most { break }
        }
      }
      let next = Int(earlier[candidate & (DeflateMatcher.window - 1)])
      if next >= candidate { break }
      candidate = next
      left -= 1
    }
    // Three bytes from far away cost more than by themselves.
    if distance == 0 || best == DeflateMatcher.leastLength && distance > 4096 { return nil }
    return (best, distance)
  }
}
