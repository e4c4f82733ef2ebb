import CachePolicy
import FeedPolicy
import MediaUnits
import Models
import Scenario
import Testing

/// A feed world whose servers are somebody else's: driven by a clock of the test's own, answered by
/// servers of the test's own.
@Suite struct LiveFeedTests {
  /// Servers that answer every request after a fixed time, with the size that was asked for.
  struct Servers {
    var wait = TimeSpan.zero
    /// What they say to the n-th request of media; nil: they fail.
    var outcome: (Int) -> CacheOutcome? = { _ in .hit }
    var pending: [(at: Instant, answer: OutsideAnswer)] = []
    var requests: [OutsideRequest] = []
    var cancelled = 0
    var begun: Set<UInt32> = []
    var ended: Set<UInt32> = []
    /// Titles of every page of the feed; empty: they are the world's choice.
    var listed: [UInt32] = []
    /// Logs by session and machine.
    var logs: [String: [UInt8]] = [:]

    mutating func take(_ commands: [OutsideCommand], hasRealLinks: Bool) {
      for command in commands {
        switch command {
        case .begin(_, let session, _): begun.insert(session)
        case .end(_, let session): ended.insert(session)
        case .close, .player: break
        case .told(let session, let machine, let lines):
          logs["\(session) \(machine)", default: []] += lines
        case .cancel(let token):
          cancelled += 1
          pending.removeAll { $0.answer.token == token }
        case .request(let request):
          requests.append(request)
          let at = request.dueAt + wait
          guard let outcome = outcome(requests.count) else {
            pending.append((at, OutsideAnswer(request.token, .failed(bytes: 0))))
            continue
          }
          let head = OutsideHead(
            outcome: outcome, isNotModified: request.isConditional, bytes: request.bytes)
          pending.append((at, OutsideAnswer(request.token, .headed(head))))
          if hasRealLinks && request.startMark > 0 {
            pending.append((at, OutsideAnswer(request.token, .marked)))
          }
          if request.service == .feed && !listed.isEmpty {
            pending.append((at, OutsideAnswer(request.token, .listed(listed))))
          }
          pending.append((at, OutsideAnswer(request.token, .ended(bytes: request.bytes))))
        }
      }
    }

    /// The time of the next answer.
    var next: Instant? { pending.map(\.at).min() }

    /// Answers that are due, in order.
    mutating func due(_ now: Instant) -> [OutsideAnswer] {
      let ready = pending.filter { $0.at <= now }.map(\.answer)
      pending.removeAll { $0.at <= now }
      return ready
    }
  }

  static func run(
    _ scenario: FeedStudy, _ servers: inout Servers,
    mode: FeedServers = .realBehindModelledLinks, logsPolicies: Bool = false
  ) throws -> FeedMeasures {
    let plan = try FeedRun.plan(scenario.configuration, seed: scenario.seed)
    var world = LiveFeed(
      scenario.configuration, plan: plan, seed: scenario.seed, servers: mode,
      logsPolicies: logsPolicies)
    while true {
      var next = world.end
      if let event = world.nextEvent, event < next { next = event }
      if let answer = servers.next, answer < next { next = answer }
      for answer in servers.due(next) { world.hear(answer, at: next) }
      _ = try world.advance(to: next)
      servers.take(world.takeCommands(), hasRealLinks: mode == .real)
      let isOver = (world.nextEvent ?? world.end) >= world.end && servers.pending.isEmpty
      if next >= world.end || isOver { break }
    }
    let measures = world.finish()
    servers.take(world.takeCommands(), hasRealLinks: mode == .real)
    return measures
  }

  private func run(
    _ scenario: FeedStudy, _ servers: inout Servers,
    mode: FeedServers = .realBehindModelledLinks
  ) throws -> FeedMeasures {
    try Self.run(scenario, &servers, mode: mode)
  }

  private func ideal(_ more: [String] = []) throws -> FeedStudy { try Self.ideal(more) }

  /// Nothing between the tiers takes time, and the caches hold everything.
  static func ideal(_ more: [String] = []) throws -> FeedStudy {
    try scenario(
      [
        "cdn.edge.serviceTime=0 s", "feed.latency=0 s", "audience.window=60 s",
        "audience.drain=30 s", "audience.warmUp=0 s", "audience.viewsPerDayPerEdge=3000000",
        "cdn.start={kind: cold}", "cdn.shield=none",
      ] + more)
  }

  @Test func `servers that answer at once give the starts of a simulation with full caches`() throws
  {
    let live = try ideal()
    var full = live.configuration
    full.cdn.start = .everything
    let simulated = try FeedRun.run(
      full, plan: FeedPlan(viewsPerSession: live.configuration.audience.viewsPerSession),
      seed: live.seed, replication: 0
    ).measures
    var servers = Servers()
    let measured = try run(live, &servers)
    #expect(simulated.views.count > 300)
    #expect(measured.views.count == simulated.views.count)
    for (a, b) in zip(simulated.views, measured.views) {
      #expect(a.session == b.session && a.item == b.item)
      #expect(abs((a.ttff - b.ttff).nanoseconds) <= 2, "session \(a.session) item \(a.item)")
    }
    #expect(measured.counts.deliveredBytes == simulated.counts.deliveredBytes)
    #expect(measured.edge.totalRequests == simulated.edge.totalRequests)
    #expect(servers.begun.count == Int(measured.counts.sessions))
    #expect(servers.begun == servers.ended)
  }

