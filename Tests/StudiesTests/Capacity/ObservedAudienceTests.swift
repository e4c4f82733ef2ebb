import Foundation
import Models
import Scenario
import Statistics
import Testing

@testable import Studies

@Suite struct ObservedAudienceTests {
  /// Blocks from an hour of some day on: so many views in each five minutes of each hour.
  private static func load(
    hours: Int, from first: Int64 = 480_000, views: (Int) -> Int64
  ) -> ObservedLoad {
    var load = ObservedLoad()
    var total: Int64 = 0
    for hour in 0..<hours {
      for block in 0..<12 {
        var one = ObservedLoad.Block(number: (first + Int64(hour)) * 12 + Int64(block))
        one.views = views(hour)
        one.sessions = one.views / 5
        one.shown = Double(one.views) * 6
        total += one.views
        load.blocks.append(one)
      }
    }
    for group in load.groups.indices {
      load.groups[group].views = total / 20
      load.groups[group].namedViews = total / 20
      load.groups[group].sessions = total / 100
      load.groups[group].timed = total / 20
      load.groups[group].seconds = Double(total / 20) * 6
    }
    return load
  }

  /// Two days with 100 views in five minutes, and 300 in the sixth hour of each.
  private static var twoDays: ObservedLoad { load(hours: 48) { $0 % 24 == 5 ? 300 : 100 } }

  private func value(
    _ audience: ObservedAudience, _ quantity: ObservedAudience.Quantity
  ) throws -> Double {
    try #require(audience[quantity]?.value, "\(quantity.rawValue): \(audience.untold)")
  }

  private func reason(
    _ audience: ObservedAudience, _ quantity: ObservedAudience.Quantity
  ) -> String? {
    audience.untold.first { $0.quantities.contains(quantity) }?.reason
  }

  @Test func `whole days say how many come, and how the day is shaped`() throws {
    let found = ObservedAudience(Self.twoDays, hasNextTier: false)
    #expect(found.days == 2)
    let day = 12.0 * (23 * 100 + 300)
    #expect(try value(found, .viewsPerDay) == day)
    #expect(try value(found, .sessionsPerDay) == day / 5)
    #expect(try value(found, .viewsPerSession) == 5)
    #expect(try value(found, .secondsPerView) == 6)
    #expect(abs(try value(found, .peakToMean) - 3_600 / (day / 24)) < 1e-9)
    #expect(try value(found, .burst) == 1 && value(found, .peakViews) == 1)
    #expect(try value(found, .viewersInHour) == 6 && value(found, .viewersAtPeak) == 6)
    #expect(found[.viewsPerDay]?.n == 2 && found[.viewsPerDay]?.unit == .days)
    #expect(found[.peakToMean]?.begin == Double((480_000 + 5) * 3_600))
    // Equal days differ by nothing.
    #expect(found[.viewsPerDay]?.interval == Interval(lower: day, upper: day))
    #expect(found.settings.map(\.key) == ["peakToMean", "burst"])
    #expect(found.users(sessionsPerUserDay: 8, viewsPerSession: 9) == day / 40)
    #expect(reason(found, .usersPerDay) == "no column says whose a view is (viewer)")
    #expect(reason(found, .edgeRequests) == "no log of requests (--logs)")
    #expect(reason(found, .edgeRate) == "no line says bytes (bytes)")
  }

  @Test func `less than a day is said, and what it tells all the same`() throws {
    let found = ObservedAudience(Self.load(hours: 23) { _ in 100 }, hasNextTier: false)
    #expect(found.days == 0 && found[.viewsPerDay] == nil && found[.peakToMean] == nil)
    #expect(reason(found, .viewsPerDay) == "the views are of 23.0 h, and a day has 24")
    #expect(found.users(sessionsPerUserDay: 8, viewsPerSession: 9) == nil)
    #expect(try value(found, .burst) == 1)
    #expect(try value(found, .viewersAtPeak) == 2)
    // A day without any line is none, and is said.
    var holed = Self.load(hours: 72) { _ in 100 }
    holed.blocks.removeAll { (480_024..<480_048).contains($0.number / 12) }
    let rest = ObservedAudience(holed, hasNextTier: false)
    #expect(rest.days == 2 && rest.notes.contains { $0.hasPrefix("1 days have no view") })
    #expect(try value(rest, .viewsPerDay) == 28_800)
  }

  /// A block that stands alone, with one view.
  private static func stray(hour: Int64) -> ObservedLoad.Block {
    var block = ObservedLoad.Block(number: hour * 12)
    block.views = 1
    return block
  }

