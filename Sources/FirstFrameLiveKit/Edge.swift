import ArgumentParser
import LoadHarness
import MediaUnits
import Models
import Scenario

/// `firstframe-live edge`
struct Edge: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the simulator's edge cache as a real caching reverse proxy.",
    discussion: """
      Example: firstframe-live edge --origin http://127.0.0.1:8080 --port 8081 --policy sieve

      The cache rules, eviction and collapsing are those that the simulator runs. Every answer \
      says in Cache-Status (RFC 9211) what the cache did. With --scenario the edge tier of a scenario \
      sets capacity, policy, admission, collapsing and lifetimes, and what is given here comes \
      after. Stops on SIGINT, SIGTERM and SIGHUP with a summary.

      \(LiveExit.help)
      """)

  @Option(
    help: ArgumentHelp("Where misses go: http://host[:port] or https://….", valueName: "url"),
    transform: { text in
      guard let address = OriginAddress(url: text) else {
        throw ValidationError("expected a URL such as http://127.0.0.1:8080, got \(text)")
      }
      return address
    })
  var origin: OriginAddress

  @OptionGroup var listen: ListenOptions

  @Option(help: ArgumentHelp("Bytes that are kept. (default: 256MiB)", valueName: "size"))
  var capacity: String?

  @Option(
    help: ArgumentHelp(
      "What the capacity counts: memory, with all that is kept of an object, or bodies, as the "
        + "simulator does. (default: memory; with --scenario bodies)", valueName: "what"))
  var weigh: EdgeWeighing?

  @Option(help: ArgumentHelp("The eviction policy. (default: lru)", valueName: "policy"))
  var policy: String?

  @Option(
    help: ArgumentHelp("Which objects enter: all, size:BYTES, bloom or prob:P.", valueName: "rule"))
  var admission: String?

  @Option(help: ArgumentHelp("Take over the edge tier of this scenario.", valueName: "file"))
  var scenario: String?

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp("Set one key of the scenario.", valueName: "key.path=value"))
  var assignments: [String] = []

  @Flag(
    help: ArgumentHelp(
      "Store all that RFC 9111 allows: also answers with Set-Cookie, and to requests with fields "
        + "such as X-Forwarded-Host."))
  var rfc9111 = false

  @Option(
    help: ArgumentHelp(
      "Event loops, a thread each, for connections of clients; above 1 the cache has one more.",
      valueName: "number"))
  var loops = 1

  @Flag(help: "Leave the query out of the cache key.")
  var ignoreQuery = false

  @Flag(help: "Overlook Cache-Control and Pragma of requests, as CDNs do.")
  var ignoreRequestDirectives = false

  @Flag(
    help: "Say in CMSD-Dynamic (CTA-5006) how long answers took and how the connection is.")
  var cmsd = false

  @Option(
    help: ArgumentHelp(
      "With --cmsd: the bit rate that players are asked not to exceed.", valueName: "rate"))
  var suggest: String?

  @Option(
    help: ArgumentHelp(
      "Write a line of JSON for each request, as calibrate --format json-log reads them.",
      valueName: "file"))
  var log: String?

  @Option(help: ArgumentHelp("The run that it is of.", visibility: .hidden))
  var runFolder: String?

  /// As many threads as anything that is there has use for (assumed).
  private static let mostLoops = 256

  func validate() throws {
    if suggest != nil && !cmsd {
      throw ValidationError("--suggest: expected --cmsd with it, got none")
    }
    if !(1...Edge.mostLoops).contains(loops) {
      throw ValidationError("--loops: expected a number from 1 to \(Edge.mostLoops), got \(loops)")
    }
    if scenario == nil && !assignments.isEmpty {
      throw ValidationError("--set: expected a --scenario to set keys of, got none")
    }
  }

  func run() async throws {
    try await LiveExit.reported { try await serve() }
  }

  private func serve() async throws {
    let settings = try settings()
    let certificate = try listen.makeCertificate()
    defer { certificate?.remove() }
    let server = try await LiveExit.listening(on: listen.port) {
      try await EdgeServer.start(
        settings, host: listen.host, port: listen.port, loops: loops, certificate: certificate)
    }
    await LiveEnding.wait(
      saying: "edge listening on \(listen.url(server.port))", isOfRun: runFolder != nil)
    let (counters, used) = (try await server.counters(), try await server.usedBytes())
    await server.stop()
    LiveConsole.output("\(counters.text); \(used) bytes in the store")
    do {
      try settings.log?.close()
    } catch {
      LiveConsole.error("--log: expected a file that can be written, got \(log ?? ""): \(error)")
      throw ExitCode(LiveExit.cannotWrite)
    }
  }

  private func openLog() throws -> EdgeLog? {
    guard let log else { return nil }
    do {
      return try EdgeLog(path: log)
    } catch {
      LiveConsole.error("--log: expected a file that can be written, got \(log): \(error)")
      throw ExitCode(LiveExit.cannotWrite)
    }
  }

  private func settings() throws -> EdgeConfiguration {
    var made = EdgeConfiguration(origin: origin)
    if let scenario {
      let loaded = try FeedStudy.load(
        scenario, overrides: assignments.map { Override(set: $0) })
      made.follow(loaded.configuration.cdn.edge, key: loaded.configuration.cdn.cacheKey)
    }
    if let capacity {
      let read = try value("--capacity", capacity) { text throws(QuantityFault) in
        try CacheCapacity(text, unitSizes: false)
      }
      guard case .units(let bytes) = read else {
        throw ValidationError("--capacity: expected a size such as 256MiB, got \(capacity)")
      }
      made.capacity = bytes
    }
    if let policy {
      let kind = try value("--policy", policy) { text throws(QuantityFault) in
        try CacheWords.policy(text)
      }
      // The wide form has a sketch that fits any capacity.
      made.eviction = kind == .wTinyLFU ? .wTinyLFUWide : kind
      if kind.isClairvoyant {
        throw ValidationError(
          "--policy: expected one that does not know the requests to come, got \(policy)")
      }
    }
    if let admission {
      made.admission = try value("--admission", admission) { text throws(QuantityFault) in
        try CacheWords.admission(text)
      }
    }
    if let weigh { made.weighing = weigh }
    if rfc9111 { made.isCareful = false }
    made.log = try openLog()
    made.tellsServerData = cmsd
    if let suggest {
      made.suggestedBitrate = BitRate(
        bitsPerSecond: try value("--suggest", suggest) { text throws(QuantityFault) in
          try Quantity.bitRate.value(of: text)
        })
    }
    if ignoreQuery { made.keepsQuery = false }
    if ignoreRequestDirectives { made.obeysRequests = false }
    return made
  }

  private func value<Value>(
    _ option: String, _ text: String, _ read: (String) throws(QuantityFault) -> Value
  ) throws -> Value {
    do throws(QuantityFault) {
      return try read(text)
    } catch {
      let hint = error.suggestion.map { " (did you mean \($0)?)" } ?? ""
      throw ValidationError("\(option): expected \(error.expected), got \(text)\(hint)")
    }
  }
}

extension EdgeWeighing: ExpressibleByArgument {}
