/// Which missed objects may enter a cache at all.
public enum CacheAdmission: Equatable, Sendable {
  /// Every object.
  case all
  /// Objects of at most so many bytes.
  case size(atMost: Int64)
  /// Objects missed before, as a Bloom filter remembers them.
  case bloom
  /// A share of the misses, 0 to 1, drawn by request number.
  case probability(Double)
  /// Those that a rule of somebody else's lets in; not in a replay.
  case rule(ForeignAdmission)
}
