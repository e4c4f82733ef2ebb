/// Puts events together into views and sessions.
struct TelemetryEvents {
  /// An event as it stands in a file; ranges are of the file's bytes.
  struct Event {
    var name: Range<Int>?
    var id: Range<Int>?
    var session: Range<Int>?
    var video: Range<Int>?
    var at: Double?
    var view: Double?
    var item: Double?
    var dwell: Double?
    var milliseconds: Double?
  }

  private struct View {
    let session: UInt32
    var title: UInt32 = .max
    /// The item's number in the session; negative where no event says it.
    var item = -1.0
    var startup = -1.0
    var dwell = -1.0
    /// When it began, as far as its events say.
    var begin = Double.infinity
  }

  private var ids = IdentityTable()
  private var sessionNames = IdentityTable()
  private var titleNames = IdentityTable()
  private var places: [UInt64: Int] = [:]
  private var views: [View] = []
  private var sessionTimes: [(first: Double, last: Double)] = []
  private var sessionViews: [Double] = []
  private var first = Double.infinity
  private var last = -Double.infinity

  /// A session that ended less than this before the log did may go on, seconds.
  static let silence = 60.0

  private static let names: [(String, Int)] = [
    ("view_start", 0), ("view_end", 1), ("time_to_first_frame", 2), ("rebuffer", 3),
    ("selected_bitrate", 3), ("tap_play_pause", 3), ("preview_scrub_start", 3),
    ("preview_scrub_commit", 3), ("playback_error", 3),
  ]

  /// - Returns: what is wrong with the event, as key and what was expected; nil for nothing.
  mutating func add(
    _ event: Event, _ bytes: [UInt8], _ reading: inout TelemetryReading
  ) -> (key: String, expected: String)? {
    guard let name = event.name else { return ("name", "the event's name") }
    guard let at = event.at, at >= 0 else {
      return ("at", "milliseconds since 1970, not negative")
    }
    guard let session = event.session else { return ("session_id", "the session") }
    guard let kind = kind(bytes, name) else {
      reading.unused += 1
      reading.records += 1
      return nil
    }
    guard let number = event.view, number >= 0, number < 4e9 else {
      return ("view", "the view's number in its session")
    }
    if kind == 1, !((event.dwell ?? -1) >= 0) {
      return ("props.dwell_ms", "the time on the screen in milliseconds, not negative")
    }
    if kind == 2, !((event.milliseconds ?? -1) >= 0) {
      return ("props.ms", "the time to the first frame in milliseconds, not negative")
    }
    if let id = event.id {
      let known = ids.count
      _ = ids.handle(of: bytes, id)
      if ids.count == known {
        reading.repeated += 1
        return nil
      }
    }
    reading.records += 1
    let second = at / 1000
    (first, last) = (min(first, second), max(last, second))
    let handle = Int(sessionNames.handle(of: bytes, session))
    if handle == sessionTimes.count {
      sessionTimes.append((second, second))
      sessionViews.append(0)
    }
    sessionTimes[handle].first = min(sessionTimes[handle].first, second)
    sessionTimes[handle].last = max(sessionTimes[handle].last, second)
    let key = UInt64(handle) << 32 | UInt64(number)
    let place = places[key] ?? views.count
    if place == views.count {
      places[key] = place
      sessionViews[handle] += 1
      views.append(View(session: UInt32(handle)))
    }
    if let item = event.item { views[place].item = item }
    if let video = event.video { views[place].title = titleNames.handle(of: bytes, video) }
    let begin = kind == 1 ? second - (event.dwell ?? 0) / 1000 : second
    views[place].begin = min(views[place].begin, begin)
    if kind == 1 { views[place].dwell = (event.dwell ?? 0) / 1000 }
    if kind == 2 { views[place].startup = (event.milliseconds ?? 0) / 1000 }
    return nil
  }

  private func kind(_ bytes: [UInt8], _ name: Range<Int>) -> Int? {
    for (text, kind) in TelemetryEvents.names
    where text.utf8.count == name.count && bytes[name].elementsEqual(text.utf8) {
      return kind
    }
    return nil
  }

  /// Adds what the events say to the data.
  func finish(_ reading: inout TelemetryReading) {
    if views.isEmpty { return }
    var counts = [Int](repeating: 0, count: titleNames.count)
    var open = 0
    for view in views {
      if view.title != .max { counts[Int(view.title)] += 1 }
      if view.startup >= 0 {
        reading.data.startup.add(view.startup)
        reading.data.leaving.add(view.startup, isCensored: true)
      } else if view.dwell >= 0 {
        reading.data.startup.add(view.dwell, isCensored: true)
        reading.data.leaving.add(view.dwell)
      }
      if view.dwell >= 0 { reading.data.dwell.add(view.dwell) } else { open += 1 }
    }
    if open > 0 {
      reading.notes.append("\(open) views have no view_end: how long they took is not known")
    }
    reading.data.views += views.count
    reading.data.titleCounts += counts.filter { $0 > 0 }
    let begins = firstItems()
    countTitlesOfSessions(begins, &reading)
    reading.data.span += last - first
    reading.data.sessions += sessionTimes.count
    let latest = latestViews()
    var earlier = 0
    for (session, times) in sessionTimes.enumerated() {
      if begins[session] > 0 {
        earlier += 1
        continue
      }
      let isCut = times.last > last - TelemetryEvents.silence
      // A session ends with the view in which its time is up.
      let begin = max(latest[session], times.first)
      let end = isCut ? begin : (begin + times.last) / 2
      reading.data.session.add(end - times.first, isCensored: isCut)
      if !isCut { reading.data.sessionViews.append(sessionViews[session]) }
    }
    if earlier > 0 {
      reading.notes.append(
        "\(earlier) of \(sessionTimes.count) sessions had begun before their first event (it is not"
          + " of item 0): how long they were is not known")
    }
  }

  /// When the last view of each session began.
  private func latestViews() -> [Double] {
    var begins = [Double](repeating: -.infinity, count: sessionTimes.count)
    for view in views { begins[Int(view.session)] = max(begins[Int(view.session)], view.begin) }
    return begins
  }

  /// Of each session the first item seen; 0 where its views do not say items.
  private func firstItems() -> [Int] {
    var items = [Double](repeating: .infinity, count: sessionTimes.count)
    for view in views { items[Int(view.session)] = min(items[Int(view.session)], view.item) }
    return items.map { $0 > 0 && $0 < 1e9 ? Int($0) : 0 }
  }

  /// Each title of a session once. Who goes back to an item sees its title again without having
  /// been given it again.
  private func countTitlesOfSessions(_ begins: [Int], _ reading: inout TelemetryReading) {
    let given = views.filter { $0.title != .max }.sorted {
      ($0.session, $0.title, $0.item) < ($1.session, $1.title, $1.item)
    }
    var sessions = [Int](repeating: 0, count: sessionTimes.count)
    var titles = [Int](repeating: 0, count: titleNames.count)
    for (index, view) in given.enumerated() {
      if index > 0 {
        let last = given[index - 1]
        if view.session == last.session && view.title == last.title {
          let isNear = view.item - last.item <= Double(TelemetryData.near)
          if view.item < 0 || view.item != last.item && isNear { reading.data.titleRepeats += 1 }
          continue
        }
      }
      sessions[Int(view.session)] += 1
      titles[Int(view.title)] += 1
    }
    reading.data.sessionTitles = zip(begins, sessions).filter { $0.1 > 0 }.map { $0..<$0 + $1 }
    reading.data.titleSessions = titles.filter { $0 > 0 }
  }
}
