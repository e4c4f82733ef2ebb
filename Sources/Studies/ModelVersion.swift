import Scenario

/// Which predictions a program makes of a world: numbers of two versions cannot be compared.
///
/// Raised with every change that moves a predicted number of the world (docs/decisions/0023). 1: up
/// to the frame that is ready at once; 2: a ready frame costs its presentation, readiness and
/// waiting are told apart, percentiles are pooled; 3, of mixed feeds alone: players, rungs and
/// connections come from where the feed's do (docs/decisions/0011); 4, of mixed feeds alone:
/// requests and answers travel as the feed's do (docs/decisions/0027). Feeds over QUIC alone had 3:
/// its handshake and its losses are its RFCs' (docs/decisions/0030). 5, of all feeds: a first frame
/// waits for the rounds before its own bytes alone (docs/decisions/0008). 6: each replication has a
/// pilot of its own (docs/decisions/0037), and Media3 plays what has come of a segment
/// (docs/decisions/0031).
public enum ModelVersion {
  /// Of the worlds that have no version of their own.
  public static let current = 2
  /// Of feeds, mixed ones among them.
  public static let feed = 6

  /// Of the world of a scenario.
  public static func of(_ scenario: StudyScenario) -> Int { scenario.plan.studied.modelVersion }
}
