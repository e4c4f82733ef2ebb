import CachePolicy
import MediaUnits

/// Decides something in the place of a shipped rule: code that the program does not ship
/// (docs/decisions/0046).
public protocol RuleDecider: AnyObject, Sendable {
  /// Whether it could not decide any more, and results are void.
  var hasFailed: Bool { get }
}

extension RuleDecider {
  public var hasFailed: Bool { false }
}

/// Says which missed objects enter a cache.
public protocol AdmissionDecider: RuleDecider {
  /// The same object has the same answer.
  func admits(_ object: MissedObject) -> Bool
}

/// Says how long a tier keeps an answer, in the place of RFC 9111.
public protocol LifetimeDecider: RuleDecider {
  /// How long an answer is fresh from when it was made, by what the origin says of it; nil: it is
  /// not stored. The same directives have the same answer.
  func lifetime(of directives: CacheDirectives) -> TimeSpan?
}

/// Chooses who leaves one cache.
public protocol EvictionDecider: AnyObject {
  /// A stored object was asked for.
  func used(_ object: UInt32, at now: Instant)
  /// An object was stored.
  func stored(_ object: UInt32, size: ByteCount, at now: Instant)
  /// The object that leaves.
  func victim() -> UInt32
  /// A stored object has left for another reason than want of room.
  func removed(_ object: UInt32)
  /// It has named somebody who is not stored: the run is void, nobody asks it any more, and
  /// ``RuleDecider/hasFailed`` is true from now on.
  func refuse(_ victim: UInt32)
}

/// Makes one decider for each cache; ``RuleDecider/hasFailed`` where one of them was refused.
public protocol EvictionDeciders: RuleDecider {
  /// For a cache that is empty and holds so many bytes.
  func decider(capacity: ByteCount) -> any EvictionDecider
}

/// A rule of admission that the program does not ship; equal to itself alone.
public struct ForeignAdmission: Sendable, Equatable {
  let decider: any AdmissionDecider

  public init(_ decider: any AdmissionDecider) { self.decider = decider }

  public func admits(_ object: MissedObject) -> Bool { decider.admits(object) }

  public static func == (a: Self, b: Self) -> Bool { a.decider === b.decider }
}

/// A rule of lifetimes that the program does not ship; equal to itself alone.
public struct ForeignLifetime: Sendable, Equatable {
  let decider: any LifetimeDecider

  public init(_ decider: any LifetimeDecider) { self.decider = decider }

  /// The longest lifetime that an answer is given: some 31 years.
  private static var longest: TimeSpan { .seconds(1_000_000_000) }

  /// What a tier remembers of an answer; nil when it may not store it. `no-store` and `private` do
  /// not bind a rule that gives a lifetime, as a CDN's own settings are not bound by them.
  func store(
    _ directives: CacheDirectives, at now: Instant, initialAge age: TimeSpan
  ) -> StoredResponse? {
    guard let lifetime = decider.lifetime(of: directives) else { return nil }
    var stated = directives
    stated.sharedMaxAge = nil
    stated.maxAge = min(max(lifetime, .zero), ForeignLifetime.longest)
    stated.options.remove([.noStore, .isPrivate])
    return CacheFreshness.store(stated, shared: true, at: now, initialAge: age)
  }

  public static func == (a: Self, b: Self) -> Bool { a.decider === b.decider }
}

/// A rule of eviction that the program does not ship; equal to itself alone.
public struct ForeignEviction: Sendable, Hashable {
  let deciders: any EvictionDeciders

  public init(_ deciders: any EvictionDeciders) { self.deciders = deciders }

  public static func == (a: Self, b: Self) -> Bool { a.deciders === b.deciders }

  /// The same for all: there are few, and what is no address has no other number.
  public func hash(into hasher: inout Hasher) { hasher.combine(0 as UInt8) }
}
