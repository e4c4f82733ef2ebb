import FeedPolicy
import MediaUnits
import Models

/// A rule that lifts the cap of the start, as a kind of `policy.startupCap.release`.
///
/// It is a function of a ``FeedPolicy/PlaybackSnapshot``. Before the first frame nobody asks it:
/// the cap is there.
public typealias ReleasePackage = RulePackage<any ReleaseDecider>

extension RulePackage where Decider == any ReleaseDecider {
  /// A kind of `policy.startupCap.release`.
  ///
  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  ///   - rule: whether the cap is lifted.
  public init<Configuration: Sendable>(
    _ word: String, version: String, _ summary: String, defaults: Configuration,
    parameters: [PolicyParameter<Configuration>],
    rule: @escaping @Sendable (Configuration, PlaybackSnapshot) -> Bool
  ) {
    self.init(
      word, version: version, summary, decides: "release of the cap", defaults: defaults,
      parameters: parameters, rule: rule, question: { $0.playback() }, bytes: { $0.bytes }
    ) { $0 }
  }
}

extension RuleFunction: ReleaseDecider where Question == PlaybackSnapshot, Answer == Bool {
  func isReleased(for snapshot: PlaybackSnapshot) -> Bool { self(snapshot) }
}

/// A rule of which player of the pool gives way, as a kind of `policy.pool.victim`.
///
/// It is a function of a ``FeedPolicy/PoolSnapshot``: the place of the player among those that may
/// be taken; another number leaves the choice to the pool. Where there is no choice nobody asks it.
public typealias VictimPackage = RulePackage<any VictimDecider>

extension RulePackage where Decider == any VictimDecider {
  /// A kind of `policy.pool.victim`.
  ///
  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  ///   - rule: which player gives way.
  public init<Configuration: Sendable>(
    _ word: String, version: String, _ summary: String, defaults: Configuration,
    parameters: [PolicyParameter<Configuration>],
    rule: @escaping @Sendable (Configuration, PoolSnapshot) -> Int
  ) {
    self.init(
      word, version: version, summary, decides: "victim of the pool", defaults: defaults,
      parameters: parameters, rule: rule, question: { $0.pool() }, bytes: { Int64($0).bytes }
    ) { $0 }
  }
}

extension RuleFunction: VictimDecider where Question == PoolSnapshot, Answer == Int {
  func victim(of snapshot: PoolSnapshot) -> Int { self(snapshot) }
}

/// A rule of what follows a request that has failed, as a kind of `client.retry`.
///
/// It is a function of a ``FeedPolicy/RequestFailure``. Waits are held within a day.
public typealias RetryPackage = RulePackage<any RetryDecider>

extension RulePackage where Decider == any RetryDecider {
  /// A kind of `client.retry`.
  ///
  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  ///   - rule: what follows.
  public init<Configuration: Sendable>(
    _ word: String, version: String, _ summary: String, defaults: Configuration,
    parameters: [PolicyParameter<Configuration>],
    rule: @escaping @Sendable (Configuration, RequestFailure) -> RetryPolicy.Answer
  ) {
    self.init(
      word, version: version, summary, decides: "retries", defaults: defaults,
      parameters: parameters, rule: rule, question: { $0.failure() }, bytes: { $0.bytes }
    ) { $0 }
  }
}

extension RuleFunction: RetryDecider
where Question == RequestFailure, Answer == RetryPolicy.Answer {
  func answer(to failure: RequestFailure) -> RetryPolicy.Answer { self(failure) }
}

extension RetryPolicy.Answer {
  /// The answer as bytes of a digest.
  fileprivate var bytes: [UInt8] {
    switch self {
    case .giveUp: [0]
    case .askViewer: [1]
    case .retry(let wait, let jitter): [2] + wait.nanoseconds.bytes + jitter.nanoseconds.bytes
    }
  }
}

/// A rule of whether a swipe reaches its item, as a kind of `client.gate`.
///
/// It is a function of a ``FeedPolicy/SwipeSnapshot``: true lets the swipe through, false snaps it
/// back.
public typealias GatePackage = RulePackage<any GateDecider>

extension RulePackage where Decider == any GateDecider {
  /// A kind of `client.gate`.
  ///
  /// - Parameters:
  ///   - word: the word behind `kind`, none of the built-in ones.
  ///   - version: 1 to 64 letters, digits and signs.
  ///   - defaults: its configuration where a scenario says nothing.
  ///   - parameters: what scenarios may set of the configuration.
  ///   - rule: whether the swipe is let through.
  public init<Configuration: Sendable>(
    _ word: String, version: String, _ summary: String, defaults: Configuration,
    parameters: [PolicyParameter<Configuration>],
    rule: @escaping @Sendable (Configuration, SwipeSnapshot) -> Bool
  ) {
    self.init(
      word, version: version, summary, decides: "gate", defaults: defaults,
      parameters: parameters, rule: rule, question: { $0.swipe() }, bytes: { $0.bytes }
    ) { $0 }
  }
}

extension RuleFunction: GateDecider where Question == SwipeSnapshot, Answer == Bool {
  func lets(_ swipe: SwipeSnapshot) -> Bool { self(swipe) }
}
