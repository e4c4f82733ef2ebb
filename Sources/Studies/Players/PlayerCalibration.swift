import Scenario
import Statistics

/// What real players cost, fitted to the log of a live run: the keys of a device class and of a
/// player.
///
/// Laws are empirical: what one machine's browser does follows no law that is known. Times are
/// seconds. Intervals draw whole sessions anew, because uses of one session share a tab.
///
/// Included: creation, another item for a player, decoders' set-up new and reused, how it grows
/// with players and transfers, the first decode, the media that a start needs, presentation. Left
/// out, because nothing tells them: the threshold after a stall, the most decoders at once, what a
/// decoder is made of.
public struct PlayerCalibration: Sendable {
  /// Some times under a key.
  public struct Quantity: Sendable {
    public var name: String
    /// Below a device class, such as `mainThread.create`.
    public var key: String
    public var count: Int
    /// 21 quantiles: 1, 5, 10 and so on to 95 and 99 of a hundred.
    public var values: [Double]
    public var median, p95: Estimate?
    /// Why there is no law.
    public var refusal: String?
  }

  /// A number under a key.
  public struct Number: Sendable {
    public var name: String
    public var key: String
    public var estimate: Estimate?
    /// Of the data, what it rests on.
    public var evidence: String
    public var refusal: String?
  }

  public var heads: [PlayerLog.Head]
  public var sessions: Int
  public var uses: Int
  public var quantities: [Quantity]
  /// Media that a start needs, seconds; nothing where no start waited for media.
  public var threshold: Number
  /// Shares more of a set-up for each other player and for each transfer.
  public var stress: [Number]
  /// Share of the plays whose first frame was painted before.
  public var painted: Double?
  /// What no key could be given for.
  public var unknown: [String]

  public var isEmpty: Bool { quantities.allSatisfy { $0.refusal != nil } }

  /// How to fit.
  public struct Options: Sendable {
    public var seed: UInt64
    public var resamples: Int
    /// Fewer values than this carry no law.
    public var leastValues: Int

    public init(seed: UInt64 = 1, resamples: Int = 200, leastValues: Int = 100) {
      self.seed = seed
      self.resamples = resamples
      self.leastValues = leastValues
    }
  }

  /// Fits what some runs of equal browsers tell.
  ///
  /// - Throws: ``StatisticsError`` when an interval cannot be computed.
  public init(_ logs: [PlayerLog], options: Options) throws(StatisticsError) {
    heads = logs.map(\.head)
    let sessions = logs.flatMap { log in log.sessions.map(\.players) }
    self.sessions = sessions.count
    uses = sessions.reduce(0) { $0 + $1.count }
    let fit = Fitting(sessions: sessions, options: options)
    threshold = try fit.threshold()
    if heads.contains(where: { $0.feeding == .native }) {
      threshold.estimate = nil
      threshold.refusal = "an element that loads by itself tells of whole segments alone"
    }
    let need = (threshold.estimate?.value ?? 0) * 1000
    stress = try fit.stress()
    let shares = stress.map { $0.estimate?.value ?? 0 }
    quantities = [
      try fit.quantity("a player's creation", "playerCreation") { $0.isNew ? $0.opening : nil },
      try fit.quantity("of it on the main thread", "mainThread.create") {
        $0.isNew && $0.opened >= 0 ? $0.worked : nil
      },
      try fit.quantity("another item for a player", "mainThread.retarget") {
        $0.isNew ? nil : $0.opening
      },
      try fit.quantity("a new decoder's set-up", "decoderSetup") {
        $0.isNew ? $0.setUp(shares) : nil
      },
      try fit.quantity("a used decoder's set-up", "decoderReuse") {
        $0.isNew ? nil : $0.setUp(shares)
      },
      try fit.quantity("the first decode", "firstDecode") { $0.decoding(need) },
      try fit.presentation(),
    ]
    let plays = sessions.flatMap { $0.flatMap(\.plays) }.filter { $0[2] >= 0 }
    painted =
      plays.isEmpty ? nil : Double(plays.count { $0[1] == 1 }) / Double(plays.count)
    let most = sessions.map { uses in Set(uses.map(\.player)).count }.max() ?? 0
    unknown = [
      "policy.player.resumeThreshold: no stall was timed",
      "decoderLimit: \(most) players at once were never refused one",
      "stress.swipe: a page does not know what is a burst",
    ]
  }

