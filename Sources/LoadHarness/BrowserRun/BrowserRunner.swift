import CachePolicy
import Foundation
import MediaUnits
import Models
import NIOCore
import NIOPosix
import Scenario
import SimulationKernel
import Studies
import Synchronization

/// How a scenario's viewers are run in a browser.
public struct BrowserOptions: Sendable {
  /// Where each place of a viewer finds the edge; as many viewers at once as there are places.
  public var edges: [String]
  public var seed: UInt64
  public var feeding = BrowserFeeding.mse
  /// Parts of equal length into which the measured time is cut; the intervals come from them.
  public var parts = 8
  /// A session that begins later than this after it was due began late.
  public var lateAfter: TimeSpan = .milliseconds(100)
  /// What the page is made of, by name.
  public var page: [String: BrowserFile]
  /// Whether the policies' logs are wanted.
  public var logs = false
  /// Whether each request for media is kept (``LiveOutcome/requests``).
  public var keepsRequests = false

  public init(edges: [String], seed: UInt64, page: [String: BrowserFile]) {
    precondition(!edges.isEmpty, "at least one viewer has a place")
    self.edges = edges
    self.seed = seed
    self.page = page
  }
}

/// What a run in a browser has seen beside the viewers' measures.
public struct BrowserFacts: Sendable {
  /// As the browser calls itself.
  public var version = ""
  /// Most viewers at once.
  public var viewers = 0
  public var sessions: Int64 = 0
  /// Sessions that began later than they were due, because every place was taken.
  public var late: Int64 = 0
  /// Sessions whose tab crashed, and those that ended in another failure: none of their views
  /// count.
  public var crashes: Int64 = 0
  public var failed: Int64 = 0
  var ended: Int64 { sessions + crashes + failed }
  public var framesShown: Int64 = 0
  public var framesDropped: Int64 = 0
  public var feeding = BrowserFeeding.mse
  /// Objects that elements have loaded by themselves, those of them that came over the network, and
  /// their bytes there.
  public var loads: Int64 = 0
  public var remoteLoads: Int64 = 0
  public var loadedBytes: Int64 = 0
  /// What the first session's players decoded with, as the browser calls it.
  public var decoders: Set<String> = []
  /// Pieces in which the run was made, where sessions are kept, and why the generators of the
  /// earlier ones were not healthy.
  public var pieces = 1
  public var pieceReasons: [String] = []
  /// The first problems that pages told, in words.
  public var problems: [String] = []
}

/// Runs a scenario's sessions one by one as pages of a real browser.
///
/// Each session is a tab of its own: the simulator's viewer as WebAssembly, real `<video>`
/// elements, real requests. Sessions begin when the scenario's draws say; when every place is
/// taken, one waits for a place, and is counted as late.
public final class BrowserRunner: Sendable {
  private struct State {
    var views: BrowserViews
    var counts = LiveCounts()
    var facts = BrowserFacts()
    var latencies: [AssetClass: LiveLatency] = [:]
    var requests: [MediaRequest] = []
    var players: [PlayerLog.Session] = []
    var isLost = false
    var hasAskedForDecoders = false
    var store: BrowserSessionStore?
    /// Why the store takes no more.
    var storeFailure: String?
  }

  private let name: String
  private let configuration: FeedConfiguration
  private let plan: FeedPlan
  private let options: BrowserOptions
  /// Nil where everything has been played before.
  private let browser: Chromium?
  private let clock = LiveClock()
  private let monitor: GeneratorHealth
  /// What gives a session's place a link of its own; nil without links.
  private let openLink: (@Sendable (_ session: UInt32, _ place: Int) -> Void)?
  private let logs: Mutex<PolicyLogFolder?>
  private let state: Mutex<State>
  /// What has ended in earlier pieces of the run.
  private let earlier: [BrowserSessionStore.Kept]
  /// Every session in the order of arrivals, and from which time on there is one to run.
  private let arrivals: [(session: UInt32, due: Instant)]
  private let begin: TimeSpan

  /// - Parameters:
  ///   - store: what keeps the sessions, and has those of the run's earlier pieces; this piece
  ///     begins with the first that is missing.
  ///   - openLink: called before a session begins at a place.
  public convenience init(
    _ scenario: FeedStudy, plan: FeedPlan, options: BrowserOptions, browser: Chromium,
    group: any EventLoopGroup, logs: sending PolicyLogFolder? = nil,
    store: BrowserSessionStore? = nil,
    openLink: (@Sendable (_ session: UInt32, _ place: Int) -> Void)? = nil
  ) {
    self.init(
      scenario, plan, options, browser, group, logs, store,
      of: FeedRun.arrivals(scenario.configuration, plan: plan, seed: options.seed),
      kept: store?.kept ?? [], openLink)
  }

