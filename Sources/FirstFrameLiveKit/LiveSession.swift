import ArgumentParser
import ForeignPolicies
import Foundation
import LoadHarness
import MediaUnits
import Models
import NIOCore
import NIOPosix
import Reports
import Scenario
import SimulationKernel
import Studies
import Synchronization

/// What `run` and `validate` are told alike.
struct LiveOptionsGroup: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What stands in front of the stand-in: nginx, varnish, firstframe or none.",
      valueName: "kind"))
  var edge = LiveEdge.firstframe

  @Option(
    help: ArgumentHelp(
      "What carries the bytes: model (clients wait as the scenario's links would make them wait), "
        + "namespaces (packets on real links; root, /dev/net/tun) or none (the network as it is).",
      valueName: "kind"))
  var link = LiveStage.Link.model

  @Option(
    help: ArgumentHelp(
      "Whose players play: model (the simulator's own) or browser (headless Chromium with real "
        + "media; not over --link model).", valueName: "kind"))
  var client = LiveForm.Client.model

  @Option(
    name: .customLong("viewers"),
    help: ArgumentHelp("Most viewers of a browser at once: 1 or 2 (default: 2).", valueName: "n"))
  var askedViewers: Int?

  @Option(
    name: .customLong("watch-limit"),
    help: ArgumentHelp(
      "Most that a browser's viewer sees of an item (default: 3 s).", valueName: "time"))
  var askedWatchLimit: String?

  @Option(
    name: .customLong("session-length"),
    help: ArgumentHelp(
      "How long each session of a browser lasts (default: 20 s).", valueName: "time"))
  var askedSessionLength: String?

  @Option(
    name: .customLong("feeding"),
    help: ArgumentHelp(
      "How a browser's elements get their media: mse (through MediaSource, as it comes) or native "
        + "(they load HLS by themselves, through the HTTP cache) (default: mse).",
      valueName: "kind"))
  var askedFeeding: BrowserFeeding?

  @Option(
    help: ArgumentHelp(
      "Keep a browser's sessions in this folder as they end; the same command goes on with those "
        + "that are missing.", valueName: "dir"))
  var keep: String?

  @OptionGroup var data: LiveDataOptions

  var viewers: Int { askedViewers ?? 2 }
  var feeding: BrowserFeeding { askedFeeding ?? .mse }
  var watchLimit: String { askedWatchLimit ?? "3 s" }
  var sessionLength: String { askedSessionLength ?? "20 s" }

  @Option(help: ArgumentHelp("Time that is measured.", valueName: "time"))
  var window = "60 s"

  @Option(help: ArgumentHelp("Time before it in which the caches fill.", valueName: "time"))
  var warmUp = "10 s"

  @Option(
    help: ArgumentHelp(
      "About how many views are to end in the window; the arrival rate follows. Without it the "
        + "audience is the scenario's.", valueName: "n"))
  var views: Int?

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("Set one key, after the file; repeatable.", valueName: "key.path=value"))
  var assignments: [String] = []

  @Option(help: ArgumentHelp("A seed other than the scenario's.", valueName: "n"))
  var seed: UInt64?

  @Flag(help: "Make the cut of audience and replications that the scenario states.")
  var short = false

  @Option(help: ArgumentHelp("Event loops of the generator.", valueName: "n"))
  var loops = 2

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The folder that gets the results.", valueName: "dir"))
  var output = "results"

  @Flag(help: "Print JSON instead of the report.")
  var json = false

  @Flag(help: "No progress on standard error.")
  var quiet = false

  func validate() throws {
    if let views, !(1...1_000_000).contains(views) {
      throw ValidationError("--views: expected 1...1000000, got \(views)")
    }
    if !(1...64).contains(loops) {
      throw ValidationError("--loops: expected 1...64, got \(loops)")
    }
    if !(1...2).contains(viewers) {
      throw ValidationError("--viewers: expected 1 or 2, got \(viewers)")
    }
    let isForBrowsers =
      askedViewers != nil || askedWatchLimit != nil || askedSessionLength != nil
      || askedFeeding != nil
    if client == .model && isForBrowsers {
      throw ValidationError(
        "--viewers, --watch-limit, --session-length, --feeding: expected --client browser with "
          + "them, got model")
    }
    if client == .model && keep != nil {
      throw ValidationError("--keep: expected --client browser with it, got model")
    }
    if client == .browser && link == .model {
      throw ValidationError(
        "--client browser: expected --link none or namespaces with it, got model")
    }
    try data.check(client)
    for (name, text) in [("--watch-limit", watchLimit), ("--session-length", sessionLength)]
    where try LiveOptionsGroup.time(text, name) < .milliseconds(100) {
      throw ValidationError("\(name): expected at least 100 ms, got \(text)")
    }
    for (name, text) in [("--window", window), ("--warm-up", warmUp)] {
      let time = try LiveOptionsGroup.time(text, name)
      // Polite by construction: a live run stops by itself.
      if time > .seconds(86_400) {
        throw ValidationError("\(name): expected at most 24 h, got \(text)")
      }
    }
    if try LiveOptionsGroup.time(window, "--window") < .seconds(1) {
      throw ValidationError("--window: expected at least 1 s, got \(window)")
    }
  }

  static func time(_ text: String, _ name: String) throws -> TimeSpan {
    do {
      return TimeSpan(nanoseconds: try Quantity.time.value(of: text))
    } catch {
      throw ValidationError("\(name): expected \(error.expected), got \(text)")
    }
  }
}