  /// The quantiles that a law is made of.
  static let probabilities: [Double] = [0.01] + (1...19).map { Double($0) / 20 } + [0.99]
}

extension PlayerUse {
  /// From when it was due to a player that takes bytes, milliseconds.
  fileprivate var opening: Double? { opened >= 0 ? max(0, opened - due) : nil }

  /// A decoder's set-up without what slowed it down.
  fileprivate func setUp(_ shares: [Double]) -> Double? {
    guard let time = setUp else { return nil }
    return time / (1 + shares[0] * Double(players) + shares[1] * Double(transfers))
  }

  fileprivate var setUp: Double? {
    configured >= 0 && metadata >= configured ? metadata - configured : nil
  }

  /// When so many milliseconds of media had been put in; nil where that was not before it could
  /// play.
  fileprivate func reached(_ need: Double) -> Double? {
    appends.first { $0[1] >= need }?[0]
  }

  /// From decoder and media to a player that can play.
  fileprivate func decoding(_ need: Double) -> Double? {
    guard ready >= 0, metadata >= 0 else { return nil }
    guard let media = reached(need) ?? appends.last?[0] else { return nil }
    return max(0, ready - max(metadata, media))
  }
}

/// The uses of some sessions, and what is estimated of them.
private struct Fitting {
  let sessions: [[PlayerUse]]
  let options: PlayerCalibration.Options

  /// An estimate of something of all uses; its interval draws sessions anew.
  func estimate(
    _ statistic: ([PlayerUse]) -> Double
  ) throws(StatisticsError) -> Estimate {
    try Bootstrap(resamples: max(100, options.resamples), seed: options.seed).percentile(
      of: sessions.indices.map(Double.init)
    ) { drawn in statistic(drawn.flatMap { sessions[Int($0)] }) }
  }

  func quantity(
    _ name: String, _ key: String, _ time: (PlayerUse) -> Double?
  ) throws(StatisticsError) -> PlayerCalibration.Quantity {
    try quantity(name, key) { uses in uses.compactMap(time) }
  }

  func presentation() throws(StatisticsError) -> PlayerCalibration.Quantity {
    try quantity("from play to the display", "presentation.attach") { (uses: [PlayerUse]) in
      uses.flatMap(\.plays).filter { $0[2] >= 0 }.map { max(0, $0[2] - $0[0]) }
    }
  }

  private func quantity(
    _ name: String, _ key: String, _ times: ([PlayerUse]) -> [Double]
  ) throws(StatisticsError) -> PlayerCalibration.Quantity {
    let all = times(sessions.flatMap { $0 }).sorted()
    var made = PlayerCalibration.Quantity(
      name: name, key: key, count: all.count, values: [], median: nil, p95: nil, refusal: nil)
    if all.count < options.leastValues {
      made.refusal = "expected at least \(options.leastValues) values, got \(all.count)"
      return made
    }
    for p in PlayerCalibration.probabilities {
      made.values.append(try OrderStatistics.quantile(sorted: all, p) / 1000)
    }
    for (p, path) in [(0.5, \PlayerCalibration.Quantity.median), (0.95, \.p95)] {
      made[keyPath: path] = try estimate { uses in
        Fitting.quantile(times(uses).sorted(), p) / 1000
      }
    }
    return made
  }

  /// Of a draw, which may have none: then 0.
  static func quantile(_ sorted: [Double], _ p: Double) -> Double {
    (try? OrderStatistics.quantile(sorted: sorted, p)) ?? 0
  }

  // MARK: The threshold

