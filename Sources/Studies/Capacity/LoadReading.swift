import Foundation
import Scenario
import Statistics

/// Makes figures of what came in each five minutes.
struct LoadReading {
  typealias Block = ObservedLoad.Block
  typealias Figure = ObservedAudience.Figure
  typealias Quantity = ObservedAudience.Quantity

  /// The share of lines that may lack what a sum is made of.
  private static let lackingShare = 0.01
  /// Fewer sessions say nothing of how groups of them differ.
  private static let fewestSessions: Int64 = 40
  /// Fewer parts of the time say nothing of how they differ.
  private static let fewestClusters = 8
  /// A day with a smaller part of the median day's views is none: clocks that are wrong make such.
  private static let leastDay = 0.05

  private let load: ObservedLoad
  private let viewBlocks: ClosedRange<Int64>?
  private let requestBlocks: ClosedRange<Int64>?
  /// Of whole days, the numbers of their blocks.
  private(set) var days: [Range<Int64>] = []
  /// Days that have too few views to be one.
  private var sparseDays = 0
  private(set) var figures: [Figure] = []
  private(set) var untold: [ObservedAudience.Untold] = []
  private(set) var notes: [String] = []

  init(_ load: ObservedLoad) {
    self.load = load
    func range(_ isIn: (Block) -> Bool) -> ClosedRange<Int64>? {
      guard let first = load.blocks.first(where: isIn), let last = load.blocks.last(where: isIn)
      else { return nil }
      return first.number...last.number
    }
    viewBlocks = range { $0.views > 0 }
    requestBlocks = range { $0.asked.count > 0 }
  }

  var viewTime: Range<Double>? { viewBlocks.map { LoadReading.seconds($0) } }
  var requestTime: Range<Double>? { requestBlocks.map { LoadReading.seconds($0) } }

  private static func seconds(_ blocks: ClosedRange<Int64>) -> Range<Double> {
    let length = ObservedLoad.block
    return Double(blocks.lowerBound) * length..<Double(blocks.upperBound + 1) * length
  }

  /// The hour that a block lies in.
  private static func hour(_ block: Int64) -> Int64 {
    ObservedViews.block(Double(block), of: Double(ObservedLoad.blocksAnHour))
  }

  // MARK: What is told

  private mutating func add(
    _ quantity: Quantity, _ value: Double, _ interval: Interval? = nil, n: Int64,
    _ unit: ObservedAudience.Unit, at block: Int64? = nil, isComparable: Bool = true
  ) {
    figures.append(
      Figure(
        quantity: quantity, value: value, interval: interval, n: n, unit: unit,
        begin: block.map { Double($0) * ObservedLoad.block }, isComparable: isComparable))
  }

  private mutating func lack(_ quantities: [Quantity], _ reason: String) {
    untold.append(ObservedAudience.Untold(quantities: quantities, reason: reason))
  }

  /// Why a sum over lines would lack too many of them; nil where it does not.
  private func lacks(_ told: Int64, of all: Int64, _ words: String) -> String? {
    if Double(all - told) <= LoadReading.lackingShare * Double(all) { return nil }
    return "\(all - told) of \(all) \(words)"
  }

  /// The most that came in as many blocks as stand together by the clock.
  /// - Parameter range: where it is looked for; nil for everywhere.
  private func busiest(
    _ blocks: Int64, in range: Range<Int64>? = nil, _ count: (Block) -> Double
  ) -> (sum: Double, begin: Int64)? {
    var best: (sum: Double, begin: Int64)?
    var (begin, sum) = (Int64.min, 0.0)
    for block in load.blocks {
      if let range, !range.contains(block.number) { continue }
      let mine = ObservedViews.block(Double(block.number), of: Double(blocks)) * blocks
      if mine != begin { (begin, sum) = (mine, 0) }
      sum += count(block)
      if sum > best?.sum ?? 0 { best = (sum, begin) }
    }
    return best
  }

  // MARK: Days

