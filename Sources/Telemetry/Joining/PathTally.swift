import Scenario
import SimulationKernel

/// What lines say of links and devices, session by session: rates, round trips, parts of starts.
///
/// Of more values than ``limit`` whole sessions are left out, every second one by a hash of its
/// number, again and again, so that memory is flat and what is kept is as it was.
struct PathTally: Sendable {
  /// The most values that are kept, and the most sessions that are told apart.
  static let limit = 1 << 18
  static let sessionLimit = 1 << 20
  /// Smaller transfers are over before a connection has the link's rate, bytes.
  static let leastTransfer = 262_144.0

  private var handles = HandleTable()
  /// Of each session with a name the place among ``sessions``.
  private var places: [UInt32] = []
  private var sessions: [FieldSamples.Session] = []
  private var values: [FieldSamples.Value] = []
  /// One session of 2 to this power is kept.
  private var halvings = 0
  /// All values, those left out among them, and those of sessions that there was no room for.
  private var count = 0
  private var roomless = 0
  /// Transfers that were too small.
  private var small = 0

  /// Takes a line.
  mutating func take(_ observation: Observation) {
    let request = observation.request
    let parts = observation.parts
    let hasRate =
      !request.throughput.isNaN || !request.cmcd.throughput.isNaN
      || !request.bytes.isNaN && !request.duration.isNaN
    let isStart = observation.tellsReadiness
    if !hasRate && request.roundTrip.isNaN && !parts.hasAny && !isStart {
      noteWords(observation)
      return
    }
    guard let session = place(of: observation) else { return }
    let second = observation.second
    addRate(observation, session, second)
    add(.roundTrip, request.roundTrip, session, second)
    if isStart {
      add(
        observation.start.isReady == true ? .readyStart : .waitedStart, observation.start.ttff,
        session, second, bytes: request.bytes)
    }
    if !parts.hasAny { return }
    add(.launch, parts.launch, session, second)
    add(.creation, parts.creation, session, second)
    add(.preparation, parts.preparation, session, second)
    add(.setup, parts.setup, session, second)
    add(.reuse, parts.reuse, session, second)
    add(.decode, parts.decode, session, second)
    add(.presentation, parts.presentation, session, second)
  }

  /// A rate that somebody measured goes before one that is computed here, and a player's own
  /// estimate comes last.
  private mutating func addRate(_ observation: Observation, _ session: Int, _ second: Double) {
    let request = observation.request
    if request.throughput > 0 {
      if observation.isOfPlayback {
        let width = observation.playback.dwell
        add(
          .playback, request.throughput, session, second,
          width: width.isNaN ? observation.playback.played : width)
      } else {
        add(.measured, request.throughput, session, second, width: request.duration)
      }
      return
    }
    let firstByte = request.firstByte.isNaN ? request.cmcd.firstByte : request.firstByte
    let wait = firstByte.isNaN ? (request.upstream.isNaN ? 0 : request.upstream) : firstByte
    let time = request.duration - wait
    if !request.bytes.isNaN && time > 0 && request.status.isServed {
      if request.bytes >= PathTally.leastTransfer {
        add(.transfer, request.bytes * 8 / time, session, second, width: time)
      } else {
        small += 1
      }
    }
    if request.cmcd.throughput > 0 { add(.estimate, request.cmcd.throughput, session, second) }
  }

  private mutating func add(
    _ kind: FieldSamples.Kind, _ value: Double, _ session: Int, _ second: Double,
    width: Double = .nan, bytes: Double = .nan
  ) {
    if value.isNaN { return }
    count += 1
    if !PathTally.isKept(session, halvings) { return }
    values.append(
      FieldSamples.Value(
        kind: kind, session: session, second: second, value: value, width: width,
        bytes: bytes))
    if values.count > PathTally.limit {
      halvings += 1
      let most = halvings
      values.removeAll { !PathTally.isKept($0.session, most) }
    }
  }

  private static func isKept(_ session: Int, _ halvings: Int) -> Bool {
    let key = UInt32(truncatingIfNeeded: SplitMix.hash(UInt64(session)) >> 32)
    return key.leadingZeroBitCount >= halvings
  }

  // MARK: Sessions

  private static func key(_ observation: Observation) -> UInt64 {
    observation.who.session != 0 ? observation.who.session : observation.who.view
  }

