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
    reading.data.sessionViews += sessionViews
    reading.data.titleCounts += counts.filter { $0 > 0 }
    countTitlesOfSessions(&reading)
    reading.data.span += last - first
    for session in sessionTimes {
      let isCut = session.last > last - TelemetryEvents.silence
      reading.data.session.add(session.last - session.first, isCensored: isCut)
    }
  }

  /// Each title of a session once. Who goes back to an item sees its title again without having
  /// been given it again.
  private func countTitlesOfSessions(_ reading: inout TelemetryReading) {
    let given = views.filter { $0.title != .max }.sorted {
      ($0.session, $0.title, $0.item) < ($1.session, $1.title, $1.item)
    }
    var sessions = [Int](repeating: 0, count: sessionTimes.count)
    var titles = [Int](repeating: 0, count: titleNames.count)
    for (index, view) in given.enumerated() {
      if index > 0 {
        let last = given[index - 1]
        if view.session == last.session && view.title == last.title {
          if view.item < 0 || view.item != last.item { reading.data.titleRepeats += 1 }
          continue
        }
      }
      sessions[Int(view.session)] += 1
      titles[Int(view.title)] += 1
    }
    reading.data.sessionTitles = sessions.filter { $0 > 0 }
    reading.data.titleSessions = titles.filter { $0 > 0 }
  }
}
