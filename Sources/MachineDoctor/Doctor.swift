import Foundation
import Glibc

/// Says what this machine can do for live and for large runs, and what to mend.
///
/// Reads, and measures for less than half a second; changes nothing. Limits without a source are
/// assumed.
public enum Doctor {
  /// Looks at everything.
  ///
  /// - Parameter results: folder that runs are written to.
  public static func examine(results: String = ".") -> Examination {
    Examination(
      machine() + kernel() + time() + link() + programs() + [disk(results), sharedMemory()])
  }

  // MARK: The machine

  private static func machine() -> [Finding] {
    [cores(), load(), memory(), pages(), descriptors(), loopback()]
  }

  private static func cores() -> Finding {
    let count = ProcessInfo.processInfo.activeProcessorCount
    return Finding(
      "cores", count >= 2 ? .ok : .warn, "\(count)",
      advice: count >= 2 ? "" : "players, edge and link share one core: keep the load low")
  }

  private static func load() -> Finding {
    let count = Double(ProcessInfo.processInfo.activeProcessorCount)
    var average = [0.0]
    guard getloadavg(&average, 1) == 1 else {
      return Finding("load", .warn, "unknown", advice: "run where nothing else does")
    }
    let isBusy = average[0] > 0.5 * count
    return Finding(
      "load", isBusy ? .warn : .ok,
      "\(MachineProbe.tenth(average[0])) over the last minute",
      advice: isBusy ? "wait until other work is done: a busy generator makes a run invalid" : "")
  }

  private static func memory() -> Finding {
    guard let free = MachineProbe.memory("MemAvailable") else {
      return Finding("memory", .warn, "unknown")
    }
    let isShort = free < 2_000_000_000
    return Finding(
      "memory", isShort ? .warn : .ok, "\(MachineProbe.bytes(free)) available",
      advice: isShort ? "2 GB and the edge's cache are needed; keep the cache in a folder" : "")
  }

  /// Large pages, which runs of more than a gigabyte ask for (docs/decisions/0021).
  private static func pages() -> Finding {
    let setting = MachineProbe.text("/sys/kernel/mm/transparent_hugepage/enabled") ?? "none"
    let isThere = setting.contains("[always]") || setting.contains("[madvise]")
    return Finding(
      "pages", isThere ? .ok : .warn, "large pages: \(setting)",
      advice: isThere
        ? ""
        : "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled: "
          + "runs above a gigabyte take a sixth less time")
  }

  private static func descriptors() -> Finding {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let isShort = limit.rlim_max < 20_000
    return Finding(
      "descriptors", isShort ? .warn : .ok, "soft \(limit.rlim_cur), hard \(limit.rlim_max)",
      advice: isShort
        ? "raise the hard limit to 20,000 or more (ulimit -Hn, limits.conf): a connection is one"
        : "")
  }

  private static func loopback() -> Finding {
    guard let rate = MachineProbe.loopbackThroughput(seconds: 0.2) else {
      return Finding(
        "loopback", .missing, "no connection to 127.0.0.1", advice: "bring lo up: ip link set lo up"
      )
    }
    let isSlow = rate < 4
    return Finding(
      "loopback", isSlow ? .warn : .ok, "\(MachineProbe.tenth(rate)) Gbit/s on one connection",
      advice: isSlow ? "keep the audience's rate below a quarter of that" : "")
  }

  // MARK: The kernel

  private static func kernel() -> [Finding] {
    [ports(), backlog(), reuse(), congestion()]
  }

  private static func ports() -> Finding {
    let words = (MachineProbe.text("/proc/sys/net/ipv4/ip_local_port_range") ?? "")
      .split(whereSeparator: { $0 == "\t" || $0 == " " }).compactMap { Int($0) }
    guard words.count == 2 else { return Finding("ports", .warn, "unknown") }
    let count = words[1] - words[0] + 1
    return Finding(
      "ports", count < 20_000 ? .warn : .ok, "\(words[0]) to \(words[1]): \(count)",
      advice: count < 20_000
        ? "sysctl -w net.ipv4.ip_local_port_range='10000 65000', or use --link namespaces" : "")
  }

  private static func backlog() -> Finding {
    let most = MachineProbe.setting("net/core/somaxconn") ?? 0
    return Finding(
      "backlog", most < 1024 ? .warn : .ok, "net.core.somaxconn \(most)",
      advice: most < 1024
        ? "sysctl -w net.core.somaxconn=4096: bursts of connections are refused" : "")
  }

  private static func reuse() -> Finding {
    let value = MachineProbe.setting("net/ipv4/tcp_tw_reuse") ?? 0
    return Finding(
      "reuse", value == 0 ? .warn : .ok, "net.ipv4.tcp_tw_reuse \(value)",
      advice: value == 0
        ? "sysctl -w net.ipv4.tcp_tw_reuse=2: closed connections hold their ports for a minute" : ""
    )
  }

  private static func congestion() -> Finding {
    let used = MachineProbe.text("/proc/sys/net/ipv4/tcp_congestion_control") ?? "unknown"
    let there = MachineProbe.text("/proc/sys/net/ipv4/tcp_available_congestion_control") ?? ""
    let hasCubic = there.split(separator: " ").contains("cubic")
    return Finding(
      "congestion", hasCubic ? .ok : .warn, "\(used) by default, \(there) available",
      advice: hasCubic ? "" : "modprobe tcp_cubic, or set network.congestion to what is there")
  }

