import Foundation
import MediaUnits
import Models
import Scenario
import Statistics
import Testing

@testable import Studies

/// Predictions beside what was observed.
@Suite struct BacktestTests {
  private func backtest(
    _ predicted: MadeViews, _ observed: MadeViews, by keys: [ObservedViews.CohortKey] = []
  ) throws -> Backtest {
    try Backtest(
      predicted: predicted.prediction(), observed: observed.views(),
      options: Backtest.Options(keys: keys))
  }

  private func row(_ name: String, _ cohort: String = "", of backtest: Backtest) throws
    -> Backtest.Row
  {
    try #require(
      backtest.rows.first { $0.metric.name == name && $0.cohort == cohort }, "\(name)")
  }

  /// Enough for what is asked of it.
  private static let enough: MadeViews = {
    var made = MadeViews()
    made.sessions = 3000
    return made
  }()

  // MARK: Verdicts

  /// Starts of two kinds with nothing between them: those that were ready, within 10 to 30 ms, and
  /// the others, 400 to 600 ms.
  private func twoKinds(ready: Double, sessions: Int, seed: UInt64) -> MadeViews {
    var made = MadeViews()
    (made.sessions, made.seed, made.readyShare) = (sessions, seed, ready)
    return made
  }

  /// One 75th percentile is a ready start's and the other is not, since 0.749 and 0.751 of them are
  /// ready. The shares' standard error is 0.0024 on either side.
  @Test func `a percentile between two kinds of start agrees by the shares`() throws {
    let ours = twoKinds(ready: 0.749, sessions: 3000, seed: 3)
    let found = try Backtest(
      predicted: ours.prediction(sessions: 3000),
      observed: twoKinds(ready: 0.751, sessions: 3000, seed: 4).views())
    let row = try row("ttff_swipe_ms.p75", of: found)
    #expect(abs(try #require(row.error)) > 300)
    #expect(row.verdict == .agrees && row.reason == BacktestShares.words, "\(row)")
    // With few views the shares are not known, either.
    let few = try Backtest(
      predicted: ours.prediction(sessions: 200),
      observed: twoKinds(ready: 0.751, sessions: 200, seed: 5).views())
    #expect(try self.row("ttff_swipe_ms.p75", of: few).verdict == .tooLittleData)
    // Six points more are another matter.
    let other = try Backtest(
      predicted: twoKinds(ready: 0.72, sessions: 600, seed: 3).prediction(sessions: 600),
      observed: twoKinds(ready: 0.78, sessions: 600, seed: 4).views())
    #expect(try self.row("ttff_swipe_ms.p75", of: other).verdict == .disagrees)
  }

  @Test func `when nothing is wrong it agrees, or says that there is too little`() throws {
    let found = try backtest(MadeViews(), Self.enough)
    #expect(found.verdict != .disagrees, "\(found.rows.filter { $0.verdict == .disagrees })")
    #expect(found.rows.allSatisfy { $0.verdict == .tooLittleData || $0.reason.isEmpty })
    for name in ["not_started_ratio", "hit_ratio{tier=edge,by=requests}", "bytes_per_view"] {
      #expect(try row(name, of: found).verdict == .agrees, "\(name)")
    }
    // Neither side of this data knows how long titles are.
    #expect(found.notObserved == ["watch_time_ratio"])
    #expect(found.noise == "sessions" && found.views.observed == 36_000)
  }

  /// By the record's formula the 95th percentile of cold starts has a standard error of 1.5 % here
  /// on either side: 10 % are more than four of both together.
  @Test(arguments: [UInt64(1), 2, 3])
  func `with enough of it on both sides the whole agrees`(_ seed: UInt64) throws {
    var (ours, theirs) = (MadeViews(), MadeViews())
    (ours.seed, theirs.seed, theirs.sessions) = (100 * seed, 100 * seed + 7, 8000)
    let found = try Backtest(
      predicted: ours.prediction(sessions: 8000), observed: theirs.views())
    let others = found.rows.filter { $0.verdict != .agrees }
    #expect(found.verdict == .agrees && found.verdict.exitCode == 0, "\(others)")
    #expect(found.curves.count == 2 && found.curves.allSatisfy { $0.verdict == .agrees })
  }

  @Test func `seldom does it disagree when nothing is wrong`() throws {
    var wrong = 0
    for seed in 0..<20 as Range<UInt64> {
      var (ours, theirs) = (MadeViews(), MadeViews())
      (ours.seed, theirs.seed) = (2 * seed, 5000 + 2 * seed)
      theirs.sessions = 300
      if try backtest(ours, theirs).verdict == .disagrees { wrong += 1 }
    }
    #expect(wrong <= 2, "\(wrong) of 20")
  }

  @Test func `a law that is a quarter off is found, by the metrics that it moves`() throws {
    var slower = Self.enough
    slower.median *= 1.25
    let waits = try backtest(MadeViews(), slower)
    #expect(waits.verdict == .disagrees && waits.verdict.exitCode == 10)
    #expect(try row("ttff_swipe_ms.p50", of: waits).verdict == .disagrees)
    #expect(try row("bytes_per_view", of: waits).verdict == .agrees)
    #expect(waits.curves.contains { $0.clock == .swipe && $0.verdict == .disagrees })
    let error = try #require(try row("ttff_swipe_ms.p50", of: waits).error)
    #expect(error < -40 && error > -110, "predicted less than observed: \(error)")

    var colder = Self.enough
    colder.hitRatio = 0.9
    let hits = try backtest(MadeViews(), colder)
    #expect(try row("hit_ratio{tier=edge,class=segment}", of: hits).verdict == .disagrees)
    #expect(try row("ttff_swipe_ms.p50", of: hits).verdict != .disagrees)

    var shorter = Self.enough
    shorter.watched *= 0.75
    let watched = try backtest(MadeViews(), shorter)
    #expect(try row("watched_seconds_per_view", of: watched).verdict == .disagrees)
  }

  @Test func `too little data is never a pass`() throws {
    var few = MadeViews()
    (few.sessions, few.viewsPerSession) = (6, 4)
    let found = try backtest(MadeViews(), few)
    #expect(found.rows.allSatisfy { $0.verdict == .tooLittleData && !$0.reason.isEmpty })
    #expect(found.verdict == .tooLittleData && found.verdict.exitCode == 13)
    // However far away the few are.
    few.median *= 20
    let far = try backtest(MadeViews(), few)
    #expect(far.verdict == .tooLittleData && far.curves.count == 2)
    #expect(far.curves.allSatisfy { $0.verdict == .tooLittleData && $0.distance.distance > 0.5 })
    // Nobody left on either side: that is not known to be never.
    var some = MadeViews()
    some.sessions = 30
    let left = try row("not_started_ratio", of: try backtest(MadeViews(), some))
    #expect(left.predicted == 0 && left.observed == 0)
    #expect(left.verdict == .tooLittleData && (left.interval?.lower ?? 0) < -0.01)
    let nothing = try Backtest(
      predicted: MadeViews().prediction(), observed: ObservedViews())
    #expect(nothing.rows.isEmpty && nothing.verdict == .tooLittleData)
  }

  @Test func `a stall that was never seen is not known to be never`() throws {
    var (ours, few, many) = (MadeViews(), MadeViews(), Self.enough)
    (ours.stallShare, few.stallShare, many.stallShare) = (0, 0, 0)
    few.sessions = 60
    // 720 views, of which those of a session may all do the same: up to 3.7 stalls in 60 sessions
    // are as none.
    let found = try backtest(ours, few)
    for name in ["rebuffer_ratio", "stalls_per_view"] {
      let row = try row(name, of: found)
      #expect(row.predicted == 0 && row.observed == 0)
      #expect(row.verdict == .tooLittleData && row.reason == "the interval is too wide")
      let interval = try #require(row.interval)
      #expect(abs(interval.lower + 3.689 / 60) < 0.001 && interval.upper > 0)
    }
    let sure = try backtest(ours, many)
    #expect(try row("rebuffer_ratio", of: sure).verdict == .agrees)
    #expect(try row("stalls_per_view", of: sure).verdict == .agrees)
    // Stalls that nobody predicted are found; six thousandths of the time are within a point.
    let stalled = try backtest(ours, Self.enough)
    #expect(try row("rebuffer_ratio", of: stalled).verdict == .agrees)
    #expect(try row("stalls_per_view", of: stalled).verdict == .disagrees)
  }

  @Test func `a class that always hits may have missed`() throws {
    var (ours, few) = (MadeViews(), MadeViews())
    (ours.hitRatio, few.hitRatio) = (1, 1)
    (few.sessions, few.viewsPerSession) = (40, 4)
    let row = try row("hit_ratio{tier=edge,by=bytes}", of: backtest(ours, few))
    #expect(row.predicted == 1 && row.observed == 1 && row.verdict == .tooLittleData)
    // 320 requests without a miss: a miss in 87 is as none.
    #expect(abs((row.interval?.upper ?? 0) - 3.689 / 320) < 0.001)
  }

  @Test func `the same answer every time`() throws {
    let (ours, theirs) = (MadeViews().prediction(), MadeViews().views())
    let options = Backtest.Options(keys: [.device])
    let first = try Backtest(predicted: ours, observed: theirs, options: options)
    let again = try Backtest(predicted: ours, observed: theirs, options: options)
    #expect(first.rows == again.rows && first.curves == again.curves)
    #expect(first.parts == again.parts)
  }

  // MARK: What it counts

  @Test func `those who left are in the quantiles`() throws {
    var hasty = Self.enough
    hasty.patience = 2000
    let found = try backtest(MadeViews(), hasty)
    // The waits of who stayed are shorter, and would pass for a faster start.
    let started = hasty.views().views.filter { !$0.isCold && $0.hasStarted }.map(\.wait).sorted()
    let naive = started[started.count * 95 / 100]
    let honest = try #require(try row("ttff_swipe_ms.p95", of: found).observed)
    #expect(honest > naive)
    #expect(try row("not_started_ratio", of: found).verdict == .disagrees)
  }

  @Test func `days are drawn where there are eight of them, and can be told apart`() throws {
    var long = MadeViews()
    (long.days, long.sessions) = (10, 1000)
    let views = long.views()
    #expect(views.dayCount == 10)
    let (fit, test) = (views.days(0...6), views.days(7...9))
    #expect(fit.views.count + test.views.count == views.views.count)
    #expect(fit.partTimes.count == 2 * fit.views.count)
    #expect(fit.traffic.count + test.traffic.count == views.traffic.count)
    let found = try Backtest(predicted: MadeViews().prediction(), observed: views)
    #expect(found.noise == "days")
    var requests = ObservedViews()
    for day in [20, 21, 23] {
      requests.add(
        request: "segment", at: Double(day) * ObservedViews.day, isHit: true, bytes: 1)
    }
    #expect(requests.dayCount == 4 && requests.firstDay == 20)
    #expect(requests.days(1...2).traffic.count == 1)
    let part = try Backtest(predicted: MadeViews().prediction(), observed: test)
    #expect(part.noise == "sessions")
  }

  @Test func `curves of samples that cannot tell a tenth say nothing`() throws {
    var theirs = MadeViews()
    theirs.seed = 5
    let cold = try #require(
      try backtest(MadeViews(), theirs).curves.first { $0.clock == .cold })
    #expect(cold.distance.distance < 0.1 && cold.distance.critical < 0.1)
    #expect(cold.distance.upper > 0.1 && cold.verdict == .tooLittleData)
  }

  @Test func `a view that the end cut off is in no curve, and censored in the quantiles`() throws {
    var views = MadeViews().views()
    for place in views.views.indices where place % 3 == 0 {
      views.views[place].hasStarted = false
      views.views[place].isCut = true
    }
    let side = BacktestSide(views, isPredicted: true)
    let all = views.cohorts.map { _ in true }
    let cut = try #require(try side.times(.swipe, in: all))
    let known = try #require(try side.times(.swipe, in: all, withCut: false))
    #expect(known.units.allSatisfy(\.hasEvent) && known.units.count < cut.units.count)
    #expect(cut.units.count == 400 * 11 && cut.events == known.units.count)
  }

  /// Requests alone, with days of their own hit ratio.
  private func logs(days: Int) -> ObservedViews {
    var logs = ObservedViews()
    for hour in 0..<days * 24 {
      for number in 0..<40 {
        logs.add(
          request: "segment", at: (Double(hour) + 0.5) * ObservedViews.block,
          isHit: number != 0 && !(hour / 24 == 1 && number < 10), bytes: 1)
      }
    }
    return logs
  }

  @Test func `requests are drawn by days where there are eight of them, by hours else`() throws {
    func found(_ days: Int) throws -> (noise: String, half: Double) {
      let found = try Backtest(predicted: MadeViews().prediction(), observed: logs(days: days))
      let row = try row("hit_ratio{tier=edge,by=requests}", of: found)
      return (found.noise, try #require(row.interval).halfWidth)
    }
    let (few, many) = (try found(7), try found(8))
    #expect(few.noise == "hours" && many.noise == "days")
    // The bad hours are those of one day, which hours do not know.
    #expect(many.half > 1.5 * few.half, "\(many.half), \(few.half)")
  }

  @Test func `what has no time is in no day, and no day of its own`() throws {
    var views = MadeViews().views()
    let last = try #require(views.views.last)
    views.views[views.views.count - 1] = ObservedViews.View(
      session: last.session, at: .nan, cohort: last.cohort, isCold: last.isCold,
      hasStarted: last.hasStarted, wait: last.wait)
    views.traffic.append(ObservedViews.Traffic(block: ObservedViews.undated, asset: "segment"))
    #expect(views.firstDay == 0 && views.dayCount == 3)
    let days = views.days(0...2)
    #expect(days.views.count == views.views.count - 1)
    #expect(days.traffic.count == views.traffic.count - 1)
    let side = BacktestSide(views, isPredicted: false)
    #expect(side.noise == .sessions && side.trafficNoise == .hours)
    #expect(try Backtest(predicted: MadeViews().prediction(), observed: views).views.observed > 0)
  }

  /// Twenty titles in each world: some are watched twice as long as others, and which are popular
  /// is chance. Sessions alone take that for the audience's habit.
  @Test func `which titles there were is noise of what was observed`() throws {
    var (wrong, unaware) = (0, 0)
    for seed in 0..<10 as Range<UInt64> {
      var (ours, theirs) = (MadeViews(), Self.enough)
      (ours.seed, theirs.seed, ours.titles, theirs.titles) = (seed, 4_000 + seed, 2_000, 20)
      let predicted = ours.prediction()
      var observed = theirs.views()
      func watched(_ observed: ObservedViews) throws -> Backtest.Row {
        try row(
          "watched_seconds_per_view", of: Backtest(predicted: predicted, observed: observed))
      }
      if try watched(observed).verdict == .disagrees { wrong += 1 }
      for place in observed.views.indices { observed.views[place].title = 0 }
      if try watched(observed).verdict == .disagrees { unaware += 1 }
    }
    #expect(wrong <= 1 && unaware >= 3, "\(wrong) and \(unaware) of 10")
  }

  @Test func `a cohort that is off is found where all views together hide it`() throws {
    var odd = Self.enough
    odd.slowness = 1.35
    let found = try backtest(MadeViews(), odd, by: [.device, .network, .region])
    let slow = try row("ttff_swipe_ms.p50", "device=low-end", of: found)
    #expect(slow.verdict == .disagrees)
    #expect(try row("ttff_swipe_ms.p50", "device=mid", of: found).verdict != .disagrees)
    #expect(found.verdict == .disagrees)
    #expect(found.rows.contains { $0.cohort == "network=lte" })
    // Nobody says a region.
    #expect(!found.rows.contains { $0.cohort.hasPrefix("region") })
    #expect(found.rows.first?.cohort == "" && found.rows.last?.cohort == "network=lte")
  }

  @Test func `the part that is off explains the error`() throws {
    var theirs = Self.enough
    // Connecting takes twice as long; the rest is the same.
    theirs.median *= 1.3
    theirs.connect = 0.6 / 1.3
    let found = try backtest(MadeViews(), theirs)
    let parts = try #require(found.parts.first { $0.clock == .swipe })
    let explanation = try #require(parts.explanation)
    #expect(explanation.part.name == "dns+connect+tls" && explanation.share > 0.8)
    #expect(parts.parts.map(\.name) == ["dns+connect+tls", "transfer"])
    let sum = parts.parts.reduce(0) { $0 + $1.observed }
    #expect(abs(sum - parts.whole.observed) < 1e-6 * sum)
  }

  // MARK: Changes

  private func pair(_ before: MadeViews, _ after: MadeViews) -> ChangeBacktest.Pair {
    ChangeBacktest.Pair(before: before.views(), after: after.views())
  }

  private func predictedPair(_ before: MadeViews, _ after: MadeViews) -> ChangeBacktest.Pair {
    ChangeBacktest.Pair(before: before.prediction(), after: after.prediction())
  }

  @Test func `a change with the right sign and size agrees, one with the wrong sign does not`()
    throws
  {
    var (faster, slower) = (MadeViews(), MadeViews())
    faster.median *= 0.7
    slower.median *= 1.4
    var (before, after) = (Self.enough, Self.enough)
    after.median *= 0.7
    (before.seed, after.seed) = (77, 78)
    let right = try ChangeBacktest(
      predicted: predictedPair(MadeViews(), faster), observed: pair(before, after))
    let row = try #require(right.rows.first { $0.metric.name == "ttff_swipe_ms.p50" })
    #expect(row.sign == .same && row.verdict == .agrees)
    let effect = try #require(row.predicted)
    #expect(effect.value < 0 && effect.interval.upper < 0)
    #expect(right.verdict != .disagrees)
    let wrong = try ChangeBacktest(
      predicted: predictedPair(MadeViews(), slower), observed: pair(before, after))
    let other = try #require(wrong.rows.first { $0.metric.name == "ttff_swipe_ms.p50" })
    #expect(other.sign == .opposite && other.verdict == .disagrees)
    #expect(wrong.verdict == .disagrees)
    // Nothing was predicted to happen to the bytes, and nothing did.
    let bytes = try #require(right.rows.first { $0.metric.name == "bytes_per_view" })
    #expect(bytes.sign == .open && bytes.verdict != .disagrees)
  }

  @Test func `a change that does nothing seldom has the wrong sign`() throws {
    var wrong = 0
    for seed in 0..<20 as Range<UInt64> {
      var (ours, changed) = (MadeViews(), MadeViews())
      // Paired, so that a thousandth is told from nothing.
      changed.median *= 0.999
      changed.watched *= 1.001
      (ours.seed, changed.seed) = (seed, seed)
      var (before, after) = (MadeViews(), MadeViews())
      (before.sessions, after.sessions) = (300, 300)
      (before.seed, after.seed) = (9000 + 2 * seed, 9001 + 2 * seed)
      let found = try ChangeBacktest(
        predicted: predictedPair(ours, changed), observed: pair(before, after))
      #expect(found.rows.contains { ($0.predicted?.interval.upper ?? 0) < 0 })
      if found.verdict == .disagrees { wrong += 1 }
    }
    #expect(wrong <= 2, "\(wrong) of 20")
  }

  private func swipes(_ found: ChangeBacktest) throws -> ChangeBacktest.Row {
    try #require(found.rows.first { $0.metric.name == "ttff_swipe_ms.p50" })
  }

  /// Eight parts in a hundred are within the tolerance of the level, and are a change all the same.
  @Test func `no change is not what a small one that was seen agrees with`() throws {
    var (before, after) = (Self.enough, Self.enough)
    after.median *= 0.92
    (before.seed, after.seed) = (77, 78)
    let none = try ChangeBacktest(
      predicted: predictedPair(MadeViews(), MadeViews()), observed: pair(before, after))
    let row = try swipes(none)
    #expect(row.predicted?.value == 0 && (row.observed?.interval.upper ?? 0) < 0)
    #expect(row.verdict == .disagrees && none.verdict == .disagrees)
    // Of few sessions it is not told, which is no agreement either.
    (before.sessions, after.sessions) = (300, 300)
    let few = try swipes(
      ChangeBacktest(
        predicted: predictedPair(MadeViews(), MadeViews()), observed: pair(before, after)))
    #expect(few.verdict == .tooLittleData && few.reason == "the interval is too wide")
  }

  @Test func `the right sign of the wrong size is not agreement`() throws {
    var (little, before, after) = (MadeViews(), Self.enough, Self.enough)
    little.median *= 0.93
    after.median *= 0.6
    (before.seed, after.seed) = (77, 78)
    let found = try ChangeBacktest(
      predicted: predictedPair(MadeViews(), little), observed: pair(before, after))
    let row = try swipes(found)
    #expect(row.sign == .same && row.verdict == .disagrees)
    // Sizes that are not told apart leave it open.
    (before.sessions, after.sessions) = (100, 100)
    after.median = 240
    let few = try swipes(
      ChangeBacktest(
        predicted: predictedPair(MadeViews(), little), observed: pair(before, after)))
    #expect(few.verdict == .tooLittleData)
  }

  @Test func `what one arm lacks leaves the whole undecided`() throws {
    var (faster, before, after) = (MadeViews(), Self.enough, Self.enough)
    faster.median *= 0.7
    after.median *= 0.7
    (before.seed, after.seed) = (77, 78)
    var silent = after.views()
    for place in silent.views.indices { silent.views[place].bytes = .nan }
    let found = try ChangeBacktest(
      predicted: predictedPair(MadeViews(), faster),
      observed: ChangeBacktest.Pair(before: before.views(), after: silent))
    let row = try #require(found.rows.first { $0.metric.name == "bytes_per_view" })
    #expect(row.verdict == .tooLittleData && row.observed == nil && row.interval == nil)
    #expect(row.reason == "not known of the arm after the change")
    #expect(found.verdict == .tooLittleData)
    // A class that both sides have before the change and none after it is no question.
    let gone = try ChangeBacktest(
      predicted: ChangeBacktest.Pair(
        before: MadeViews().prediction(), after: Self.without("segment", faster.prediction())),
      observed: ChangeBacktest.Pair(
        before: before.views(), after: Self.without("segment", after.views())))
    #expect(!gone.rows.contains { $0.metric.name.contains("class=segment") })
  }

  private static func without(_ asset: String, _ views: ObservedViews) -> ObservedViews {
    var other = views
    other.traffic = views.traffic.map { row in
      var row = row
      if row.asset == asset { row.asset = "other" }
      return row
    }
    return other
  }

  /// Nobody stalls in either arm: of sixty sessions that is not known to be no change.
  @Test func `which titles there were is noise of two periods, and not of two arms`() throws {
    var (ours, before, after) = (MadeViews(), Self.enough, Self.enough)
    (ours.titles, before.titles, after.titles) = (2_000, 20, 20)
    (before.seed, after.seed) = (77, 78)
    func half(_ sharesTitles: Bool) throws -> Double {
      let found = try ChangeBacktest(
        predicted: predictedPair(ours, ours), observed: pair(before, after),
        sharesTitles: sharesTitles)
      let row = try #require(
        found.rows.first { $0.metric.name == "watched_seconds_per_view" })
      return try #require(row.observed).interval.halfWidth
    }
    #expect(try half(false) > 2 * half(true))
  }

  /// A twentieth leaves at ten seconds at the latest, so that half of the draws have no 95th
  /// percentile: nothing bounds it above.
  @Test func `a percentile that many draws do not reach is not known`() throws {
    func impatient(_ made: ObservedViews) -> ObservedViews {
      var (views, generator) = (made, SplitMix64(seed: 31))
      for place in views.views.indices {
        let rank = generator.next(below: 1_000)
        views.views[place].hasStarted = rank >= 50
        views.views[place].wait = rank >= 50 ? 9 * Double(rank) : 10_000
      }
      return views
    }
    let found = try Backtest(
      predicted: impatient(MadeViews().prediction()), observed: impatient(Self.enough.views()))
    let row = try row("ttff_swipe_ms.p95", of: found)
    #expect(row.verdict == .tooLittleData && row.interval == nil)
    #expect(row.reason == "so many left that a side does not reach it")
    #expect(try self.row("ttff_swipe_ms.p75", of: found).verdict == .agrees)
  }

  @Test func `events that were never seen are no proof of no change`() throws {
    var (ours, before, after) = (MadeViews(), MadeViews(), MadeViews())
    (ours.stallShare, before.stallShare, after.stallShare) = (0, 0, 0)
    (before.sessions, after.sessions, before.seed, after.seed) = (60, 60, 77, 78)
    let found = try ChangeBacktest(
      predicted: predictedPair(ours, ours), observed: pair(before, after))
    let row = try #require(found.rows.first { $0.metric.name == "stalls_per_view" })
    #expect(row.predicted?.value == 0 && row.observed?.value == 0)
    #expect(row.verdict == .tooLittleData && (row.interval?.upper ?? 0) > 0.05)
  }

  @Test func `a change that is none to anybody is a share of the level`() throws {
    func least(_ name: String, _ level: Double) throws -> Double {
      try #require((BacktestMetric.views + BacktestMetric.traffic([])).first { $0.name == name })
        .least(of: level)
    }
    #expect(try least("ttff_swipe_ms.p50", 300) == 10)
    #expect(abs(try least("ttff_cold_ms.p95", 2_000) - 40) < 1e-9)
    #expect(abs(try least("bytes_per_view", 1_000_000) - 20_000) < 1e-6)
    #expect(abs(try least("rebuffer_ratio", 0.005) - 0.001) < 1e-12)
    #expect(abs(try least("hit_ratio{tier=edge,by=requests}", 0.95) - 0.005) < 1e-12)
    #expect(try least("not_started_ratio", 0.5) == 0.01)
  }

  @Test func `a change of a few sessions is never judged`() throws {
    var (faster, before, after) = (MadeViews(), MadeViews(), MadeViews())
    faster.median *= 0.5
    (before.sessions, after.sessions) = (6, 6)
    after.median *= 2
    let found = try ChangeBacktest(
      predicted: predictedPair(MadeViews(), faster), observed: pair(before, after))
    #expect(!found.rows.isEmpty)
    for row in found.rows where !row.metric.name.hasPrefix("hit_ratio") {
      #expect(row.verdict == .tooLittleData, "\(row.metric.name)")
    }
  }

  // MARK: A scenario's prediction

  @Test func `a prediction has the views and sums of the scenario's replications`() async throws {
    let study = try #require(
      SmallScenario.make(["network.access=[{kind: wifi-good}, {kind: lte}]"]).feed)
    let parts = ["launch+feed", "dns+connect+tls", "transfer"]
    let predicted = try await BacktestPrediction.views(
      study, replications: 3, parts: parts, threads: 2)
    var (views, played, lengths, delivered) = (0, Int64(0), Int64(0), Int64(0))
    for number in 0..<3 as Range<UInt16> {
      let plan = try FeedRun.plan(study.configuration, seed: study.seed, replication: number)
      let measures = try FeedRun.run(
        study.configuration, plan: plan, seed: study.seed, replication: number
      ).measures
      views += measures.views.count
      played += measures.shown.reduce(0) { $0 + $1.played }
      lengths += measures.shown.reduce(0) { $0 + $1.lengths }
      delivered += measures.balances.reduce(0) { $0 + $1.delivered }
    }
    #expect(predicted.views.count == views && Set(predicted.views.map(\.block)) == [0, 1, 2])
    #expect(predicted.cohorts.count == study.networks.count * study.devices.count)
    let side = BacktestSide(predicted, isPredicted: true)
    let all = predicted.cohorts.map { _ in true }
    let ratio = side.quotient(.watchOfTitle, in: all)?.values(nil)[0]
    #expect(abs((ratio ?? 0) - Double(played) / Double(lengths)) < 1e-12)
    let bytes = side.quotient(.bytesPerView, in: all)?.values(nil)[0]
    #expect(abs((bytes ?? 0) - Double(delivered) / Double(views)) < 1e-6 * (bytes ?? 1))
    #expect(side.clusterCount == 3 && side.noise == .replications)
    #expect(predicted.partTimes.count == parts.count * views)
    let one = try await BacktestPrediction.views(study, replications: 3, parts: parts)
    #expect(one.views.map(\.wait) == predicted.views.map(\.wait))
    #expect(one.partTimes == predicted.partTimes && one.traffic == predicted.traffic)
    #expect(BacktestPrediction.groups(["dns", "noise"]) == nil)
  }

  @Test func `a prediction of too many views is refused before it is made`() async throws {
    let study = try #require(
      SmallScenario.make(["audience.viewsPerDayPerEdge=1000000000"]).feed)
    await #expect(throws: BacktestPrediction.Rejected.self) {
      try await BacktestPrediction.views(study, replications: 64)
    }
  }

  @Test func `a scenario agrees with itself on another seed`() async throws {
    func study(_ seed: Int) throws -> FeedStudy {
      try #require(
        SmallScenario.make([
          "seed=\(seed)", "audience.viewsPerDayPerEdge=8000000",
          "network.access=[{kind: wifi-good}]", "devices=[{kind: mid}]",
        ]).feed)
    }
    let ours = try await BacktestPrediction.views(study(3), replications: 8, threads: 2)
    var theirs = try await BacktestPrediction.views(study(4), replications: 6, threads: 2)
    theirs.totals = []
    let found = try Backtest(predicted: ours, observed: theirs)
    #expect(found.verdict != .disagrees, "\(found.rows.filter { $0.verdict == .disagrees })")
    #expect(found.rows.contains { $0.verdict == .agrees })
  }
}
