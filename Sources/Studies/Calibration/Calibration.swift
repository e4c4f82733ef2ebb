import Scenario
import Statistics

/// Laws fitted to telemetry, and the keys of a scenario that they are for.
public struct Calibration: Sendable {
  /// How to fit.
  public struct Options: Sendable {
    /// Of the bootstrap; equal seeds give equal answers.
    public var seed: UInt64
    /// Resamples of an interval, and samples that a p-value rests on.
    public var resamples: Int
    /// Fewer values than this carry no fit.
    public var leastValues: Int
    /// Titles of the catalogue; nil: estimated.
    public var titles: Int?
    /// Edges whose viewers the telemetry is of; nil: no rate is written.
    public var edges: Int?
    /// What nobody leaves before, without a frame: `audience.patienceFloor`, seconds.
    public var patienceFloor: Double
    /// Names of quantities and keys that are left out on purpose: of
    /// ``Calibration/choices(toLeaveOut:)``.
    public var without: Set<String>
    /// What chose what was fetched, where requests were read; empty: nobody says.
    public var policy: String

    public init(
      seed: UInt64 = 1, resamples: Int = 200, leastValues: Int = 100, titles: Int? = nil,
      edges: Int? = nil, patienceFloor: Double = 1, without: Set<String> = [], policy: String = ""
    ) {
      self.seed = seed
      self.resamples = resamples
      self.leastValues = leastValues
      self.titles = titles
      self.edges = edges
      self.patienceFloor = patienceFloor
      self.without = without
      self.policy = policy
    }
  }

  /// A quantity and what came of it.
  public struct Finding: Sendable {
    public var name: String
    /// The key of a scenario that the law is written to; nil for what is a result there.
    public var key: String?
    public var unit: LawUnit
    /// Values that were seen, censored ones and zeros among them.
    public var count: Int
    public var censored: Int
    public var zeros: Int
    public var outcome: Outcome
    /// The result of a run that it is for comparison with, where no key takes it.
    public var result: String?

    /// Whether there is a law.
    public var isFitted: Bool {
      if case .fitted = outcome { return true }
      return false
    }
  }

  public enum Outcome: Sendable {
    case fitted(Fit)
    /// Why the data cannot carry a fit.
    case refused(String)
  }

  public struct Fit: Sendable {
    /// The best by Akaike's criterion, with intervals.
    public var best: LawFit
    /// All that could be fitted, the best first.
    public var candidates: [LawFit]
    public var distance: FitDistance
    /// The largest value, seen or censored: beyond it the law is a guess.
    public var largest: Double
    /// Quantiles of the law and of the data (product-limit), by rising probability.
    public var quantiles: [(p: Double, law: Double, data: Double)]
  }

  /// A number with its interval.
  public struct Scalar: Sendable {
    public var name: String
    public var key: String?
    public var estimate: Estimate
  }

  public var reading: TelemetryReading
  public var options: Options
  public var findings: [Finding]
  /// All laws of single values, those of ``field`` among them.
  public var allLaws: [Finding] { findings + field.laws }
  public var scalars: [Scalar]
  /// The popularity of titles; nil when no event names any.
  public var popularity: Result<PopularityFit, StatisticsError>?
  /// Links, devices, the day, what is watched, caches.
  public var field: FieldCalibration

  /// The keys of a popularity.
  static let popularityKeys = (titles: "catalogue.titles", law: "catalogue.popularity")

  /// A law that is further than this from the data describes something else (in probability).
  public static let farthest = 0.1

  /// Whether anything could be fitted.
  public var isEmpty: Bool {
    let hasLaw = findings.contains { finding in
      if case .fitted = finding.outcome { return true }
      return false
    }
    if case .success? = popularity { return false }
    return !hasLaw && scalars.isEmpty && field.isEmpty
  }

