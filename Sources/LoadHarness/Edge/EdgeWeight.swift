import CachePolicy
import MediaUnits
import NIOCore
import NIOHTTP1

/// What an object takes in memory, as far as it can be said without asking the allocator: glibc's
/// rounding, Swift's headers, and the entries of the tables that know it.
enum EdgeWeight {
  /// Bytes that a block of so many takes (glibc: eight of its own, multiples of sixteen).
  static func block(_ bytes: Int) -> Int64 { Int64(max(32, (bytes + 8 + 15) & ~15)) }

  /// A buffer: its bytes, its object, its place in the list.
  static func buffer(_ bytes: Int) -> Int64 { block(bytes) + block(48) + 32 }

  /// A text, which has up to 15 bytes in its place.
  static func text(_ bytes: Int) -> Int64 { bytes <= 15 ? 0 : block(bytes + 33) }

  static func array(_ bytes: Int) -> Int64 { bytes == 0 ? 0 : block(bytes + 32) }

  /// What every variant with a copy takes beside what differs: the objects of address, variant,
  /// answer and body, an entry in the table of addresses, part of whose places are empty, and in
  /// those of the eviction policy, which double. Assumed, from the sizes of their
  /// parts; EdgeLoadTests holds the sum against what the process takes.
  static let common: Int64 = 1_100

  /// The entry of one variant among others of its address.
  private static let group: Int64 = 96

  /// Bytes of a variant with a copy.
  ///
  /// - Parameter length: of the body, which may be still on its way.
  static func bytes(_ answer: EdgeAnswer, length: Int64, of variant: EdgeVariant) -> Int64 {
    var sum = common + text(variant.address.key.utf8.count) + array(variant.key.count)
    let fields = answer.fields
    sum += array(fields.count * 32)
    for (name, value) in fields { sum += text(name.utf8.count) + text(value.utf8.count) }
    sum += array(answer.tag?.count ?? 0) + array(answer.vary.names.count * 8)
    for name in answer.vary.names { sum += array(name.count) }
    if !variant.key.isEmpty { sum += group }
    sum += answer.body.state == .whole ? answer.body.memory : EdgeBody.memory(of: length)
    return sum
  }
}
