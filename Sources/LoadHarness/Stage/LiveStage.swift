import Foundation
import Glibc
import MediaUnits
import Models
import Scenario

/// What a live run starts by itself: the stand-in origin, an edge in front of it, and a link
/// between two network namespaces. Everything that was started is stopped with it, also when the
/// process ends by a signal.
public final class LiveStage {
  /// What carries the bytes.
  public enum Link: String, Sendable, CaseIterable {
    /// Loopback; the world's own links shape what viewers get.
    case model
    /// A user-space link between two network namespaces; root and /dev/net/tun are needed.
    case namespaces
    /// Whatever network there is, unshaped.
    case none

    /// Where the world's requests go.
    public var servers: FeedServers { self == .model ? .realBehindModelledLinks : .real }

    /// In words, for reports.
    public var words: String {
      switch self {
      case .model: "the scenario's links, modelled by the client"
      case .namespaces: "the scenario's links, packet by packet between two namespaces"
      case .none: "the network as it is"
      }
    }
  }

  /// The scenario as the stand-in has to load it.
  public struct Origin: Sendable {
    public var file: String
    public var assignments: [String]
    public var isShort: Bool
    /// What it does wrong on purpose, as `--fault` has it.
    public var faults: [String]
    /// Folders of a ``MediaLibrary`` and of a ``StandinPage``, as `--media` and `--page` have them.
    public var media, page: String?
    /// Whether it states its objects in `CMSD-Static`, as `--cmsd` has it.
    public var tellsServerData = false

    public init(file: String, assignments: [String], isShort: Bool, faults: [String] = []) {
      self.file = file
      self.assignments = assignments
      self.isShort = isShort
      self.faults = faults
    }
  }

  /// Where players ask, as URLs.
  public let edgeURL, serviceURL: String
  public let pair: NamespacePair?
  public let link: UserLink?
  /// The edge's process; nil without an edge of its own.
  public let edge: EdgeProcess?
  private let standin: Subprocess
  private let folder: String
  private var isStopped = false
  private var teardown = 0

  /// The port of the stand-in where it has a namespace to itself.
  private static let namespacePort = 9000

