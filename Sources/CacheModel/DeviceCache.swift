import CachePolicy
import MediaUnits

/// How a device's disk cache shares its bytes (VF-021, VF-022).
public enum DeviceCacheRule: UInt8, Sendable, Equatable {
  /// One LRU for everything.
  case shared = 0
  /// Media, and beside it everything else, each with an LRU of its own.
  case categories
  /// A segmented LRU: what is stored before its item is on the screen is on probation, what is used
  /// is protected.
  case segmented
  /// The start of each title (playlists, init segments, first segments) apart from the rest, so
  /// that no rest of a title pushes out the start of another.
  case prefixes
}

/// A device's disk cache: one LRU, or two with a fixed share of the bytes each.
///
/// Objects are known by a *place*, as in ``ByteLRU``; an object that moves from one part to the
/// other gets another place. Left out: a part that lends the other what it does not need.
public struct DeviceCache: Sendable {
  /// Shares of the second part: what is no media, what is protected (four fifths, as S4LRU's upper
  /// segments have it), and starts of titles. All but the second are assumed.
  static func share(_ rule: DeviceCacheRule) -> Double {
    switch rule {
    case .shared: 0
    case .categories: 0.1
    case .segmented: 0.8
    case .prefixes: 0.5
    }
  }

  let rule: DeviceCacheRule
  let capacity: ByteCount
  private var first: ByteLRU
  private var second: ByteLRU

  public init(_ rule: DeviceCacheRule, capacity: ByteCount) {
    self.rule = rule
    self.capacity = capacity
    let share = ByteCount(Int64(Double(capacity.bytes) * DeviceCache.share(rule)))
    first = ByteLRU(capacity: ByteCount(capacity.bytes - share.bytes))
    second = ByteLRU(capacity: share)
  }

  private func place(_ inner: Int, isSecond: Bool) -> Int {
    rule == .shared ? inner : inner * 2 + (isSecond ? 1 : 0)
  }

  /// The place of an object, which is now the one used last; nil when it is absent.
  public mutating func touch(_ key: UInt32) -> Int? {
    if let found = first.touch(key) { return place(found, isSecond: false) }
    if rule == .shared { return nil }
    return second.touch(key).map { place($0, isSecond: true) }
  }

  /// Protects an object on probation that is used now.
  ///
  /// - Returns: its old place and its new one; nil when it does not move.
  public mutating func promote(_ key: UInt32, evicted: (UInt32) -> Void) -> (from: Int, to: Int)? {
    guard rule == .segmented, let old = first.place(of: key), let size = first.size(at: old)
    else { return nil }
    guard let new = second.insert(key, size: size, evicted: { key, _ in evicted(key) })
    else { return nil }
    _ = first.remove(key)
    return (place(old, isSecond: false), place(new, isSecond: true))
  }

  /// Stores an object; nil when it is larger than its part.
  ///
  /// - Parameters:
  ///   - isUsed: its item is on the screen.
  ///   - isStart: it belongs to the start of a title.
  public mutating func insert(
    _ key: UInt32, size: ByteCount, _ asset: AssetClass, isUsed: Bool, isStart: Bool,
    evicted: (UInt32) -> Void
  ) -> Int? {
    let isSecond =
      switch rule {
      case .shared: false
      case .categories: asset != .segment && asset != .initSegment
      case .segmented: isUsed || second.place(of: key) != nil
      case .prefixes: isStart
      }
    if isSecond {
      if rule == .segmented { _ = first.remove(key) }
      return second.insert(key, size: size, evicted: { key, _ in evicted(key) })
        .map { place($0, isSecond: true) }
    }
    return first.insert(key, size: size, evicted: { key, _ in evicted(key) })
      .map { place($0, isSecond: false) }
  }
}