  @Test func `a slower server makes starts later by its time for each request of the chain`() throws
  {
    var quick = Servers()
    var slow = Servers(wait: .milliseconds(100))
    let live = try ideal()
    let fast = try run(live, &quick).views.filter { $0.flags.contains(.cold) && $0.hasStarted }
    let late = try run(live, &slow).views.filter { $0.flags.contains(.cold) && $0.hasStarted }
    #expect(fast.count > 5)
    let starts = Dictionary(uniqueKeysWithValues: fast.map { ($0.session, $0.ttff) })
    for view in late {
      guard let before = starts[view.session] else { continue }
      // The feed's page, manifest, master, media playlist, init and first segment: six answers,
      // less what the decoder's set-up took at the same time.
      let more = view.ttff - before
      #expect(more >= .milliseconds(300) && more <= .milliseconds(750), "\(more.seconds) s")
    }
  }

  @Test func `over real links a view starts when its bytes are there`() throws {
    var servers = Servers(wait: .milliseconds(50))
    let measures = try run(try ideal(), &servers, mode: .real)
    let cold = measures.views.filter { $0.flags.contains(.cold) && $0.hasStarted }
    #expect(cold.count > 5)
    // Six answers of 50 ms and the decoder; no round trip and no rate of a model.
    for view in cold {
      let time = view.ttff
      #expect(time >= .milliseconds(300) && time < .seconds(2), "\(time.seconds) s")
    }
    #expect(measures.edge.requests(.segment, .hit) > 500)
    #expect(servers.requests.contains { $0.startMark > 0 })
  }

  @Test func `what the caches say is what is counted`() throws {
    var servers = Servers()
    servers.outcome = { $0 % 4 == 0 ? .miss : .hit }
    let measures = try run(try ideal(), &servers)
    let media = servers.requests.filter { $0.service == .media }.count
    let hits = AssetClass.allCases.reduce(0) { $0 + measures.edge.requests($1, .hit) }
    let misses = AssetClass.allCases.reduce(0) { $0 + measures.edge.requests($1, .miss) }
    // A request that was given up before its answer is in neither.
    #expect(hits + misses <= media)
    #expect(hits + misses + Int64(servers.cancelled) >= media)
    #expect(abs(Double(misses) / Double(hits + misses) - 0.25) < 0.02)
  }

  @Test func `failures are asked again, and the session goes on`() throws {
    var servers = Servers()
    servers.outcome = { $0 % 10 == 0 ? nil : .hit }
    let measures = try run(try ideal(), &servers)
    #expect(measures.counts.clientErrors > 20)
    #expect(measures.counts.clientRetries > 20)
    #expect(measures.views.count { $0.hasStarted } > 200)
    #expect(AssetClass.allCases.reduce(0) { $0 + measures.edge.requests($1, .error) } > 20)
  }

  @Test func `answers to requests that were given up change nothing`() throws {
    var servers = Servers()
    let live = try ideal()
    let plan = try FeedRun.plan(live.configuration, seed: live.seed)
    var world = LiveFeed(
      live.configuration, plan: plan, seed: live.seed, servers: .realBehindModelledLinks)
    // Every answer is told twice, heads after ends, and once more for a viewer that never was.
    while let next = world.nextEvent, next < world.end {
      let due = servers.due(next)
      for answer in due { world.hear(answer, at: next) }
      for answer in due.reversed() { world.hear(answer, at: next) }
      world.hear(
        OutsideAnswer(
          OutsideToken(slot: 9_999, index: 3, generation: 1, session: 77), .ended(bytes: 5)),
        at: next)
      _ = try world.advance(to: next)
      servers.take(world.takeCommands(), hasRealLinks: false)
    }
    #expect(world.finish().views.count { $0.hasStarted } > 200)
  }

  @Test func `parts of a run add up to the run`() throws {
    let live = try ideal(["audience.warmUp=10 s"])
    let plan = try FeedRun.plan(live.configuration, seed: live.seed)
    let whole = try FeedRun.run(
      live.configuration, plan: plan, seed: live.seed, replication: 0
    ).measures
    let parts = try FeedRun.parts(live.configuration, plan: plan, seed: live.seed, count: 5)
      .map(\.measures)
    #expect(parts.count == 5)
    #expect(parts.reduce(0) { $0 + $1.views.count } == whole.views.count)
    #expect(parts.reduce(0) { $0 + $1.counts.deliveredBytes } == whole.counts.deliveredBytes)
    #expect(parts.reduce(0) { $0 + $1.edge.totalRequests } == whole.edge.totalRequests)
  }
}
