import FeedModel

/// A feed's configuration as bytes: all that its replications depend on, and nothing of how a
/// scenario says it.
///
/// In front stand a mark, and a sum over the rest; who reads bytes that were changed has no
/// configuration.
public enum FeedImage {
  private static let mark: [UInt8] = [0x46, 0x46, 0x69, 0x31]

  /// The bytes; nil where a machine of somebody else's decides, which has none.
  public static func bytes(of configuration: FeedConfiguration) -> [UInt8]? {
    var coder = ImageCoder()
    _ = coder(configuration)
    if coder.isBroken { return nil }
    var sum = ImageCoder()
    _ = sum.bits(checksum(coder.bytes[...]))
    return mark + sum.bytes + coder.bytes
  }

  /// The configuration; nil when the bytes are not of ``bytes(of:)``.
  public static func read(_ bytes: [UInt8]) -> FeedConfiguration? {
    let start = mark.count + 8
    guard bytes.count > start, bytes[..<mark.count].elementsEqual(mark) else { return nil }
    var sum = ImageCoder(reading: [UInt8](bytes[mark.count..<start]))
    guard sum.bits(nil) == checksum(bytes[start...]) else { return nil }
    var coder = ImageCoder(reading: [UInt8](bytes[start...]))
    let configuration = FeedConfiguration.image(nil, &coder)
    return coder.isBroken || !coder.isAtEnd ? nil : configuration
  }

  /// Writes the sum over the rest anew, where parts of ``bytes(of:)`` were replaced by others of
  /// its kind.
  public static func seal(_ bytes: inout [UInt8]) {
    let start = mark.count + 8
    if bytes.count <= start { return }
    var sum = ImageCoder()
    _ = sum.bits(checksum(bytes[start...]))
    for (place, byte) in sum.bytes.enumerated() { bytes[mark.count + place] = byte }
  }

  /// FNV-1a of 64 bits. Source: G. Fowler, L. Noll, K. Vo, D. Eastlake, "The FNV Non-Cryptographic
  /// Hash Algorithm", draft-eastlake-fnv.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return sum
  }
}