extension LiveEdge: ExpressibleByArgument {}
extension LiveForm.Client: ExpressibleByArgument {}
extension BrowserFeeding: ExpressibleByArgument {}
extension LiveStage.Link: ExpressibleByArgument {}

/// A scenario in its live form and what is needed to run it.
struct LiveSession {
  let file: String
  let options: LiveOptionsGroup
  let scenario: FeedStudy
  /// The keys that made the live form, as `--set` has them.
  let assignments: [String]
  let plan: FeedPlan
  let seed: UInt64
  /// What the target has; nil: the scenario's catalogue.
  let found: FoundCatalogue?
  /// The media of a browser's players; nil: bodies of the right size are enough.
  let media: MediaLibrary?
  /// Whether outcomes have each request for media.
  var keepsRequests = false
  /// Ends the process when a step takes longer than it can; nil: nobody does.
  var watch: RunGuard?

  /// - Parameter servers: whom the run was pointed at; nil: what it starts itself.
  init(_ file: String, _ options: LiveOptionsGroup, servers: LiveTargets? = nil) async throws {
    self.file = file
    self.options = options
    var chosen = options.assignments
    var original = try FeedStudy.load(
      file, overrides: chosen.map { Override(set: $0) }, short: options.short)
    found = try await servers?.find(pageSize: original.configuration.policy.pageSize)
    if let found {
      chosen += found.keys(longest: original.configuration.catalogue.maximumDuration)
      original = try FeedStudy.load(
        file, overrides: chosen.map { Override(set: $0) }, short: options.short)
      try Self.give(found, to: &original)
    }
    if original.fullScreen == nil {
      throw LiveRefusal("surface: expected a reel feed for a live run, got a mixed feed")
    }
    if !original.configuration.cdn.providers.isEmpty {
      throw LiveRefusal(
        "cdn.providers: expected none in a live run, got several; its players ask one edge")
    }
    if !original.configuration.catalogue.republishes.isEmpty {
      throw LiveRefusal(
        "catalogue.republish: expected none in a live run, got versions; the stand-in serves one")
    }
    if let text = Self.refusal(of: original.configuration, options.client) {
      throw LiveRefusal(text)
    }
    let packaging = original.configuration.catalogue.packaging
    if packaging != .hls {
      throw LiveRefusal("catalogue.packaging: expected hls in a live run, got \(packaging)")
    }
    var form = LiveForm(
      window: try LiveOptionsGroup.time(options.window, "--window"),
      warmUp: try LiveOptionsGroup.time(options.warmUp, "--warm-up"), edge: options.edge)
    form.views = options.views.map { Double($0) }
    form.hasRealLinks = options.link != .model
    if options.client == .browser {
      let length = try LiveOptionsGroup.time(options.sessionLength, "--session-length")
      form.browser = LiveForm.Browser(
        watchLimit: try LiveOptionsGroup.time(options.watchLimit, "--watch-limit"),
        session: length)
      // The last view of a session begins before its end, and may have to wait.
      form.drain = length + .seconds(20)
    }
    // The pilot has full caches and every session to its end, so a live form is not needed yet.
    let pilot = try FeedRun.plan(original.configuration, seed: original.seed)
    assignments =
      chosen + form.keys(for: original, viewsPerSession: pilot.viewsPerSession)
      + (options.seed.map { ["seed=\($0)"] } ?? [])
    var live = try FeedStudy.load(
      file, overrides: assignments.map { Override(set: $0) }, short: options.short)
    if let found { try Self.give(found, to: &live) }
    media = options.client == .browser ? try Self.makeMedia(of: &live, options) : nil
    scenario = live
    seed = scenario.seed
    plan = try FeedRun.plan(scenario.configuration, seed: seed)
  }

