import Foundation

/// Bytes of a field, in a buffer that outlives the look at them.
struct TextSpan {
  let base: UnsafePointer<UInt8>
  let count: Int

  @inline(__always)
  init(_ base: UnsafePointer<UInt8>, _ count: Int) {
    self.base = base
    self.count = count
  }

  var isEmpty: Bool { count == 0 }

  /// The byte at `index`; 0 outside, so that no look ahead has to ask first.
  @inline(__always)
  subscript(_ index: Int) -> UInt8 { index >= 0 && index < count ? base[index] : 0 }

  /// From a byte on, up to another; both are held within the span.
  @inline(__always)
  func part(_ from: Int, _ to: Int) -> TextSpan {
    let first = min(max(from, 0), count)
    return TextSpan(base + first, min(max(to, first), count) - first)
  }

  /// All from a byte on.
  func from(_ index: Int) -> TextSpan { part(index, count) }

  /// The text, for messages and tables of names: never in a loop over fields.
  var text: String {
    String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
  }

  /// Without blanks at both ends.
  var trimmed: TextSpan {
    var (first, last) = (0, count)
    while first < last && base[first] <= 0x20 { first += 1 }
    while last > first && base[last - 1] <= 0x20 { last -= 1 }
    return part(first, last)
  }

  func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    if start < 0 || start >= count { return nil }
    guard let found = memchr(base + start, Int32(byte), count - start) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  func equals(_ word: StaticString) -> Bool {
    word.utf8CodeUnitCount == count && memcmp(word.utf8Start, base, count) == 0
  }

  func starts(with word: StaticString) -> Bool {
    word.utf8CodeUnitCount <= count && memcmp(word.utf8Start, base, word.utf8CodeUnitCount) == 0
  }

  /// Whether the mark of UTF-8 stands in front.
  var hasByteOrderMark: Bool { self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF }

  /// The same letters, big or small (ASCII).
  func isWord(_ word: StaticString) -> Bool {
    if word.utf8CodeUnitCount != count { return false }
    for index in 0..<count where TextSpan.folded(base[index]) != word.utf8Start[index] {
      return false
    }
    return true
  }

  /// Whether the word stands somewhere in it; its letters may be big or small.
  func holds(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    var index = 0
    while index + length <= count {
      if part(index, index + length).isWord(word) { return true }
      index += 1
    }
    return false
  }

  @inline(__always)
  static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  /// What exports write for no value.
  var isAbsent: Bool {
    switch count {
    case 0: true
    case 1: base[0] == 0x2D
    case 2: base[0] == 0x5C && base[1] == 0x4E
    case 3: isWord("nan") || isWord("n/a")
    case 4: isWord("null") || isWord("none")
    default: false
    }
  }
}
