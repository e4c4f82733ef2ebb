import MediaUnits
import ModelBasics
import SimulationKernel

/// How look-ups of a host's name fail.
///
/// Included: tries that nobody answers, each until the resolver's time-out; tries that are answered
/// with a failure (SERVFAIL) after the time of any look-up; a bounded number of tries, all with the
/// same chance. A look-up whose tries all fail has failed, and whatever waits for the name with it.
/// Left out: several servers, failures that are kept for a while (RFC 2308 section 7), failures
/// that come together. Source: parameters.md section 2.1; docs/decisions/0033.
public struct NameFailure: Sendable, Equatable {
  /// Probability that a try is not answered, and that it is answered with a failure.
  public var unanswered, refused: Double
  /// How long a try waits for an answer.
  public var timeout: TimeSpan
  /// Tries of one look-up.
  public var tries: Int

  public init(unanswered: Double, refused: Double, timeout: TimeSpan, tries: Int) {
    precondition(unanswered >= 0 && refused >= 0, "a probability is not negative")
    precondition(timeout >= .zero && tries >= 1, "a look-up is tried once at least")
    self.unanswered = unanswered
    self.refused = refused
    self.timeout = timeout
    self.tries = tries
  }

  /// What one look-up meets with.
  struct Outcome: Equatable {
    /// Time of its tries that failed.
    var lost = TimeSpan.zero
    /// Whether none was left that did not.
    var hasFailed = true
  }

  /// - Parameters:
  ///   - session: whose look-up it is, and `number` which of the session's.
  ///   - answer: time of a try that is answered.
  func outcome(
    of number: UInt32, session: UInt32, answer: TimeSpan, _ streams: RandomStreams
  ) -> Outcome {
    var outcome = Outcome()
    for attempt in 0..<tries {
      let u = streams.uniform(
        .nameFailure, entity: UInt64(session) << 32 | UInt64(number), draw: UInt32(attempt))
      if u >= unanswered + refused {
        outcome.hasFailed = false
        break
      }
      outcome.lost = outcome.lost + (u < unanswered ? timeout : answer)
    }
    return outcome
  }
}