  private init(
    _ scenario: FeedStudy, _ plan: FeedPlan, _ options: BrowserOptions, _ browser: Chromium?,
    _ group: (any EventLoopGroup)?, _ logs: sending PolicyLogFolder?, _ store: BrowserSessionStore?,
    of all: [(session: UInt32, at: Instant)], kept: [BrowserSessionStore.Kept],
    _ openLink: (@Sendable (_ session: UInt32, _ place: Int) -> Void)?
  ) {
    name = scenario.name
    configuration = scenario.configuration
    self.plan = plan
    self.options = options
    self.browser = browser
    self.openLink = openLink
    self.logs = Mutex(logs)
    monitor = GeneratorHealth(group: group, clock: clock)
    var state = State(
      views: BrowserViews(
        networks: configuration.networks.count, devices: configuration.devices.count,
        measuredFrom: .zero + configuration.cdn.warmUp, window: configuration.audience.window,
        count: options.parts))
    state.store = store
    state.facts.version = browser?.version ?? "A browser of an earlier run"
    state.facts.viewers = options.edges.count
    state.facts.feeding = options.feeding
    self.state = Mutex(state)
    let known = Set(all.map(\.session))
    earlier = kept.filter { known.contains($0.session) }
    let ended = Set(earlier.map(\.session))
    arrivals = all.filter { !ended.contains($0.session) }.map { ($0.session, $0.at) }
    // With nothing left to run it is over when its last session began.
    let last = earlier.map(\.begin).max().map { Instant(nanoseconds: $0) }
    begin = earlier.isEmpty ? .zero : (arrivals.first?.due ?? last ?? Instant.zero) - Instant.zero
  }

  /// What a run has seen that is over, from the sessions that it has kept, whoever made it.
  ///
  /// - Throws: ``HarnessFailure`` where they are of another seed or sessions of the scenario are
  ///   missing.
  public static func readBack(
    _ scenario: FeedStudy, plan: FeedPlan, options: BrowserOptions,
    contents: BrowserSessionStore.Contents
  ) throws(HarnessFailure) -> (LiveOutcome, BrowserFacts) {
    if let seed = contents.seed, seed != options.seed {
      throw HarnessFailure(
        .data, "sessions: expected those of seed \(options.seed), got those of seed \(seed)")
    }
    let all = FeedRun.arrivals(scenario.configuration, plan: plan, seed: options.seed)
    let runner = BrowserRunner(
      scenario, plan, options, nil, nil, nil, nil, of: all, kept: contents.kept, nil)
    let known = runner.earlier.count
    if !runner.arrivals.isEmpty || known < contents.count {
      throw HarnessFailure(
        .data,
        "sessions: expected the \(runner.arrivals.count + known) that the scenario has, got "
          + "\(contents.count): \(runner.arrivals.count) are missing and "
          + "\(contents.count - known) are of none of its numbers; the window, the seed or the "
          + "audience is another")
    }
    let due = Dictionary(
      uniqueKeysWithValues: all.map { ($0.session, ($0.at - Instant.zero).nanoseconds) })
    // Older files do not name their seed; nobody begins before he is due.
    if let early = runner.earlier.first(where: { $0.begin < due[$0.session, default: 0] }) {
      throw HarnessFailure(
        .data,
        "session \(early.session): expected it to begin when it is due or later, got one that "
          + "began before: the seed or the audience is another")
    }
    for kept in runner.earlier { runner.take(kept) }
    var (outcome, facts) = runner.outcome(isPartial: false)
    outcome.isReadBack = true
    outcome.length = scenario.configuration.cdn.warmUp + scenario.configuration.audience.window
    outcome.players = nil
    facts.pieces = contents.pieces
    facts.pieceReasons = Array(Set(contents.reasons)).sorted()
    if !contents.versions.isEmpty {
      facts.version = contents.versions.sorted().joined(separator: " and ")
    }
    facts.decoders = contents.decoders
    return (outcome, facts)
  }

  /// The run's time: an earlier piece's is behind it.
  private var now: Instant { clock.now + begin }

  /// How long a run takes at the most: every session takes all its time, one after the other at
  /// each place, after the last was due.
  public var longest: TimeSpan {
    let turns = Int64((arrivals.count + options.edges.count - 1) / options.edges.count)
    let last = arrivals.last.map { $0.due - Instant.zero } ?? .zero
    return last + (configuration.audience.drain + .seconds(40)) * turns
  }

