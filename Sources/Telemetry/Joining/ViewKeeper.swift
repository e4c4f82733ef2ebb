import Scenario
import SimulationKernel

/// Keeps each view, and the requests of each hour, in the form that a prediction is compared with.
///
/// Unlike all else that is made of telemetry it grows with it, up to a limit: beyond that whole
/// sessions are left out, by a hash of their number, and that is said.
struct ViewKeeper: Sendable {
  /// What a file may leave out without its meaning that.
  struct Habits: Sendable {
    /// A view that ended without a first frame was left: starts are measured.
    var infersLeaving = false
    /// Stalls are events, so that a view without one had none.
    var namesStalls = false
    /// What clocks begin with by the file's mapping, also those of views that have no first frame.
    var clock = Observation.Clock.unknown
    /// What columns tell of a start's parts, as ``Scenario/ObservedViews/parts`` has them.
    var startParts: [String] = []

    func clock(of start: Observation.Start) -> Observation.Clock {
      start.clock == .unknown ? clock : start.clock
    }
  }

  /// The most views, some 110 bytes each.
  static let limit = 1 << 21

  private struct Words: Hashable {
    let device, network, region, version: UInt16

    init(_ words: Observation.Words) {
      (device, network) = (words.device, words.network)
      (region, version) = (words.region, words.version)
    }
  }

  private struct Hour: Hashable {
    let block: Int64
    let asset: String
  }

  /// What has to be said of it.
  private struct Remarks {
    var clockless = 0, derived = 0, undated = 0, failed = 0, alone = 0, otherClock = 0
    var homeless = 0, passed = 0, unnamedCohorts = 0, untitled = 0
    /// Of sessions without a view, and of all.
    var homelessBytes = 0.0, allBytes = 0.0
    /// Of starts that tell all their parts: these, and the whole of it; seconds.
    var parts = 0.0, wholes = 0.0
    var parted = 0

    /// Whether so much belongs to no view that bytes per view say nothing.
    var lacksBytes: Bool { homelessBytes > 0.01 * allBytes }
  }

  private let habits: Habits
  private let limit: Int
  private var views: [ObservedViews.View] = []
  private var clocks: [Observation.Clock] = []
  /// By view and part of its start, milliseconds.
  private var partTimes: [Double] = []
  private var cohorts: [Words: UInt16] = [:]
  /// Of views that are or were kept.
  private var titles: [UInt64: UInt32] = [:]
  private var cohortWords: [Observation.Words] = []
  private var hours: [Hour: Int] = [:]
  private var traffic: [ObservedViews.Traffic] = []
  private var sessions: UInt32 = 0
  private var halvings = 0
  private var remarks = Remarks()

  init(_ habits: Habits, limit: Int = ViewKeeper.limit) {
    self.habits = habits
    self.limit = limit
  }

  // MARK: Views

  /// Keeps the views of a session, or one that nobody says the session of.
  mutating func take(_ all: [JoinedView], isNamed: Bool) {
    let bytes = ViewKeeper.bytes(all)
    let known = all.indices.filter { ViewKeeper.isView(all[$0]) }
    let sum = bytes.reduce(0) { $0 + ($1.isNaN ? 0 : $1) }
    remarks.allBytes += sum
    if known.isEmpty {
      if sum > 0 { remarks.homeless += 1 }
      remarks.homelessBytes += sum
      return
    }
    let session = sessions
    sessions += 1
    if !isKept(session) { return }
    // In a file of views that are sorted by their ends the first one may stand anywhere.
    let first = known.min { all[$0].begin < all[$1].begin }
    for place in known {
      var view = view(all[place], of: session)
      view.bytes = bytes[place]
      begin(&view, all[place], isFirst: isNamed ? place == first : nil)
      views.append(view)
      clocks.append(habits.clock(of: all[place].start))
      addParts(all[place])
    }
    if !isNamed { remarks.alone += 1 }
    while views.count > limit { halve() }
  }

  private mutating func addParts(_ joined: JoinedView) {
    var sum = 0.0
    for place in habits.startParts.indices {
      let seconds = Double(joined.startParts[place])
      partTimes.append(seconds * 1_000)
      sum += seconds
    }
    if habits.startParts.isEmpty || sum.isNaN || joined.start.ttff.isNaN { return }
    remarks.parted += 1
    remarks.parts += sum
    remarks.wholes += joined.start.ttff
  }

  /// Whether anything is known of how it began or ended. What was fetched ahead and never seen is
  /// no view.
  static func isView(_ view: JoinedView) -> Bool {
    !view.start.ttff.isNaN || view.start.isAbandoned != nil || view.start.isFailed != nil
      || !view.playback.dwell.isNaN || !view.playback.played.isNaN
  }