  /// The media that a start needs: of all amounts that were there in nearly every start, the one
  /// after which, or after the decoder, starts take the most equal times.
  func threshold() throws(StatisticsError) -> PlayerCalibration.Number {
    let starts = sessions.flatMap { $0 }.filter {
      $0.ready >= 0 && $0.metadata >= 0 && !$0.appends.isEmpty
    }
    var made = PlayerCalibration.Number(
      name: "media that a start needs", key: "startThreshold", estimate: nil, evidence: "",
      refusal: nil)
    let waited = starts.count { use in use.appends.contains { $0[0] > use.metadata } }
    made.evidence = "\(waited) of \(starts.count) starts waited for media"
    if waited < Fitting.leastWaits {
      made.refusal =
        "expected at least \(Fitting.leastWaits) starts that waited for media, got \(waited)"
      return made
    }
    made.estimate = try estimate { uses in Fitting.need(of: uses) / 1000 }
    return made
  }

  private static let leastWaits = 20

  private static func need(of uses: [PlayerUse]) -> Double {
    let starts = uses.filter { $0.ready >= 0 && $0.metadata >= 0 && !$0.appends.isEmpty }
    let there = starts.compactMap { $0.appends.last?[1] }.sorted()
    if there.isEmpty { return 0 }
    // One start in a hundred may have been told late of an append.
    let most = quantile(there, 0.01)
    var candidates = Set(starts.flatMap { $0.appends.map { $0[1].rounded(.down) } })
      .filter { $0 > 0 && $0 <= most }.sorted()
    if candidates.isEmpty { candidates = [most] }
    var best = (spread: Double.infinity, need: most)
    for need in candidates {
      let times = starts.compactMap { $0.decoding(need) }.sorted()
      let middle = quantile(times, 0.5)
      let spread = times.reduce(0) { $0 + abs($1 - middle) } / Double(times.count)
      if spread < best.spread - 1e-9 { best = (spread, need) }
    }
    return best.need
  }

  // MARK: Load

  /// How a set-up grows with other players and with transfers: least squares over the set-ups, each
  /// as a multiple of the mean of its kind. What is below nothing, or whose interval has nothing in
  /// it, is nothing.
  func stress() throws(StatisticsError) -> [PlayerCalibration.Number] {
    let names = [("each other player", "stress.players"), ("each transfer", "stress.transfers")]
    let count = sessions.reduce(0) { $0 + $1.count { $0.setUp != nil } }
    var found: [PlayerCalibration.Number] = []
    for (column, name) in names.enumerated() {
      var made = PlayerCalibration.Number(
        name: name.0, key: name.1, estimate: nil, evidence: "\(count) set-ups", refusal: nil)
      if count < options.leastValues {
        made.refusal = "expected at least \(options.leastValues) set-ups, got \(count)"
      } else if Fitting.shares(of: sessions.flatMap { $0 }) == nil {
        made.refusal =
          "expected set-ups beside more and beside fewer players and transfers, got one"
      } else {
        // A draw that tells nothing apart says that nothing slows anything down.
        let share = try estimate { uses in Fitting.shares(of: uses)?[column] ?? 0 }
        if share.interval.lower > 0 {
          made.estimate = share
        } else {
          made.refusal =
            "expected an interval above 0, got \(share.interval.lower) to \(share.interval.upper)"
        }
      }
      found.append(made)
    }
    return found
  }

  private static func shares(of uses: [PlayerUse]) -> [Double]? {
    var rows: [[Double]] = []
    var times: [Double] = []
    for isNew in [true, false] {
      let kind = uses.filter { $0.isNew == isNew && $0.setUp != nil }
      let mean = kind.reduce(0.0) { $0 + ($1.setUp ?? 0) } / Double(max(1, kind.count))
      if mean <= 0 { continue }
      for use in kind {
        rows.append([1, Double(use.players), Double(use.transfers)])
        times.append((use.setUp ?? 0) / mean)
      }
    }
    guard let fit = try? LeastSquares(rows).coefficients(times), fit[0] > 0 else { return nil }
    return [fit[1] / fit[0], fit[2] / fit[0]]
  }
}
