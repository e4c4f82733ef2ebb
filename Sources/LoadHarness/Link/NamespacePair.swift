import Foundation
import Glibc
import Synchronization

/// How two namespaces are set up.
public struct NamespaceSettings: Sendable, Equatable {
  /// Every address of it is the client's own, so that each player binds one and has a link of its
  /// own.
  public var clients = IPv4Block(IPv4Address(bits: 10 << 24 | 71 << 16), prefix: 16)
  /// The edge's addresses, all its own too.
  public var edges = IPv4Block(IPv4Address(bits: 10 << 24 | 72 << 16), prefix: 16)
  /// Congestion control of both ends' connections, as the kernel calls it; nil: the system's.
  ///
  /// Set on the route, which needs no permission of the algorithm for the namespace.
  public var congestion: String? = "cubic"
  /// Segments of a new connection's window (RFC 6928); nil: the kernel's 10.
  public var initialWindow: Int?
  /// Whether windows decay while a connection idles (RFC 2861).
  public var slowStartAfterIdle = true
  /// Largest IP packet, bytes.
  public var packetSize = 1500
  /// Packets that the kernel keeps before the link has read them (assumed: more than a burst).
  public var deviceQueue = 10_000

  public init() {}
}

/// Two network namespaces with one tun device each: `ff-client-<pid>` and `ff-edge-<pid>`.
///
/// What is sent in one arrives in the other only when somebody carries it: ``UserLink``. Both know
/// nothing of the machine's own network and never reach it. Needs CAP_NET_ADMIN, `/dev/net/tun` and
/// the program `ip`. ``remove()`` takes everything away; what a killed process left is taken away
/// by the next pair that is made.
public final class NamespacePair: Sendable {
  /// One of the two.
  public enum Side: String, Sendable { case client, edge }

  public let settings: NamespaceSettings
  let clientDevice: TunDevice
  let edgeDevice: TunDevice
  private let suffix: String
  private let isRemoved = Mutex(false)
  /// What must end before the devices go.
  private let users = Mutex<[@Sendable () -> Void]>([])
  private let teardown = Atomic<Int>(0)

  /// Name of a namespace.
  public func name(_ side: Side) -> String { "ff-\(side.rawValue)-\(suffix)" }

  /// The edge's address for most purposes.
  public var edgeAddress: IPv4Address { settings.edges[1] }

  /// The address of a player, counted from 0; the first 256 of the block are kept free.
  public func address(ofPlayer number: Int) -> IPv4Address { settings.clients[256 + number] }

  /// An edge's address that only one player asks (``giveRoute(toPlayer:)``).
  public func edgeAddress(ofPlayer number: Int) -> IPv4Address { settings.edges[256 + number] }

  /// What is sent to a player's own address of the edge comes from the player's address, whoever
  /// sends it: a program that binds none then has the player's link.
  public func giveRoute(toPlayer number: Int) throws(HarnessFailure) {
    var route = [
      "ip", "-n", name(.client), "route", "replace", "\(edgeAddress(ofPlayer: number))/32", "dev",
      clientDevice.name, "src", "\(address(ofPlayer: number))",
    ]
    if let congestion = settings.congestion { route += ["congctl", congestion] }
    if let window = settings.initialWindow { route += ["initcwnd", "\(window)"] }
    try Subprocess.run(route)
  }

  /// Makes the namespaces, the devices and their addresses and routes.
  public init(_ settings: NamespaceSettings = NamespaceSettings()) throws(HarnessFailure) {
    NamespacePair.removeStale()
    self.settings = settings
    let number = NamespacePair.serial.wrappingAdd(1, ordering: .relaxed).newValue
    suffix = number == 1 ? "\(getpid())" : "\(getpid())-\(number)"
    let short = String(suffix.suffix(11))
    clientDevice = try TunDevice(name: "ffc\(short)")
    do throws(HarnessFailure) {
      edgeDevice = try TunDevice(name: "ffe\(short)")
    } catch {
      clientDevice.remove()
      throw error
    }
    do throws(HarnessFailure) {
      try build()
    } catch {
      remove()
      throw error
    }
    let id = Teardown.ofProcess.add { [weak self] in self?.remove() }
    teardown.store(id, ordering: .relaxed)
  }

  private static let serial = Atomic<Int>(0)

  deinit { remove() }

  private func build() throws(HarnessFailure) {
    for side in [Side.client, .edge] {
      let (device, own, other) =
        side == .client
        ? (clientDevice.name, settings.clients, settings.edges)
        : (edgeDevice.name, settings.edges, settings.clients)
      let namespace = name(side)
      try Subprocess.run(["ip", "netns", "add", namespace])
      try Subprocess.run(["ip", "link", "set", device, "netns", namespace])
      try run(in: side) { () throws(HarnessFailure) in try self.writeSettings() }
      var route = ["route", "add", "\(other)", "dev", device, "src", "\(own[1])"]
      if let congestion = settings.congestion { route += ["congctl", congestion] }
      if let window = settings.initialWindow { route += ["initcwnd", "\(window)"] }
      let commands = [
        ["link", "set", "lo", "up"],
        [
          "link", "set", device, "mtu", "\(settings.packetSize)", "txqueuelen",
          "\(settings.deviceQueue)", "up",
        ],
        ["addr", "add", "\(own[1])/32", "dev", device],
        ["route", "add", "local", "\(own)", "dev", "lo"],
        route,
      ]
      for command in commands { try Subprocess.run(["ip", "-n", namespace] + command) }
    }
  }

