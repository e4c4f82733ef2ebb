import Foundation
import Glibc
import Synchronization

/// An edge server as a child process with a folder of its own: started, asked until it answers,
/// stopped with everything it started.
///
/// Nothing of the system's own servers is touched: neither their configuration nor their folders
/// nor their ports.
public final class EdgeProcess: Sendable {
  public let kind: EdgeServerKind
  /// Where it listens.
  public let address: String
  public let port: Int
  /// Its configuration and logs; gone after ``stop()``.
  public let folder: String
  /// Bytes that it may use for bodies; less than the policy's capacity where there is less room.
  public let room: Int64

  /// What clients have to trust; nil without TLS.
  public let certificate: EdgeServerPolicy.Certificate?

  private let child: Subprocess
  private let isStopped = Mutex(false)
  private let teardown = Atomic<Int>(0)

  /// Its requests in the combined log format, when the policy asked for them. nginx writes it as it
  /// goes, a second late at most.
  public var accessLog: String { "\(folder)/access.log" }
  /// What it said while it ran.
  public var errorText: String {
    let files = ["\(folder)/output.txt", "\(folder)/error.log"]
    return files.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.joined()
  }
  public var isRunning: Bool { child.poll() == nil }

  private init(
    kind: EdgeServerKind, setup: EdgeServerSetup, child: Subprocess,
    certificate: EdgeServerPolicy.Certificate?
  ) {
    self.kind = kind
    self.certificate = certificate
    address = setup.address
    port = setup.port
    folder = setup.folder
    room = setup.room
    self.child = child
    let id = Teardown.ofProcess.add { [weak self] in self?.stop() }
    teardown.store(id, ordering: .relaxed)
  }

  deinit { stop() }

  /// Starts a server and waits until it answers.
  ///
  /// - Parameters:
  ///   - origin: `http://HOST:PORT` of the origin; in the edge's namespace when one is given.
  ///   - port: 0 for any that is free; never a well-known one of a system's server.
  ///   - namespace: the server runs on the edge's side of this link and listens on all its
  ///     addresses; nil: on the loopback address only.
  public static func start(
    kind: EdgeServerKind, origin: String, port: Int = 0, policy: EdgeServerPolicy,
    namespace: NamespacePair? = nil, patience: Double = 20
  ) throws(HarnessFailure) -> EdgeProcess {
    removeStale()
    guard let program = kind.path else {
      throw HarnessFailure(
        .missing,
        "\(kind.program ?? kind.rawValue): expected the program on PATH, got none; "
          + "install it: \(kind.installation)")
    }
    let setup = try self.setup(origin, port, policy, namespace)
    do throws(HarnessFailure) {
      var policy = policy
      if kind != .varnish && policy.servesTLS && policy.certificate == nil {
        let own = namespace.map { ["\($0.edgeAddress)"] } ?? []
        policy.certificate = try .selfSigned(
          in: setup.folder, addresses: ["127.0.0.1"] + own)
      }
      var command = try arguments(kind, program, policy, setup)
      if let namespace { command = namespace.command(command, in: .edge) }
      let child = try Subprocess.start(command, output: "\(setup.folder)/output.txt")
      try? "\(child.pid)".write(
        toFile: "\(setup.folder)/\(pidFile)", atomically: true, encoding: .utf8)
      let server = EdgeProcess(
        kind: kind, setup: setup, child: child, certificate: policy.certificate)
      do throws(HarnessFailure) {
        try server.waitUntilReady(namespace, patience: patience)
      } catch {
        server.stop()
        throw error
      }
      return server
    } catch {
      try? FileManager.default.removeItem(atPath: setup.folder)
      throw error
    }
  }

