import Scenario
import Statistics

/// What tables, exports and logs tell of links, devices, the day, what is watched and caches: keys
/// of a scenario with what they rest on, and what the data do not tell.
public struct FieldCalibration: Sendable {
  /// A key with its value, as a file has them.
  public struct Entry: Sendable, Equatable {
    public var key: String
    public var value: String
    public var remarks: [String]
  }

  /// A number with its interval.
  public struct Number: Sendable, Equatable {
    public var name: String
    public var value: Double
    public var interval: Interval
    public var unit: LawUnit
  }

  /// Something that was fitted and is no law of single values, or is for comparison.
  public struct Row: Sendable, Equatable {
    public var name: String
    /// Where it is written to; nil for what is for comparison only.
    public var key: String?
    public var numbers: [Number]
    /// Values that it rests on, and what they are.
    public var count: Int
    public var of: String
    /// The largest difference to the data, in probability; nil where there is no law.
    public var distance: Double?
    /// Akaike's criterion of the alternatives less that of what was taken.
    public var alternatives: [(name: String, aic: Double)] = []

    public static func == (a: Row, b: Row) -> Bool { a.line == b.line && a.key == b.key }

    /// All of it as a line.
    public var line: String {
      let numbers = numbers.map { number in
        let unit = Calibration.suffix(number.unit)
        return "\(number.name) \(Calibration.number(number.value))\(unit) "
          + "(\(Calibration.interval(number.interval)))"
      }
      return "\(name): " + numbers.joined(separator: ", ") + "; " + basis
    }

    /// How many values it rests on, and how well it fits.
    public var basis: String {
      var text = "n \(count) \(of)"
      if let distance { text += ", distance \(Calibration.number(distance))" }
      let others = alternatives.map { "\($0.name) \(Calibration.number($0.aic))" }
      if !others.isEmpty { text += ", AIC above this: \(others.joined(separator: ", "))" }
      return text
    }
  }

  public internal(set) var entries: [Entry] = []
  /// Laws of single values: round trips, parts of devices, what is watched, sizes. Their keys stand
  /// in ``entries``.
  public internal(set) var laws: [Calibration.Finding] = []
  public internal(set) var rows: [Row] = []
  /// Why something that could have been fitted was not.
  public internal(set) var refusals: [String] = []
  /// Keys that the data do not tell, and what they trade off against.
  public internal(set) var unknown: [String] = []
  public internal(set) var warnings: [String] = []

  public var isEmpty: Bool {
    entries.isEmpty && rows.isEmpty && laws.allSatisfy { !$0.isFitted }
  }

  /// Fits everything that was read.
  init(_ samples: FieldSamples, _ options: Calibration.Options) {
    if !samples.isRead { return }
    if !options.leavesOut(nil, "network.access") { fitNetwork(samples, options) }
    if !options.leavesOut(nil, "devices") { fitDevices(samples, options) }
    if !options.leavesOut("watched", "audience.personas") { fitWatched(samples, options) }
    if !options.leavesOut(nil, "audience.diurnal") { fitDay(samples, options) }
    compareCaches(samples, options)
    warn(samples, options)
  }

  /// What is chosen by a policy is no sample of what there is.
  private mutating func warn(_ samples: FieldSamples, _ options: Calibration.Options) {
    if samples.requests == 0 { return }
    let policy =
      options.policy.isEmpty
      ? "which one nobody says: --policy names it" : options.policy
    var text =
      "what was asked for is what a policy chose to fetch (\(policy)): titles that it fetched and "
      + "nobody viewed are among the titles, and rates are those of when it fetched; nothing is "
      + "corrected for it"
    if samples.preloads > 0 {
      text += "; of \(samples.requests) requests \(samples.preloads) say that they load ahead"
    }
    warnings.append(text)
  }

  /// `mid: share 0.4 (0.36 to 0.44), n 600 sessions`.
  static func share(of name: String, _ sessions: Int, among all: Int) -> String {
    let share = Double(sessions) / Double(max(1, all))
    let interval =
      (try? Estimates.shareBounds(share, samples: Double(max(1, all))))
      .map { " (\(Calibration.interval($0)))" } ?? ""
    return "\(name): share \(Calibration.number(share))\(interval), n \(all) sessions"
  }

  // MARK: Caches

  /// What a cache answers is what its size, its lifetimes and the audience make of it.
  private mutating func compareCaches(_ samples: FieldSamples, _ options: Calibration.Options) {
    if samples.requests == 0 { return }
    if samples.sizes.count > 0 {
      laws.append(
        Calibration.finding(
          "request sizes", nil, .bytes, samples.sizes, options, result: "bytes of requests"))
      unknown.append(
        "catalogue: a request's size is a bit rate times a segment's length: ladder, segments and "
          + "what the players chose trade off")
    }
    // As a backtest counts them: what waited for another's fetch is a hit, what goes past the cache
    // is on neither side.
    let counted = samples.outcomes.filter { !["unknown", "error", "bypass"].contains($0.word) }
    let requests = counted.reduce(0) { $0 + $1.requests }
    let bytes = counted.reduce(0) { $0 + $1.bytes }
    let hits = counted.filter { ["hit", "stale_hit", "collapsed"].contains($0.word) }
    addShare(
      "hit_ratio{tier=edge,by=requests}", Double(hits.reduce(0) { $0 + $1.requests }),
      Double(requests), requests)
    addShare(
      "hit_ratio{tier=edge,by=bytes}", hits.reduce(0) { $0 + $1.bytes }, bytes, requests)
    if requests > 0 {
      unknown.append(
        "cdn.edge.capacity, cdn.ttl, audience.viewsPerDayPerEdge: together they give the hit "
          + "ratio, and many of them give the same one; the log names neither lifetimes nor sizes "
          + "of stores")
      unknown.append("hit_ratio{tier=shield}: the log is of one tier")
    }
  }

  private mutating func addShare(_ name: String, _ part: Double, _ whole: Double, _ count: Int) {
    if whole <= 0 || count == 0 { return }
    let share = min(1, part / whole)
    guard let interval = try? Estimates.shareBounds(share, samples: Double(count)) else { return }
    rows.append(
      Row(
        name: name, key: nil,
        numbers: [Number(name: "share", value: share, interval: interval, unit: .real)],
        count: count, of: "requests, as if they were independent"))
  }
}