  /// Finds the whole days; what no line at all is of is not known to be one.
  mutating func readDays() {
    guard let viewBlocks else { return }
    let hour = ObservedLoad.blocksAnHour
    let length = ObservedLoad.hoursADay * hour
    var first = LoadReading.hour(viewBlocks.lowerBound) * hour
    var end = (LoadReading.hour(viewBlocks.upperBound) + 1) * hour
    var seen = daysWithViews(from: first, to: end)
    var least = LoadReading.leastViews(seen.map(\.views))
    // Stray views before or after all others do not say when days begin or end.
    while true {
      let (second, last) = (first + length, end - length)
      if sum(first..<second, { Double($0.views) }) < least,
        let next = load.blocks.first(where: { $0.views > 0 && $0.number >= second })
      {
        first = LoadReading.hour(next.number) * hour
      } else if sum(last..<end, { Double($0.views) }) < least,
        let before = load.blocks.last(where: { $0.views > 0 && $0.number < last })
      {
        end = (LoadReading.hour(before.number) + 1) * hour
      } else {
        break
      }
      sparseDays += 1
      seen = daysWithViews(from: first, to: end)
      least = LoadReading.leastViews(seen.map(\.views))
    }
    let empty = (end - first) / length - Int64(seen.count)
    let whole = seen.filter { $0.views >= least }
    sparseDays += seen.count - whole.count
    days = whole.map { $0.begin..<$0.begin + length }
    if empty > 0 { notes.append("\(empty) days have no view: they are not among the days") }
    if sparseDays > 0 {
      notes.append(
        "\(sparseDays) days have under 5 % of the views of the median day: they are not among the "
          + "days")
    }
  }

  /// Days from a block on, in the order of time, each with its views.
  private func daysWithViews(
    from first: Int64, to end: Int64
  ) -> [(begin: Int64, views: Double)] {
    let length = ObservedLoad.hoursADay * ObservedLoad.blocksAnHour
    let range = first..<first + (end - first) / length * length
    var seen: [(begin: Int64, views: Double)] = []
    for block in load.blocks where block.views > 0 && range.contains(block.number) {
      let begin = block.number - (block.number - first) % length
      if seen.last?.begin != begin { seen.append((begin: begin, views: 0)) }
      seen[seen.count - 1].views += Double(block.views)
    }
    return seen
  }

  /// The fewest views of a day that is one among these.
  private static func leastViews(_ days: [Double]) -> Double {
    days.isEmpty ? 0 : leastDay * days.sorted()[days.count / 2]
  }