  /// Runs every session of the scenario's window, or until a stop is requested; once.
  ///
  /// - Parameter progress: called about once a second.
  public func run(
    stop: StopRequest, progress: @escaping @Sendable (LiveProgress) -> Void
  ) async -> (LiveOutcome, BrowserFacts) {
    monitor.start()
    for kept in earlier { take(kept) }
    if !arrivals.isEmpty { keep { try $0?.beginPiece() } }
    let length = configuration.cdn.warmUp + configuration.audience.window
    let teller = Task {
      while !Task.isCancelled {
        progress(status(length))
        try? await Task.sleep(for: .seconds(1))
      }
    }
    await withTaskGroup(of: Int.self) { group in
      var places = Array(options.edges.indices.reversed())
      for (session, due) in arrivals {
        await sleep(until: due, stop)
        if places.isEmpty, let place = await group.next() { places.append(place) }
        guard let place = places.popLast(), !stop.isRequested, !isLost else { break }
        let ready = now
        group.addTask { [self] in
          await run(session, dueAt: due, readyAt: ready, at: place, stop)
          return place
        }
      }
      await group.waitForAll()
    }
    teller.cancel()
    monitor.stop()
    return outcome(isPartial: stop.isRequested || isLost)
  }

  /// The browser is no more: nothing can be opened in it.
  private var isLost: Bool { state.withLock { $0.isLost } }

  private func sleep(until due: Instant, _ stop: StopRequest) async {
    while !stop.isRequested, now < due {
      let left = (due - now).nanoseconds
      try? await Task.sleep(for: .nanoseconds(min(left, 50_000_000)))
    }
  }

  private func status(_ length: TimeSpan) -> LiveProgress {
    state.withLock { state in
      LiveProgress(
        elapsed: now - Instant.zero, length: length,
        sessions: Int(state.counts.starts - state.facts.ended),
        views: Int64(state.views.parts.reduce(0) { $0 + $1.views.count }),
        requests: state.counts.requests, bytes: state.counts.bytes,
        failures: state.counts.failures.reduce(0) { $0 + $1.count })
    }
  }

  // MARK: One session

  private func run(
    _ session: UInt32, dueAt due: Instant, readyAt ready: Instant, at place: Int,
    _ stop: StopRequest
  ) async {
    // A wait for a place is no fault of the generator's; it is counted by itself. What sets up the
    // link and the page is over before the viewer's clock begins.
    monitor.noteSlip(startedAt: now, intendedAt: ready)
    openLink?(session, place)
    var page: BrowserPage?
    let isLate = ready - due > options.lateAfter
    var begin = ready
    do {
      count(isLate: isLate)
      let opened = try await open(place)
      page = opened
      begin = now
      let cutter = Task {
        while !stop.isRequested {
          try await Task.sleep(for: .milliseconds(100))
        }
        // What it has seen so far counts.
        _ = try await opened.evaluate("cut()")
      }
      defer { cutter.cancel() }
      let text = try await opened.evaluate(
        "begin(\(settings(session)))", awaitsPromise: true,
        patience: .nanoseconds((configuration.audience.drain + .seconds(30)).nanoseconds))
      try take(text, from: begin)
      let decoders = opened.decoders
      state.withLock { $0.facts.decoders.formUnion(decoders) }
      tell(opened.complaints)
      // One that was cut is run again when the run goes on.
      if !stop.isRequested { keep(session, from: begin, isLate: isLate, report: text) }
    } catch {
      let words = "\(error)" + (page?.complaints.map { "; \($0)" }.joined() ?? "")
      let hasCrashed = page?.ending == .crashed
      note(words, session, hasCrashed: hasCrashed)
      // What a browser that is no more has not played is run when the run goes on.
      if browser?.isConnected != true || page?.ending == .disconnected {
        state.withLock { $0.isLost = true }
      } else if !stop.isRequested {
        keep(session, from: begin, isLate: isLate, failure: words, hasCrashed: hasCrashed)
      }
    }
    await page?.close()
  }

  private func count(isLate: Bool) {
    state.withLock { state in
      state.counts.starts += 1
      if isLate {
        state.facts.late += 1
        state.counts.lateStarts += 1
      }
    }
  }

  // MARK: Pieces

