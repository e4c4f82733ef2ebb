/// The handles of objects that were asked for and are not there: a fixed number of them, the oldest
/// of which is forgotten for a new one.
///
/// Names are kept as hashes, whose key is the process's own: two that meet are a chance of some
/// 2^-64 a pair, and then one object counts as missed before.
struct EdgeGhosts {
  private let most: Int
  private var handles: [UInt64: UInt32] = [:]
  /// A ring of names in the order in which they came; some may have been taken meanwhile.
  private var names: [UInt64] = []
  private var oldest = 0

  init(most: Int) { self.most = most }

  /// The handle that an object had, which is its own again.
  mutating func take(_ address: String, _ variant: [UInt8]) -> UInt32? {
    handles.removeValue(forKey: EdgeGhosts.name(address, variant))
  }

  /// Remembers a handle; returns one that is free on that account.
  mutating func put(_ address: String, _ variant: [UInt8], _ handle: UInt32) -> UInt32? {
    let name = EdgeGhosts.name(address, variant)
    if let same = handles.updateValue(handle, forKey: name) { return same }
    if names.count < most {
      names.append(name)
      return nil
    }
    let old = names[oldest]
    names[oldest] = name
    oldest = oldest + 1 == most ? 0 : oldest + 1
    return old == name ? nil : handles.removeValue(forKey: old)
  }

  private static func name(_ address: String, _ variant: [UInt8]) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(address)
    hasher.combine(variant)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
