import Scenario
import Statistics

/// The candidate of a tuning that comes nearest to its limits without keeping all of them.
///
/// Nearest: the excesses over the limits, each as a share of its limit, have the least sum. It is
/// by the estimates, as the order of a race is.
public struct NearestMiss: Sendable, Equatable {
  /// A limit that it does not keep by its estimate.
  public struct Miss: Sendable, Equatable {
    /// The number of the limit.
    public var constraint: Int
    /// How far the value is beyond the limit, in the metric's unit; positive.
    public var beyond: Double
    /// 95 %; below zero at its lower end where the limit may be kept after all. Nil without one.
    public var interval: Interval?
    /// ``beyond`` over the limit; nil for a limit of zero.
    public var share: Double?
  }

  /// A key that surely moves the metric of the first limit that is missed.
  public struct Key: Sendable, Equatable {
    public var key: String
    /// Another candidate's value, with all else equal, and that of the nearest one.
    public var other: String?
    public var own: String?
    /// The other's metric minus the nearest one's, over the replications that both have.
    public var change: Estimate
    /// The number of the other one.
    public var candidate: Int
    /// The other value is nearer to keeping the limit.
    public var isBetter: Bool
    /// The nearest one's value is the last one that was tried on the better side.
    public var isAtEnd: Bool
  }

  /// The number of the candidate.
  public var candidate: Int
  /// The one that is missed by the largest share first.
  public var misses: [Miss]
  /// In the order of the sweep's keys; empty where none is known.
  public var keys: [Key]
}