  private func keep(
    _ session: UInt32, from begin: Instant, isLate: Bool, report: String? = nil,
    failure: String? = nil, hasCrashed: Bool = false
  ) {
    keep { store in
      try store?.add(
        BrowserSessionStore.Kept(
          session: session, begin: (begin - Instant.zero).nanoseconds, isLate: isLate,
          report: report,
          failure: failure, hasCrashed: hasCrashed))
    }
  }

  /// Writes to the store; one that takes no more is told once, and the run goes on.
  private func keep(_ write: (inout BrowserSessionStore?) throws -> Void) {
    state.withLock { state in
      do {
        try write(&state.store)
      } catch {
        state.storeFailure = state.storeFailure ?? "\(error)"
      }
    }
  }

  /// Takes what an earlier piece has kept.
  private func take(_ kept: BrowserSessionStore.Kept) {
    count(isLate: kept.isLate)
    do {
      if let report = kept.report {
        try take(report, from: Instant(nanoseconds: kept.begin))
        return
      }
      note(kept.failure ?? "it failed", kept.session, hasCrashed: kept.hasCrashed)
    } catch {
      note("\(error)", kept.session, hasCrashed: false)
    }
  }

  /// Opens the page and waits until it has read what it is made of.
  private func open(_ place: Int) async throws(HarnessFailure) -> BrowserPage {
    var settings = BrowserPageSettings()
    settings.hasOwnStorage = true
    settings.tellsDecoders = state.withLock { state in
      defer { state.hasAskedForDecoders = true }
      return !state.hasAskedForDecoders
    }
    settings.files = BrowserPageFiles(under: "/player/", options.page)
    guard let browser else {
      throw HarnessFailure(.unreachable, "browser: expected one to play in, got none")
    }
    let page = try await browser.open(options.edges[place] + "/player/index.html", settings)
    do throws(HarnessFailure) {
      _ = try await page.evaluate("isPrepared", awaitsPromise: true)
    } catch {
      await page.close()
      throw error
    }
    return page
  }

  private func settings(_ session: UInt32) -> String {
    "{session: \(session), seed: \"\(options.seed)\", replication: 0, pageSize: "
      + "\(configuration.policy.pageSize), feeding: \"\(options.feeding.rawValue)\", "
      + "logs: \(options.logs)}"
  }

  private func take(_ text: String, from begin: Instant) throws(HarnessFailure) {
    let report: BrowserSession
    do {
      // What the page returns is a text of JSON, and the protocol's answer one of that.
      let inner = try JSONReader.decode(String.self, from: Data(text.utf8), within: .message)
      report = try JSONReader.decode(
        BrowserSession.self, from: Data(inner.utf8), within: .message)
    } catch {
      throw HarnessFailure(.data, "page: expected a session's report, got \(error)")
    }
    guard
      let measures = PageMeasures.read(
        Array(report.measures.utf8), networks: configuration.networks.count,
        devices: configuration.devices.count)
    else {
      throw HarnessFailure(
        .data, "page: expected a session's measures, got a text of another build; make browser")
    }
    state.withLock { state in
      state.views.add(measures, from: begin)
      state.players.append(
        PlayerLog.Session(session: report.session, players: report.players))
      state.facts.sessions += 1
      state.facts.framesShown += report.frames.shown
      state.facts.framesDropped += report.frames.dropped
      if let loads = report.loads, loads.count == 3 {
        state.facts.loads += loads[0]
        state.facts.remoteLoads += loads[1]
        state.facts.loadedBytes += loads[2]
      }
      state.counts.requests += report.counts.requests
      state.counts.answered += report.counts.answered
      state.counts.bytes += report.counts.bytes
      state.counts.silent += report.counts.silent
      for (name, count) in report.counts.failures.sorted(by: { $0.key < $1.key }) {
        state.counts.add(failures: count, named: name)
      }
      for request in report.requests where request.count == 8 {
        guard let asset = AssetClass(rawValue: UInt8(exactly: request[0]) ?? .max) else { continue }
        state.counts.connections += request[7] > 0 ? 1 : 0
        state.latencies[asset, default: LiveLatency()].record(
          startedAt: Self.instant(request[2]), intendedAt: Self.instant(request[1]),
          endedAt: Self.instant(request[5]))
        let sent = begin + (Self.instant(request[3]) - .zero)
        if !options.keepsRequests || sent < .zero + configuration.cdn.warmUp { continue }
        state.requests.append(
          MediaRequest(
            session: report.session, asset: asset, sentAt: sent,
            firstByte: Self.instant(request[4]) - Self.instant(request[3]),
            duration: Self.instant(request[5]) - Self.instant(request[3]),
            bytes: Int64(request[6])))
      }
    }
    tell(report.problems)
    logs.withLock { logs in
      for log in report.machineLogs {
        logs?.add(log.lines, session: report.session, named: log.machine)
      }
      logs?.end(session: report.session)
    }
  }

