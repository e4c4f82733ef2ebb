import CacheModel
import FeedModel
import FeedPolicy
import MediaUnits
import Metering
import SimulationKernel

/// A session of a replication as numbers: of each view who was busy with what around it.
///
/// Lists and sentences begin with their length; the words of a sentence are ``TimelineWord/number``
/// and the number that it comes with. Times are seconds since the view's clock started. In this
/// order:
/// - where the replication has no such session one that is near, else -1
/// - views: a sentence that names it, begin and end of what is shown, the time to the first frame
///   (or -1), a sentence about the start; then
///   - rows: a sentence that names who is busy, and pieces: ``SessionWork/number``, begin, end, a
///     sentence
///   - what begins or happens, as it comes: when, a sentence
struct WhatIfTimeline {
  private(set) var numbers: [Double] = []

  /// Runs a replication as `firstframe trace` does.
  ///
  /// - Throws: ``SimulationError`` when it runs into a limit.
  static func numbers(
    _ configuration: FeedConfiguration, seed: UInt64, replication: UInt16, session: UInt32
  ) throws(SimulationError) -> [Double] {
    let plan = try FeedRun.plan(configuration, seed: seed, replication: replication)
    let result = try FeedRun.runFullScreen(
      configuration, plan: plan, seed: seed, replication: replication, watching: session)
    if let recording = result.recording, recording.beganAt != nil {
      return WhatIfTimeline(recording).numbers
    }
    func distance(_ other: UInt32) -> UInt32 { max(other, session) - min(other, session) }
    var near: UInt32?
    for view in result.measures.views where view.session != near {
      if near.map({ distance(view.session) < distance($0) }) ?? true { near = view.session }
    }
    return [near.map { Double($0) } ?? -1, 0]
  }

  init(_ recording: SessionRecording) {
    numbers = [-1, Double(recording.views.count)]
    for place in recording.views.indices {
      let timeline = ViewTimeline(recording, view: place)
      let record = timeline.view.record
      var seen = 0.0
      for view in recording.views[..<place] where view.record.item == record.item { seen += 1 }
      say([(.other(.item), Double(record.item))] + (seen > 0 ? [(.other(.again), seen)] : []))
      numbers += [
        timeline.seconds(timeline.begin), timeline.seconds(timeline.end),
        record.hasStarted ? record.ttff.seconds : -1,
      ]
      say(WhatIfTimeline.start(timeline, began: recording.beganAt ?? .zero))
      addRows(timeline)
      addEvents(timeline, recording.changes)
    }
  }

  // MARK: Sentences

  fileprivate typealias Sentence = [(word: TimelineWord, number: Double)]

  private mutating func say(_ sentence: Sentence) {
    numbers.append(Double(sentence.count))
    for (word, number) in sentence { numbers += [Double(word.number), number] }
  }

  /// How a view began and where its start went.
  private static func start(_ timeline: ViewTimeline, began: Instant) -> Sentence {
    let record = timeline.view.record
    let flags = record.flags
    let way: TimelineWord.Other =
      flags.contains(.cold) ? .coldStart : flags.contains(.back) ? .swipeBack : .swipe
    var sentence: Sentence = [(.other(way), (record.settledAt - began).seconds)]
    if flags.contains(.ready) { sentence.append((.other(.ready), 0)) }
    sentence.append(
      (.other(record.hasStarted ? .firstFrame : .noFrame), record.ttff.milliseconds))
    var sign = TimelineWord.Other.equals
    for part in StartupPart.allCases where record.parts[part] != 0 {
      sentence += [
        (.other(sign), 0), (.work(.start(part)), 0),
        (.other(.milliseconds), record.part(part).milliseconds),
      ]
      sign = .plus
    }
    sentence.append((.other(.fullStop), 0))
    if timeline.omittedRequests > 0 {
      sentence.append((.other(.omitted), Double(timeline.omittedRequests)))
    }
    return sentence
  }

