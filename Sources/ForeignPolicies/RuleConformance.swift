import CachePolicy
import FeedPolicy
import MediaUnits

/// Asks a rule of things made up at random, and says where it answers what cannot be done, or
/// otherwise when it is asked again: a clock, random numbers, a memory. A rule that traps ends the
/// test.
public struct RuleConformance: Sendable {
  /// Where a rule did what a rule must not do.
  public struct Finding: Sendable, CustomStringConvertible {
    /// What has to hold.
    public let rule: String
    /// The number of the question.
    public let question: Int
    /// What was asked, what was expected and what was answered.
    public let text: String

    public var description: String { "\(rule): \(text) (question \(question))" }
  }

  private let questions: Int

  /// - Parameter questions: how many it is asked.
  public init(questions: Int = 10_000) {
    precondition(questions > 0, "questions are positive")
    self.questions = questions
  }

  /// Of a rule of which player gives way (``VictimPackage``).
  public func findings(ofVictim rule: (PoolSnapshot) -> Int) -> [Finding] {
    findings({ $0.pool() }, rule) { snapshot, answer in
      snapshot.players.indices.contains(answer)
        ? nil : "one of \(snapshot.players.count) players, counted from 0"
    }
  }

  /// Of a rule that lifts the cap of the start (``ReleasePackage``).
  public func findings(ofRelease rule: (PlaybackSnapshot) -> Bool) -> [Finding] {
    findings({ $0.playback() }, rule)
  }

  /// Of a rule that lets swipes through (``GatePackage``).
  public func findings(ofGate rule: (SwipeSnapshot) -> Bool) -> [Finding] {
    findings({ $0.swipe() }, rule)
  }

  /// Of a rule of what follows a failure (``RetryPackage``).
  public func findings(ofRetry rule: (RequestFailure) -> RetryPolicy.Answer) -> [Finding] {
    findings({ $0.failure() }, rule)
  }

  /// Of a rule of what may enter a cache (``AdmissionPackage``).
  public func findings(ofAdmission rule: (MissedObject) -> Bool) -> [Finding] {
    findings({ $0.missedObject() }, rule)
  }

  /// Of a rule of lifetimes (``LifetimePackage``).
  public func findings(ofLifetime rule: (CacheDirectives) -> TimeSpan?) -> [Finding] {
    findings({ $0.directives() }, rule)
  }

  /// - Parameter expected: what an answer had to be that cannot be done; nil: it can be.
  private func findings<Question, Answer: Equatable>(
    _ question: (inout RuleRehearsal) -> Question, _ rule: (Question) -> Answer,
    expected: (Question, Answer) -> String? = { _, _ in nil }
  ) -> [Finding] {
    var rehearsal = RuleRehearsal(seed: 1)
    var asked: [(Question, Answer)] = []
    for number in 0..<questions {
      let made = question(&rehearsal)
      let answer = rule(made)
      if let expected = expected(made, answer) {
        return [
          Finding(
            rule: "an answer can be done", question: number,
            text: "expected \(expected) to \(made), got \(answer)")
        ]
      }
      asked.append((made, answer))
    }
    // In another order, which a memory would show.
    var order = Array(asked.indices)
    for place in order.indices.reversed() { order.swapAt(place, rehearsal.draws.below(place + 1)) }
    for number in order {
      let (question, answer) = asked[number]
      let again = rule(question)
      if again != answer {
        return [
          Finding(
            rule: "the same is answered the same", question: number,
            text: "expected \(answer) to \(question), got \(again)")
        ]
      }
    }
    return []
  }
}
