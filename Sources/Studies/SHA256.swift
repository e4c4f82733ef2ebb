/// The Secure Hash Algorithm of 256 bits (FIPS 180-4, sections 4 to 6).
///
/// Names of shards are the same on every machine, so that they need a hash that is a standard. That
/// of a library would be one function out of a minute's build.
public struct SHA256 {
  private static let rounds: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]

  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]
  private var schedule = [UInt32](repeating: 0, count: 64)

  private init() {}

  /// The 32 bytes of a message.
  public static func bytes(of message: some Sequence<UInt8>) -> [UInt8] {
    var padded = Array(message)
    let bits = UInt64(padded.count) * 8
    padded.append(0x80)
    padded.append(contentsOf: repeatElement(0, count: (120 - padded.count % 64) % 64))
    for place in (0..<8).reversed() {
      padded.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt64(place))))
    }
    var hash = SHA256()
    padded.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: 64) {
        hash.add(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 64]))
      }
    }
    return hash.state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
  }

  /// The same as 64 hexadecimal digits.
  static func text(of message: some Sequence<UInt8>) -> String {
    bytes(of: message).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  private static func turn(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// Adds a block of 64 bytes.
  private mutating func add(_ block: UnsafeRawBufferPointer) {
    for place in 0..<16 {
      schedule[place] = UInt32(
        bigEndian: block.loadUnaligned(fromByteOffset: 4 * place, as: UInt32.self))
    }
    for place in 16..<64 {
      let (early, late) = (schedule[place - 15], schedule[place - 2])
      let first = SHA256.turn(early, 7) ^ SHA256.turn(early, 18) ^ early >> 3
      let second = SHA256.turn(late, 17) ^ SHA256.turn(late, 19) ^ late >> 10
      schedule[place] = schedule[place - 16] &+ first &+ schedule[place - 7] &+ second
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for round in 0..<64 {
      let mixed = SHA256.turn(e, 6) ^ SHA256.turn(e, 11) ^ SHA256.turn(e, 25)
      let chosen = e & f ^ ~e & g
      let first = h &+ mixed &+ chosen &+ SHA256.rounds[round] &+ schedule[round]
      let turned = SHA256.turn(a, 2) ^ SHA256.turn(a, 13) ^ SHA256.turn(a, 22)
      let second = turned &+ (a & b ^ a & c ^ b & c)
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ second)
    }
    for (place, word) in [a, b, c, d, e, f, g, h].enumerated() { state[place] &+= word }
  }
}
