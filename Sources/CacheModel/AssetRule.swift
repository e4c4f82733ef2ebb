import CachePolicy
import MediaUnits

/// What may go wrong, on purpose or not, with the lifetimes of one class of objects.
public struct AssetRule: Sendable, Equatable {
  /// False: answers are `no-store`, whatever the class's directives say.
  public var isCacheable: Bool
  /// The lifetime is spread uniformly over its value times 1 ± this, drawn for each fetch from the
  /// origin; 0 to 1.
  public var jitter: Double
  /// Copies expire together at the next multiple of this; zero: each a lifetime after its fetch.
  public var synchronisedTo: TimeSpan

  public init(
    isCacheable: Bool = true, jitter: Double = 0, synchronisedTo: TimeSpan = .zero
  ) {
    precondition(jitter >= 0 && jitter <= 1 && synchronisedTo >= .zero)
    self.isCacheable = isCacheable
    self.jitter = jitter
    self.synchronisedTo = synchronisedTo
  }

  /// The lifetime that the origin states at `now`.
  ///
  /// - Parameter u: a uniform number for the jitter.
  public func lifetime(_ usual: TimeSpan, at now: Instant, u: Double) -> TimeSpan {
    var span = usual
    if synchronisedTo > .zero {
      let period = synchronisedTo.nanoseconds
      span = TimeSpan(nanoseconds: period - now.nanoseconds % period)
    }
    return jitter > 0 ? span.scaled(by: 1 + jitter * (2 * u - 1)) : span
  }
}

/// A purge: at that time every copy that any tier has of the classes is gone.
public struct CachePurge: Sendable, Equatable {
  public var at: Instant
  /// Bit of each class by its raw value.
  public var classes: UInt16

  /// - Parameter classes: nil for all.
  public init(at time: Instant, classes: [AssetClass]?) {
    at = time
    self.classes = classes.map { $0.reduce(0) { $0 | 1 << UInt16($1.rawValue) } } ?? .max
  }

  /// Whether it is about objects of a class.
  public func covers(_ asset: AssetClass) -> Bool { classes >> UInt16(asset.rawValue) & 1 == 1 }
}

/// What the caches tell objects apart by (SIG-040, SIG-041).
public enum CacheKeyRule: Sendable, Equatable {
  /// The path alone.
  case path
  /// The path and a query that has so many values, equally frequent, one for each session; at
  /// least 1.
  case query(values: UInt32)
  /// The path and something that no two sessions share, such as a signed URL's signature.
  case session

  /// Among how many keys the demand for an object is spread; nil: no key is asked for by two
  /// sessions.
  public var copies: Double? {
    switch self {
    case .path: 1
    case .query(let values): Double(values)
    case .session: nil
    }
  }
}
