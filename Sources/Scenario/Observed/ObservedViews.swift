/// What has been seen of viewers and of the edges that answered them: what a reader of telemetry
/// and access logs fills, and what a prediction is made into, so that both are compared by the same
/// arithmetic.
///
/// A number that a source does not have is not a number (`.nan`): nothing is made up for it, and
/// what needs it is not compared. Identifiers are dense numbers; whose they were stays with the
/// reader.
public struct ObservedViews: Sendable {
  /// One view.
  public struct View: Sendable, Equatable {
    /// Views of one session go together.
    public var session: UInt32
    /// Seconds since any fixed time, of the clock's start; not a number where nobody says.
    public var at: Double
    /// What is independent of other parts of its source: the day of a log, the replication of a
    /// prediction; ``ObservedViews/undated`` where the day is not known.
    public var block: Int64
    /// The place of its cohort in ``ObservedViews/cohorts``.
    public var cohort: UInt16
    /// The first view of its session.
    public var isCold: Bool
    /// Its first frame was seen.
    public var hasStarted: Bool
    /// The log, or the run, ended before it did: what became of it is not known.
    public var isCut = false
    /// From the clock's start to the first frame; without one to when it was left, so that it is
    /// censored there. Milliseconds.
    public var wait: Double
    /// Played and stalled, seconds; stalls.
    public var watched = Double.nan
    public var stalled = Double.nan
    public var stalls = Double.nan
    /// Media bytes that were delivered for it.
    public var bytes = Double.nan
    /// Of its title, seconds.
    public var length = Double.nan
    /// Views of one title have one number; 0 where nobody says.
    public var title: UInt32 = 0

    public init(
      session: UInt32, at: Double, cohort: UInt16 = 0, isCold: Bool, hasStarted: Bool, wait: Double
    ) {
      self.session = session
      self.at = at
      block = ObservedViews.block(at, of: ObservedViews.day)
      self.cohort = cohort
      self.isCold = isCold
      self.hasStarted = hasStarted
      self.wait = wait
    }
  }

  /// What views are told apart by. Empty where a source does not say.
  public struct Cohort: Sendable, Hashable {
    public var device, network, region, version: String

    public init(
      device: String = "", network: String = "", region: String = "", version: String = ""
    ) {
      self.device = device
      self.network = network
      self.region = region
      self.version = version
    }
  }

  /// A key of ``Cohort``.
  public enum CohortKey: String, Sendable, CaseIterable {
    case device, network, region, version

    /// The value of a cohort.
    public func value(_ cohort: Cohort) -> String {
      switch self {
      case .device: cohort.device
      case .network: cohort.network
      case .region: cohort.region
      case .version: cohort.version
      }
    }
  }

  /// What an edge was asked for in one block of time, by class of object.
  public struct Traffic: Sendable, Equatable {
    /// The block: an hour of a log, a replication of a prediction, or ``ObservedViews/undated``.
    public var block: Int64
    /// As the label `class` of a hit ratio has it.
    public var asset: String
    public var requests: Double = 0
    /// Answered by the edge's own copy, fresh, stale or just being fetched for another.
    public var hits: Double = 0
    public var bytes: Double = 0
    public var hitBytes: Double = 0

    public init(block: Int64, asset: String) {
      self.block = block
      self.asset = asset
    }
  }

  /// Sums of a block and a cohort, where a source does not say more: a simulated replication knows
  /// whose bytes a cohort's were, and not which view's.
  public struct Total: Sendable, Equatable {
    public enum Quantity: Sendable, Equatable { case watchOfTitle, bytesPerView }
    public var quantity: Quantity
    public var block: Int64
    public var cohort: UInt16
    public var part, whole: Double
    /// Views behind it.
    public var count: Int

    public init(
      _ quantity: Quantity, block: Int64, cohort: UInt16, part: Double, whole: Double, count: Int
    ) {
      self.quantity = quantity
      self.block = block
      self.cohort = cohort
      self.part = part
      self.whole = whole
      self.count = count
    }
  }

  public var cohorts: [Cohort]
  public var views: [View] = []
  /// In place of what ``views`` would say of the same; of predictions alone.
  public var totals: [Total] = []
  /// Parts of a start that the source tells apart, each as `startup_ms{part=…}` names it, several
  /// together joined by `+`.
  public var parts: [String]
  /// By view and part, milliseconds; as many as views times parts.
  public var partTimes: [Double] = []
  /// In any order; no two have both block and class in common.
  public var traffic: [Traffic] = []
  /// Eight digits over what was read.
  public var digest: String
  /// Waits begin with play(), and not when a swipe has settled.
  public var beginsWithPlay = false
  /// Some view has a time, so that days can be told apart.
  public var hasTimes = true
  /// What is to be known of it, in sentences without a full stop.
  public var notes: [String] = []

