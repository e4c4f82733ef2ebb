import MediaUnits
import Models

/// Where a run that stands for several variants becomes that of one, or of some, of them.
public protocol RunFork: AnyObject, Sendable {
  /// The next instant at which it does; nil: it is what it is. Later than the beginning of the run.
  var next: Instant? { get }

  /// The instant is there, and nothing of it has happened yet; ``next`` is a later one afterwards.
  ///
  /// - Returns: the faults of the variant, or variants, whose run it is from now on.
  func pass() -> CDNFaults
}