  /// By view; what was fetched and not seen belongs to the view in front of it, or else to the
  /// first one: somebody paid for it.
  private static func bytes(_ all: [JoinedView]) -> [Double] {
    var bytes = all.map(\.bytes)
    let owners = all.indices.filter { isView(all[$0]) }
    guard let first = owners.first else { return bytes }
    var owner = first
    for place in all.indices {
      if isView(all[place]) {
        owner = place
      } else if !bytes[place].isNaN {
        bytes[owner] = (bytes[owner].isNaN ? 0 : bytes[owner]) + bytes[place]
      }
    }
    return bytes
  }

  private mutating func view(_ joined: JoinedView, of session: UInt32) -> ObservedViews.View {
    let at = joined.begin.isFinite ? joined.begin : .nan
    if !joined.begin.isFinite { remarks.undated += 1 }
    var view = ObservedViews.View(
      session: session, at: at, cohort: cohort(joined.words), isCold: false, hasStarted: false,
      wait: .nan)
    view.title = title(joined.title)
    if view.title == 0 { remarks.untitled += 1 }
    let playback = joined.playback
    view.watched = playback.played
    view.length = playback.titleLength > 0 ? playback.titleLength : .nan
    view.stalled = playback.stall
    view.stalls = playback.stalls
    let hasEnd = !playback.dwell.isNaN || !playback.played.isNaN
    if habits.namesStalls && hasEnd && playback.stall.isNaN { (view.stalled, view.stalls) = (0, 0) }
    if view.stalls == 0 && view.stalled.isNaN { view.stalled = 0 }
    return view
  }

  /// The number of a title, as they come: hashes are others in every run.
  private mutating func title(_ hash: UInt64) -> UInt32 {
    if hash == 0 { return 0 }
    if let known = titles[hash] { return known }
    let number = UInt32(titles.count + 1)
    titles[hash] = number
    return number
  }

  private mutating func cohort(_ words: Observation.Words) -> UInt16 {
    let key = Words(words)
    if let known = cohorts[key] { return known }
    if cohortWords.count > Int(UInt16.max) {
      remarks.unnamedCohorts += 1
      return 0
    }
    let number = UInt16(cohortWords.count)
    cohorts[key] = number
    cohortWords.append(words)
    return number
  }

  /// Says how a view began, and what follows from that.
  ///
  /// - Parameter isFirst: of its session; nil: nobody says what session it is of.
  private mutating func begin(
    _ view: inout ObservedViews.View, _ joined: JoinedView, isFirst: Bool?
  ) {
    let (start, playback) = (joined.start, joined.playback)
    if !start.ttff.isNaN {
      view.hasStarted = true
      view.wait = start.ttff * 1_000
    } else if start.isFailed == true {
      remarks.failed += 1
      view.isCut = true
    } else if start.isAbandoned ?? (habits.infersLeaving && !playback.dwell.isNaN) {
      view.wait = playback.dwell * 1_000
      view.watched = 0
    } else if playback.played > 0 {
      view.hasStarted = true
    } else {
      view.isCut = true
    }
    if view.watched.isNaN, !start.ttff.isNaN, !playback.dwell.isNaN {
      remarks.derived += 1
      view.watched = max(
        0, playback.dwell - start.ttff - (playback.stall.isNaN ? 0 : playback.stall))
    }
    guard let isCold = isCold(start, isFirst: isFirst) else {
      if !view.wait.isNaN { remarks.clockless += 1 }
      view.wait = .nan
      return
    }
    view.isCold = isCold
  }

  /// Whether its clock is that of a cold start; nil where nothing tells.
  private func isCold(_ start: Observation.Start, isFirst: Bool?) -> Bool? {
    switch habits.clock(of: start) {
    case .cold: return true
    case .swipe: return false
    case .play, .unknown:
      if !start.item.isNaN { return start.item == 0 && (isFirst ?? true) }
      return isFirst
    }
  }

  // MARK: Requests

  /// Counts a request of an edge.
  mutating func take(request observation: Observation) {
    let request = observation.request
    if request.status >= 400 { return }
    let isHit: Bool
    switch request.outcome {
    case .hit, .staleHit, .collapsed: isHit = true
    case .miss, .revalidated: isHit = false
    case .bypass, .unknown, .error:
      remarks.passed += 1
      return
    }
    let block = ObservedViews.block(observation.second, of: ObservedViews.block)
    let hour = Hour(block: block, asset: ViewKeeper.asset(request.cmcd.objectType))
    let place = hours[hour] ?? traffic.count
    if place == traffic.count {
      hours[hour] = place
      traffic.append(ObservedViews.Traffic(block: block, asset: hour.asset))
    }
    let bytes = request.bytes.isNaN ? 0 : request.bytes
    traffic[place].requests += 1
    traffic[place].bytes += bytes
    if isHit {
      traffic[place].hits += 1
      traffic[place].hitBytes += bytes
    }
  }