  @Test func `a stray view makes no day, and does not say when days begin`() throws {
    var load = Self.load(hours: 168) { _ in 100 }
    load.blocks.insert(Self.stray(hour: 480_000 - 30), at: 0)
    let found = ObservedAudience(load, hasNextTier: false)
    #expect(found.days == 7)
    #expect(try value(found, .viewsPerDay) == 28_800)
    #expect(found.notes.contains { $0.hasPrefix("1 days have under 5 % of the views") })
    // Nor does one after all others fill a day of six hours.
    var later = Self.load(hours: 174) { _ in 100 }
    later.blocks.append(Self.stray(hour: 480_000 + 174 + 30))
    let filled = ObservedAudience(later, hasNextTier: false)
    #expect(filled.days == 7)
    #expect(try value(filled, .viewsPerDay) == 28_800)
    // A clock far off makes days of nothing, and no work.
    load.blocks[0] = Self.stray(hour: -500_000_000_000)
    load.blocks.append(Self.stray(hour: 500_000_000_000))
    let far = ObservedAudience(load, hasNextTier: false)
    #expect(far.days == 7)
    #expect(try value(far, .viewsPerDay) == 28_800)
    // Without a whole day beside it there is none.
    var short = Self.load(hours: 20) { _ in 100 }
    short.blocks.insert(Self.stray(hour: 480_000 - 30), at: 0)
    let none = ObservedAudience(short, hasNextTier: false)
    #expect(none.days == 0)
    #expect(reason(none, .viewsPerDay) == "hardly any views but those of less than a day")
  }

  @Test func `five minutes are held against hours that are covered`() throws {
    func between(_ blocks: Range<Int64>) -> ObservedAudience {
      var load = Self.load(hours: 3) { _ in 100 }
      load.blocks.removeAll { !blocks.contains($0.number - 480_000 * 12) }
      return ObservedAudience(load, hasNextTier: false)
    }
    // Half an hour, and half of the next.
    let halves = between(6..<18)
    #expect(halves[.burst] == nil && halves[.viewersInHour] == nil)
    #expect(reason(halves, .burst) == "the views are of no full hour by the clock")
    // The second hour is whole; the busiest five minutes stand in front of it.
    var load = Self.load(hours: 3) { $0 == 1 ? 100 : 150 }
    load.blocks.removeAll { !(6..<30).contains($0.number - 480_000 * 12) }
    let found = ObservedAudience(load, hasNextTier: false)
    #expect(try value(found, .burst) == 1)
    #expect(try value(found, .viewersInHour) == 2)
    #expect(try value(found, .peakViews) == 0.5)
  }

