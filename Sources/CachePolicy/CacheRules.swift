import MediaUnits

/// What kind of cache judges a response, and where it goes beyond RFC 9111.
public struct CacheRules: Sendable, Equatable {
  /// Whether it serves several users: an edge or a shield, not a client. Default true.
  public var isShared: Bool
  /// Whether stale use holds together with `s-maxage`. Default as content delivery networks.
  public var staleWithSharedMaxAge: CacheFreshness.StaleWithSharedMaxAge
  /// Whether the cache can put ranges together, so that 206 may be stored. Default false.
  public var storesPartialContent: Bool
  /// How long an error (status 400 and above) without explicit freshness is repeated; zero, the
  /// default, leaves it to RFC 9111.
  public var negativeLifetime: TimeSpan

  public init(
    isShared: Bool = true,
    staleWithSharedMaxAge: CacheFreshness.StaleWithSharedMaxAge = .allowed,
    storesPartialContent: Bool = false, negativeLifetime: TimeSpan = .zero
  ) {
    self.isShared = isShared
    self.staleWithSharedMaxAge = staleWithSharedMaxAge
    self.storesPartialContent = storesPartialContent
    self.negativeLifetime = negativeLifetime
  }
}