  /// Starts everything, the origin first, and waits until it answers.
  ///
  /// - Throws: ``HarnessFailure``; what was started before is stopped again.
  public init(
    _ origin: Origin, edge kind: LiveEdge, link: Link, policy: EdgeServerPolicy, seed: UInt64,
    congestion: String
  ) throws(HarnessFailure) {
    LiveStage.removeStale()
    try Sweeper.start()
    folder = try LiveStage.makeFolder()
    var pair: NamespacePair?
    var userLink: UserLink?
    if link == .namespaces {
      var settings = NamespaceSettings()
      settings.congestion = congestion
      let made = try NamespacePair(settings)
      var linkSettings = UserLinkSettings()
      linkSettings.seed = seed
      userLink = try UserLink(made, settings: linkSettings)
      pair = made
    }
    self.pair = pair
    self.link = userLink
    let output = "\(folder)/standin.txt"
    var command = OwnProgram.command([
      "standin", origin.file, "--origin-latency", "--host",
      pair == nil ? "127.0.0.1" : "0.0.0.0", "--port",
      pair == nil ? "0" : "\(LiveStage.namespacePort)",
    ])
    for assignment in origin.assignments { command += ["--set", assignment] }
    for fault in origin.faults { command += ["--fault", fault] }
    if let media = origin.media { command += ["--media", media] }
    if let page = origin.page { command += ["--page", page] }
    if origin.isShort { command.append("--short") }
    if origin.tellsServerData { command.append("--cmsd") }
    // By this the leftovers of a process that was killed are known.
    command += ["--run-folder", folder]
    if let pair { command = pair.command(command, in: .edge) }
    let child: Subprocess
    do throws(HarnessFailure) {
      child = try Subprocess.start(command, output: output)
    } catch {
      pair?.remove()
      throw error
    }
    standin = child
    try? "\(child.pid)".write(
      toFile: "\(folder)/\(LiveStage.pidFile)", atomically: true, encoding: .utf8)
    do throws(HarnessFailure) {
      let port = try LiveStage.listening(child, output)
      let host = pair.map { "\($0.edgeAddress)" } ?? "127.0.0.1"
      serviceURL = "http://\(host):\(port)"
      if let program = kind.program {
        let made = try EdgeProcess.start(
          kind: program, origin: "http://127.0.0.1:\(port)", policy: policy, namespace: pair)
        edge = made
        edgeURL = "http://\(host):\(made.port)"
      } else {
        edge = nil
        edgeURL = serviceURL
      }
    } catch {
      child.stop()
      pair?.remove()
      throw error
    }
    let folder = folder
    teardown = Teardown.ofProcess.add {
      child.stop()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// What the stand-in says at its end: its counts.
  public private(set) var originText = ""

  /// What the link has carried; nil before its end, and without a link.
  public private(set) var linkCounters: LinkCounters?

  /// Why the link's times cannot be believed; nil when they can. Known after ``stop()``.
  public var linkTrouble: String? {
    guard let counters = linkCounters, !counters.isFaithful() else { return nil }
    let late = Double(counters.slip.quantile(0.99)) / 1e6
    return "link: expected every packet in time, got 99 % late by up to "
      + "\((late * 100).rounded() / 100) ms, \(counters.noRoom) without a buffer, "
      + "\(counters.refused) refused and \(counters.unread) unread"
  }

  /// Stops everything in the reverse order.
  public func stop() {
    if isStopped { return }
    isStopped = true
    Teardown.ofProcess.remove(teardown)
    edge?.stop()
    standin.stop()
    originText =
      (try? String(contentsOfFile: "\(folder)/standin.txt", encoding: .utf8)) ?? ""
    if let link { linkCounters = link.stop() }
    pair?.remove()
    try? FileManager.default.removeItem(atPath: folder)
  }

  deinit { stop() }

  // MARK: Pieces

  private static let prefix = "firstframe-stage-"
  private static let pidFile = "standin.pid"

  /// Ends the stand-ins of processes that are no more, and removes their folders.
  static func removeStale() {
    let parent = FileManager.default.temporaryDirectory.path
    Leftovers.remove(in: parent, after: [prefix]) { name in
      let folder = "\(parent)/\(name)"
      // Only what a stage has made.
      guard FileManager.default.fileExists(atPath: "\(folder)/standin.txt") else { return }
      Leftovers.remove(folder, ofGroupIn: pidFile)
    }
  }

  private static func makeFolder() throws(HarnessFailure) -> String {
    let parent = FileManager.default.temporaryDirectory.path
    let path = "\(parent)/\(prefix)\(getpid())-\(UInt32.random(in: 0 ... .max))"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw HarnessFailure(.system, "\(path): expected a folder that can be made, got \(error)")
    }
    return path
  }

  /// Waits until the stand-in tells its port.
  private static func listening(
    _ child: Subprocess, _ output: String
  ) throws(HarnessFailure) -> Int {
    for attempt in 1...600 {
      let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
      if let line = text.split(separator: "\n").first(where: { $0.contains("listening on") }),
        let port = line.split(separator: ":").last.flatMap({ Int($0) })
      {
        return port
      }
      if child.poll() != nil {
        throw HarnessFailure(
          .unreachable, "stand-in: expected it to listen, got its end\n\(text)")
      }
      // Without room its words do not come.
      if attempt % 20 == 0, let slash = output.lastIndex(of: "/") {
        let folder = String(output[..<slash])
        try WritableFolder.check(folder, as: folder)
      }
      usleep(50_000)
    }
    throw HarnessFailure(.unreachable, "stand-in: expected it to listen within 30 s, got nothing")
  }
}

extension LiveEdge {
  /// The program behind an edge; nil for none.
  public var program: EdgeServerKind? {
    switch self {
    case .nginx: .nginx
    case .varnish: .varnish
    case .firstframe: .firstframe
    case .none: nil
    }
  }
}