  private static func name(_ request: RequestRecord) -> Sentence {
    var sentence: Sentence = []
    if let segment = request.segment {
      sentence.append((.other(.segment), Double(segment)))
    } else {
      sentence.append((.asset(request.asset), 0))
    }
    func add(_ word: TimelineWord, _ number: Double) {
      sentence += [(.other(.comma), 0), (word, number)]
    }
    if let rung = request.rung { add(.other(.rung), Double(rung)) }
    if let item = request.item { add(.other(.item), Double(item)) }
    if request.isPrefetch { add(.other(.prefetch), 0) }
    if request.outcome != .completed {
      sentence += [(.other(.semicolon), 0), (.outcome(request.outcome), 0)]
    }
    return sentence
  }

  private static func words(_ piece: SessionPiece, _ reason: MissReason) -> Sentence {
    switch piece.work {
    case .player(.holds), .player(.holdsFirst):
      return [(.other(.item), piece.item.map { Double($0) } ?? -1)]
    case .request(.behindEdge):
      if reason == .none { return [(.work(piece.work), 0)] }
      return [(.work(piece.work), 0), (.other(.colon), 0), (.reason(reason), 0)]
    default: return [(.work(piece.work), 0)]
    }
  }

  // MARK: Rows and events

  private mutating func addRows(_ timeline: ViewTimeline) {
    numbers.append(Double(1 + timeline.players.count + timeline.requests.count))
    say([(.other(.screen), 0)])
    add(timeline.screen, timeline)
    for row in timeline.players {
      say([(.other(.player), Double(row.who + 1))])
      add(row.pieces, timeline)
    }
    for row in timeline.requests {
      say(WhatIfTimeline.name(row.who))
      add(row.pieces, timeline, reason: row.who.reason)
    }
  }

  private mutating func add(
    _ pieces: [SessionPiece], _ timeline: ViewTimeline, reason: MissReason = .none
  ) {
    numbers.append(Double(pieces.count))
    for piece in pieces {
      numbers += [
        Double(piece.work.number), timeline.seconds(piece.from), timeline.seconds(piece.until),
      ]
      say(WhatIfTimeline.words(piece, reason))
    }
  }

  private mutating func addEvents(_ timeline: ViewTimeline, _ changes: [SessionChange]) {
    let record = timeline.view.record
    var events = EventList()
    events.add(record.settledAt, [(.other(.clock), 0)])
    let milliseconds = record.ttff.milliseconds
    events.add(
      record.settledAt + record.ttff,
      [(.other(record.hasStarted ? .firstFrame : .noFrame), milliseconds)])
    for piece in timeline.screen {
      events.add(
        piece.from,
        [(.other(.screen), 0), (.other(.colon), 0)] + WhatIfTimeline.words(piece, .none))
    }
    for row in timeline.requests {
      let name = WhatIfTimeline.name(row.who) + [(.other(.colon), 0)]
      for piece in row.pieces {
        events.add(piece.from, name + WhatIfTimeline.words(piece, row.who.reason))
      }
    }
    for change in changes where timeline.shows(change.at, change.at) {
      // What the screen does has pieces.
      guard let event = SessionEvent(change.kind), event.source != .screen else { continue }
      let player = change.kind.player.map { Double($0 + 1) } ?? 0
      let item = change.item.map { Double($0) } ?? -1
      events.add(
        change.at, [(.other(event.source), player), (.other(.colon), 0), (.event(event), item)])
    }
    numbers.append(Double(events.sorted.count))
    for (time, sentence) in events.sorted {
      numbers.append(timeline.seconds(time))
      say(sentence)
    }
  }
}

/// What happens, as it comes.
private struct EventList {
  private(set) var sorted: [(at: Instant, sentence: WhatIfTimeline.Sentence)] = []

  mutating func add(_ time: Instant, _ sentence: WhatIfTimeline.Sentence) {
    var place = sorted.count
    while place > 0, sorted[place - 1].at > time { place -= 1 }
    sorted.insert((time, sentence), at: place)
  }
}

extension SessionEvent {
  /// To whom it happens.
  fileprivate var source: TimelineWord.Other {
    switch self {
    case .playing, .stalled, .scrubbing, .paused: .screen
    case .playerCreated, .playerGiven, .decoderReset, .decoderSetUp, .playerReady,
      .playerDestroyed, .decoderTaken:
      .player
    case .prefetchStarted, .prefetchCancelled, .prefetchReached: .prefetchPolicy
    case .handOver: .network
    }
  }
}
