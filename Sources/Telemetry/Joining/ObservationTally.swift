import Scenario

/// What all views and sessions say together: what laws are fitted to, and what a prediction is
/// compared with. Times are seconds.
public struct ObservationTally: Sendable {
  /// The most sessions whose titles are kept apart.
  static let sessionLimit = 1 << 20

  public private(set) var views = 0
  public private(set) var sessions = 0
  /// Views that were left before the first frame, and those that an error ended.
  public private(set) var abandoned = 0
  public private(set) var failed = 0
  /// To the first frame, by ``Observation/Clock``; censored where the viewer left before.
  public private(set) var starts = [ThinnedSample](
    repeating: ThinnedSample(), count: Observation.Clock.allCases.count)
  public private(set) var startup = ThinnedSample()
  public private(set) var leaving = ThinnedSample()
  public private(set) var dwell = ThinnedSample()
  public private(set) var session = ThinnedSample()
  public private(set) var sessionViews = ThinnedSample()
  /// Of views that say both: how long they stood still, how often, how long media played.
  public private(set) var stalls = ThinnedSample()
  public private(set) var stallCount = 0.0
  public private(set) var stalledTime = 0.0
  public private(set) var playedTime = 0.0
  public private(set) var bitrates = ThinnedSample()
  /// Views by hour of the week (UTC), from Monday 0 h.
  public private(set) var hours = [Int](repeating: 0, count: 168)
  public var requests = RequestTally()
  /// What was watched, and when sessions began.
  var audience = AudienceTally()
  private var titles = TitleTally()
  /// Views without an end, sessions that had begun before, views whose dwell is a sum of parts.
  private var open = 0
  private var earlier = 0
  private var summed = 0
  /// Whether a view without a first frame was left before it: where starts are measured.
  private let infersLeaving: Bool
  /// What is made of lines beside fits.
  private var beside: Beside

  /// Nil: views are not kept one by one; what came when is not counted.
  private struct Beside: Sendable {
    var keeper: ViewKeeper?
    var load: LoadTally?
  }

  init(infersLeaving: Bool, keeper: ViewKeeper? = nil, load: LoadTally? = nil) {
    self.infersLeaving = infersLeaving
    beside = Beside(keeper: keeper, load: load)
  }

  /// Notes whose a line is, where what came when is counted.
  mutating func meet(_ observation: Observation) { beside.load?.meet(observation) }

  /// Keeps the views of a session, or one that nobody says the session of, where they are kept.
  mutating func keep(_ views: [JoinedView], isNamed: Bool) {
    beside.keeper?.take(views, isNamed: isNamed)
    beside.load?.take(views, isNamed: isNamed)
  }

  mutating func take(request observation: Observation) {
    requests.take(observation)
    beside.keeper?.take(request: observation)
    beside.load?.take(request: observation)
  }

  /// What was kept; nil where nothing is.
  mutating func kept(
    digest: UInt64, cohort: (Observation.Words) -> ObservedViews.Cohort
  ) -> ObservedViews? {
    beside.keeper?.finish(digest: digest, cohort: cohort)
  }

  /// What came when; nil where it is not counted.
  mutating func counted(digest: UInt64) -> ObservedLoad? { beside.load?.finish(digest: digest) }

  mutating func close(_ view: JoinedView) {
    views += 1
    if view.title != 0 { titles.count(view.title) }
    let ttff = view.start.ttff
    let dwell = dwell(of: view)
    audience.close(view)
    if dwell.isNaN { open += 1 } else { self.dwell.add(dwell) }
    if view.start.isFailed == true { failed += 1 }
    if !ttff.isNaN {
      begin(ttff, false, view)
    } else if view.start.isFailed != true {
      let isLeft = view.start.isAbandoned ?? (infersLeaving && !dwell.isNaN)
      if isLeft { abandoned += 1 }
      if isLeft && !dwell.isNaN { begin(dwell, true, view) }
    }
    if !view.playback.stall.isNaN || !view.playback.stalls.isNaN {
      if !view.playback.stall.isNaN {
        stalls.add(view.playback.stall)
        stalledTime += view.playback.stall
        if !view.playback.played.isNaN { playedTime += view.playback.played }
      }
      if !view.playback.stalls.isNaN { stallCount += view.playback.stalls }
    }
    if !view.playback.bitrate.isNaN { bitrates.add(view.playback.bitrate) }
    if view.begin.isFinite {
      // 1 January 1970 was a Thursday.
      let hour = Int64(view.begin).dividingFloor(by: 3_600) + 72
      hours[Int(hour - hour.dividingFloor(by: 168) * 168)] += 1
    }
  }

  private mutating func begin(_ time: Double, _ isLeft: Bool, _ view: JoinedView) {
    startup.add(time, isCensored: isLeft)
    starts[Int(view.start.clock.rawValue)].add(time, isCensored: isLeft)
    leaving.add(time, isCensored: !isLeft)
  }

  private mutating func dwell(of view: JoinedView) -> Double {
    if view.playback.dwell.isNaN && !view.playback.played.isNaN { summed += 1 }
    return view.length
  }

  /// - Parameters:
  ///   - isCut: whether the end of the data may have cut the session.
  mutating func close(_ session: JoinedSession, _ views: [JoinedView], isCut: Bool) {
    sessions += 1
    let item = views.reduce(Double.infinity) {
      min($0, $1.start.item.isNaN ? -1 : $1.start.item)
    }
    let begin = item > 0 && item < 1e9 ? Int(item) : 0
    if sessions <= ObservationTally.sessionLimit { titles.close(views, begin: begin) }
    if begin > 0 {
      earlier += 1
      return
    }
    if !session.first.isFinite { return }
    audience.begin(session.first)
    // A session ends with the view in which its time is up.
    var latest = session.first
    for view in views where view.begin.isFinite { latest = max(latest, view.begin) }
    let end = isCut ? latest : (latest + session.last) / 2
    self.session.add(end - session.first, isCensored: isCut)
    if !isCut { sessionViews.add(Double(views.count)) }
  }

  /// Adds what was found to what fits take.
  func finish(_ reading: inout TelemetryReading) {
    reading.data.startup = startup.times
    reading.data.leaving = leaving.times
    reading.data.dwell = dwell.times
    reading.data.session = session.times
    reading.data.sessionViews = sessionViews.seen
    reading.data.sessions += sessions
    reading.data.views += views
    titles.finish(&reading, requests: requests, hasAllSessions: sessions <= Self.sessionLimit)
    note(&reading)
  }

  private func note(_ reading: inout TelemetryReading) {
    if open > 0 {
      reading.notes.append("\(open) views have no end: how long they took is not known")
    }
    if summed > 0 {
      reading.notes.append(
        "\(summed) views do not say how long they took: it is the sum of start, play and stalls, "
          + "without pauses")
    }
    if failed > 0 {
      reading.notes.append("\(failed) views ended by an error: they are not among those left")
    }
    if earlier > 0 {
      reading.notes.append(
        "\(earlier) of \(sessions) sessions had begun before their first event (it is not of item "
          + "0): how long they were is not known")
    }
    let samples = [
      ("ttff", startup), ("dwell", dwell), ("session length", session),
      ("views of a session", sessionViews), ("stall", stalls),
    ]
    reading.notes += samples.compactMap { $1.note($0) } + requests.notes
  }
}
