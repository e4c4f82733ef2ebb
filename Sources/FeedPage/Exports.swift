import CacheModel
import FeedModel
import MediaUnits
import SimulationKernel

// What the page's script calls. A module instance has one session; it is single-threaded, as every
// WebAssembly instance without shared memory is. Natively nobody but tests calls this.

/// The session, and the memory through which texts go in and out.
// tidy:allow unchecked-sendable because an instance of the module has one thread
nonisolated(unsafe)  // tidy:allow global-var because calls from C have no self
  private var page = PageSlot()

private struct PageSlot: ~Copyable {
  var page: FeedPage?
  var input: [UInt8] = []
  var output: [UInt8] = []
}

/// Makes room for a text of so many bytes; where it is to be written.
@_cdecl("page_room")
public func pageRoom(_ count: Int32) -> UnsafeMutableRawPointer? {
  page.input = [UInt8](repeating: 0, count: Int(max(count, 1)))
  return page.input.withUnsafeMutableBytes { $0.baseAddress }
}

/// Begins a session with the configuration whose text was written; 1 when it has begun, 0 when the
/// text or the session's number is not one.
@_cdecl("page_open")
public func pageOpen(
  _ session: UInt32, _ seedHigh: UInt32, _ seedLow: UInt32, _ replication: UInt32, _ logs: UInt32
) -> Int32 {
  page.page = FeedPage(
    page.input, session: session, seed: UInt64(seedHigh) << 32 | UInt64(seedLow),
    replication: UInt16(truncatingIfNeeded: replication), logs: logs != 0)
  page.input = []
  return page.page == nil ? 0 : 1
}

/// Handles what is due; when the next event is due, -1 when none is, -2 when an instant has no end.
@_cdecl("page_advance")
public func pageAdvance(_ now: Double) -> Double {
  do throws(SimulationError) {
    return try page.page?.advance(to: instant(now))?.nanoseconds.asDouble ?? -1
  } catch {
    return -2
  }
}

/// 1 when the session has begun and ended.
@_cdecl("page_is_over")
public func pageIsOver() -> Int32 { page.page?.isOver == true ? 1 : 0 }

/// Rows of commands since ``pageClear()``.
@_cdecl("page_command_count")
public func pageCommandCount() -> Int32 {
  Int32((page.page?.commands.count ?? 0) / FeedPage.columns)
}

/// Copies the commands' numbers to where there is room for all of them.
@_cdecl("page_commands")
public func pageCommands(_ room: UnsafeMutablePointer<Double>) {
  guard let commands = page.page?.commands else { return }
  for place in commands.indices { room[place] = commands[place] }
}

@_cdecl("page_clear")
public func pageClear() { page.page?.clear() }

/// The head of an answer: `outcome` as in ``CacheOutcome``, `lifetime` and `bytes` below zero when
/// they are not stated.
@_cdecl("page_headed")
public func pageHeaded(
  _ slot: UInt32, _ index: UInt32, _ generation: UInt32, _ session: UInt32, _ outcome: UInt32,
  _ isError: UInt32, _ age: Double, _ lifetime: Double, _ bytes: Double, _ at: Double
) {
  let head = OutsideHead(
    outcome: CacheOutcome(rawValue: UInt8(truncatingIfNeeded: outcome)) ?? .miss,
    isError: isError != 0, age: span(age), lifetime: lifetime < 0 ? nil : span(lifetime),
    bytes: bytes < 0 ? nil : Int64(bytes))
  hear(slot, index, generation, session, .headed(head), at)
}

/// The bytes that the first frame needs have come.
@_cdecl("page_marked")
public func pageMarked(
  _ slot: UInt32, _ index: UInt32, _ generation: UInt32, _ session: UInt32, _ at: Double
) {
  hear(slot, index, generation, session, .marked, at)
}

/// The whole answer has come, or no more of it will.
@_cdecl("page_ended")
public func pageEnded(
  _ slot: UInt32, _ index: UInt32, _ generation: UInt32, _ session: UInt32, _ bytes: Double,
  _ isWhole: UInt32, _ isMedia: UInt32, _ at: Double
) {
  hear(
    slot, index, generation, session,
    isWhole != 0 ? .ended(bytes: Int64(bytes)) : .failed(bytes: Int64(bytes)), at,
    isMedia: isMedia != 0)
}

/// News of a player: 0 ready, 1 failed (of `player` and `generation`), 2 presented, 3 stalled,
/// 4 resumed (of the item `player`).
@_cdecl("page_player")
public func pagePlayer(
  _ slot: UInt32, _ session: UInt32, _ news: UInt32, _ player: UInt32, _ generation: UInt32,
  _ at: Double
) {
  let told: OutsidePlayerNews =
    switch news {
    case 0: .ready(player: player, generation: generation)
    case 1: .failed(player: player, generation: generation)
    case 2: .presented(item: player)
    case 3: .stalled(item: player)
    default: .resumed(item: player)
    }
  hear(slot, 0, 0, session, .player(told), at)
}

/// Ends the session; bytes of the text of what was measured, which ``pageOutput()`` has.
@_cdecl("page_finish")
public func pageFinish() -> Int32 {
  page.output = page.page?.finish() ?? []
  return Int32(page.output.count)
}

/// Bytes of the logs, which ``pageOutput()`` has then.
@_cdecl("page_logs")
public func pageLogs() -> Int32 {
  page.output = page.page?.logText ?? []
  return Int32(page.output.count)
}

/// Where the last text lies.
@_cdecl("page_output")
public func pageOutput() -> UnsafeMutableRawPointer? {
  page.output.withUnsafeMutableBytes { $0.baseAddress }
}

private func hear(
  _ slot: UInt32, _ index: UInt32, _ generation: UInt32, _ session: UInt32,
  _ kind: OutsideAnswer.Kind, _ at: Double, isMedia: Bool = false
) {
  let token = OutsideToken(slot: slot, index: index, generation: generation, session: session)
  page.page?.hear(OutsideAnswer(token, kind, isMedia: isMedia), at: instant(at))
}

private func instant(_ nanoseconds: Double) -> Instant {
  Instant(nanoseconds: Int64(nanoseconds))
}

private func span(_ nanoseconds: Double) -> TimeSpan { .nanoseconds(Int64(nanoseconds)) }

extension Int64 {
  fileprivate var asDouble: Double { Double(self) }
}
