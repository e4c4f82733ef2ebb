import FeedPolicy
import MediaUnits

/// What somebody else's prefetch policy is told.
public struct PrefetchTold: Sendable, Equatable {
  /// When it happened.
  public var at: Instant
  /// As the shipped policy is told it.
  public var event: PrefetchPolicy.Event

  /// An event with its time.
  public init(_ event: PrefetchPolicy.Event, at now: Instant) {
    self.event = event
    at = now
  }
}

/// What is wrong with a command of somebody else's prefetch policy.
public enum PrefetchFault: Sendable, Equatable {
  /// Something is fetched before any item was the current one.
  case noCurrent
  /// The item on the screen is fetched, which its player does.
  case current
  /// The item is not in the feed yet, or farther from the current one than the host keeps items.
  case outOfReach
  /// A length that is not positive, or of more than a day; a limit that is negative.
  case length
  /// A stage that is not one below media.
  case stage
  /// A fetch is ended that is not in progress.
  case notInProgress
}

/// Decides for one session what is prefetched, in the place of ``FeedPolicy/PrefetchPolicy``: code
/// that the program does not ship (docs/decisions/0043).
///
/// It is told what the shipped machine is told and commands what that commands. Events are told as
/// they come and answered when the first of their commands would be done, so that several may be
/// answered at once; order and result are those of a machine that answers each as it is told.
public protocol PrefetchDecider: AnyObject {
  /// Answers all that was told since the last call, the oldest first.
  ///
  /// - Parameters:
  ///   - commands: gets the commands for all of them, one event's after the other's.
  ///   - ends: gets for each of them how many commands there are up to and with its own.
  func decide(
    _ told: [PrefetchTold], into commands: inout [PrefetchPolicy.Command], ends: inout [Int])

  /// A command that cannot be done: the run is void, and ``PrefetchDeciders/hasFailed`` from now
  /// on.
  func refuse(_ command: PrefetchPolicy.Command, _ fault: PrefetchFault, after told: PrefetchTold)

  /// The session is over; `told` is what was told and never asked about.
  func close(_ told: [PrefetchTold])
}

/// Where sessions get their deciders from; shared by the worlds of all threads.
public protocol PrefetchDeciders: AnyObject, Sendable {
  /// Whether they are told the lengths of items and where the playhead is.
  var readsHazard: Bool { get }
  /// Whether they are told that the current item stalls.
  var readsStalls: Bool { get }
  /// Whether one of them could not decide any more, and results are void.
  var hasFailed: Bool { get }
  /// The decider of a session that begins.
  func decider(replication: UInt16, session: UInt32) -> any PrefetchDecider
}