  // MARK: Time

  private static func time() -> [Finding] {
    let source =
      MachineProbe.text("/sys/devices/system/clocksource/clocksource0/current_clocksource")
      ?? "unknown"
    let steps = MachineProbe.clockSteps()
    let isSlow = steps.call > 1_000
    let late = MachineProbe.sleepLateness()
    let isLate = late.median > 1_000_000
    return [
      Finding(
        "clock", isSlow ? .warn : .ok,
        "\(source), steps of \(steps.least) ns, \(Int(steps.call)) ns to read",
        advice: isSlow ? "a clock that needs a system call costs as much as a packet" : ""),
      Finding(
        "timers", isLate ? .warn : .ok,
        "a sleep of 1 ms is late by \(late.median / 1000) us (median), "
          + "\(late.worst / 1000) us (worst of 50)",
        advice: isLate ? "the machine is busy, or its timers are coarse" : ""),
    ]
  }

  // MARK: The link

  private static func link() -> [Finding] {
    let descriptor = open("/dev/net/tun", O_RDWR)
    let reason = String(cString: strerror(errno)).lowercased()
    if descriptor >= 0 { close(descriptor) }
    return [
      Finding(
        "tun", descriptor >= 0 ? .ok : .missing,
        descriptor >= 0 ? "/dev/net/tun opens" : "/dev/net/tun: \(reason)",
        advice: descriptor >= 0 ? "" : "run as root with TUN in the kernel, or use --link model"),
      namespaces(),
    ]
  }

  private static func namespaces() -> Finding {
    if let trouble = MachineProbe.namespaceTrouble() {
      return Finding(
        "namespaces", .missing, "a network namespace cannot be made: \(trouble)",
        advice: "run as root, or use --link model")
    }
    // CAP_NET_ADMIN of linux/capability.h.
    if !MachineProbe.hasCapability(12) {
      return Finding(
        "namespaces", .missing, "CAP_NET_ADMIN is not there",
        advice: "run as root, or use --link model")
    }
    guard let ip = MachineProbe.program("ip") else {
      return Finding(
        "namespaces", .missing, "the program ip is not on PATH",
        advice: "apt-get install iproute2")
    }
    return Finding("namespaces", .ok, "can be made, with \(ip)")
  }

  // MARK: Programs

  /// A companion: what it is called, how its version is asked for, what it is good for.
  private struct Companion {
    var name: String
    var programs: [String]
    var version: [String]
    var package: String
    var use: String
  }

  private static let companions = [
    Companion(
      name: "nginx", programs: ["nginx"], version: ["-v"], package: "nginx-light",
      use: "an edge to run against"),
    Companion(
      name: "varnish", programs: ["varnishd"], version: ["-V"], package: "varnish",
      use: "an edge to run against"),
    Companion(
      name: "wrk", programs: ["wrk"], version: ["-v"], package: "wrk",
      use: "the ceiling of an edge, to compare with"),
    Companion(
      name: "curl", programs: ["curl"], version: ["--version"], package: "curl",
      use: "a look at an edge by hand"),
    Companion(
      name: "openssl", programs: ["openssl"], version: ["version"], package: "openssl",
      use: "a certificate for nginx with TLS"),
    Companion(
      name: "chromium", programs: ["chromium", "chromium-browser", "google-chrome"],
      version: ["--version"], package: "chromium", use: "the tests of reports"),
    Companion(
      name: "swift", programs: ["swift"], version: ["--version"], package: "",
      use: "building; see https://www.swift.org/install/linux/"),
    Companion(
      name: "gsl", programs: ["gsl-config"], version: ["--version"], package: "libgsl-dev",
      use: "building"),
  ]

  private static func programs() -> [Finding] {
    companions.map { companion in
      for name in companion.programs {
        guard let path = MachineProbe.program(name) else { continue }
        // A browser takes seconds to say its version.
        let version =
          companion.name == "chromium" ? nil : MachineProbe.answer(of: path, companion.version)
        return Finding(companion.name, .ok, version.map { "\(path): \($0.prefix(48))" } ?? path)
      }
      let install = companion.package.isEmpty ? "" : "apt-get install \(companion.package): "
      return Finding(
        companion.name, .missing, "not on PATH", advice: "\(install)\(companion.use)")
    }
  }

  // MARK: Room

  private static func disk(_ folder: String) -> Finding {
    guard let free = MachineProbe.freeSpace(folder) else {
      return Finding("disk", .warn, "\(folder) cannot be looked at")
    }
    let isShort = free < 1_000_000_000
    return Finding(
      "disk", isShort ? .warn : .ok, "\(MachineProbe.bytes(free)) free for results",
      advice: isShort ? "make room: a run's results take up to some hundred megabytes" : "")
  }

  private static func sharedMemory() -> Finding {
    guard let free = MachineProbe.freeSpace("/dev/shm") else {
      return Finding(
        "shm", .warn, "no /dev/shm", advice: "nginx keeps its cache on a disk: name a folder")
    }
    let isShort = free < 1_000_000_000
    return Finding(
      "shm", isShort ? .warn : .ok, "\(MachineProbe.bytes(free)) free in /dev/shm",
      advice: isShort ? "nginx's cache holds less than a gigabyte: name a folder for it" : "")
  }
}
