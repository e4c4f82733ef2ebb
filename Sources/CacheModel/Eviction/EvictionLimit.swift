/// What a kind does badly at some capacity, because libCacheSim does.
public enum EvictionLimit: Hashable, Sendable {
  /// No object enters the cache.
  case storesNothing
  /// What is counted of the objects says next to nothing.
  case countsCoarsely
}
