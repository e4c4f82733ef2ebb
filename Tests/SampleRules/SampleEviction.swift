import CachePolicy
import MediaUnits

/// Least recently used, or first in first out, as a team's edge may have it: what the shipped `lru`
/// and `fifo` decide, by code that knows nothing of them.
public struct SampleEviction: EvictionMachine {
  /// What a scenario may set.
  public struct Configuration: Sendable {
    /// Whether a use puts an object behind the others.
    public var isRenewedByUse = true

    /// The defaults.
    public init() {}
  }

  private static let none = UInt32.max

  private let configuration: Configuration
  /// The stored objects in the order in which they leave, by object: who comes before and after.
  private var before: [UInt32] = []
  private var after: [UInt32] = []
  private var first = SampleEviction.none
  private var last = SampleEviction.none

  public init(_ configuration: Configuration, capacity: ByteCount) {
    self.configuration = configuration
  }

  public mutating func used(_ object: UInt32, at now: Instant) {
    if !configuration.isRenewedByUse { return }
    unlink(object)
    append(object)
  }

  public mutating func stored(_ object: UInt32, size: ByteCount, at now: Instant) {
    while before.count <= Int(object) {
      before.append(SampleEviction.none)
      after.append(SampleEviction.none)
    }
    append(object)
  }

  public mutating func victim() -> UInt32 {
    let victim = first
    unlink(victim)
    return victim
  }

  public mutating func removed(_ object: UInt32) { unlink(object) }

  private mutating func append(_ object: UInt32) {
    before[Int(object)] = last
    after[Int(object)] = SampleEviction.none
    if last == SampleEviction.none { first = object } else { after[Int(last)] = object }
    last = object
  }

  private mutating func unlink(_ object: UInt32) {
    let (one, other) = (before[Int(object)], after[Int(object)])
    if one == SampleEviction.none { first = other } else { after[Int(one)] = other }
    if other == SampleEviction.none { last = one } else { before[Int(other)] = one }
  }
}
