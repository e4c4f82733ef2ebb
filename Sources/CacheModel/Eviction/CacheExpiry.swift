/// When a stored object is too old to be a hit. A lifetime of 0 never expires.
public enum CacheExpiry: Hashable, Sendable {
  /// Lifetimes are ignored.
  case ignore
  /// Fresh while the age is below the lifetime (RFC 9111, section 4.2).
  case rfc9111
  /// Fresh while the age is at most the lifetime, as libCacheSim has it.
  case reference
}