  /// Ends the server and removes its files.
  public func stop() {
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    if !isFirst { return }
    Teardown.ofProcess.remove(teardown.load(ordering: .relaxed))
    // One that is paused could not end in order.
    setPaused(false)
    child.stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Keeps the server from running for a time, as an outage does, or lets it run again. Blocks
  /// until it answers nobody any more, a second at most.
  public func setPaused(_ isPaused: Bool) { pauseSwitch(isPaused) }

  /// As ``setPaused(_:)``, for other threads.
  public var pauseSwitch: @Sendable (Bool) -> Void {
    let group = child.pid
    return { isPaused in
      _ = kill(-group, isPaused ? SIGSTOP : SIGCONT)
      if !isPaused { return }
      let deadline = ContinuousClock.now + .seconds(1)
      while !ProcessTable.isStopped(group: group) && ContinuousClock.now < deadline {
        usleep(1000)
      }
    }
  }

  // MARK: Starting

  private static let serial = Atomic<Int>(0)
  private static let prefix = "firstframe-edge-"
  private static let pidFile = "server.pid"
  private static let parents = ["/dev/shm", "/tmp"]
  /// Ports that systems' own servers have.
  private static let taken = [80, 443, 6081, 6082, 8080, 8443]

  private static func setup(
    _ origin: String, _ port: Int, _ policy: EdgeServerPolicy, _ namespace: NamespacePair?
  ) throws(HarnessFailure) -> EdgeServerSetup {
    guard let url = URL(string: origin), url.scheme == "http", let host = url.host else {
      throw HarnessFailure(
        .unreachable, "origin: expected a URL such as http://127.0.0.1:9000, got \(origin)")
    }
    precondition(
      port == 0 || (port >= 1024 && !taken.contains(port)), "port \(port) is a system server's")
    let name = "\(prefix)\(getpid())-\(serial.wrappingAdd(1, ordering: .relaxed).newValue)"
    var parent = "/tmp"
    if case .memory = policy.storage, access("/dev/shm", W_OK) == 0 { parent = "/dev/shm" }
    if case .folder(let folder) = policy.storage { parent = folder }
    let folder = "\(parent)/\(name)"
    do {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/cache", withIntermediateDirectories: true)
    } catch {
      throw HarnessFailure(.system, "\(folder): expected to make it, got \(error)")
    }
    return EdgeServerSetup(
      address: namespace == nil ? "127.0.0.1" : "0.0.0.0",
      port: port != 0 ? port : namespace == nil ? try freePort() : 8081,
      originHost: host, originPort: url.port ?? 80, folder: folder,
      cacheFolder: "\(folder)/cache", room: room(in: folder, policy))
  }

  /// The policy's capacity, or four fifths of the room that is left (assumed: the rest is for the
  /// players and for what is on its way).
  private static func room(in folder: String, _ policy: EdgeServerPolicy) -> Int64 {
    var space = statvfs()
    var free = Int64(1) << 30
    if statvfs(folder, &space) == 0 {
      free = Int64(clamping: UInt64(space.f_bavail)) * Int64(clamping: UInt64(space.f_frsize))
    }
    if case .memory = policy.storage { free = min(free, availableMemory()) }
    let most = max(64 << 20, free / 5 * 4)
    return min(policy.capacity ?? most, most)
  }

  private static func availableMemory() -> Int64 {
    let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n") where line.hasPrefix("MemAvailable:") {
      let kilobytes = line.split(separator: " ").compactMap { Int64($0) }.first ?? 0
      return kilobytes * 1024
    }
    return .max
  }

  private static func arguments(
    _ kind: EdgeServerKind, _ program: String, _ policy: EdgeServerPolicy,
    _ setup: EdgeServerSetup
  ) throws(HarnessFailure) -> [String] {
    switch kind {
    case .nginx:
      let file = "\(setup.folder)/nginx.conf"
      try write(NginxConfiguration(policy: policy, setup: setup).text, to: file)
      return [program, "-c", file, "-p", setup.folder, "-e", "\(setup.folder)/error.log"]
    case .varnish:
      let configuration = VarnishConfiguration(policy: policy, setup: setup)
      try write(configuration.vcl, to: "\(setup.folder)/edge.vcl")
      return [program] + configuration.arguments(folder: setup.folder)
    case .firstframe:
      // By its folder the leftovers of a process that was killed are known.
      return OwnProgram.command(
        ["edge"] + FirstFrameEdgeArguments(policy: policy, setup: setup).words
          + ["--run-folder", setup.folder])
    }
  }

  private static func write(_ text: String, to file: String) throws(HarnessFailure) {
    do {
      try text.write(toFile: file, atomically: true, encoding: .utf8)
    } catch {
      throw HarnessFailure(.system, "\(file): expected to write it, got \(error)")
    }
  }

  private func waitUntilReady(
    _ namespace: NamespacePair?, patience: Double
  ) throws(HarnessFailure) {
    let limit = Date().addingTimeInterval(patience)
    let port = self.port
    while true {
      if let code = child.poll() {
        let text = errorText.trimmingCharacters(in: .whitespacesAndNewlines)
        throw HarnessFailure(
          .unreachable,
          "\(kind.rawValue): expected to run, got its end with exit code \(code)"
            + (text.isEmpty ? "" : "\n" + text))
      }
      let asks = kind != .firstframe
      let answers =
        if let namespace {
          try namespace.run(in: .edge) { ReadyProbe.answers(port: port, asks: asks) }
        } else {
          ReadyProbe.answers(port: port, asks: asks)
        }
      if answers { return }
      if Date() > limit {
        throw HarnessFailure(
          .unreachable,
          "\(kind.rawValue): expected an answer on port \(port) within \(patience) s, got none")
      }
      usleep(20_000)
    }
  }

  private static func freePort() throws(HarnessFailure) -> Int {
    guard let port = ReadyProbe.freePort() else {
      throw HarnessFailure(.system, "expected a free port, got \(LoadHarness.errorText())")
    }
    return port
  }

  /// Ends the servers of processes that are no more, and removes their files.
  public static func removeStale() {
    for parent in parents {
      Leftovers.remove(in: parent, after: [prefix]) { name in
        Leftovers.remove("\(parent)/\(name)", ofGroupIn: pidFile)
      }
    }
  }
}
