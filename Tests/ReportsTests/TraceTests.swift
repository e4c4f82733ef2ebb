import Foundation
import MediaUnits
import SimulationKernel
import Testing

@testable import FeedModel
@testable import Reports
@testable import Scenario
@testable import Studies

@Suite struct TraceTests {
  /// Slow networks, lost connections, an origin that fails: something of everything.
  private static let text = """
    version: 1
    name: traced
    audience: {viewsPerDayPerEdge: 2500000, sessionLength: 40 s, window: 60 s}
    network:
      access: [{kind: 3g, events: [{kind: hand-over, at: 20 s, outage: 1 s}]}, {kind: lte}]
    catalogue: {titles: 300}
    cdn: {origin: {outages: [{kind: error, from: 20 s, length: 20 s}]}}
    policy: {pool: {size: 5}}
    budgets: [{metric: ttff_ms.p75, limit: "< 700 ms"}]

    """

  /// One replication, without watching and with each of its sessions watched.
  private struct Replication: Sendable {
    var result: FeedRunResult
    var sessions: [WatchedSession] = []
    /// Of the runs that watched somebody.
    var measures: [FeedMeasures] = []

    init() throws {
      let scenario = try FeedStudy.parse(TraceTests.text, file: "traced.yaml")
      let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
      func run(_ session: UInt32?) throws -> FeedRunResult {
        try FeedRun.run(
          scenario.configuration, plan: plan, seed: scenario.seed, replication: 0,
          watching: session)
      }
      result = try run(nil)
      for session in Set(result.measures.views.map(\.session)).sorted() {
        let watched = try run(session)
        measures.append(watched.measures)
        sessions.append(
          WatchedSession(
            scenario: scenario, seed: scenario.seed, replication: 0,
            recording: try #require(watched.recording), fingerprint: watched.fingerprint,
            lateLimit: Study.lateLimit(scenario.budgets)))
      }
    }
  }

  /// Made once for all tests.
  private static let made = Result { try Replication() }
  private let replication: Replication

  init() throws { replication = try TraceTests.made.get() }

  @Test func `a run that watches somebody is the run that watches nobody`() throws {
    #expect(replication.result.recording == nil)
    #expect(replication.sessions.count > 10)
    for (watched, measures) in zip(replication.sessions, replication.measures) {
      #expect(watched.fingerprint == replication.result.fingerprint)
      #expect(measures.views.count == replication.result.measures.views.count)
      #expect(measures.counts.requests == replication.result.measures.counts.requests)
      let own = replication.result.measures.views.filter {
        $0.session == watched.recording.session
      }
      #expect(watched.recording.views.map(\.record.ttff) == own.map(\.ttff))
      #expect(watched.recording.views.map(\.record.parts) == own.map(\.parts))
      #expect(watched.recording.views.map(\.record.item) == own.map(\.item))
    }
  }

  @Test func `what is written down of all sessions is what the run counts`() throws {
    var (requests, connections, pages, repeated): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
    var (creates, starts, reached): (Int64, Int64, Int64) = (0, 0, 0)
    for recording in replication.sessions.map(\.recording) {
      connections += Int64(recording.connections.count)
      for request in recording.requests where !request.isFromDisk {
        // A request that is sent anew begins with its first try again.
        let isFirst: Int64 = request.retries == 0 ? 1 : 0
        let isRepeated: Int64 = request.outcome == .repeated ? 1 : 0
        repeated += isRepeated
        if request.asset == .feed {
          pages += isFirst - isRepeated
        } else {
          requests += isFirst - isRepeated
        }
      }
      for change in recording.changes {
        switch change.kind {
        case .assigned(_, _, isCreated: true): creates += 1
        case .prefetchStarted: starts += 1
        case .prefetchReached: reached += 1
        default: break
        }
      }
    }
    let measures = replication.result.measures
    #expect(requests == measures.counts.requests && requests > 500)
    #expect(repeated == measures.counts.repeatedRequests && repeated > 0)
    #expect(pages == measures.counts.feedPages)
    #expect(connections == measures.counts.connectionsOpened)
    #expect(creates == measures.counts.playerCreates)
    #expect(starts == measures.counts.prefetchStarts && starts > 0)
    #expect(reached >= measures.counts.prefetchReached && reached > 0)
  }

