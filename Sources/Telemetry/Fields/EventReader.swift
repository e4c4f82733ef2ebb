/// Reads events as `POST /v1/events` takes them, a JSON value a line: a batch
/// `{"session_id":…, "events":[…]}`, an event by itself, or a list of either. Members count at any
/// depth, by their own names.
struct EventReader {
  /// What an event says; absent texts are empty.
  private struct Members {
    var name, id, session, title, at, view, item, dwell, start: TextSpan
    var hasID = false

    init(_ nothing: TextSpan) {
      (name, id, session, title, at) = (nothing, nothing, nothing, nothing, nothing)
      (view, item, dwell, start) = (nothing, nothing, nothing, nothing)
    }
  }

  /// What is wrong with an event.
  struct Fault {
    let key: String
    let expected: String
    /// The first byte of the event in its line.
    var index = 0
  }

  /// Names of events that are about a view.
  private static let names: [StaticString] = [
    "view_start", "view_end", "time_to_first_frame", "rebuffer", "selected_bitrate",
    "tap_play_pause", "preview_scrub_start", "preview_scrub_commit", "playback_error",
  ]
  /// How many ids of events are remembered at least, to know those that come again.
  private static let memory = 1 << 20

  private let salt: IdentitySalt
  private(set) var repeated = 0
  private(set) var unused = 0
  private(set) var taken = 0
  private var ids = HandleTable()
  private var olderIDs = HandleTable()

  init(_ salt: IdentitySalt) { self.salt = salt }

  /// Reads the events of a line.
  /// - Parameters:
  ///   - take: gets each event, and each fault.
  /// - Returns: where the line is no value of JSON; nil when it is one.
  mutating func read(
    _ line: TextSpan, _ take: (Observation?, Fault?) -> Void
  ) -> Int? {
    var cursor = JSONCursor(line)
    if !value(&cursor, Members(line.part(0, 0)), 0, line, take) {
      return min(cursor.index, line.count)
    }
    _ = cursor.take(0x2C)
    cursor.skipBlanks()
    return cursor.index == line.count ? nil : cursor.index
  }

  private mutating func value(
    _ cursor: inout JSONCursor, _ outer: Members, _ depth: Int, _ line: TextSpan,
    _ take: (Observation?, Fault?) -> Void
  ) -> Bool {
    if depth > JSONCursor.depth { return false }
    if cursor.take(0x5B) {
      if cursor.take(0x5D) { return true }
      while true {
        if !value(&cursor, outer, depth + 1, line, take) { return false }
        if cursor.take(0x2C) { continue }
        return cursor.take(0x5D)
      }
    }
    let begin = cursor.index
    var members = outer
    var events: JSONCursor?
    if !object(&cursor, &members, &events, depth, line) { return false }
    guard var list = events else {
      emit(members) { observation, fault in
        var fault = fault
        fault?.index = begin
        take(observation, fault)
      }
      return true
    }
    // The members of the batch are known now, wherever its events stood.
    members.name = line.part(0, 0)
    members.at = line.part(0, 0)
    if value(&list, members, depth + 1, line, take) { return true }
    cursor = list
    return false
  }

  private func object(
    _ cursor: inout JSONCursor, _ members: inout Members, _ events: inout JSONCursor?,
    _ depth: Int, _ line: TextSpan
  ) -> Bool {
    if depth > JSONCursor.depth || !cursor.take(0x7B) { return false }
    if cursor.take(0x7D) { return true }
    while true {
      guard let key = cursor.string(), cursor.take(0x3A) else { return false }
      let name = line.part(key.start, key.start + key.count)
      switch cursor.next {
      case 0x7B:
        if !object(&cursor, &members, &events, depth + 1, line) { return false }
      case 0x5B:
        if name.equals("events") { events = cursor }
        if !cursor.skip() { return false }
      case 0x22:
        guard let text = cursor.string() else { return false }
        set(name, line.part(text.start, text.start + text.count), true, &members)
      default:
        guard let word = cursor.bare() else { return false }
        if TextNumber.real(word) != nil {
          set(name, word, false, &members)
        } else if !word.equals("true") && !word.equals("false") && !word.equals("null") {
          return false
        }
      }
      if cursor.take(0x2C) { continue }
      return cursor.take(0x7D)
    }
  }

  /// Texts name, numbers count; names may be numbers.
  private func set(_ key: TextSpan, _ value: TextSpan, _ isText: Bool, _ members: inout Members) {
    if key.equals("name") { members.name = value }
    if key.equals("session_id") { members.session = value }
    if key.equals("video_id") { members.title = value }
    if key.equals("id") {
      members.id = value
      members.hasID = true
    }
    if isText { return }
    if key.equals("at") { members.at = value }
    if key.equals("view") { members.view = value }
    if key.equals("item") { members.item = value }
    if key.equals("dwell_ms") { members.dwell = value }
    if key.equals("ms") { members.start = value }
  }

  private mutating func emit(_ members: Members, _ take: (Observation?, Fault?) -> Void) {
    if members.name.isEmpty { return take(nil, Fault(key: "name", expected: "the event's name")) }
    guard let at = TextNumber.real(members.at), at >= 0, at < 9e12 else {
      return take(nil, Fault(key: "at", expected: "milliseconds since 1970, not negative"))
    }
    if members.session.isEmpty {
      return take(nil, Fault(key: "session_id", expected: "the session"))
    }
    guard let name = EventReader.names.firstIndex(where: { members.name.equals($0) }) else {
      unused += 1
      return
    }
    guard let number = TextNumber.real(members.view), number >= 0, number < 4e9 else {
      return take(nil, Fault(key: "view", expected: "the view's number in its session"))
    }
    var observation = Observation()
    if name == 1 {
      guard let dwell = TextNumber.real(members.dwell), dwell >= 0, dwell < 1e15 else {
        let expected = "the time on the screen in milliseconds, not negative"
        return take(nil, Fault(key: "props.dwell_ms", expected: expected))
      }
      observation.playback.dwell = dwell / 1_000
    }
    if name == 2 {
      guard let start = TextNumber.real(members.start), start >= 0, start < 1e15 else {
        let expected = "the time to the first frame in milliseconds, not negative"
        return take(nil, Fault(key: "props.ms", expected: expected))
      }
      observation.start.ttff = start / 1_000
    }
    if members.hasID && isRepeated(salt.hash(members.id)) {
      repeated += 1
      return
    }
    observation.when.client = Int64(at * 1_000_000)
    observation.who.session = salt.hash(members.session)
    observation.who.view = salt.hash(members.view)
    if !members.title.isEmpty { observation.who.title = salt.hash(members.title) }
    if let item = TextNumber.real(members.item) { observation.start.item = item }
    taken += 1
    take(observation, nil)
  }

  private mutating func isRepeated(_ id: UInt64) -> Bool {
    if olderIDs.known(id) != nil { return true }
    let known = ids.count
    if ids.handle(of: id) < known { return true }
    if ids.count >= EventReader.memory {
      swap(&ids, &olderIDs)
      ids.removeAll()
    }
    return false
  }
}