  /// What is wrong with the policies that the program does not ship; nil: nothing.
  private static func refusal(
    of configuration: FeedConfiguration, _ client: LiveForm.Client
  ) -> String? {
    let isProcess =
      configuration.policy.prefetchDeciders.map { !($0 is any RecordedDeciders) } ?? false
    let rules = configuration.foreignRules
    let process =
      isProcess ? "policy.prefetch" : rules.first { $0.decider is ExternalRule }?.key
    if let process {
      return "\(process): expected a policy of the program in a live run, got a process, which the "
        + "run's clock would wait for"
    }
    if let rule = rules.first(where: { $0.key.hasPrefix("cdn.") }) {
      return "\(rule.key): expected a rule of FirstFrame's own in a live run, whose caches are "
        + "real servers, got one of \(ProgramName.own)"
    }
    if client == .browser, configuration.policy.prefetchDeciders != nil || !rules.isEmpty {
      return "--client browser: expected policies of FirstFrame's own, which its page has, got "
        + "one of \(ProgramName.own)"
    }
    return nil
  }

  /// Encodes a scenario's media, or takes what was encoded before, and makes them its titles'.
  private static func makeMedia(
    of scenario: inout FeedStudy, _ options: LiveOptionsGroup
  ) throws -> MediaLibrary {
    let lacks = PageConfiguration.lacks(scenario.configuration)
    if !lacks.isEmpty {
      throw LiveRefusal(
        lacks.map { "\($0): expected what a browser's viewer can have, got something else" }
          .joined(separator: "\n"))
    }
    let library = try MediaLibrary.make(
      try MediaRecipe(scenario.configuration.catalogue, length: clipLength)
    ) { text in
      if !options.quiet { LiveConsole.tell(text) }
    }
    try library.give(to: &scenario)
    return library
  }

  /// What is encoded of each rung: more than a viewer sees and buffers of an item.
  private static let clipLength = TimeSpan.seconds(20)

  /// Makes a scenario's titles those that were found.
  private static func give(_ found: FoundCatalogue, to scenario: inout FeedStudy) throws {
    let titles = Int64(scenario.configuration.catalogue.titles)
    if TitleNumbers.count(scenario.configuration) != titles {
      throw LiveRefusal(
        "audience.crowds, catalogue.newTitles: expected none with an origin's own titles, got some")
    }
    let span = scenario.configuration.catalogue.spriteSpan
    scenario.configuration.catalogue.given = found.given(spriteSpan: span)
  }

  /// How long servers, links and a browser may take to start (each waits for itself; assumed).
  private static let longestStart = TimeSpan.seconds(120)