  /// The class of an object, where CMCD says its type (`v`, `a`, `av`, `i`), as metrics name it. A
  /// manifest may be any of three, and a file's name may mean anything.
  private static func asset(_ objectType: UInt16) -> String {
    switch (UInt8(objectType >> 8), UInt8(objectType & 0xFF)) {
    case (0x76, 0), (0x61, 0), (0x61, 0x76): "segment"
    case (0x69, 0): "init"
    default: "other"
    }
  }

  // MARK: Too many

  private func isKept(_ session: UInt32) -> Bool {
    let key = UInt32(truncatingIfNeeded: SplitMix.hash(UInt64(session)) >> 32)
    return key.leadingZeroBitCount >= halvings
  }

  private mutating func halve() {
    halvings += 1
    let count = habits.startParts.count
    var kept = 0
    for place in views.indices where isKept(views[place].session) {
      (views[kept], clocks[kept]) = (views[place], clocks[place])
      for part in 0..<count { partTimes[kept * count + part] = partTimes[place * count + part] }
      kept += 1
    }
    partTimes.removeLast((views.count - kept) * count)
    views.removeLast(views.count - kept)
    clocks.removeLast(clocks.count - kept)
  }

  // MARK: The end

  /// All of it. Where clocks begin with play() in most views, the others' waits are no such waits.
  ///
  /// - Parameter cohort: that words stand for.
  mutating func finish(
    digest: UInt64, cohort: (Observation.Words) -> ObservedViews.Cohort
  ) -> ObservedViews {
    let named = cohortWords.map(cohort)
    var observed = ObservedViews(
      cohorts: named.isEmpty ? [ObservedViews.Cohort()] : named, parts: habits.startParts,
      digest: ViewKeeper.digits(digest))
    let waits = views.indices.filter { !views[$0].wait.isNaN }
    let plays = waits.count { clocks[$0] == .play }
    observed.beginsWithPlay = 2 * plays > waits.count
    for place in waits where (clocks[place] == .play) != observed.beginsWithPlay {
      remarks.otherClock += 1
      views[place].wait = .nan
    }
    for place in views.indices where remarks.lacksBytes { views[place].bytes = .nan }
    observed.hasTimes = views.isEmpty || remarks.undated < views.count
    // Whose clock is not known is of no clock's starts.
    let count = habits.startParts.count
    for place in views.indices where views[place].wait.isNaN {
      for part in 0..<count { partTimes[place * count + part] = .nan }
    }
    observed.views = views
    observed.partTimes = partTimes
    observed.traffic = traffic
    observed.notes = notes(observed)
    return observed
  }

  /// Eight digits.
  static func digits(_ digest: UInt64) -> String {
    let text = String(UInt32(truncatingIfNeeded: digest ^ digest >> 32), radix: 16)
    return String(repeating: "0", count: 8 - text.count) + text
  }

  private func notes(_ observed: ObservedViews) -> [String] {
    var notes: [String] = []
    func note(_ count: Int, _ text: String) {
      if count > 0 { notes.append("\(count) \(text)") }
    }
    if observed.beginsWithPlay {
      notes.append("clocks begin with play(): so do those that are predicted")
    }
    note(
      remarks.clockless,
      "views say neither their session nor what their clock begins with: their starts are not "
        + "compared (columns.session, or clock: cold or swipe)")
    note(remarks.otherClock, "views have another clock than most: their starts are not compared")
    note(
      remarks.alone,
      "views do not say their session: each counts as one by itself, so that intervals may be too "
        + "narrow")
    note(
      remarks.derived,
      "views do not say how long they played: it is the time on the screen without start and "
        + "stalls, pauses among it")
    note(
      remarks.untitled,
      "views do not say their title: that views of one title are alike is not in the intervals "
        + "(columns.title)")
    if remarks.parted > 0 {
      let share = (100 * remarks.parts / remarks.wholes).rounded()
      notes.append(
        "parts of starts add up to \(share.isFinite ? "\(Int(share))" : "no") % of them"
          + (share > 102 ? ": some overlap, or are of other times" : ""))
    } else if !habits.startParts.isEmpty {
      notes.append("no start tells all its parts")
    }
    note(remarks.failed, "views were ended by an error: they are neither started nor left")
    note(remarks.undated, "views have no time: they are in no day")
    note(
      remarks.homeless,
      "sessions have requests and no view: their bytes are nobody's"
        + (remarks.lacksBytes ? ", and bytes per view are not compared (columns.session)" : ""))
    note(
      remarks.passed,
      "requests say no outcome at the cache, or one of no copy of its own: they are not counted")
    note(remarks.unnamedCohorts, "views are of more cohorts than there is room for")
    if halvings > 0 {
      notes.append(
        "\(views.count) views are kept, those of one session of \(1 << halvings), by a hash of "
          + "their number; other counts are of all that was read")
    }
    return notes
  }
}