  private func sum(_ range: Range<Int64>, _ count: (Block) -> Double) -> Double {
    var (low, high) = (0, load.blocks.count)
    while low < high {
      let middle = (low + high) / 2
      if load.blocks[middle].number < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    var sum = 0.0
    for block in load.blocks[low...] {
      if block.number >= range.upperBound { break }
      sum += count(block)
    }
    return sum
  }

  /// A mean of days, with how they differ.
  private mutating func add(_ quantity: Quantity, days values: [Double]) {
    let mean = values.reduce(0, +) / Double(values.count)
    let interval = (try? Estimates.mean(of: values))?.interval
    add(quantity, mean, interval.map { $0.atLeastZero }, n: Int64(values.count), .days)
  }

  // MARK: Views

  mutating func readViews() {
    let all = load.views
    if all == 0 {
      lack(
        Quantity.allCases.filter { !$0.isOfRequests && !$0.isShare },
        "no file has views: how they began or how long they were on the screen")
      return
    }
    readSessions()
    let dated = all - load.undatedViews
    if let reason = lacks(dated, of: all, "views do not say when they began (time)") {
      lack(
        [
          .usersPerDay, .sessionsPerDay, .viewsPerDay, .sessionsPerUserDay, .peakToMean, .burst,
          .viewersInHour, .viewersAtPeak, .peakViews,
        ], reason)
      return
    }
    readPeakOfViews()
    if days.isEmpty {
      let hours = viewTime.map { ($0.upperBound - $0.lowerBound) / 3600 } ?? 0
      lack(
        [.usersPerDay, .sessionsPerDay, .viewsPerDay, .sessionsPerUserDay, .peakToMean],
        sparseDays > 0
          ? "hardly any views but those of less than a day"
          : "the views are of " + String(format: "%.1f", hours) + " h, and a day has 24")
      return
    }
    let counts = days.map { day in sum(day) { Double($0.views) } }
    add(.viewsPerDay, days: counts)
    if let hour = busiest(ObservedLoad.blocksAnHour, { Double($0.views) }) {
      let mean = counts.reduce(0, +) / Double(days.count) / Double(ObservedLoad.hoursADay)
      add(.peakToMean, hour.sum / mean, n: Int64(hour.sum), .views, at: hour.begin)
    }
    readUsers()
  }

  /// What sessions and views are like, whenever they came.
  private mutating func readSessions() {
    let groups = load.groups
    func sums(_ count: (ObservedLoad.Group) -> Int64) -> [Double] {
      groups.map { Double(count($0)) }
    }
    let sessions = groups.reduce(0) { $0 + $1.sessions }
    let named = groups.reduce(0) { $0 + $1.namedViews }
    func interval(_ numerators: [Double], _ denominators: [Double]) -> Interval? {
      let parts = max(sessions, load.views - named)
      if parts < LoadReading.fewestSessions { return nil }
      return (try? Estimates.ratio(numerators: numerators, denominators: denominators))?.interval
        .atLeastZero
    }
    func add(
      _ quantity: Quantity, _ numerators: [Double], _ denominators: [Double], n: Int64,
      _ unit: ObservedAudience.Unit
    ) {
      self.add(
        quantity, numerators.reduce(0, +) / denominators.reduce(0, +),
        interval(numerators, denominators), n: n, unit)
    }
    if let reason = lacks(named, of: load.views, "views do not say their session (session)") {
      lack([.viewsPerSession], reason)
    } else {
      add(.viewsPerSession, sums(\.namedViews), sums(\.sessions), n: sessions, .sessions)
    }
    let timed = groups.reduce(0) { $0 + $1.timed }
    let unended = "views do not say how long they were on the screen (dwell, played)"
    if let reason = lacks(timed, of: load.views, unended) {
      lack([.secondsPerView, .viewersInHour, .viewersAtPeak], reason)
    } else {
      add(.secondsPerView, groups.map(\.seconds), sums(\.timed), n: timed, .views)
    }
    if hasViewBytes {
      add(.bytesPerView, groups.map(\.bytes), sums(\.views), n: load.views, .views)
    }
  }

  private var isTimed: Bool { figures.contains { $0.quantity == .secondsPerView } }

  private var hasViewBytes: Bool {
    let sized = load.groups.reduce(0) { $0 + $1.sized }
    return load.views > 0 && lacks(sized, of: load.views, "") == nil
  }

  private mutating func readPeakOfViews() {
    guard let peak = busiest(1, { Double($0.views) }), let viewBlocks else { return }
    add(.peakViews, peak.sum / ObservedLoad.block, n: Int64(peak.sum), .views, at: peak.begin)
    if isTimed, let most = busiest(1, \.shown) {
      add(
        .viewersAtPeak, most.sum / ObservedLoad.block, n: views(most.begin, 1), .views,
        at: most.begin)
    }
    let hour = ObservedLoad.blocksAnHour
    // An hour that is half covered has half of its views.
    let begin = LoadReading.hour(viewBlocks.lowerBound + hour - 1) * hour
    let end = LoadReading.hour(viewBlocks.upperBound + 1) * hour
    guard begin < end, let most = busiest(hour, in: begin..<end, { Double($0.views) }),
      let inside = busiest(1, in: begin..<end, { Double($0.views) })
    else {
      lack([.burst, .viewersInHour], "the views are of no full hour by the clock")
      return
    }
    let ratio = inside.sum * Double(hour) / most.sum
    add(.burst, ratio, n: Int64(inside.sum), .views, at: inside.begin)
    if isTimed, let most = busiest(hour, in: begin..<end, \.shown) {
      add(
        .viewersInHour, most.sum / ObservedLoad.block / Double(hour), n: views(most.begin, hour),
        .views, at: most.begin)
    }
    if peak.sum < 400 {
      notes.append(
        "the busiest five minutes have \(Int64(peak.sum)) views: chance is among what makes them "
          + "the busiest, ± \(Int((196 / peak.sum.squareRoot()).rounded())) % for one such block")
    }
  }

  private func views(_ begin: Int64, _ blocks: Int64) -> Int64 {
    Int64(sum(begin..<begin + blocks) { Double($0.views) })
  }

  /// Sessions and users of whole days.
  private mutating func readUsers() {
    var sessions: [Double] = []
    if figures.contains(where: { $0.quantity == .viewsPerSession }) {
      sessions = days.map { day in sum(day) { Double($0.sessions) } }
      add(.sessionsPerDay, days: sessions)
    } else {
      lack([.sessionsPerDay], "views do not say their session (session)")
    }
    if load.presences.isEmpty {
      lack(
        [.usersPerDay, .sessionsPerUserDay],
        load.hasTooManyViewers
          ? "more viewers than are kept apart" : "no column says whose a view is (viewer)")
      return
    }
    if let reason = lacks(
      load.views - load.strangers, of: load.views, "views do not say whose they are (viewer)")
    {
      lack([.usersPerDay, .sessionsPerUserDay], reason)
      return
    }
    // Whose an hour is, of the days.
    var dayOfHour: [Int64: Int] = [:]
    for (place, day) in days.enumerated() {
      for hour in LoadReading.hour(day.lowerBound)..<LoadReading.hour(day.upperBound) {
        dayOfHour[hour] = place
      }
    }
    var viewers = [Set<UInt32>](repeating: [], count: days.count)
    for presence in load.presences {
      if let day = dayOfHour[presence.hour] { viewers[day].insert(presence.viewer) }
    }
    let users = viewers.map { Double($0.count) }
    add(.usersPerDay, days: users)
    let all = users.reduce(0, +)
    if sessions.isEmpty || all <= 0 { return }
    let ratio = try? Estimates.ratio(numerators: sessions, denominators: users)
    add(
      .sessionsPerUserDay, sessions.reduce(0, +) / all, ratio?.interval.atLeastZero,
      n: Int64(days.count), .days)
  }

  // MARK: Requests

  mutating func readRequests(hasNextTier: Bool) {
    let all = load.blocks.reduce(into: ObservedLoad.Requests()) { $0.add($1.asked) }
    let undated = lacks(
      all.count, of: all.count + load.undatedRequests,
      "requests do not say when they were (time, serverTime)")
    readBytes(all, undated: undated)
    if all.count == 0 || undated != nil {
      lack(
        [
          .fillRate, .originRate, .edgeRequests, .fillRequests, .originRequests, .requestsPerView,
          .hitRatio, .byteHitRatio, .nextHitRatio,
        ],
        undated ?? "no log of requests (--logs)")
      return
    }
    if load.undatedRequests > 0 {
      notes.append("\(load.undatedRequests) requests have no time: they are not counted")
    }
    add(.edgeRequests, peak: { Double($0.count) }, n: { $0.count })
    if load.views > 0 {
      addPerView(.requestsPerView) { Double($0.count) }
    }
    let unplaced = "requests do not say what the edge did (cache)"
    if let reason = lacks(all.placed, of: all.count, unplaced) {
      lack(
        [
          .fillRate, .originRate, .fillRequests, .originRequests, .hitRatio, .byteHitRatio,
          .nextHitRatio,
        ], reason)
      return
    }
    let hasBytes = lacks(all.sized, of: all.count, "") == nil
    add(.fillRequests, peak: { Double($0.fills) }, n: { $0.fills })
    if hasBytes { add(.fillRate, peak: { $0.fillBytes * 8 }, n: { $0.fills }) }
    addShare(.hitRatio, { Double($0.hits) }, { Double($0.answered) }, n: all.answered)
    if hasBytes {
      addShare(.byteHitRatio, \.hitBytes, \.answeredBytes, n: all.answered)
    }
    readOrigin(all, hasNextTier: hasNextTier, hasBytes: hasBytes)
  }

  /// - Parameter undated: why nothing is made of when requests were; nil where something is.
  private mutating func readBytes(_ all: ObservedLoad.Requests, undated: String?) {
    if undated == nil && all.count > 0 && lacks(all.sized, of: all.count, "") == nil {
      add(.edgeRate, peak: { $0.bytes * 8 }, n: { $0.count })
      if !hasViewBytes && load.views > 0 { addPerView(.bytesPerView) { $0.bytes } }
      return
    }
    let isDated = lacks(load.views - load.undatedViews, of: load.views, "") == nil
    if hasViewBytes && isDated, let most = busiest(1, \.viewBytes) {
      add(
        .edgeRate, most.sum * 8 / ObservedLoad.block, n: views(most.begin, 1), .views,
        at: most.begin)
      notes.append("Gbps to viewers are the bytes of views that began in those minutes")
    } else {
      let silent = undated ?? "no line says bytes (bytes)"
      lack(
        hasViewBytes ? [.edgeRate] : [.edgeRate, .bytesPerView],
        hasViewBytes ? "views do not say when they began (time)" : silent)
    }
    if undated == nil && all.count > 0 {
      lack([.fillRate, .originRate, .byteHitRatio], "requests do not say bytes")
    }
  }

  private mutating func readOrigin(
    _ all: ObservedLoad.Requests, hasNextTier: Bool, hasBytes: Bool
  ) {
    let isFollowed = all.followed > 0 && lacks(all.followed, of: all.fills, "") == nil
    if isFollowed {
      add(
        .originRequests, peak: { Double($0.followed - $0.followedHits) },
        n: { $0.followed - $0.followedHits })
      if hasBytes {
        add(.originRate, peak: { $0.originBytes * 8 }, n: { $0.followed - $0.followedHits })
      }
      addShare(
        .nextHitRatio, { Double($0.followedHits) }, { Double($0.followed) }, n: all.followed)
      return
    }
    if hasNextTier {
      lack(
        [.originRequests, .originRate, .nextHitRatio],
        "the scenario has a cache behind the edges, and requests do not say what it did (a "
          + "Cache-Status that lists both)")
      return
    }
    add(.originRequests, peak: { Double($0.fills) }, n: { $0.fills })
    if hasBytes { add(.originRate, peak: { $0.fillBytes * 8 }, n: { $0.fills }) }
  }

  /// Whether the log is of the minutes in which most views began: else its peak is another one.
  private var coversPeak: Bool {
    guard let requestBlocks, let peak = busiest(1, { Double($0.views) }) else {
      // Of logs alone it is theirs, when they have a day.
      let day = ObservedLoad.hoursADay * ObservedLoad.blocksAnHour
      return Int64(requestBlocks?.count ?? 0) >= day
    }
    return requestBlocks.contains(peak.begin)
  }

  private mutating func add(
    _ quantity: Quantity, peak count: (ObservedLoad.Requests) -> Double,
    n: (ObservedLoad.Requests) -> Int64
  ) {
    // Nothing at all is a peak of nothing.
    let most = busiest(1) { count($0.asked) }
    let block = most.flatMap { most in load.blocks.first { $0.number == most.begin } }
    add(
      quantity, (most?.sum ?? 0) / ObservedLoad.block, n: block.map { n($0.asked) } ?? 0,
      .requests, at: most?.begin, isComparable: coversPeak)
  }

  /// A ratio of sums over the time that both sides are of, with how parts of the time differ.
  private mutating func addPerView(
    _ quantity: Quantity, _ count: (ObservedLoad.Requests) -> Double
  ) {
    if let reason = lacks(
      load.views - load.undatedViews, of: load.views, "views do not say when they began (time)")
    {
      lack([quantity], reason)
      return
    }
    guard let viewBlocks, let requestBlocks, viewBlocks.overlaps(requestBlocks) else {
      lack([quantity], "views and requests are of other times")
      return
    }
    let both = viewBlocks.clamped(to: requestBlocks)
    let blocks = load.blocks.filter { both.contains($0.number) }
    let views = blocks.reduce(0) { $0 + $1.views }
    if views == 0 {
      lack([quantity], "no view began while requests were logged")
      return
    }
    let sum = blocks.reduce(0) { $0 + count($1.asked) }
    add(
      quantity, sum / Double(views),
      interval(blocks, { count($0.asked) }, { Double($0.views) })?.atLeastZero, n: views, .views)
  }

  private mutating func addShare(
    _ quantity: Quantity, _ part: (ObservedLoad.Requests) -> Double,
    _ whole: (ObservedLoad.Requests) -> Double, n: Int64
  ) {
    let all = load.blocks.reduce(0) { $0 + whole($1.asked) }
    if all <= 0 {
      lack([quantity], "no request that a copy could have answered")
      return
    }
    let share = load.blocks.reduce(0) { $0 + part($1.asked) } / all
    var interval = interval(load.blocks, { part($0.asked) }, { whole($0.asked) })
    // What has hardly happened has no noise to be seen.
    if Estimates.hasFewEvents(share, samples: Double(n)),
      let bounds = try? Estimates.shareBounds(share, samples: Double(n))
    {
      interval = interval?.covering(bounds) ?? bounds
    }
    add(quantity, share, interval?.clamped(to: 0...1), n: n, .requests)
  }

  /// By days, hours or five minutes, whichever are enough, the longest of these.
  private func interval(
    _ blocks: [Block], _ numerator: (Block) -> Double, _ denominator: (Block) -> Double
  ) -> Interval? {
    let hour = ObservedLoad.blocksAnHour
    for length in [hour * ObservedLoad.hoursADay, hour, 1] {
      var sums: [(numerator: Double, denominator: Double)] = []
      var begin = Int64.min
      for block in blocks {
        let mine = ObservedViews.block(Double(block.number), of: Double(length))
        if mine != begin { sums.append((0, 0)) }
        begin = mine
        sums[sums.count - 1].numerator += numerator(block)
        sums[sums.count - 1].denominator += denominator(block)
      }
      if sums.count < LoadReading.fewestClusters { continue }
      return
        (try? Estimates.ratio(
          numerators: sums.map(\.numerator), denominators: sums.map(\.denominator)))?.interval
    }
    return nil
  }
}

extension Interval {
  /// The part of it that counts can have.
  fileprivate var atLeastZero: Interval { clamped(to: 0...Double.greatestFiniteMagnitude) }
}
