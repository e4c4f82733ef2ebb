import MediaUnits

extension CollapsingMachine {
  /// The lock of an absent key.
  public struct Lock: Sendable, Equatable {
    /// How long a request waits before it goes forward by itself. Default 5 s (nginx,
    /// `proxy_cache_lock_timeout`).
    public var timeout: TimeSpan
    /// How long a fetch keeps the lock; then one more request may take it. Default 5 s (nginx,
    /// `proxy_cache_lock_age`).
    public var age: TimeSpan
    /// How often a request that waits looks again. Default 500 ms (nginx, fixed in
    /// `ngx_http_file_cache_lock`).
    public var poll: TimeSpan

    public init(
      timeout: TimeSpan = .seconds(5), age: TimeSpan = .seconds(5),
      poll: TimeSpan = .milliseconds(500)
    ) {
      self.timeout = timeout
      self.age = age
      self.poll = poll
    }
  }

  /// Which requests wait for one that is under way.
  public enum Mode: Sendable, Equatable {
    /// None.
    case none
    /// Those for an absent key, with a lock.
    case absentOnly(Lock)
    /// All that cannot be served.
    case full
  }

  /// Who waits for a fetch within `stale-while-revalidate`.
  public enum Revalidation: UInt8, Sendable, Equatable {
    /// The first request waits for it, the others are served stale.
    case foreground
    /// Nobody.
    case background
  }

  /// How a cache node treats simultaneous requests.
  public struct Configuration: Sendable, Equatable {
    /// Default full.
    public var mode: Mode
    /// Default in the background (RFC 5861 section 3).
    public var revalidation: Revalidation
    /// Which failures are answered with a stale copy. Default those within `stale-if-error`
    /// (RFC 5861 section 4).
    public var staleOnFailure: CacheFreshness.StaleOnFailure
    /// For how long an uncacheable answer stops collapsing; zero for not at all. Default 120 s
    /// (Varnish, `vcl_beresp_hitmiss` of the built-in configuration). Modes other than full do
    /// without.
    public var hitForMiss: TimeSpan
    /// How many waiters go forward after each answer that cannot serve them. Default all.
    public var releasedPerAnswer: Int

    public init(
      mode: Mode = .full, revalidation: Revalidation = .background,
      staleOnFailure: CacheFreshness.StaleOnFailure = .withinWindow,
      hitForMiss: TimeSpan = .seconds(120), releasedPerAnswer: Int = .max
    ) {
      self.mode = mode
      self.revalidation = revalidation
      self.staleOnFailure = staleOnFailure
      self.hitForMiss = hitForMiss
      self.releasedPerAnswer = releasedPerAnswer
    }

    /// nginx 1.22 `proxy_cache`.
    ///
    /// - Parameters:
    ///   - lock: `proxy_cache_lock on`; nil for off, the default of nginx.
    ///   - revalidation: `proxy_cache_background_update`; off is in the foreground.
    ///   - staleOnFailure: without `proxy_cache_use_stale` only connection failures.
    public static func nginx(
      lock: Lock? = nil, revalidation: Revalidation = .foreground,
      staleOnFailure: CacheFreshness.StaleOnFailure = .whenUnreachable
    ) -> Configuration {
      Configuration(
        mode: lock.map(Mode.absentOnly) ?? .none, revalidation: revalidation,
        staleOnFailure: staleOnFailure, hitForMiss: .zero)
    }

    /// Varnish 7 with its built-in configuration.
    ///
    /// An answer wakes `rush_exponent` = 3 waiters when its head has come and 3 when it has been
    /// delivered (`HSH_Unbusy`, `HSH_DerefObjCore`): 6 together.
    public static let varnish = Configuration(
      staleOnFailure: .never, hitForMiss: .seconds(120), releasedPerAnswer: 6)

    /// An Amazon CloudFront edge: collapses on a miss and on expiry, sends everybody forward after
    /// an uncacheable answer, and serves stale copies on failures. How long it remembers that a key
    /// is uncacheable is not documented; 120 s is assumed.
    public static let cloudFront = Configuration(staleOnFailure: .always)

    /// Stops on values of our own making that make no sense.
    func check() {
      precondition(hitForMiss >= .zero, "hitForMiss is not negative")
      precondition(releasedPerAnswer >= 1, "at least one waiter is released")
      if case .absentOnly(let lock) = mode {
        precondition(lock.timeout >= .zero && lock.age >= .zero, "lock spans are not negative")
        precondition(lock.poll > .zero, "the poll interval is positive")
      }
    }
  }
}