  @Test func `players become ready in their order, also where the pool hears of it later`() throws {
    var unseen = 0
    for recording in replication.sessions.map(\.recording) {
      for (a, b) in zip(recording.changes, recording.changes.dropFirst()) { #expect(a.at <= b.at) }
      var decoders: [UInt32: (item: UInt32?, until: Instant)] = [:]
      for change in recording.changes {
        switch change.kind {
        case .decoder(let player, _, let until, _): decoders[player] = (change.item, until)
        case .ready(let player):
          let decoder = try #require(decoders[player])
          #expect(decoder.item == change.item && decoder.until < change.at)
          let isSeen = recording.views.contains {
            $0.record.item == change.item && $0.record.settledAt <= change.at
          }
          if !isSeen { unseen += 1 }
        default: break
        }
      }
    }
    #expect(unseen > 20)
  }

  @Test func `the parts of every startup follow each other and are the breakdown's`() throws {
    var waited = 0
    for watched in replication.sessions {
      let screen = SessionTrace(watched).slices.filter { $0.track == SessionTrace.Track.screen }
      let startups = screen.filter { $0.category == "startup" }
      let started = watched.recording.views.filter { $0.record.ttff > .zero }
      #expect(startups.map { $0.end - $0.begin } == started.map(\.record.ttff))
      for (view, startup) in zip(started, startups) {
        let parts = screen.filter {
          $0.category == "startup part" && $0.begin >= startup.begin && $0.end <= startup.end
        }
        var edge = startup.begin
        for part in parts {
          #expect(part.begin == edge)
          edge = part.end
        }
        #expect(edge == startup.end)
        for part in StartupPart.allCases {
          let drawn = parts.filter { $0.name == part.label }
            .reduce(TimeSpan.zero) { $0 + ($1.end - $1.begin) }
          #expect(drawn == view.record.part(part))
        }
        waited += 1
      }
    }
    #expect(waited > 20)
  }

  @Test func `played and stalled slices are what the view's record says`() throws {
    var stalls = 0
    for watched in replication.sessions {
      let slices = SessionTrace(watched).slices
      for view in watched.recording.views {
        func total(_ name: String) -> TimeSpan {
          slices.filter {
            $0.category == "playback" && $0.name == name && $0.begin >= view.record.settledAt
              && $0.end <= view.endedAt
          }.reduce(.zero) { $0 + ($1.end - $1.begin) }
        }
        #expect(total("playing") == view.record.played)
        #expect(total("stalled") == view.record.stalled)
        stalls += Int(view.record.stalls)
      }
    }
    #expect(stalls > 0)
  }

  @Test func `the steps of a request fill it in their order`() throws {
    for watched in replication.sessions {
      for request in watched.recording.requests {
        let steps = request.steps
        #expect(steps.isEmpty == request.isFromDisk)
        #expect(request.isFromDisk || steps.last?.until == request.endedAt)
        #expect(request.sentAt <= request.endedAt)
        if request.outcome == .completed && !request.isFromDisk {
          #expect(SessionTrace.answerer(request) != nil)
          #expect(request.firstByteAt != nil && request.dispatchedAt != nil)
        }
      }
    }
  }

  private struct Event {
    var begin: Int64
    var end: Int64
  }

  @Test func `the file is a trace of Chrome's format whose slices nest`() throws {
    for watched in replication.sessions {
      let text = TraceDocument.text(SessionTrace(watched))
      let file = try #require(
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let events = try #require(file["traceEvents"] as? [[String: Any]])
      #expect(events.count > 20)
      var open: [Int: [Event]] = [:]
      var named: Set<Int> = []
      var used: Set<Int> = []
      for event in events {
        let phase = try #require(event["ph"] as? String)
        #expect(event["name"] is String && event["pid"] is Int)
        if phase == "M" {
          if event["name"] as? String == "thread_name" {
            named.insert(try #require(event["tid"] as? Int))
          }
          continue
        }
        let time = try #require(event["ts"] as? Double)
        #expect(time >= 0)
        switch phase {
        case "X":
          let track = try #require(event["tid"] as? Int)
          let length = try #require(event["dur"] as? Double)
          #expect(length > 0)
          used.insert(track)
          // Foundation reads some numbers an ulp off: rounded, they are what the file says.
          let begin = Int64((time * 1000).rounded())
          let slice = Event(begin: begin, end: begin + Int64((length * 1000).rounded()))
          var stack = open[track] ?? []
          while let last = stack.last, last.end <= slice.begin { stack.removeLast() }
          if let last = stack.last {
            #expect(last.begin <= slice.begin && slice.end <= last.end, "\(event)")
          }
          open[track] = stack + [slice]
        case "i":
          used.insert(try #require(event["tid"] as? Int))
          #expect(event["s"] as? String == "t")
        case "C":
          let values = try #require(event["args"] as? [String: Double])
          #expect(values.count == 1 && values.values.allSatisfy { $0 >= 0 })
        default: Issue.record("no event is \(phase)")
        }
      }
      #expect(used.isSubset(of: named))
    }
  }

  @Test func `microseconds are the same nanoseconds cut off and rounded`() {
    var span: Int64 = 1
    while span < 100_000_000_000_000 {
      let value = TraceDocument.microseconds(TimeSpan(nanoseconds: span))
      #expect(Int64(value * 1000) == span)
      #expect(Int64((value * 1000).rounded()) == span)
      span = span * 17 / 16 + 1
    }
  }

  @Test func `the timeline names the cause of every late start`() throws {
    var late = 0
    for watched in replication.sessions {
      let text = TraceTimeline.text(watched)
      var lines = text.split(separator: "\n").makeIterator()
      for view in watched.recording.views {
        while let line = lines.next() { if line.hasPrefix("view ") { break } }
        let startup = lines.next() ?? ""
        #expect(startup.contains(TraceFigures.milliseconds(view.record.ttff)))
        if view.record.hasStarted && view.record.ttff <= watched.lateLimit { continue }
        late += 1
        let following = lines.next()
        let cause = try #require(following)
        let longest = StartupPart.allCases.map { view.record.parts[$0] }.max() ?? 0
        let part = try #require(
          StartupPart.allCases.first { view.record.parts[$0] == longest })
        #expect(cause.contains("most in \(part.label), "))
        if view.record.answer.reason != .none {
          #expect(cause.contains(": \(view.record.answer.reason.name), "))
        }
      }
    }
    #expect(late > 5)
  }

  @Test func `an item's timeline has its views and its prefetch only`() throws {
    let watched = try #require(
      replication.sessions.first { session in
        session.recording.views.contains { $0.record.item == 2 }
      })
    let whole = TraceTimeline.text(watched)
    let part = TraceTimeline.text(watched, item: 2)
    #expect(part.utf8.count < whole.utf8.count)
    let views = watched.recording.views.filter { $0.record.item == 2 }.count
    let headings = part.split(separator: "\n").filter { $0.hasPrefix("view ") }
    #expect(headings.count == views && headings.allSatisfy { $0.contains(", item 2 ") })
    for line in part.split(separator: "\n") where !line.hasPrefix("view ") {
      #expect(whole.contains(line))
    }
  }
}
