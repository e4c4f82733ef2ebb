import MediaUnits

/// Cuts WebVTT bytes into lines: line feed, carriage return, or both.
struct VTTLineReader {
  let bytes: [UInt8]
  private var place = 0
  /// The present line without its end.
  private(set) var line = 0..<0
  /// Its number, from 1; 0 before the first.
  private(set) var number = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // The byte order mark of UTF-8.
    if bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF { place = 3 }
  }

  /// Goes to the next line; false when there is none.
  mutating func next() -> Bool {
    if place >= bytes.count {
      line = bytes.count..<bytes.count
      return false
    }
    let begin = place
    while place < bytes.count && bytes[place] != 0x0A && bytes[place] != 0x0D { place += 1 }
    line = begin..<place
    number += 1
    if place < bytes.count {
      let isReturn = bytes[place] == 0x0D
      place += 1
      if isReturn && place < bytes.count && bytes[place] == 0x0A { place += 1 }
    }
    return true
  }

  /// Goes to the end of the present block: a blank line, the end, or the line before one with an
  /// arrow, which begins a block of its own (W3C 2019, section 6.1, "collect a WebVTT block").
  mutating func skipBlock() {
    while next() && !line.isEmpty {
      if VTTText.hasArrow(bytes, line) { return unread() }
    }
  }

  /// Makes the present line the next one.
  mutating func unread() {
    place = line.lowerBound
    number -= 1
  }
}

/// The small words of WebVTT.
enum VTTText {
  private static let signature: [UInt8] = [0x57, 0x45, 0x42, 0x56, 0x54, 0x54]
  private static let note: [UInt8] = [0x4E, 0x4F, 0x54, 0x45]
  private static let style: [UInt8] = [0x53, 0x54, 0x59, 0x4C, 0x45]
  private static let region: [UInt8] = [0x52, 0x45, 0x47, 0x49, 0x4F, 0x4E]
  private static let xywh: [UInt8] = [0x78, 0x79, 0x77, 0x68, 0x3D]
  private static let pixel: [UInt8] = [0x70, 0x69, 0x78, 0x65, 0x6C, 0x3A]

  /// `WEBVTT` alone or followed by a blank.
  static func isSignature(_ bytes: [UInt8], _ line: Range<Int>) -> Bool {
    isWord(signature, bytes, line)
  }

  /// A block that is no cue: a note, a style, a region.
  static func isComment(_ bytes: [UInt8], _ line: Range<Int>) -> Bool {
    if hasArrow(bytes, line) { return false }
    return isWord(note, bytes, line) || isWord(style, bytes, line) || isWord(region, bytes, line)
  }

  private static func isWord(_ word: [UInt8], _ bytes: [UInt8], _ line: Range<Int>) -> Bool {
    guard begins(with: word, bytes, line) else { return false }
    let end = line.lowerBound + word.count
    return end == line.upperBound || isBlank(bytes[end])
  }

  private static func begins(with word: [UInt8], _ bytes: [UInt8], _ text: Range<Int>) -> Bool {
    if text.count < word.count { return false }
    for index in 0..<word.count where bytes[text.lowerBound + index] != word[index] {
      return false
    }
    return true
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  static func trimmed(_ bytes: [UInt8], _ text: Range<Int>) -> Range<Int> {
    var begin = text.lowerBound
    var end = text.upperBound
    while begin < end && isBlank(bytes[begin]) { begin += 1 }
    while end > begin && isBlank(bytes[end - 1]) { end -= 1 }
    return begin..<end
  }

  static func position(of byte: UInt8, _ bytes: [UInt8], _ text: Range<Int>) -> Int? {
    for index in text where bytes[index] == byte { return index }
    return nil
  }

  /// Whether the line contains `-->`.
  static func hasArrow(_ bytes: [UInt8], _ line: Range<Int>) -> Bool {
    arrow(bytes, line) != nil
  }

  private static func arrow(_ bytes: [UInt8], _ line: Range<Int>) -> Int? {
    if line.count < 3 { return nil }
    for index in line.lowerBound...(line.upperBound - 3)
    where bytes[index] == 0x2D && bytes[index + 1] == 0x2D && bytes[index + 2] == 0x3E {
      return index
    }
    return nil
  }

  /// The two times of a cue; settings after them are skipped.
  static func span(
    _ bytes: [UInt8], _ line: Range<Int>
  ) -> (start: TimeSpan, end: TimeSpan)? {
    guard let arrow = arrow(bytes, line) else { return nil }
    let first = trimmed(bytes, line.lowerBound..<arrow)
    var second = trimmed(bytes, (arrow + 3)..<line.upperBound)
    for index in second where isBlank(bytes[index]) {
      second = second.lowerBound..<index
      break
    }
    guard let start = time(bytes, first), let end = time(bytes, second) else { return nil }
    return (start, end)
  }

  /// `mm:ss.ttt` or `hh:mm:ss.ttt` with at least two digits of hours.
  private static func time(_ bytes: [UInt8], _ text: Range<Int>) -> TimeSpan? {
    // From the right: three digits, a dot, two, a colon, two, and perhaps a colon and the hours.
    guard text.count >= 9 else { return nil }
    let dot = text.upperBound - 4
    let colon = dot - 3
    guard bytes[dot] == UInt8(ascii: "."), bytes[colon] == UInt8(ascii: ":"),
      let milliseconds = number(bytes, (dot + 1)..<text.upperBound),
      let seconds = number(bytes, (colon + 1)..<dot), seconds < 60,
      let minutes = number(bytes, (colon - 2)..<colon), minutes < 60
    else { return nil }
    var hours: UInt32 = 0
    let rest = text.lowerBound..<(colon - 2)
    if !rest.isEmpty {
      guard rest.count >= 3, bytes[rest.upperBound - 1] == UInt8(ascii: ":"),
        let read = number(bytes, rest.lowerBound..<(rest.upperBound - 1))
      else { return nil }
      hours = read
    }
    let whole = Int64(hours) * 3600 + Int64(minutes) * 60 + Int64(seconds)
    return .milliseconds(whole * 1000 + Int64(milliseconds))
  }

  /// Digits only, at most nine of them.
  private static func number(_ bytes: [UInt8], _ text: Range<Int>) -> UInt32? {
    if text.isEmpty || text.count > 9 { return nil }
    var value: UInt32 = 0
    for index in text {
      let digit = bytes[index] &- 0x30
      if digit > 9 { return nil }
      value = value * 10 + UInt32(digit)
    }
    return value
  }

  /// `xywh=x,y,w,h` or `xywh=pixel:x,y,w,h`; the width and the height are not zero.
  static func area(_ bytes: [UInt8], _ fragment: Range<Int>) -> StoryboardIndex.Area? {
    guard begins(with: xywh, bytes, fragment) else { return nil }
    var text = (fragment.lowerBound + xywh.count)..<fragment.upperBound
    if begins(with: pixel, bytes, text) {
      text = (text.lowerBound + pixel.count)..<text.upperBound
    }
    var values: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
    for place in 0..<4 {
      let comma = position(of: UInt8(ascii: ","), bytes, text)
      if (comma == nil) != (place == 3) { return nil }
      let end = comma ?? text.upperBound
      guard let value = number(bytes, text.lowerBound..<end) else { return nil }
      switch place {
      case 0: values.0 = value
      case 1: values.1 = value
      case 2: values.2 = value
      default: values.3 = value
      }
      if comma != nil { text = (end + 1)..<text.upperBound }
    }
    if values.2 == 0 || values.3 == 0 { return nil }
    return StoryboardIndex.Area(x: values.0, y: values.1, width: values.2, height: values.3)
  }
}
