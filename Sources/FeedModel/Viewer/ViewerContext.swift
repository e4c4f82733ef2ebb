import CacheModel
import FeedPolicy
import MediaUnits
import ModelBasics
import NetworkModels
import SimulationKernel

/// What a viewer has around him while something happens to him: the time, what all viewers write
/// into, and what he leaves behind for others.
struct ViewerContext: ~Copyable {
  /// When it happens.
  private(set) var now = Instant.zero
  private let byAddress = ByAddress()
  /// The entity whose event it is: the source of everything planned meanwhile.
  private(set) var source: UInt32 = 0
  var measures: FeedMeasures
  /// Memory of viewers' items.
  var blocks = WordBlocks()
  var cells: [Cell]
  /// What one session does, step by step; of nobody unless a session is watched.
  var recording: SessionRecording
  /// What leaves for real servers.
  var outsideCommands: [OutsideCommand] = []
  /// What writes what the viewers' machines are told and answer, as ``OutsideCommand/told``; nil
  /// where nothing is written.
  var logs: ViewerLogs?
  /// Whether requests and views are counted by length of title: in a pilot.
  var isCounting = false
  /// What a pilot counts delays from; nil where they are not counted.
  var firstRequests: FirstRequests?
  /// Happenings so far, their hash, and the time of the latest.
  private(set) var happened: (count: UInt64, hash: Fingerprint, last: Instant) = (
    0, Fingerprint(), .zero
  )

  /// Bytes that reached viewers since measuring began, by ``TrafficTotals/span``.
  private var delivered: [Int64] = []
  private let measuredFrom: Instant

  // Left behind by a turn.
  /// Requests that wait at the edge and are given up.
  var givenUp: [GivenUp] = []
  /// Whether the viewer's cell has to be looked at, and whether transfers of it may have ended.
  var changesCell = false
  var entersCell = false

  /// The policies of sessions that are not the program's.
  var foreign: ForeignViewers

  // Memory that every turn uses anew.
  var commands = PolicyCommands()
  var scrubCommands: [ScrubSession.Command] = []
  var spriteFetches: [UInt32] = []

  /// A request that waits at its edge and that nobody is to be answered any more.
  struct GivenUp {
    /// As the edge has called it.
    var number: UInt32
    var key: UInt64
    /// The edge's node.
    var edge: UInt32
  }

  init(
    measures: FeedMeasures, cells: [Cell], recording: SessionRecording, measuredFrom: Instant,
    foreign: ForeignViewers = ForeignViewers()
  ) {
    self.foreign = foreign
    self.measures = measures
    self.measuredFrom = measuredFrom
    self.cells = cells
    self.recording = recording
  }

  /// A turn begins: something happens to one viewer.
  @inline(__always)
  mutating func begin(at now: Instant, source: UInt32) {
    self.now = now
    self.source = source
  }

  /// Counts bytes that have reached a viewer.
  mutating func deliver(_ bytes: Int64) {
    measures.counts.deliveredBytes += bytes
    // What the end of the warm-up makes forgotten came before it.
    if now <= measuredFrom && measuredFrom > .zero { return }
    let span = Int((now - measuredFrom).wholeSteps(of: TrafficTotals.span))
    while delivered.count <= span { delivered.append(0) }
    delivered[span] += bytes
  }

  /// Bytes that reached viewers in the whole spans before a time.
  func delivered(before time: Instant) -> Int64 {
    if time <= measuredFrom { return 0 }
    let spans = Int((time - measuredFrom).wholeSteps(of: TrafficTotals.span))
    return delivered.prefix(spans).reduce(0, +)
  }

  /// Counts a happening that was no event of its own.
  @inline(__always)
  mutating func count(_ entry: Agenda.Entry, target: UInt32) {
    happened.count += 1
    happened.hash.add(
      time: entry.time.nanoseconds, phase: UInt64(entry.happening.phase.rawValue), target: target,
      source: entry.source, tag: entry.happening.tag.rawValue)
    if entry.time > happened.last { happened.last = entry.time }
  }
}
