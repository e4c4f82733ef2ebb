import ArgumentParser
import Foundation
import LoadHarness
import MediaUnits
import Models
import Scenario
import SimulationKernel

/// `firstframe-live link`
struct Link: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Run commands at both ends of a shaped link of the project's own.",
    discussion: """
      Makes two network namespaces (root and /dev/net/tun are needed), runs --edge in one and \
      --exec in the other, carries their packets as the links of a scenario's sessions would, and \
      takes everything away when --exec ends. Each address of the client side has a link of its \
      own: session n has FF_BLOCK's address 256 + n.

        firstframe-live link --scenario wifi.yaml --exec 'curl -s http://$FF_EDGE/'
        firstframe-live link --down 10Mbps --rtt 60ms --loss 0.5% --exec 'bash'

      The commands find FF_EDGE (the edge's address), FF_CLIENT (session 0's), FF_BLOCK, \
      FF_CLIENT_NAMESPACE and FF_EDGE_NAMESPACE in their environment.
      Exit codes: that of --exec; 128 and the number of a signal that ended it; 64 usage, 65 and 66 a bad or missing scenario, 69 a right or a \
      program is missing.
      """)

  @Option(help: "Take the links of this scenario's sessions.")
  var scenario: String?

  @Option(help: "Key of the random draws; the scenario's unless given.")
  var seed: UInt64?

  @Option(help: "Sessions that get a link of their own; the others have session 0's.")
  var sessions = 1

  @Option(help: "How long a session's rate is written out; the last one holds.")
  var length = "15 min"

  @Option(help: "Downlink rate of all links.")
  var down = "10 Mbps"

  @Option(help: "Uplink rate; as --down unless given.")
  var up: String?

  @Option(help: "Propagation round trip.")
  var rtt = "0 ms"

  @Option(help: "Share of downlink packets that are lost.")
  var loss = "0 %"

  @Option(help: "Mean length of a run of lost packets; 1 for independent losses.")
  var lossBurst = 1.0

  @Option(help: "Packets that may wait in front of the downlink.")
  var queue = 1000

  @Option(help: "Congestion control of both ends: cubic, reno, bbr or another of the kernel's.")
  var congestion = "cubic"

  @Option(help: ArgumentHelp("Command to run at the edge while --exec runs.", valueName: "command"))
  var edge: String?

  @Option(help: ArgumentHelp("Command to run at the client.", valueName: "command"))
  var exec: String

  @Flag(help: "Print what the link carried, to standard error.")
  var stats = false

  func validate() throws {
    if sessions < 1 || sessions > 60_000 {
      throw ValidationError("--sessions: expected 1 to 60000, got \(sessions)")
    }
    if queue < 1 { throw ValidationError("--queue: expected at least 1, got \(queue)") }
    if lossBurst < 1 {
      throw ValidationError("--loss-burst: expected at least 1, got \(lossBurst)")
    }
    if exec.isEmpty { throw ValidationError("--exec: expected a command, got none") }
  }

  func run() throws {
    let links = try profiles()
    var settings = NamespaceSettings()
    settings.congestion = congestion
    let watch = StopSignals { number in ForcedEnd.leave(128 + number) }
    let end = LiveEnding.watch(watch, nil) {}
    defer { end.close() }
    do {
      try Sweeper.start()
      let pair = try NamespacePair(settings)
      let status = try carry(links, over: pair, watch)
      pair.remove()
      if status != 0 { throw ExitCode(status) }
    } catch let failure as HarnessFailure {
      Teardown.ofProcess.run()
      note(failure.message)
      throw ExitCode(failure.exitCode)
    }
  }

  private func carry(
    _ links: [LinkProfile], over pair: NamespacePair, _ watch: StopSignals
  ) throws -> Int32 {
    var settings = UserLinkSettings()
    settings.seed = seed ?? 1
    settings.fallback = links[0]
    let link = try UserLink(pair, settings: settings)
    for (number, profile) in links.enumerated() {
      link.assign(pair.address(ofPlayer: number), profile)
    }
    let environment = [
      "FF_EDGE": "\(pair.edgeAddress)", "FF_CLIENT": "\(pair.address(ofPlayer: 0))",
      "FF_BLOCK": "\(pair.settings.clients)", "FF_CLIENT_NAMESPACE": pair.name(.client),
      "FF_EDGE_NAMESPACE": pair.name(.edge),
    ]
    let session = LinkSession(pair: pair, environment: environment, watch: watch)
    let status = try session.run(client: exec, edge: edge)
    let counters = link.stop()
    if stats { note(Link.text(counters)) }
    if !counters.isFaithful() {
      note("the link was overrun or late, its times are not to be trusted; see --stats")
    }
    return status
  }

  // MARK: Profiles

  private func profiles() throws -> [LinkProfile] {
    if let scenario { return try profiles(ofScenario: scenario) }
    let downlink = Double(try quantity(.bitRate, down, "--down"))
    let uplink = try up.map { Double(try quantity(.bitRate, $0, "--up")) } ?? downlink
    let trip = try quantity(.time, rtt, "--rtt", most: 60_000_000_000)
    let share: Double
    do {
      share = try PlainNumber.ratio(of: loss)
    } catch {
      throw ValidationError("--loss: expected \(error.expected), got \(loss)")
    }
    let losses: PacketLoss =
      share <= 0
      ? .none : lossBurst > 1 ? .bursts(rate: share, meanBurst: lossBurst) : .independent(share)
    return [
      LinkProfile(
        downlink: downlink, uplink: uplink, roundTrip: trip, loss: losses,
        queue: .packets(queue))
    ]
  }

  private func profiles(ofScenario file: String) throws -> [LinkProfile] {
    let loaded: FeedStudy
    do throws(ScenarioRejected) {
      loaded = try FeedStudy.load(file)
    } catch {
      LiveConsole.note(error.description)
      throw ExitCode(error.kind == .missingFile ? 66 : 65)
    }
    let streams = RandomStreams(seed: seed ?? loaded.seed, replication: 0)
    let span = TimeSpan(
      nanoseconds: try quantity(.time, length, "--length", most: 86_400_000_000_000))
    return (0..<UInt32(sessions)).map { session in
      LinkProfile(
        loaded.configuration.link(of: session, streams: streams, length: span),
        session: session)
    }
  }

  private func quantity(
    _ kind: Quantity, _ text: String, _ option: String, most: Int64 = .max
  ) throws -> Int64 {
    let value: Int64
    do {
      value = try kind.value(of: text)
    } catch {
      throw ValidationError("\(option): expected \(error.expected), got \(text)")
    }
    if value > most {
      throw ValidationError("\(option): expected at most \(kind.text(most)), got \(text)")
    }
    return value
  }

  // MARK: Text

  private func note(_ text: String) {
    LiveConsole.error(text)
  }

  private static func text(_ counters: LinkCounters) -> String {
    func line(_ name: String, _ lane: LaneCounters) -> String {
      "\(name): \(lane.packetsIn) packets in, \(lane.packetsOut) out (\(lane.bytesOut) bytes), "
        + "\(lane.full) queue full, \(lane.lost) lost"
    }
    func microseconds(_ share: Double) -> Double {
      Double(counters.slip.quantile(share)) / 1000
    }
    return """
      \(line("down", counters.down))
      \(line("up", counters.up))
      on the way \(counters.onTheWay), foreign \(counters.foreign), no room \(counters.noRoom), \
      refused \(counters.refused), unread \(counters.unread)
      late by p50 \(microseconds(0.5)) us, p99 \(microseconds(0.99)) us, \
      most \(Double(counters.slip.largest) / 1000) us
      """
  }
}