  public init(cohorts: [Cohort] = [Cohort()], parts: [String] = [], digest: String = "") {
    self.cohorts = cohorts
    self.parts = parts
    self.digest = digest
  }

  /// Seconds of a day, by which days are told apart.
  public static let day = 86_400.0
  /// Seconds of a block of requests.
  public static let block = 3_600.0
  /// The block of what nobody says the time of. It is in no day.
  public static let undated = Int64.min

  /// The number of the hour or day, of so many seconds, that a time lies in.
  public static func block(_ at: Double, of seconds: Double) -> Int64 {
    Int64(exactly: (at / seconds).rounded(.down)) ?? undated
  }

  /// The day that an hour lies in; nil: nobody says.
  public static func day(ofBlock block: Int64) -> Int64? {
    if block == undated { return nil }
    let hours = Int64(ObservedViews.day / ObservedViews.block)
    return (block >= 0 ? block : block - hours + 1) / hours
  }

  /// Adds a view.
  ///
  /// - Parameter parts: of its start, in the order of ``parts``; none where it has none.
  public mutating func add(_ view: View, parts times: [Double] = []) {
    precondition(
      times.isEmpty || times.count == parts.count, "\(times.count) of \(parts.count) parts")
    precondition(Int(view.cohort) < cohorts.count, "cohort \(view.cohort) of \(cohorts.count)")
    views.append(view)
    partTimes += times.isEmpty ? [Double](repeating: .nan, count: parts.count) : times
  }

  /// Adds requests that another source counted.
  public mutating func add(traffic other: [Traffic]) {
    for row in other {
      if let place = traffic.firstIndex(where: { $0.block == row.block && $0.asset == row.asset }) {
        traffic[place].requests += row.requests
        traffic[place].hits += row.hits
        traffic[place].bytes += row.bytes
        traffic[place].hitBytes += row.hitBytes
      } else {
        traffic.append(row)
      }
    }
  }

  /// The part of it whose views and requests lie in some days, counted from 0 for the first that
  /// has a view or a request. What nobody says the time of is in none.
  public func days(_ days: ClosedRange<Int>) -> ObservedViews {
    precondition(totals.isEmpty, "sums of a prediction have no days")
    let first = firstDay
    var part = without()
    func isIn(_ day: Int64?) -> Bool {
      guard let day, day != ObservedViews.undated else { return false }
      return days.contains(Int(day) - first)
    }
    for (place, view) in views.enumerated()
    where isIn(ObservedViews.block(view.at, of: ObservedViews.day)) {
      let times = partTimes[place * parts.count..<(place + 1) * parts.count]
      part.add(view, parts: Array(times))
    }
    part.traffic = traffic.filter { isIn(ObservedViews.day(ofBlock: $0.block)) }
    return part
  }

  /// The views whose cohort has a value. Requests do not say whose they are, and are left out.
  public func only(_ key: CohortKey, _ value: String) -> ObservedViews {
    var part = without()
    for (place, view) in views.enumerated()
    where key.value(cohorts[Int(view.cohort)]) == value {
      part.add(view, parts: Array(partTimes[place * parts.count..<(place + 1) * parts.count]))
    }
    part.totals = totals.filter { key.value(cohorts[Int($0.cohort)]) == value }
    return part
  }

  /// The same without what was seen.
  private func without() -> ObservedViews {
    var part = self
    (part.views, part.totals, part.partTimes, part.traffic) = ([], [], [], [])
    return part
  }

  /// The day of the earliest view or request; 0 without any.
  public var firstDay: Int { dayRange?.lowerBound ?? 0 }

  /// Days from the first with a view or a request to the last one.
  public var dayCount: Int { dayRange?.count ?? 0 }

  private var dayRange: ClosedRange<Int>? {
    let days =
      views.compactMap { view -> Int64? in
        let day = ObservedViews.block(view.at, of: ObservedViews.day)
        return day == ObservedViews.undated ? nil : day
      } + traffic.compactMap { ObservedViews.day(ofBlock: $0.block) }
    guard let first = days.min(), let last = days.max() else { return nil }
    return Int(first)...Int(last)
  }
}
