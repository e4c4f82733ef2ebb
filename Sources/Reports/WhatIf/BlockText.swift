/// Bytes as text of an element that a browser leaves alone: seven bits a byte of the file, where
/// base64 has six.
///
/// Seven bits are the character of that number. Where HTML or a program on the way may do something
/// about that character, or a reader look for it, they are one of two bytes instead, together with
/// the seven bits that follow. So any bytes take 8/7 of their room in UTF-8.
enum BlockText {
  /// Characters that do not stand in the text: blanks and ends of lines and files, what HTML gives
  /// a meaning, and what addresses and attributes have. page.js has the same list.
  static let avoided: [UInt8] = [0, 9, 10, 12, 13, 26, 34, 38, 40, 58, 60, 61, 64, 127]

  /// The text; a reader has to know how many bytes it is of.
  static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 7 * 8 + 8)
    /// The place in ``avoided`` of the seven bits before, which wait for those that follow.
    var waiting: UInt32?
    func add(_ bits: UInt32) {
      if let place = waiting {
        waiting = nil
        // From U+0100 on: below it are control characters.
        let scalar = (place + 2) << 7 | bits
        text.append(UInt8(0xC0 | scalar >> 6))
        text.append(UInt8(0x80 | scalar & 0x3F))
      } else if let place = avoided.firstIndex(of: UInt8(bits)) {
        waiting = UInt32(place)
      } else {
        text.append(UInt8(bits))
      }
    }
    var (held, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      held = (held << 8 | UInt32(byte)) & 0x7FFF
      count += 8
      while count >= 7 {
        count -= 7
        add(held >> count & 0x7F)
      }
    }
    if count > 0 { add(held << (7 - count) & 0x7F) }
    if waiting != nil { add(0) }
    return String(decoding: text, as: UTF8.self)
  }
}