  /// The namespace's own kernel settings.
  private func writeSettings() throws(HarnessFailure) {
    let values = [
      ("ipv6/conf/all/disable_ipv6", "1"), ("ipv6/conf/default/disable_ipv6", "1"),
      // A connection starts as the model's does, not with what earlier ones learnt.
      ("ipv4/tcp_no_metrics_save", "1"),
      ("ipv4/tcp_slow_start_after_idle", settings.slowStartAfterIdle ? "1" : "0"),
      ("ipv4/ip_local_port_range", "1024 65535"),
      ("core/somaxconn", "65535"), ("ipv4/tcp_max_syn_backlog", "65535"),
      ("ipv4/conf/all/rp_filter", "0"), ("ipv4/conf/default/rp_filter", "0"),
    ]
    for (key, value) in values {
      // A kernel without one of these works all the same.
      try? value.write(toFile: "/proc/sys/net/\(key)", atomically: false, encoding: .utf8)
    }
  }

  /// Runs `body` on a thread of its own inside one of the namespaces: sockets that it opens, and
  /// threads and children that it starts, belong there.
  ///
  /// So an event-loop group made in `body` lives in the namespace.
  public func run<R: Sendable, E: Error>(
    in side: Side, _ body: @escaping @Sendable () throws(E) -> R
  ) throws(HarnessFailure) -> R {
    let path = "/run/netns/\(name(side))"
    let result = Mutex<Result<R, HarnessFailure>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      let outcome: Result<R, HarnessFailure>
      do {
        try NamespacePair.enter(path)
        outcome = .success(try body())
      } catch let error as HarnessFailure {
        outcome = .failure(error)
      } catch {
        outcome = .failure(HarnessFailure(.system, "\(error)"))
      }
      result.withLock { $0 = outcome }
      done.signal()
    }
    thread.start()
    done.wait()
    guard let outcome = result.withLock({ $0 }) else {
      preconditionFailure("the thread signalled before it had a result")
    }
    return try outcome.get()
  }

  /// Moves the calling thread into one of the namespaces; threads that it starts follow.
  public func enter(_ side: Side) throws(HarnessFailure) {
    try NamespacePair.enter("/run/netns/\(name(side))")
  }

  private static func enter(_ path: String) throws(HarnessFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    if descriptor < 0 || LinuxCalls.setNamespace(descriptor, LinuxCalls.networkNamespace) != 0 {
      throw HarnessFailure(.system, "\(path): expected to enter it, got \(errorText())")
    }
  }

  /// A command line that runs in one of the namespaces.
  public func command(_ arguments: [String], in side: Side) -> [String] {
    ["ip", "netns", "exec", name(side)] + arguments
  }

  /// Packets that the kernel dropped because nobody read them in time.
  func unreadPackets() -> Int64 {
    var sum: Int64 = 0
    for (side, device) in [(Side.client, clientDevice.name), (.edge, edgeDevice.name)] {
      // The file is of the namespace in which sysfs was mounted; the netlink dump is not.
      guard
        let text = try? Subprocess.run(["ip", "-n", name(side), "-s", "-o", "link", "show", device])
      else { continue }
      sum += NamespacePair.dropped(inStatistics: text)
    }
    return sum
  }

  /// The fourth number of the line after `TX:` in `ip -s -o link`.
  static func dropped(inStatistics text: String) -> Int64 {
    guard let mark = text.range(of: "TX:") else { return 0 }
    let rest = text[mark.upperBound...]
    let numbers = rest.split { $0 == " " || $0 == "\\" || $0 == "\n" }.compactMap { Int64($0) }
    return numbers.count > 3 ? numbers[3] : 0
  }

  /// Has `end` called before the devices are closed.
  func attach(_ end: @escaping @Sendable () -> Void) { users.withLock { $0.append(end) } }

  /// Takes the namespaces and devices away, and ends the links over them and what still runs in
  /// them.
  public func remove() {
    let isFirst = isRemoved.withLock { isRemoved in
      defer { isRemoved = true }
      return !isRemoved
    }
    if !isFirst { return }
    Teardown.ofProcess.remove(teardown.load(ordering: .relaxed))
    // A descriptor's number may be another file's as soon as it is closed.
    for end in users.withLock({ $0 }) { end() }
    clientDevice.remove()
    edgeDevice.remove()
    for side in [Side.client, .edge] { NamespacePair.delete(name(side)) }
  }

  private static func delete(_ namespace: String) {
    guard FileManager.default.fileExists(atPath: "/run/netns/\(namespace)") else { return }
    let own = getpid()
    if let text = try? Subprocess.run(["ip", "netns", "pids", namespace]) {
      for word in text.split(separator: "\n") {
        if let pid = pid_t(word), pid != own { kill(pid, SIGKILL) }
      }
    }
    _ = try? Subprocess.run(["ip", "netns", "del", namespace])
  }

  /// Takes away the namespaces of processes that are no more.
  public static func removeStale() {
    Leftovers.remove(in: "/run/netns", after: prefixes) { delete($0) }
  }

  private static let prefixes = [Side.client, .edge].map { "ff-\($0.rawValue)-" }

  /// The process that made a namespace of ours; nil for other names.
  static func owner(ofNamespace name: String) -> pid_t? {
    Leftovers.owner(of: name, after: prefixes)
  }
}