  /// Fits everything that was read.
  public init(_ reading: TelemetryReading, options: Options) {
    self.reading = reading
    self.options = options
    let data = reading.data
    var findings: [Finding] = []
    func add(
      _ name: String, _ key: String?, _ unit: LawUnit, _ times: TelemetryData.Times,
      result: String? = nil
    ) {
      if times.count == 0 || options.leavesOut(name, key) { return }
      findings.append(Calibration.finding(name, key, unit, times, options, result: result))
    }
    add("startup", nil, .time, data.startup, result: "ttff_ms")
    add("dwell", nil, .time, data.dwell, result: "start, played and stalls together")
    add("session length", "audience.sessionLength", .time, data.session)
    add(
      "patience", "audience.patience", .time,
      Calibration.beyond(options.patienceFloor, data.leaving))
    for (name, times) in data.named.sorted(by: { $0.key < $1.key }) {
      let unit = ScenarioTable.lawUnit(at: name)
      add(name, unit == nil ? nil : name, unit ?? .real, times)
    }
    self.findings = findings
    field = FieldCalibration(data.field, options)
    scalars = Calibration.scalars(data, options)
    let (titles, law) = Calibration.popularityKeys
    popularity =
      data.titleCounts.isEmpty || options.leavesOut("popularity", titles)
        || options.leavesOut("popularity", law)
      ? nil
      : Result { () throws(StatisticsError) in
        try Calibration.popularity(data, titles: options.titles)
      }
  }

  /// What is left beyond a floor; what did not reach it says nothing.
  private static func beyond(
    _ floor: Double, _ times: TelemetryData.Times
  ) -> TelemetryData.Times {
    var result = TelemetryData.Times()
    result.seen = times.seen.filter { $0 > floor }.map { $0 - floor }
    result.censored = times.censored.filter { $0 > floor }.map { $0 - floor }
    return result
  }

  /// What comes of some values.
  static func finding(
    _ name: String, _ key: String?, _ unit: LawUnit, _ times: TelemetryData.Times,
    _ options: Options, result: String? = nil
  ) -> Finding {
    Finding(
      name: name, key: key, unit: unit, count: times.count, censored: times.censored.count,
      zeros: times.zeros, outcome: outcome(times, options), result: result)
  }

  private static func outcome(_ times: TelemetryData.Times, _ options: Options) -> Outcome {
    if times.seen.count < options.leastValues {
      return .refused(
        "expected at least \(options.leastValues) values that are not censored, got "
          + "\(times.seen.count)")
    }
    do {
      let sample = try CensoredSample(events: times.seen, censored: times.censored)
      if sample.isConstant { return .refused("expected values that differ, got one value") }
      let candidates = LawFit.candidates(sample)
      guard let first = candidates.first else {
        return .refused("expected values that a law fits, got none that does")
      }
      let distance = try FitDistance(
        first, sample, resamples: options.resamples, seed: options.seed &+ 1)
      if distance.distance > farthest {
        return .refused(
          "expected a law within \(farthest) of the data, got \(first.family.rawValue) at "
            + "\((distance.distance * 1000).rounded() / 1000): use the empirical law of the values")
      }
      let best = try first.withIntervals(
        sample, resamples: options.resamples, seed: options.seed)
      return .fitted(
        Fit(
          best: best, candidates: candidates, distance: distance,
          largest: max(times.seen.max() ?? 0, times.censored.max() ?? 0),
          quantiles: try quantiles(best, times)))
    } catch {
      return .refused(error.message)
    }
  }

  private static func quantiles(
    _ fit: LawFit, _ times: TelemetryData.Times
  ) throws(StatisticsError) -> [(p: Double, law: Double, data: Double)] {
    let curve = try KaplanMeier(events: times.seen, censored: times.censored)
    var result: [(p: Double, law: Double, data: Double)] = []
    for step in 1...199 {
      let p = Double(step) / 200
      guard let data = try curve.quantile(p) else { break }
      result.append((p, try fit.law.quantile(p), data))
    }
    return result
  }

  private static func scalars(_ data: TelemetryData, _ options: Options) -> [Scalar] {
    var result: [Scalar] = []
    func add(_ name: String, _ key: String, _ estimate: Estimate) {
      if options.leavesOut(name, key) { return }
      result.append(Scalar(name: name, key: key, estimate: estimate))
    }
    if let mean = try? Estimates.mean(of: data.sessionViews) {
      add("views per session", "audience.viewsPerSession", mean)
    }
    let sessions = data.sessions
    if let edges = options.edges, data.span > 0, sessions > 0 {
      // Sessions come independently, views do not.
      let perSession = Double(data.views) / Double(sessions)
      let exposure = data.span / 86_400 * Double(max(1, edges)) / perSession
      if let rate = try? Estimates.rate(count: sessions, exposure: exposure) {
        add("views a day and edge", "audience.viewsPerDayPerEdge", rate)
      }
    }
    return result
  }
}