  /// Starts the stand-in, the edge and the link.
  func stage(faults: [String]) throws(HarnessFailure) -> LiveStage {
    watch?.expectEnd(in: LiveSession.longestStart)
    let congestion: String =
      switch scenario.configuration.transport.congestion {
      case .cubic: "cubic"
      case .newReno: "reno"
      case .bbr: "bbr"
      }
    var origin = LiveStage.Origin(
      file: file, assignments: assignments, isShort: options.short, faults: faults)
    origin.media = media?.folder
    origin.tellsServerData = options.data.cmsd
    return try LiveStage(
      origin, edge: options.edge, link: options.link, policy: policy, seed: seed,
      congestion: congestion)
  }

  /// What the edge that the run starts is to do.
  var policy: EdgeServerPolicy {
    let cdn = scenario.configuration.cdn
    var policy = EdgeServerPolicy(cdn.edge, cacheKey: cdn.cacheKey)
    policy.scenario = file
    policy.logsRequests = false
    policy.tellsServerData = options.data.cmsd
    return policy
  }

  /// Starts servers, runs the viewers against them, and stops them.
  ///
  /// - Parameter disturbances: what goes wrong on purpose meanwhile.
  /// - Returns: the outcome and what the report says beside the viewers' measures.
  func runStaged(
    _ disturbances: LiveDisturbances? = nil, parts: Int = 8,
    logs: PolicyLogFolder? = nil, stop: StopRequest
  ) async throws -> (LiveOutcome, LiveFacts) {
    if options.client == .browser {
      return try await runBrowser(disturbances, parts: parts, logs: logs, stop: stop)
    }
    let stage = try self.stage(faults: disturbances?.faults ?? [])
    let pauses = disturbances?.begin(stage)
    defer {
      pauses?.cancel()
      stage.stop()
    }
    let outcome = try await run(
      edge: try LiveTarget(url: stage.edgeURL), service: try LiveTarget(url: stage.serviceURL),
      stage: stage, parts: parts, logs: logs, stop: stop)
    stage.stop()
    var facts = try self.facts(
      outcome, target: "the stand-in origin" + (disturbances?.originWords ?? ""),
      edge: edgeWords + (disturbances?.edgeWords ?? ""))
    if let trouble = stage.linkTrouble { facts.reasons.append(trouble) }
    if options.data.way == .query && options.edge != .none {
      facts.notes.append(
        policy.keysQueries
          ? "the edge's keys have queries, so that CMCD makes each request another object"
          : "the edge's keys have no queries: CMCD does not move its hits")
    }
    facts.notes += (options.edge.program?.differences(policy) ?? []).map {
      "\(options.edge.rawValue) differs from the model: \($0)"
    }
    return (outcome, facts)
  }

  /// Runs the viewers against servers that were there.
  func run(
    against servers: LiveTargets, named name: String, logs: PolicyLogFolder? = nil,
    stop: StopRequest
  ) async throws -> (LiveOutcome, LiveFacts) {
    let outcome = try await run(
      edge: servers.edge, service: servers.service, stage: nil, logs: logs, stop: stop)
    var facts = try self.facts(outcome, target: name, edge: "a server that was there")
    if options.data.way == .query {
      facts.notes.append(
        "a cache that has queries in its keys takes each request with CMCD for another object")
    }
    facts.notes += found?.summary.map { "found: \($0)" } ?? []
    return (outcome, facts)
  }

  /// What stands in front of the origin, in words.
  var edgeWords: String {
    switch options.edge {
    case .nginx: "nginx in front"
    case .varnish: "Varnish in front"
    case .firstframe: "firstframe-live edge in front"
    case .none: "no edge in front"
    }
  }

  func facts(
    _ outcome: LiveOutcome, target: String, edge: String
  ) throws -> LiveFacts {
    if outcome.counts.answered == 0 && outcome.counts.requests > 0 {
      throw HarnessFailure(
        .unreachable,
        "\(target): expected answers, got none for \(outcome.counts.requests) requests ("
          + outcome.counts.failures.map { "\($0.count) \($0.name)" }.joined(separator: ", ") + ")")
    }
    // What is told is in the digest, as edge and link are.
    let words = ([options.link.words] + options.data.words).joined(separator: "; ")
    return outcome.facts(target: target, edge: edge, link: words)
  }