  /// Where a line's session stands; nil when there is no room for another one.
  private mutating func place(of observation: Observation) -> Int? {
    let key = PathTally.key(observation)
    if key == 0 {
      if sessions.count >= PathTally.sessionLimit { return roomlessLine() }
      sessions.append(FieldSamples.Session(isNamed: false))
      sessions[sessions.count - 1].add(observation.words)
      return sessions.count - 1
    }
    if handles.known(key) == nil && sessions.count >= PathTally.sessionLimit {
      return roomlessLine()
    }
    let handle = handles.handle(of: key)
    if handle == places.count {
      places.append(UInt32(sessions.count))
      sessions.append(FieldSamples.Session())
    }
    guard startAnew(handle, observation.words) else { return roomlessLine() }
    let place = Int(places[handle])
    sessions[place].add(observation.words)
    return place
  }

  /// A session that changes its network is another one to a link; false where there is no room.
  private mutating func startAnew(_ handle: Int, _ words: Observation.Words) -> Bool {
    let session = sessions[Int(places[handle])]
    if words.network == 0 || session.network == 0 || words.network == session.network {
      return true
    }
    if sessions.count >= PathTally.sessionLimit { return false }
    places[handle] = UInt32(sessions.count)
    sessions.append(FieldSamples.Session())
    sessions[sessions.count - 1].device = session.device
    return true
  }

  private mutating func roomlessLine() -> Int? {
    roomless += 1
    return nil
  }

  /// A session that is known may be told what it is on by any of its lines.
  private mutating func noteWords(_ observation: Observation) {
    if observation.words.network == 0 && observation.words.device == 0 { return }
    let key = PathTally.key(observation)
    if key == 0 || handles.count == 0 { return }
    guard let handle = handles.known(key), startAnew(Int(handle), observation.words) else { return }
    sessions[Int(places[handle])].add(observation.words)
  }

  // MARK: The end

  /// Hands over what is kept; sessions without values are numbered away.
  func finish(_ samples: inout FieldSamples, words: ObservedWords) {
    samples.networks = words.networks.words
    samples.devices = words.devices.words
    var numbers = [Int](repeating: -1, count: sessions.count)
    for value in values {
      if numbers[value.session] < 0 {
        numbers[value.session] = samples.sessions.count
        var session = sessions[value.session]
        if Int(session.network) > samples.networks.count { session.network = 0 }
        if Int(session.device) > samples.devices.count { session.device = 0 }
        samples.sessions.append(session)
      }
      var kept = value
      kept.session = numbers[value.session]
      samples.values.append(kept)
    }
    if halvings > 0 {
      samples.notes.append(
        "rates, round trips and parts: \(values.count) of \(count) values are kept, of whole "
          + "sessions, by a hash of their number")
    }
    if roomless > 0 {
      samples.notes.append(
        "\(roomless) lines are of other sessions than the first \(PathTally.sessionLimit): they "
          + "are not among the rates, round trips and parts")
    }
    if small > 0 {
      samples.notes.append(
        "\(small) transfers of less than 256 KiB are not among the rates: slow start sets theirs")
    }
  }
}

extension FieldSamples.Session {
  fileprivate mutating func add(_ words: Observation.Words) {
    if words.network != 0 { network = words.network }
    if words.device != 0 { device = words.device }
  }
}

extension Observation.Parts {
  fileprivate var hasAny: Bool {
    !launch.isNaN || !creation.isNaN || !preparation.isNaN || !setup.isNaN || !reuse.isNaN
      || !decode.isNaN || !presentation.isNaN
  }
}

extension Observation {
  /// Whether a start that came says whether it was ready; one that failed or was left did not come.
  /// One whose clock begins with the app's launch has that among it.
  fileprivate var tellsReadiness: Bool {
    start.isReady != nil && !start.ttff.isNaN && start.isFailed != true
      && start.isAbandoned != true && start.clock != .cold
  }

  /// Whether it is about a playback as a whole, or a stretch of one.
  fileprivate var isOfPlayback: Bool {
    !playback.dwell.isNaN || !playback.played.isNaN || !start.ttff.isNaN
      || start.isAbandoned != nil
  }
}

extension Double {
  /// Whether a status is that of a response with the bytes asked for, or nobody says.
  fileprivate var isServed: Bool { isNaN || self == 200 || self == 206 }
}
