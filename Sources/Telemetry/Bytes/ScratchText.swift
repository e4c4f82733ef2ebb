/// A place for texts that are written in another way than they mean: as long as the longest record,
/// and used again for every field.
struct ScratchText: ~Copyable {
  private let bytes: UnsafeMutablePointer<UInt8>
  private var count = 0

  init() { bytes = .allocate(capacity: ByteStream.capacity) }

  deinit { bytes.deallocate() }

  var text: TextSpan { TextSpan(UnsafePointer(bytes), count) }

  /// The meaning of a field. What it was written as may be the last meaning itself: no text becomes
  /// longer.
  mutating func unescape(_ text: TextSpan, _ escape: RecordField.Escape) {
    switch escape {
    case .none: copy(text)
    case .doubledQuotes: undouble(text)
    case .json: unescapeJSON(text)
    case .log: unescapeLog(text)
    }
  }

  /// Writes a text with its `%xx` decoded; a `%` without two hexadecimal digits stays.
  mutating func decodePercent(_ text: TextSpan) {
    var (index, end) = (0, 0)
    while index < text.count {
      if text.base[index] == 0x25, let high = ScratchText.hexadecimal(text[index + 1]),
        let low = ScratchText.hexadecimal(text[index + 2])
      {
        bytes[end] = high << 4 | low
        index += 3
      } else {
        bytes[end] = text.base[index]
        index += 1
      }
      end += 1
    }
    count = end
  }

  private mutating func copy(_ text: TextSpan) {
    if text.count > 0 { bytes.update(from: text.base, count: text.count) }
    count = text.count
  }

  private mutating func undouble(_ text: TextSpan) {
    var (index, end) = (0, 0)
    while index < text.count {
      let byte = text.base[index]
      bytes[end] = byte
      end += 1
      index += byte == 0x22 && text[index + 1] == 0x22 ? 2 : 1
    }
    count = end
  }

  /// nginx writes `\x22`, Apache `\"`.
  private mutating func unescapeLog(_ text: TextSpan) {
    var (index, end) = (0, 0)
    while index < text.count {
      let (byte, next) = (text.base[index], text[index + 1])
      if byte == 0x5C && next == 0x78, let high = ScratchText.hexadecimal(text[index + 2]),
        let low = ScratchText.hexadecimal(text[index + 3])
      {
        bytes[end] = high << 4 | low
        index += 4
      } else if byte == 0x5C && (next == 0x22 || next == 0x5C) {
        bytes[end] = next
        index += 2
      } else {
        bytes[end] = byte
        index += 1
      }
      end += 1
    }
    count = end
  }

  /// RFC 8259 section 7; a pair of surrogates becomes one scalar, half of one a question mark.
  private mutating func unescapeJSON(_ text: TextSpan) {
    var (index, end) = (0, 0)
    while index < text.count {
      let byte = text.base[index]
      if byte != 0x5C {
        bytes[end] = byte
        (index, end) = (index + 1, end + 1)
        continue
      }
      let letter = text[index + 1]
      index += 2
      if letter == 0x75 {
        var scalar = ScratchText.unit(text, index) ?? 0x3F
        index += 4
        if (0xD800..<0xDC00).contains(scalar), text[index] == 0x5C, text[index + 1] == 0x75,
          let low = ScratchText.unit(text, index + 2), (0xDC00..<0xE000).contains(low)
        {
          scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
          index += 6
        }
        let valid = Unicode.Scalar(scalar) ?? "?"
        for part in String(Character(valid)).utf8 {
          bytes[end] = part
          end += 1
        }
        continue
      }
      switch letter {
      case 0x6E: bytes[end] = 0x0A
      case 0x74: bytes[end] = 0x09
      case 0x72: bytes[end] = 0x0D
      case 0x62: bytes[end] = 0x08
      case 0x66: bytes[end] = 0x0C
      default: bytes[end] = letter
      }
      end += 1
    }
    count = end
  }

  private static func unit(_ text: TextSpan, _ start: Int) -> UInt32? {
    var value: UInt32 = 0
    for index in start..<(start + 4) {
      guard let digit = hexadecimal(text[index]) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