  private static func instant(_ milliseconds: Double) -> Instant {
    .zero + TimeSpan(seconds: max(0, milliseconds) / 1000)
  }

  private func tell(_ problems: [String]) {
    state.withLock { state in
      state.facts.problems += problems.prefix(max(0, 20 - state.facts.problems.count))
    }
  }

  private func note(_ error: String, _ session: UInt32, hasCrashed: Bool) {
    state.withLock { state in
      if hasCrashed {
        state.facts.crashes += 1
      } else {
        state.facts.failed += 1
      }
      state.counts.add(failures: 1, named: hasCrashed ? "tab crashed" : "session failed")
      if state.facts.problems.count < 20 {
        state.facts.problems.append("session \(session): \(error)")
      }
    }
  }

  // MARK: The end

  /// The piece is over; why its results are not to be believed, where they are not.
  public func endPiece(reasons: [String]) {
    if arrivals.isEmpty { return }
    let (version, decoders) = state.withLock { ($0.facts.version, $0.facts.decoders) }
    keep { try $0?.endPiece(reasons: reasons, version: version, decoders: decoders) }
  }

  private func outcome(isPartial: Bool) -> (LiveOutcome, BrowserFacts) {
    let length = now - Instant.zero
    var limits = HealthLimits()
    // Our event loops carry only the browser's protocol: times are taken in the page.
    limits.loopLag = .seconds(1)
    return state.withLock { state in
      let step = configuration.audience.window.nanoseconds / Int64(options.parts)
      let parts = state.views.sorted().map { measures in
        var summary = RunSummary()
        summary.lastEvent = Instant(nanoseconds: step)
        return FeedRunResult(
          measures: measures, summary: summary, fingerprint: Fingerprint(), recording: nil)
      }
      var outcome = LiveOutcome(
        parts: parts, counts: state.counts, health: monitor.report(),
        latencies: state.latencies, length: length, isPartial: isPartial)
      outcome.limits = limits
      outcome.requests = state.requests
      outcome.epoch = WallClock.nanoseconds() - now.nanoseconds
      if let store = state.store {
        state.facts.pieces = store.pieces
        state.facts.pieceReasons = Array(Set(store.reasons)).sorted()
      }
      if let failure = state.storeFailure {
        state.facts.problems.insert("sessions are not kept: \(failure)", at: 0)
      }
      outcome.players = PlayerLog(
        PlayerLog.Head(
          browser: state.facts.version, feeding: state.facts.feeding,
          processors: ProcessInfo.processInfo.activeProcessorCount,
          viewers: state.facts.viewers, scenario: name, seed: options.seed),
        sessions: state.players)
      return (outcome, state.facts)
    }
  }
}

extension BrowserFacts {
  /// What the report says of the browser.
  public var notes: [String] {
    var notes = [
      "\(version), \(viewers) at once at most: \(sessions) sessions, \(late) of them late, "
        + "\(framesShown) frames, \(framesDropped) dropped; decoded by "
        + (decoders.isEmpty ? "nobody knows what" : decoders.sorted().joined(separator: ", "))
    ]
    if feeding == .native {
      notes.append(
        "the elements loaded \(loads) objects by themselves, \(remoteLoads) of them "
          + "(\(loadedBytes / 1000) kB) over the network and the rest out of the HTTP cache; "
          + "requests are those of the viewers alone, and one that finds what an element has "
          + "loaded counts with the answer that the element got")
    }
    if pieces > 1 {
      notes.append(
        "the run was made in \(pieces) pieces, and the edge was cold at the beginning of each")
    }
    if crashes + failed > 0 {
      notes.append(
        "\(crashes) sessions ended with a crash of their tab and \(failed) by another failure: "
          + "their views are not counted")
    }
    return notes + problems.map { "page: \($0)" }
  }

  /// Why the run cannot be believed: more than one session in a hundred is missing.
  public var reasons: [String] {
    let missing = crashes + failed
    let reasons = pieceReasons.map { "in an earlier piece of the run: \($0)" }
    if missing * 100 <= ended { return reasons }
    return reasons + [
      "browser: expected at most 1 % of the sessions to fail, got \(missing) of \(ended)"
    ]
  }
}
