import CachePolicy
import MediaUnits

/// What the law of the viewers who are not simulated says of one tier.
///
/// An object leaves an LRU cache when nobody asks for it during the tier's characteristic time
/// (Che, Tung, Wang 2002, doi 10.1109/JSAC.2002.801752). It is told in time that is stretched by
/// the audience's rate (``DemandClock``): LRU knows the order of the requests only.
public struct TierLaw: Sendable, Equatable {
  /// Seconds of stretched time; infinity where everything fits.
  public var characteristicTime = Double.infinity
  /// Bytes for the objects that the law does not cover; nil for the tier's own capacity.
  public var room: Int64?

  public init() {}
}

extension UntouchedResidents {
  /// Bytes of those that are younger than all that has left another.
  public func total(youngerThan other: UntouchedResidents) -> Double {
    var rest = self
    rest.keep(other.frontier)
    return rest.total
  }
}