  @Test func `users are counted by day, whoever comes again`() throws {
    var load = Self.twoDays
    for viewer in 0..<60 {
      load.presences.append(ObservedLoad.Presence(viewer: UInt32(viewer), hour: 480_003))
      load.presences.append(ObservedLoad.Presence(viewer: UInt32(viewer), hour: 480_020))
    }
    for viewer in 0..<40 {
      load.presences.append(ObservedLoad.Presence(viewer: UInt32(viewer), hour: 480_030))
    }
    let found = ObservedAudience(load, hasNextTier: false)
    #expect(try value(found, .usersPerDay) == 50)
    let sessions = try value(found, .sessionsPerDay)
    #expect(abs(try value(found, .sessionsPerUserDay) - sessions / 50) < 1e-9)
    #expect(found.settings.map(\.key).first == "sessionsPerUserDay")
    load.strangers = 1_000
    #expect(
      reason(ObservedAudience(load, hasNextTier: false), .usersPerDay)
        == "1000 of 62400 views do not say whose they are (viewer)")
  }

  /// Requests beside the views: 20 a view of 10 kB, a tenth of them not answered by the edge.
  private static func asked(_ load: ObservedLoad, followed: Bool = false) -> ObservedLoad {
    var load = load
    for place in load.blocks.indices {
      let count = load.blocks[place].views * 20
      var asked = ObservedLoad.Requests()
      (asked.count, asked.sized, asked.placed, asked.answered) = (count, count, count, count)
      asked.bytes = Double(count) * 10_000
      asked.answeredBytes = asked.bytes
      asked.hits = count * 9 / 10
      asked.hitBytes = Double(asked.hits) * 10_000
      asked.fills = count / 10
      asked.fillBytes = Double(asked.fills) * 10_000
      if followed {
        asked.followed = asked.fills
        asked.followedHits = asked.fills / 2
        asked.originBytes = asked.fillBytes / 2
      }
      load.blocks[place].asked = asked
    }
    return load
  }

  @Test func `logs say bytes, requests and hits by tier, and no more than they can`() throws {
    let found = ObservedAudience(Self.asked(Self.twoDays), hasNextTier: false)
    #expect(try value(found, .edgeRequests) == 20 && value(found, .fillRequests) == 2)
    #expect(try value(found, .edgeRate) == 1.6e6 && value(found, .originRate) == 1.6e5)
    #expect(try value(found, .requestsPerView) == 20 && value(found, .bytesPerView) == 200_000)
    #expect(abs(try value(found, .hitRatio) - 0.9) < 1e-12)
    #expect(found[.hitRatio]?.n == 1_248_000 && found[.nextHitRatio] == nil)
    // A cache stands behind the edges, and nobody says what it did.
    let hidden = ObservedAudience(Self.asked(Self.twoDays), hasNextTier: true)
    #expect(hidden[.originRate] == nil && hidden[.fillRate] != nil)
    #expect(reason(hidden, .nextHitRatio)?.contains("do not say what it did") == true)
    let told = ObservedAudience(Self.asked(Self.twoDays, followed: true), hasNextTier: true)
    #expect(try value(told, .originRequests) == 1 && value(told, .nextHitRatio) == 0.5)
    #expect(try value(told, .originRate) == 8e4)
    // A hit ratio of which nothing is known but that nobody missed has a bound all the same.
    var calm = Self.asked(Self.twoDays)
    for place in calm.blocks.indices {
      calm.blocks[place].asked.hits = calm.blocks[place].asked.answered
    }
    let interval = try #require(ObservedAudience(calm, hasNextTier: false)[.hitRatio]?.interval)
    #expect(interval.lower < 1 && interval.upper == 1)
    // Outcomes or bytes that lack are said.
    var dumb = Self.asked(Self.twoDays)
    for place in dumb.blocks.indices {
      dumb.blocks[place].asked.placed = 0
      dumb.blocks[place].asked.sized = 0
    }
    let lacking = ObservedAudience(dumb, hasNextTier: false)
    #expect(lacking[.edgeRequests] != nil && lacking[.hitRatio] == nil && lacking[.edgeRate] == nil)
    let why = try #require(reason(lacking, .hitRatio))
    #expect(why.hasSuffix("requests do not say what the edge did (cache)"), "\(why)")
  }

  @Test func `lines without a time are not left out of sums in silence`() throws {
    // Three of ten views do not say when they began.
    var views = Self.asked(Self.twoDays)
    views.undatedViews = 18_720
    let first = ObservedAudience(views, hasNextTier: false)
    #expect(first[.requestsPerView] == nil && first[.bytesPerView] == nil)
    #expect(first[.edgeRequests] != nil && first[.hitRatio] != nil)
    let why = "18720 of 62400 views do not say when they began (time)"
    #expect(reason(first, .requestsPerView) == why)
    #expect(reason(first, .bytesPerView) == why)
    // Half of the requests.
    var requests = Self.asked(Self.twoDays)
    requests.undatedRequests = 1_248_000
    let second = ObservedAudience(requests, hasNextTier: false)
    let quantities: [ObservedAudience.Quantity] = [
      .edgeRate, .fillRate, .originRate, .edgeRequests, .fillRequests, .originRequests,
      .bytesPerView, .requestsPerView, .hitRatio, .byteHitRatio,
    ]
    let because = "1248000 of 2496000 requests do not say when they were (time, serverTime)"
    for quantity in quantities {
      #expect(second[quantity] == nil)
      #expect(reason(second, quantity) == because, "\(quantity.rawValue)")
    }
    #expect(try value(second, .viewsPerDay) == 31_200)
    // One of a hundred is said and no more.
    requests.undatedRequests = 12_480
    let third = ObservedAudience(requests, hasNextTier: false)
    #expect(try value(third, .edgeRequests) == 20)
    #expect(third.notes.contains { $0.hasPrefix("12480 requests have no time") })
  }

  @Test func `a log of other hours than the peak is not held against it`() throws {
    var load = Self.asked(Self.twoDays)
    for place in load.blocks.indices where load.blocks[place].number / 12 > 480_002 {
      load.blocks[place].asked = ObservedLoad.Requests()
    }
    let found = ObservedAudience(load, hasNextTier: false)
    #expect(found[.edgeRequests]?.isComparable == false && found[.peakViews]?.isComparable == true)
    #expect(try value(found, .requestsPerView) == 20)
    // Views and requests of other times have no ratio.
    var apart = Self.load(hours: 24) { _ in 100 }
    apart.replaceRequests(
      with: Self.asked(Self.load(hours: 24, from: 490_000) { _ in 100 }))
    #expect(
      reason(ObservedAudience(apart, hasNextTier: false), .requestsPerView)
        == "views and requests are of other times")
  }

  // MARK: Beside a plan

  private static let text = """
    version: 1
    name: capacity-test
    audience: {viewsPerDayPerEdge: 400000, window: 60 s, drain: 2 min, sessionLength: 30 s}
    catalogue: {titles: 5000}
    cdn: {edge: {capacity: 20 GB}, shield: none}

    """

  private static func plan(
    _ audience: ObservedAudience, text: String = text, assume: [String] = []
  ) async throws -> CapacityPlan {
    let scenario = try FeedStudy.parse(text, file: "test.yaml")
    let measures = try await CapacityMeasures.run(scenario, replications: 2, threads: 2)
    let said = assume.map { Override(set: $0) }
    let settings = audience.settings.map {
      Override(option: "--audience", keyPath: $0.key, value: $0.value)
    }
    let assumptions = try CapacityAssumptions.load(nil, overrides: settings + said)
    let users = audience.users(
      sessionsPerUserDay: assumptions.sessionsPerUserDay,
      viewsPerSession: measures.viewsPerSession)
    return try #require(
      try CapacityPlan(
        scenario, measures: measures, assumptions: assumptions, audience: users, prices: nil,
        seed: 1,
        observation: CapacityObservation(
          audience, assumed: try CapacityAssumptions.load(nil, overrides: said),
          taken: audience.settings.map(\.key), isAudienceKnown: users != nil)))
  }

  @Test func `a plan stands beside what was taken, and says which limits were over`() async throws {
    let audience = ObservedAudience(Self.asked(Self.twoDays), hasNextTier: false)
    let plan = try await Self.plan(audience, assume: ["originRequestsPerSecond=1"])
    func row(_ quantity: ObservedAudience.Quantity) throws -> CapacityPlan.Comparison {
      try #require(plan.comparisons.first { $0.figure.quantity == quantity })
    }
    // The plan is for the sessions of these days, and their shape.
    let sessions = try value(audience, .sessionsPerDay)
    #expect(abs(plan.sessionsPerDay / sessions - 1) < 1e-12)
    #expect(plan.assumptions.peakToMean == (try value(audience, .peakToMean)))
    let peak = try row(.peakViews)
    #expect(peak.predicted == plan.level.peakViews && peak.origin == .plan)
    // Sessions are the files'; how many views each has is the scenario's.
    let expected = plan.measures.viewsPerSession / 5
    #expect(abs(plan.level.peakViews / peak.figure.value / expected - 1) < 1e-9)
    #expect(try row(.peakToMean).predicted == 1.8 && row(.peakToMean).origin == .assumed)
    #expect(try row(.edgeRate).predicted == plan.level.edgeRate)
    #expect(try row(.bytesPerView).predicted == plan.measures.bytesPerView.value)
    let difference = try #require(try row(.edgeRequests).difference)
    #expect(difference == plan.level.edgeRequests - 20)
    let limits = plan.observedLimits
    #expect(limits.map(\.name) == ["distribution", "origin", "edges"])
    #expect(limits.map(\.isOver) == [false, true, true])
    #expect(limits[1].observed == 2 && limits[2].isLeast)
  }

  @Test func `of several providers logs do not say whose distribution was over`() async throws {
    let audience = ObservedAudience(Self.asked(Self.twoDays), hasNextTier: false)
    let text = Self.text.replacingOccurrences(
      of: "shield: none",
      with: "shield: none, providers: [{name: a, share: 0.75}, {name: b, share: 0.25}]")
    let plan = try await Self.plan(audience, text: text)
    let limits = plan.observedLimits
    #expect(limits.map(\.name) == ["distribution", "origin", "edges"])
    #expect(limits[0].observed == nil && limits[0].isOver == nil)
    #expect(limits[0].what.hasSuffix("; logs do not say whose distribution"))
    let share: Double = plan.level.edgeRequests * 0.75
    let predicted: Double = try #require(limits[0].predicted)
    #expect(abs(predicted / share - 1) < 1e-9)
    #expect(limits[1].observed == 2 && limits[1].isOver != nil)
  }

  @Test func `without a whole day what grows with the audience is not compared`() async throws {
    let audience = ObservedAudience(
      Self.asked(Self.load(hours: 5) { _ in 100 }), hasNextTier: false)
    let plan = try await Self.plan(audience)
    #expect(abs(plan.load - 1) < 1e-9)
    for row in plan.comparisons {
      #expect(
        (row.predicted == nil) == row.figure.quantity.growsWithAudience,
        "\(row.figure.quantity.rawValue)")
    }
    #expect(plan.observedLimits.map(\.isOver) == [false, false, true])
    #expect(plan.observedLimits[0].predicted == nil)
  }
}
