import Foundation
import LoadHarness
import MediaUnits
import Models
import NIOCore
import Reports
import Scenario
import Studies
import Synchronization

/// A live run whose players are a browser's.
extension LiveSession {
  /// Starts servers and a browser, runs the sessions as its pages, and stops all of them.
  func runBrowser(
    _ disturbances: LiveDisturbances?, parts: Int, logs: PolicyLogFolder?, stop: StopRequest
  ) async throws -> (LiveOutcome, LiveFacts) {
    let text = PageConfiguration.text(scenario.configuration)
    let page = try LiveSession.pageFiles(text)
    let store = try options.keep.map { folder in
      try BrowserSessionStore(
        folder,
        identity: BrowserSessionStore.identity(
          text,
          [
            RunIdentity(
              scenario.scenario, seed: seed, parts: parts, edge: edgeWords,
              link: options.link.words
            ).digest,
            (disturbances?.originWords ?? "") + (disturbances?.edgeWords ?? ""),
            String(seed), options.edge.rawValue, options.link.rawValue,
            "\(options.viewers) viewers", options.feeding.rawValue,
            try LiveSession.pageDigest(), media?.digest ?? "",
            "\(parts) parts",
          ] + LiveSession.scripts(page)),
        played: played(text, disturbances), seed: seed)
    }
    let stage = try self.stage(faults: disturbances?.faults ?? [])
    let pauses = disturbances?.begin(stage)
    defer {
      pauses?.cancel()
      stage.stop()
    }
    let group = try LiveSession.group(options.loops, stage.pair)
    let browser: Chromium
    do {
      browser = try await Chromium.start(on: group, in: stage.pair)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
    defer { browser.stop() }
    var settings = BrowserOptions(
      edges: try edges(of: stage), seed: seed, page: page)
    settings.parts = parts
    settings.feeding = options.feeding
    settings.logs = logs != nil
    settings.keepsRequests = keepsRequests
    let runner = BrowserRunner(
      scenario, plan: plan, options: settings, browser: browser, group: group, logs: logs,
      store: store, openLink: links(of: stage))
    let meter = LiveMeter(isQuiet: options.quiet)
    watch?.expectEnd(in: runner.longest)
    let (outcome, seen) = await runner.run(stop: stop) { meter.show($0) }
    meter.finish()
    browser.stop()
    try await group.shutdownGracefully()
    watch?.expectEnd(in: nil)
    try logs?.close()
    stage.stop()
    if outcome.counts.answered == 0, !seen.problems.isEmpty {
      throw HarnessFailure(
        .unreachable,
        "browser: expected answers, got none; " + seen.problems.joined(separator: "; "))
    }
    var facts = try self.facts(
      outcome, target: "the stand-in origin" + (disturbances?.originWords ?? ""),
      edge: edgeWords + (disturbances?.edgeWords ?? ""))
    if let trouble = stage.linkTrouble { facts.reasons.append(trouble) }
    runner.endPiece(reasons: facts.reasons)
    facts.reasons += seen.reasons
    facts.notes += seen.notes
    if let folder = options.keep, outcome.isPartial {
      LiveConsole.tell("\(folder) has the sessions that ended; the same command goes on")
    }
    facts.notes.append("the page's viewer was built from sources \(try LiveSession.pageDigest())")
    return (outcome, facts)
  }

  /// Names what is played, whatever the devices are that it is predicted with: a run whose name is
  /// another may have played the same.
  private func played(_ text: [UInt8], _ disturbances: LiveDisturbances?) -> String {
    let keys = scenario.scenario.resolvedText.split(separator: "\n")
    var isOfDevices = false
    let others = keys.filter { line in
      if line.first != " " && line.first != "-" { isOfDevices = line.hasPrefix("devices:") }
      return !isOfDevices
    }
    return BrowserSessionStore.identity(
      text,
      others.map(String.init) + [
        String(seed), edgeWords, options.link.rawValue, "\(options.viewers) viewers",
        options.feeding.rawValue, media?.digest ?? "",
        (disturbances?.originWords ?? "") + (disturbances?.edgeWords ?? ""),
      ])
  }

  /// What an earlier run has played of this scenario, from the sessions that it has kept.
  func readBack(_ folder: String, parts: Int) throws -> (LiveOutcome, LiveFacts) {
    let contents = try BrowserSessionStore.read(folder)
    let text = PageConfiguration.text(scenario.configuration)
    var settings = BrowserOptions(
      edges: [String](repeating: "", count: options.viewers), seed: seed, page: [:])
    settings.parts = parts
    settings.feeding = options.feeding
    let (outcome, seen) = try BrowserRunner.readBack(
      scenario, plan: plan, options: settings, contents: contents)
    var facts = try self.facts(outcome, target: "the stand-in origin", edge: edgeWords)
    facts.reasons += seen.reasons
    facts.notes += seen.notes
    facts.notes.append(
      contents.played == played(text, nil)
        ? "played by an earlier run of this scenario"
        : "played by an earlier run, in which keys beside those of devices, media or the encoder "
          + "may have been others")
    if contents.seed == nil {
      facts.notes.append("the sessions do not say of which seed they are")
    }
    return (outcome, facts)
  }

  /// Where each viewer's place finds the edge: with links each has an address of its own, by which
  /// the kernel knows whose packets they are.
  private func edges(of stage: LiveStage) throws(HarnessFailure) -> [String] {
    guard let pair = stage.pair, let port = stage.edgeURL.split(separator: ":").last else {
      return [String](repeating: stage.edgeURL, count: options.viewers)
    }
    var edges: [String] = []
    for place in 0..<options.viewers {
      try pair.giveRoute(toPlayer: place)
      edges.append("http://\(pair.edgeAddress(ofPlayer: place)):\(port)")
    }
    return edges
  }

  private func links(of stage: LiveStage) -> (@Sendable (UInt32, Int) -> Void)? {
    guard let pair = stage.pair, let link = stage.link else { return nil }
    let sources = Mutex(
      LinkSources(
        pair, link: link, configuration: scenario.configuration, seed: seed,
        length: scenario.configuration.cdn.warmUp + scenario.configuration.audience.window
          + scenario.configuration.audience.drain))
    return { session, place in
      sources.withLock { $0.open(session, slot: UInt32(place)) }
    }
  }

  /// What a page is made of: the folder that `.ci/browser` has made, and the configuration.
  private static func pageFiles(
    _ configuration: [UInt8]
  ) throws(HarnessFailure) -> [String: BrowserFile] {
    let folder = try pageFolder()
    var files = [
      "configuration.txt": BrowserFile(type: "text/plain", bytes: configuration)
    ]
    let types = [
      ("index.html", "text/html"), ("feed.js", "text/javascript"),
      ("players.js", "text/javascript"), ("module.js", "text/javascript"),
      ("verdict.js", "text/javascript"), ("viewer.wasm", "application/wasm"),
    ]
    for (name, type) in types {
      guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
        throw HarnessFailure(
          .missing, "\(folder)/\(name): expected a file of the page, got none; make browser")
      }
      files[name] = BrowserFile(type: type, bytes: [UInt8](bytes))
    }
    return files
  }

  /// The scripts of a page in the order of their names.
  private static func scripts(_ page: [String: BrowserFile]) -> [String] {
    page.filter { $0.key.hasSuffix(".js") }.sorted { $0.key < $1.key }
      .map { String(decoding: $0.value.bytes, as: UTF8.self) }
  }

  /// Names the sources that the page's viewer was built from.
  private static func pageDigest() throws(HarnessFailure) -> String {
    let path = "\(try pageFolder())/digest"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? "of nobody knows what"
    return String(text.prefix(8))
  }

  /// `browser` in the folder of builds that this program lies in.
  private static func pageFolder() throws(HarnessFailure) -> String {
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? CommandLine.arguments[0]
    var folder = URL(fileURLWithPath: program).deletingLastPathComponent()
    while folder.path != "/" {
      let page = folder.appendingPathComponent("browser")
      if FileManager.default.fileExists(atPath: page.appendingPathComponent("viewer.wasm").path) {
        return page.path
      }
      folder.deleteLastPathComponent()
    }
    throw HarnessFailure(
      .missing,
      "--client browser: expected the page beside the program's builds, got none; make browser")
  }
}
