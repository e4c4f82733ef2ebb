import MediaUnits
import SimulationKernel

/// Titles that arrive all the time and are watched while they are new.
///
/// One title comes every ``every``, the first ones long before the run. A view of a new title asks
/// for the one that was uploaded an age ago that is drawn from ``age``: popularity by recency, as
/// in the churn trace of caches.md section 7. Such titles are never resident in a stationary start.
public struct NewTitles: Sendable {
  public var every: TimeSpan
  /// Share of the items of a feed that are new titles.
  public var share: Double
  /// Time since the upload of a new title that is watched, seconds.
  public var age: QuantileTable
  /// The largest such age.
  let longest: TimeSpan

  public init(every: TimeSpan, share: Double, age: QuantileTable) {
    precondition(every > .zero && share >= 0 && share <= 1)
    self.every = every
    self.share = share
    self.age = age
    longest = TimeSpan(seconds: age.quantile(1 - 0x1p-53))
  }

  /// How many titles there are from the oldest that can be asked for at the start of the run to the
  /// last before `end`.
  func count(until end: TimeSpan) -> Int64 {
    end.wholeSteps(of: every) + longest.wholeSteps(of: every) + 3
  }

  /// The place among them of the title that was the newest at an age before now.
  public func place(at now: Instant, age u: Double) -> UInt32 {
    let oldest = -longest.wholeSteps(of: every) - 1
    let age = TimeSpan(seconds: age.quantile(u))
    let place = ((now - .zero) - age).wholeSteps(of: every) - oldest
    return UInt32(place < 0 ? 0 : place)
  }
}
