import Scenario
import Statistics

/// One side of a backtest: what its noise comes from, and a column for each metric and group of
/// cohorts.
struct BacktestSide {
  /// What is drawn anew to see the noise.
  enum Noise: String, Sendable {
    case sessions, days, hours, replications
  }

  /// From so many days on a log's days are drawn, and not its sessions: days differ by more than
  /// the chance of who came.
  static let fewestDays = 8

  let data: ObservedViews
  /// Of views, and of requests.
  let noise, trafficNoise: Noise
  /// Each view's cluster, and its session.
  private let clusters: [Int32]
  private let sessions: [Int32]
  let clusterCount: Int
  private let sessionCount: Int
  /// Each view's title; negative where nobody says. A prediction has other titles in every
  /// replication, so that their noise is that of replications.
  private let titles: [Int32]
  private let titleCount: Int
  /// Each row of ``ObservedViews/traffic``'s cluster.
  private let trafficClusters: [Int]
  let trafficClusterCount: Int
  /// Each total's cluster.
  private let totalClusters: [Int]

  init(_ data: ObservedViews, isPredicted: Bool) {
    self.data = data
    let blocks = Set(data.views.map(\.block)).union(data.totals.map(\.block)).sorted()
    let places = Dictionary(uniqueKeysWithValues: blocks.enumerated().map { ($1, $0) })
    let numbers = Set(data.views.map(\.session)).sorted()
    let knownSessions = Dictionary(
      uniqueKeysWithValues: numbers.enumerated().map { ($1, Int32($0)) })
    sessions = data.views.map { knownSessions[$0.session] ?? 0 }
    sessionCount = numbers.count
    let days = blocks.count { $0 != ObservedViews.undated }
    // As they come: their numbers are salted anew in every run, and sums depend on their order.
    var titlePlaces: [UInt32: Int32] = [:]
    if !isPredicted {
      for view in data.views where view.title != 0 && titlePlaces[view.title] == nil {
        titlePlaces[view.title] = Int32(titlePlaces.count)
      }
    }
    titles = titlePlaces.isEmpty ? [] : data.views.map { titlePlaces[$0.title] ?? -1 }
    titleCount = titlePlaces.count
    if isPredicted || days >= BacktestSide.fewestDays {
      noise = isPredicted ? .replications : .days
      clusters = data.views.map { Int32(places[$0.block] ?? 0) }
      clusterCount = blocks.count
    } else {
      noise = .sessions
      clusters = sessions
      clusterCount = numbers.count
    }
    totalClusters = data.totals.map { places[$0.block] ?? 0 }
    // Where there are enough days, the hours of one go together.
    let trafficDays = data.traffic.map { ObservedViews.day(ofBlock: $0.block) }
    let hasDays =
      noise == .days || Set(trafficDays).subtracting([nil]).count >= BacktestSide.fewestDays
    let isByDay = !isPredicted && hasDays
    trafficNoise = isPredicted ? .replications : isByDay ? .days : .hours
    let keys = zip(data.traffic, trafficDays).map { row, day in
      isByDay ? day ?? ObservedViews.undated : row.block
    }
    let known = Set(keys).sorted()
    let order = Dictionary(uniqueKeysWithValues: known.enumerated().map { ($1, $0) })
    trafficClusters = keys.map { order[$0] ?? 0 }
    trafficClusterCount = known.count
  }

  /// Classes of object that were asked for.
  var assets: Set<String> { Set(data.traffic.map(\.asset)) }

  // MARK: Columns

  /// The waits of one clock in some cohorts; nil where there are none.
  ///
  /// - Parameters:
  ///   - kind: which views go together; nil: as the side's noise has them.
  ///   - withCut: also those that the end of the log or run cut off before their first frame: they
  ///     are censored, and nobody knows whether it came.
  func times(
    _ clock: StartupComparison.Clock, in cohorts: [Bool], by kind: Noise? = nil,
    withCut: Bool = true
  ) throws(StatisticsError) -> ClusteredTimes? {
    let isBySession = kind == .sessions
    let clusters = isBySession ? sessions : clusters
    var units: [ClusteredTimes.Unit] = []
    for (place, view) in data.views.enumerated() {
      guard cohorts[Int(view.cohort)], view.isCold == (clock == .cold), !view.wait.isNaN,
        withCut || view.hasStarted || !view.isCut
      else { continue }
      units.append(
        ClusteredTimes.Unit(view.wait, hasEvent: view.hasStarted, cluster: clusters[place]))
    }
    if units.isEmpty { return nil }
    return try ClusteredTimes(units, clusters: isBySession ? sessionCount : clusterCount)
  }

  // MARK: Titles

