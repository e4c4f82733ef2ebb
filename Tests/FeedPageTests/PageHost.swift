import CacheModel
import CachePolicy
import FeedModel
import FeedPolicy
import MediaUnits
import Models
import Scenario
import SimulationKernel

@testable import FeedPage

/// A page without a browser: servers and players that take fixed times, and a clock of its own.
struct PageHost: ~Copyable {
  var page: FeedPage
  let session: UInt32
  /// From a request to its answer, from a player's item to its readiness once its first segment is
  /// there, from a play to the frame.
  var answerTime = TimeSpan.milliseconds(20)
  var readyTime = TimeSpan.milliseconds(30)
  var frameTime = TimeSpan.milliseconds(12)
  /// Items whose player fails, and those that stall this long after half a second on the screen.
  var failing: Set<UInt32> = []
  var stalling: [UInt32: TimeSpan] = [:]

  private(set) var now = Instant.zero
  private(set) var requests: [[Double]] = []
  private(set) var prepared: [(player: UInt32, item: UInt32)] = []
  private(set) var played: [(item: UInt32, at: Instant)] = []
  private(set) var released = 0
  private var pending: [(at: Instant, order: Int, answer: OutsideAnswer)] = []
  private var order = 0
  private var players: [UInt32: (item: UInt32, generation: UInt32, isTold: Bool)] = [:]
  /// Items whose first segment is there.
  private var media: Set<UInt32> = []

  init(_ page: consuming FeedPage, session: UInt32) {
    self.page = page
    self.session = session
  }

  private mutating func plan(_ kind: OutsideAnswer.Kind, _ token: OutsideToken, at time: Instant) {
    order += 1
    pending.append((time, order, OutsideAnswer(token, kind, isMedia: false)))
  }

  private mutating func plan(_ news: OutsidePlayerNews, at time: Instant) {
    plan(
      .player(news), OutsideToken(slot: 0, index: 0, generation: 0, session: session), at: time)
  }

  /// Runs the session to its end, or to a time.
  mutating func run(until end: Instant = .distantFuture) throws -> FeedMeasures? {
    var next: Instant? = .zero
    while !page.isOver, let time = earliest(next), time <= end {
      now = time
      let due = pending.filter { $0.at <= time }.sorted { ($0.at, $0.order) < ($1.at, $1.order) }
      pending.removeAll { $0.at <= time }
      for each in due {
        page.hear(each.answer, at: time)
        noteArrival(each.answer)
      }
      next = try page.advance(to: time)
      takeCommands()
    }
    return PageMeasures.read(page.finish(), networks: 1, devices: 1)

  }

  private func earliest(_ next: Instant?) -> Instant? {
    let heard = pending.map(\.at).min()
    guard let next else { return heard }
    return heard.map { min($0, next) } ?? next
  }

  private var segments: [OutsideToken: UInt32] = [:]

  private mutating func noteArrival(_ answer: OutsideAnswer) {
    guard case .ended = answer.kind, let item = segments.removeValue(forKey: answer.token)
    else { return }
    media.insert(item)
    tellReadiness()
  }

  private mutating func tellReadiness() {
    for number in players.keys.sorted() {
      guard let player = players[number], !player.isTold, media.contains(player.item)
      else { continue }
      players[number]?.isTold = true
      plan(
        failing.contains(player.item)
          ? .failed(player: number, generation: player.generation)
          : .ready(player: number, generation: player.generation), at: now + readyTime)
    }
  }

  private mutating func takeCommands() {
    let rows = stride(from: 0, to: page.commands.count, by: FeedPage.columns).map {
      Array(page.commands[$0..<$0 + FeedPage.columns])
    }
    page.clear()
    for row in rows { carryOut(row) }
  }

  private mutating func carryOut(_ row: [Double]) {
    switch FeedPage.Command(rawValue: Int(row[0])) {
    case .request:
      requests.append(row)
      let token = OutsideToken(
        slot: UInt32(row[1]), index: UInt32(row[2]), generation: UInt32(row[3]), session: session)
      if Int(row[5]) == Int(AssetClass.segment.rawValue) { segments[token] = UInt32(row[6]) }
      let at = now + answerTime
      plan(.headed(OutsideHead(outcome: .hit, bytes: Int64(row[10]))), token, at: at)
      plan(.ended(bytes: Int64(row[10])), token, at: at)
    case .cancel:
      let token = OutsideToken(
        slot: UInt32(row[1]), index: UInt32(row[2]), generation: UInt32(row[3]), session: session)
      pending.removeAll { $0.answer.token == token }
    case .prepare:
      prepared.append((UInt32(row[1]), UInt32(row[2])))
      players[UInt32(row[1])] = (UInt32(row[2]), UInt32(row[3]), false)
      tellReadiness()
    case .play:
      let item = UInt32(row[2])
      played.append((item, now))
      plan(.presented(item: item), at: now + frameTime)
      if let stall = stalling[item] {
        let begin = now + frameTime + .milliseconds(500)
        plan(.stalled(item: item), at: begin)
        plan(.resumed(item: item), at: begin + stall)
      }
    case .release:
      released += 1
      players[UInt32(row[1])] = nil
    case .pause, .close, .end, nil: break
    }
  }
}

/// A scenario for a page's viewer: no presses, short views.
func pageScenario(_ changes: [String] = []) throws -> FeedStudy {
  let text = "version: 1\nname: test\n"
  return try FeedStudy.parse(
    text, file: "scenarios/test.yaml",
    overrides: ([
      "audience.window=60 s", "audience.drain=5 min", "network.http=\"1.1\"",
      "audience.personas=[{kind: typical}]", "audience.watchLimit=3 s",
      "audience.sessionLength={kind: constant, value: 20 s}", "cdn.start={kind: cold}",
      "cdn.edges=1", "catalogue.titles=2000", "devices=[{kind: mid, diskCache: 0 B}]",
    ] + changes).map { Override(set: $0) })
}
