/// A hash of a set of events that does not depend on the order in which they are added.
///
/// Each event is mixed to 64 bits on its own and the results are added, so partitions of a run can
/// be combined in any order. Two runs that handled the same events have the same fingerprint.
@frozen
public struct Fingerprint: Equatable, Sendable {
  /// The hash.
  public var value: UInt64 = 0

  @inlinable
  public init(value: UInt64 = 0) { self.value = value }

  @inlinable
  public mutating func add(
    time: Int64, phase: UInt64, target: UInt32, source: UInt32, tag: UInt32
  ) {
    value =
      value
      &+ Fingerprint.mix(
        UInt64(bitPattern: time) &+ phase << 61 &+ UInt64(tag) << 53,
        UInt64(target) << 32 | UInt64(source))
  }

  /// Adds another part of the same run.
  @inlinable
  public mutating func combine(_ other: Fingerprint) { value = value &+ other.value }

  /// Takes away what another part counted, too.
  @inlinable
  public mutating func remove(_ other: Fingerprint) { value = value &- other.value }

  /// Mixes two words to one; a finaliser of two multiplications with full-width folding.
  @inlinable
  static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let first = (a ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: b ^ 0xD6E8_FEB8_6659_FD93)
    let folded = first.high ^ first.low
    let second = (folded ^ a).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return second.high ^ second.low ^ b
  }
}