  /// What it adds to the noise of a metric that views of one title are alike; nil where titles are
  /// not known, or the metric is not one of views.
  ///
  /// - Parameter value: of the metric.
  func titleNoise(
    _ kind: BacktestMetric.Kind, in cohorts: [Bool], value: Double
  ) -> (factor: Double, clusters: Int)? {
    if titles.isEmpty { return nil }
    var ways = TwoWayClusters(
      first: clusterCount, second: titleCount, hasLargePairs: noise == .days)
    var isUsed = [Bool](repeating: false, count: clusterCount)
    for (place, view) in data.views.enumerated() where cohorts[Int(view.cohort)] {
      guard let residual = BacktestSide.residual(kind, view, value: value) else { continue }
      let cluster = Int(clusters[place])
      isUsed[cluster] = true
      ways.add(
        residual, first: cluster, second: titles[place] >= 0 ? Int(titles[place]) : nil)
    }
    return ways.addition(used: isUsed.count { $0 })
  }

  /// How far a view moves a metric from its value, in any unit; nil where it says nothing of it.
  private static func residual(
    _ kind: BacktestMetric.Kind, _ view: ObservedViews.View, value: Double
  ) -> Double? {
    if case .quantile(let clock, let share) = kind {
      if view.isCold != (clock == .cold) || view.wait.isNaN { return nil }
      if view.wait > value { return -share }
      // Who left earlier might have gone either way.
      return view.hasStarted ? 1 - share : 0
    }
    return BacktestSide.share(kind, view).map { $0.part - value * $0.whole }
  }

  /// A quotient over the views of some cohorts; nil where nothing of it was seen.
  func quotient(_ kind: BacktestMetric.Kind, in cohorts: [Bool]) -> BacktestColumn? {
    var sums = QuotientSums(clusters: clusterCount, groups: sessionCount)
    for (place, view) in data.views.enumerated() where cohorts[Int(view.cohort)] {
      guard let (part, whole) = BacktestSide.share(kind, view) else { continue }
      sums.add(
        part, of: whole, cluster: Int(clusters[place]), group: Int(sessions[place]))
    }
    for (place, total) in data.totals.enumerated() where cohorts[Int(total.cohort)] {
      switch (kind, total.quantity) {
      case (.watchOfTitle, .watchOfTitle), (.bytesPerView, .bytesPerView):
        sums.add(
          total.part, of: total.whole, count: total.count, events: Double(total.count),
          cluster: totalClusters[place])
      default: break
      }
    }
    return sums.column
  }

  /// What a view adds to part and whole; nil where it says nothing of it.
  private static func share(
    _ kind: BacktestMetric.Kind, _ view: ObservedViews.View
  ) -> (part: Double, whole: Double)? {
    /// Of a view whose end is known.
    func ended(_ part: Double, of whole: Double = 1) -> (part: Double, whole: Double)? {
      view.isCut || part.isNaN || whole.isNaN ? nil : (part, whole)
    }
    switch kind {
    case .notStarted:
      // A first frame is known, whatever came later.
      if view.hasStarted { return (0, 1) }
      return view.isCut ? nil : (1, 1)
    case .rebuffering:
      let wall = view.stalled + view.watched
      return wall.isNaN ? nil : (view.stalled, wall)
    case .stallsPerView: return view.stalls.isNaN ? nil : (view.stalls, 1)
    case .watchPerView: return ended(view.watched)
    case .watchOfTitle: return ended(view.watched, of: view.length)
    case .bytesPerView: return ended(view.bytes)
    case .coldStarts: return view.wait.isNaN ? nil : (view.isCold ? 1 : 0, 1)
    case .quantile, .hits: return nil
    }
  }

  /// The mean of one part of the starts of a clock.
  func part(
    _ number: Int, _ clock: StartupComparison.Clock, in cohorts: [Bool]
  ) -> BacktestColumn? {
    var sums = QuotientSums(clusters: clusterCount, groups: sessionCount)
    for (place, view) in data.views.enumerated() {
      let time = data.partTimes[place * data.parts.count + number]
      guard cohorts[Int(view.cohort)], view.isCold == (clock == .cold), view.hasStarted,
        !time.isNaN
      else { continue }
      sums.add(time, of: 1, cluster: Int(clusters[place]), group: Int(sessions[place]))
    }
    return sums.column
  }

  /// The mean wait of the starts of a clock.
  func meanWait(_ clock: StartupComparison.Clock, in cohorts: [Bool]) -> BacktestColumn? {
    var sums = QuotientSums(clusters: clusterCount, groups: sessionCount)
    for (place, view) in data.views.enumerated() {
      guard cohorts[Int(view.cohort)], view.isCold == (clock == .cold), view.hasStarted,
        !view.wait.isNaN
      else { continue }
      sums.add(view.wait, of: 1, cluster: Int(clusters[place]), group: Int(sessions[place]))
    }
    return sums.column
  }

  /// A hit ratio; nil where nothing was asked for.
  func hits(asset: String?, byBytes: Bool) -> BacktestColumn? {
    var sums = QuotientSums(clusters: trafficClusterCount)
    for (place, row) in data.traffic.enumerated() where asset == nil || asset == row.asset {
      sums.add(
        byBytes ? row.hitBytes : row.hits, of: byBytes ? row.bytes : row.requests,
        count: Int(row.requests), events: row.hits, cluster: trafficClusters[place])
    }
    return sums.column
  }
}
