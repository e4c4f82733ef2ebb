import CachePolicy

/// A tier of caches.
public enum CacheTier: UInt8, CaseIterable, Sendable {
  case edge, regional, shield
}

/// What became of a request at a tier (contract.md section 1). Every request is exactly one.
///
/// A request is counted when it is answered. One that is given up while it waits counts as what it
/// was waiting for: collapsed when for another's fetch, else revalidated or missed by whether its
/// own fetch was conditional.
public enum CacheOutcome: UInt8, CaseIterable, Sendable {
  case hit, staleHit, revalidated, collapsed, miss, bypass, error
}