  /// The result under the names of a simulated one.
  func result(_ outcome: LiveOutcome, _ facts: LiveFacts) throws -> StudyResult {
    var result = try Study.judge(
      scenario, parts: outcome.parts, seed: seed, isPartial: outcome.isPartial)
    result.live = facts
    return result
  }

  /// Runs the viewers against servers.
  ///
  /// - Parameters:
  ///   - stage: what was started for the run; nil for servers that were there.
  ///   - logs: takes the decision logs of the players; they are whole when this returns.
  private func run(
    edge: LiveTarget, service: LiveTarget?, stage: LiveStage?, parts: Int = 8,
    logs: PolicyLogFolder?, stop: StopRequest
  ) async throws -> LiveOutcome {
    let group = try Self.group(options.loops, stage?.pair)
    var settings = LiveOptions(
      edge: edge, service: service, servers: options.link.servers, seed: seed)
    settings.parts = parts
    (settings.transport, settings.trust) = LiveTargets.manner(edge)
    settings.found = found
    settings.clientData = options.data.clientData
    settings.wantsServerData = options.data.cmsd
    settings.keepsRequests = keepsRequests
    settings.hasService = found?.isFed ?? true || service != nil
    if stage != nil {
      settings.contents = CatalogueContents(scenario.configuration, seed: seed)
    }
    var sources: LinkSources?
    if let pair = stage?.pair, let link = stage?.link {
      let audience = scenario.configuration.audience
      sources = LinkSources(
        pair, link: link, configuration: scenario.configuration, seed: seed,
        length: scenario.configuration.cdn.warmUp + audience.window + audience.drain)
    }
    let runner = try LiveRunner(
      scenario, plan: plan, options: settings, group: group, sources: sources, logs: logs)
    let meter = LiveMeter(isQuiet: options.quiet)
    let configuration = scenario.configuration
    watch?.expectEnd(
      in: configuration.cdn.warmUp + configuration.audience.window + configuration.audience.drain)
    let outcome = try await runner.run(stop: stop) { meter.show($0) }
    meter.finish()
    await runner.shutDown()
    try await group.shutdownGracefully()
    watch?.expectEnd(in: nil)
    try logs?.close()
    return outcome
  }

  /// Event loops, inside the client's namespace where there is one.
  static func group(_ count: Int, _ pair: NamespacePair?) throws
    -> MultiThreadedEventLoopGroup
  {
    guard let pair else { return MultiThreadedEventLoopGroup(numberOfThreads: count) }
    return try pair.run(in: .client) { MultiThreadedEventLoopGroup(numberOfThreads: count) }
  }
}

/// A live run that cannot be made of this scenario; exit code 65.
struct LiveRefusal: Error {
  let text: String
  init(_ text: String) { self.text = text }
}

/// Progress of a live run: one line that is redrawn on a terminal, one line in ten seconds
/// elsewhere.
final class LiveMeter: Sendable {
  private let isQuiet: Bool
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let state = Mutex(State())

  private struct State {
    var lines = 0
    var isOpen = false
  }

  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  func show(_ progress: LiveProgress) {
    if isQuiet { return }
    let number = state.withLock { state in
      defer { state.lines += 1 }
      if isTerminal { state.isOpen = true }
      return state.lines
    }
    if !isTerminal && number % 10 != 0 { return }
    let text =
      "\(Int(progress.elapsed.seconds)) of \(Int(progress.length.seconds)) s · "
      + "\(progress.sessions) viewers · \(progress.views) views · \(progress.requests) requests · "
      + "\(progress.bytes / 1_000_000) MB · \(progress.failures) failed"
    if isTerminal {
      FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    } else {
      LiveConsole.tell(text)
    }
  }

  func finish() {
    if state.withLock({ $0.isOpen }) { FileHandle.standardError.write(Data("\n".utf8)) }
  }
}
