import ArgumentParser
import Foundation
import LoadHarness
import Scenario

/// `firstframe-live standin`
struct Standin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serve a scenario's catalogue as a real origin: HLS, feed and events.",
    discussion: """
      Example: firstframe-live standin scenarios/wifi-budget-gate.yaml --port 8080 \
      --fault latency:segment:200ms:0.1

      Sizes, lifetimes and versions are those that the simulator works with. Titles are t0, \
      the most popular, t1 and so on: /vod/t0/media_manifest.json leads to everything of one. \
      /v1/feed gives pages, /v1/events takes posts, /stats counts, /healthz says ok. A fault is \
      KIND:CLASS[:VALUE]:PROBABILITY[:FROM-UNTIL], counted from the first request; POST /faults with {"faults":[…]} replaces them \
      while it runs, for who sends "Authorization: Bearer TOKEN" with the token that it prints; \
      FIRSTFRAME_STANDIN_TOKEN names another. Stops on SIGINT, SIGTERM and SIGHUP with a summary.

      \(LiveExit.help)
      """)

  @Argument(help: "The scenario file.")
  var file: String

  @OptionGroup var listen: ListenOptions

  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "Set one key, after the file; repeatable.", valueName: "key.path=value"))
  var assignments: [String] = []

  @Flag(help: "Make the cut of audience and replications that the scenario states.")
  var short = false

  @Option(
    help: ArgumentHelp("The replication whose catalogue is served, 0...65534.", valueName: "n"),
    transform: { text in
      guard let number = UInt16(text), number < .max else {
        throw ValidationError("expected a whole number in 0...65534, got \(text)")
      }
      return number
    })
  var replication: UInt16 = 0

  @Option(
    name: .customLong("fault"), parsing: .singleValue,
    help: ArgumentHelp("Do something wrong on purpose; repeatable.", valueName: "fault"),
    transform: { text in
      do throws(StandinFault.Malformed) {
        return try StandinFault(parsing: text)
      } catch {
        throw ValidationError("\(error)")
      }
    })
  var faults: [StandinFault] = []

  @Option(help: ArgumentHelp("The run that it is of.", visibility: .hidden))
  var runFolder: String?

  @Flag(help: "Take the time to the first byte that the scenario's origin takes.")
  var originLatency = false

  @Flag(help: "Answer pages of the feed at once instead of after the scenario's time.")
  var noFeedLatency = false

  @Option(
    help: ArgumentHelp(
      "What stands before paths in JSON, such as https://cdn.example.com.", valueName: "url"))
  var base = ""

  @Option(
    help: ArgumentHelp(
      "Serve the real H.264 of this media library as every title; titles are then whole segments "
        + "long, at most as long as its clip.", valueName: "dir"))
  var media: String?

  @Option(
    help: ArgumentHelp(
      "Serve index.html, *.js and *.wasm of this folder under /player/.", valueName: "dir"))
  var page: String?

  @Flag(help: "State each object in CMSD-Static (CTA-5006).")
  var cmsd = false

  func run() async throws {
    try await LiveExit.reported { try await serve() }
  }

  private func serve() async throws {
    let scenario = try FeedStudy.load(
      file, overrides: assignments.map { Override(set: $0) }, short: short)
    var options = StandinOptions()
    options.replication = replication
    options.faults = faults
    options.waitsAsOrigin = originLatency
    options.waitsAsService = !noFeedLatency
    options.base = base.hasSuffix("/") ? String(base.dropLast()) : base
    options.media = try media.map { try MediaLibrary(folder: $0) }
    options.tellsServerData = cmsd
    options.token = try token()
    options.page = try page.map { try StandinPage(folder: $0) }
    let certificate = try listen.makeCertificate()
    defer { certificate?.remove() }
    let server = try await LiveExit.listening(on: listen.port) {
      try await StandinOrigin.start(
        scenario, options: options, host: listen.host, port: listen.port,
        certificate: certificate)
    }
    if let token = options.token, runFolder == nil {
      LiveConsole.output("standin administered by the token \(token.text)")
    }
    await LiveEnding.wait(
      saying: "standin listening on \(listen.url(server.port))", isOfRun: runFolder != nil)
    await server.stop()
    LiveConsole.output(server.stats.text)
  }

  /// By which it is administered: what the variable says, or one of its own; a run that has started
  /// it does not administer it.
  private func token() throws -> RunToken? {
    let name = "FIRSTFRAME_STANDIN_TOKEN"
    guard let text = ProcessInfo.processInfo.environment[name] else {
      return runFolder == nil ? RunToken() : nil
    }
    guard let token = RunToken(text) else {
      throw ValidationError(
        "\(name): expected 16 characters or more of letters, digits and -._~+/=, got others")
    }
    return token
  }
}
