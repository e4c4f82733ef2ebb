/// Puts the lines of a view together, and the views of a session, in flat memory.
///
/// Views wait in two generations. A line about a session of the older one moves the session into
/// the younger; when that is full, what still stands in the older is closed, and the younger
/// becomes the older. So lines about one session find each other unless a quarter of ``limit``
/// views of others began between them, whatever the order of their times. Where more views than a
/// generation holds belong to sessions that go on, some of the sessions are cut in two.
struct ViewJoiner {
  /// The most views of a generation.
  static let limit = 1 << 18
  /// How far back in a session a line looks for its view: who goes back goes back to what is near.
  static let depth = 64
  /// The most views of a session; with more it is closed and another begins.
  static let longest = 1 << 12
  /// A session whose last line is less than this old may go on, seconds.
  static let silence = 60.0

  struct Generation {
    var sessions: [JoinedSession] = []
    var views: [JoinedView] = []
    var handles = HandleTable()

    mutating func removeAll() {
      sessions.removeAll(keepingCapacity: true)
      views.removeAll(keepingCapacity: true)
      handles.removeAll()
    }
  }

  private let limit: Int
  private let rowsAreParts: Bool
  /// Whether a line stands where what it tells of happened. Else the one line of a view is about
  /// all of it, and stands at its begin.
  private let rowsAreEvents: Bool
  private var young = Generation()
  private var old = Generation()
  /// Views that began since the generations turned.
  private var fresh = 0
  /// Lines that said again how a view began.
  private(set) var repeated = 0
  /// Sessions that there was no room to go on with.
  private(set) var cut = 0
  private(set) var first = Double.infinity
  private(set) var last = -Double.infinity

  init(limit: Int = ViewJoiner.limit, rowsAreParts: Bool = false, rowsAreEvents: Bool = false) {
    self.limit = limit
    self.rowsAreParts = rowsAreParts
    self.rowsAreEvents = rowsAreEvents
  }

  /// Takes a line that says something of a view or of a session.
  mutating func take(_ observation: Observation, _ tally: inout ObservationTally) {
    let isNamed = observation.who.session != 0
    var key = observation.who.session
    if !isNamed {
      if observation.who.view == 0 {
        // A view of nobody's.
        note(observation.second)
        var view = JoinedView(observation, key: 0, previous: -1)
        if !rowsAreEvents { view.standAtBegin() }
        tally.close(view)
        tally.keep([view], isNamed: false)
        return
      }
      key = observation.who.view
    }
    // Sessions that go on fill a generation without any view that began in it.
    if young.sessions.count >= 2 * limit || young.views.count >= limit && fresh >= limit / 4 {
      turn(&tally)
    }
    let session = place(of: key, isNamed: isNamed)
    let second = observation.second
    note(second)
    if !second.isNaN {
      young.sessions[session].first = min(young.sessions[session].first, second)
      young.sessions[session].last = max(young.sessions[session].last, second)
    }
    if !observation.isOfView && observation.who.title == 0 { return }
    if let view = view(observation, of: session) {
      if young.views[view].add(observation, isPart: rowsAreParts) { repeated += 1 }
      return
    }
    young.views.append(
      JoinedView(
        observation, key: observation.who.view, previous: young.sessions[session].head))
    young.sessions[session].head = Int32(young.views.count - 1)
    young.sessions[session].views += 1
    fresh += 1
    if young.sessions[session].views >= ViewJoiner.longest {
      close(young.sessions[session], young.views, &tally)
      young.sessions[session] = JoinedSession(key: key, isNamed: isNamed)
    }
  }

  private mutating func note(_ second: Double) {
    if second.isNaN { return }
    first = min(first, second)
    last = max(last, second)
  }

  /// The view that a line speaks of; nil for a new one.
  private func view(_ observation: Observation, of session: Int) -> Int? {
    if observation.who.view == 0 { return nil }
    var place = young.sessions[session].head
    for _ in 0..<ViewJoiner.depth {
      if place < 0 { return nil }
      if young.views[Int(place)].key == observation.who.view { return Int(place) }
      place = young.views[Int(place)].previous
    }
    return nil
  }

  private mutating func place(of key: UInt64, isNamed: Bool) -> Int {
    let known = young.handles.count
    let handle = young.handles.handle(of: key)
    if handle < known { return handle }
    let older = old.handles.known(key)
    if let older, !old.sessions[older].isMoved, young.views.count < 2 * limit {
      let session = move(older)
      young.sessions.append(session)
    } else {
      if let older, !old.sessions[older].isMoved { cut += 1 }
      young.sessions.append(JoinedSession(key: key, isNamed: isNamed))
    }
    return handle
  }

  /// Copies a session of the older generation with its views.
  private mutating func move(_ index: Int) -> JoinedSession {
    var session = old.sessions[index]
    old.sessions[index].isMoved = true
    var chain: [Int32] = []
    var place = session.head
    while place >= 0 {
      chain.append(place)
      place = old.views[Int(place)].previous
    }
    session.head = -1
    for place in chain.reversed() {
      var view = old.views[Int(place)]
      view.previous = session.head
      young.views.append(view)
      session.head = Int32(young.views.count - 1)
    }
    return session
  }

  /// Closes what nobody has spoken of for a generation.
  private mutating func turn(_ tally: inout ObservationTally) {
    close(old, &tally)
    old.removeAll()
    swap(&old, &young)
    fresh = 0
  }

  private func close(_ generation: Generation, _ tally: inout ObservationTally) {
    for session in generation.sessions where !session.isMoved {
      close(session, generation.views, &tally)
    }
  }

  private func close(
    _ session: JoinedSession, _ all: [JoinedView], _ tally: inout ObservationTally
  ) {
    if session.views == 0 { return }
    var views: [JoinedView] = []
    views.reserveCapacity(Int(session.views))
    var place = session.head
    while place >= 0 {
      views.append(all[Int(place)])
      place = all[Int(place)].previous
    }
    views.reverse()
    let isCut = session.last > last - ViewJoiner.silence
    var session = session
    for place in views.indices where !rowsAreEvents {
      if views[place].lines == 1 {
        views[place].standAtBegin()
      } else if !rowsAreParts {
        continue
      }
      let end = views[place].begin + views[place].length
      if end.isFinite { session.last = max(session.last, end) }
    }
    for view in views { tally.close(view) }
    tally.keep(views, isNamed: session.isNamed)
    if session.isNamed { tally.close(session, views, isCut: isCut) }
  }

  /// Closes everything.
  mutating func finish(_ tally: inout ObservationTally) {
    close(old, &tally)
    close(young, &tally)
    old.removeAll()
    young.removeAll()
  }
}
