/// What the queue moves about for a pending event: 16 bytes.
///
/// The order of events is that of (time, phase, target, source, source's own sequence). The key has
/// the first three of them; two events that agree there are told apart by their entries.
@frozen
@usableFromInline
struct EventKey: BitwiseCopyable {
  /// Nanoseconds, never negative.
  @usableFromInline var time: UInt64
  /// phase << 62 | target << 32 | slot; when ties are shuffled, phase << 62 | hash << 32 | slot
  /// with a hash of the source. The slot takes no part in the order.
  @usableFromInline var rank: UInt64

  @inlinable @inline(__always)
  init(time: UInt64, rank: UInt64) {
    self.time = time
    self.rank = rank
  }

  /// The place of the event's entry.
  @inlinable @inline(__always)
  var slot: Int { Int(truncatingIfNeeded: UInt32(truncatingIfNeeded: rank)) }

  /// Phase as in ``Phase``.
  @inlinable @inline(__always)
  var phase: UInt64 { rank >> 62 }

  /// Both words as one number; its order is right for keys that do not tie.
  @inlinable @inline(__always)
  var number: UInt128 { UInt128(time) << 64 | UInt128(rank) }

  @inlinable @inline(__always)
  func ties(_ other: EventKey) -> Bool {
    (time ^ other.time) | (rank ^ other.rank) >> 32 == 0
  }
}
