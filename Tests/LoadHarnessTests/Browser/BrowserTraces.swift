import Foundation
import Glibc

@testable import LoadHarness

/// Whether there is a Chromium here; says why not, once.
let mayBrowse: Bool = {
  do {
    _ = try ChromiumCommand.findProgram()
    return true
  } catch {
    print("skipped: tests in a browser: \(error)")
    return false
  }
}()

/// What the browsers of a process have left: folders, and processes that name them. Chromium gives
/// each of its own the profile's folder, Crashpad's handlers that of their dumps.
enum BrowserTraces {
  private static func prefix(_ owner: pid_t) -> String { "firstframe-browser-\(owner)-" }

  static func folders(of owner: pid_t = getpid()) -> [String] {
    ["/dev/shm", "/tmp"].flatMap { parent in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
      return names.filter { $0.hasPrefix(prefix(owner)) }.map { "\(parent)/\($0)" }
    }
  }

  /// Numbers and command lines.
  static func processes(of owner: pid_t = getpid()) -> [pid_t: String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    var found: [pid_t: String] = [:]
    for number in names.compactMap({ pid_t($0) }) {
      guard let bytes = FileManager.default.contents(atPath: "/proc/\(number)/cmdline")
      else { continue }
      let line = String(decoding: bytes, as: UTF8.self).replacing("\0", with: " ")
      if line.contains(prefix(owner)) { found[number] = line }
    }
    return found
  }

  static func isClear(of owner: pid_t = getpid()) -> Bool {
    folders(of: owner).isEmpty && processes(of: owner).isEmpty
  }

  /// The browser's own process, which has no type.
  static func leader(of owner: pid_t = getpid()) -> pid_t? {
    processes(of: owner).first { _, line in
      line.contains("--headless=new") && !line.contains("--type=")
        && !line.contains("firstframe-watch")
    }?.key
  }

  /// The shell that watches.
  static func watch(of owner: pid_t = getpid()) -> pid_t? {
    processes(of: owner).first { $0.value.contains("firstframe-watch") }?.key
  }

  /// Waits until something is so, 10 s at most.
  static func wait(until condition: () -> Bool) async -> Bool {
    for _ in 0..<1_000 {
      if condition() { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }
}
