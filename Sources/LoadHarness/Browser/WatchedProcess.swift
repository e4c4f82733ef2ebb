import Foundation
import Glibc
import Synchronization

/// A child process with a folder of its own, both of which end with this process, however it ends.
///
/// A small shell stands between the two and waits for the end of a pipe that only this process can
/// write to, so it also sees a SIGKILL. It then kills the child with its whole process group and
/// what Chromium starts outside of it, and removes the folder. Where the shell itself was killed,
/// ``stop()`` ends the group, or ``removeStale(named:)`` at the next start.
final class WatchedProcess: Sendable {
  /// Everything that the child writes; gone after ``stop()``.
  let folder: String
  private let shell: Subprocess
  /// The pipe's end whose closing ends the child; nil: it has been closed.
  private let leash: Mutex<Int32?>
  private let teardown = Atomic<Int>(0)

  private static let serial = Atomic<Int>(0)
  private static let parents = ["/dev/shm", "/tmp"]
  private static let numberFile = "leader.pid"
  /// Memory that must be free for a folder in it, bytes (assumed: a browser's profile, its cache
  /// and what its processes share).
  private static let leastRoom: UInt64 = 1 << 30

  /// The child leads a session of its own. Crashpad's handlers leave that: they name their folder.
  ///
  /// In the time between its start and `setsid` the child has no group yet, so it is killed by its
  /// own number, too. A signal is sent before it has worked, so the shell looks until nobody of the
  /// group or the session is left but zombies (proc(5): state, parent, group, session).
  static let script = """
    exec 2>/dev/null
    folder=$1
    shift
    setsid "$@" </dev/null >"$folder/output.txt" 2>&1 &
    leader=$!
    echo $leader >"$folder/\(numberFile)"
    trap '' HUP INT TERM
    read -r word
    kill -KILL -- "-$leader"
    kill -KILL "$leader"
    wait "$leader"
    turn=0
    while [ $turn -lt 100 ]; do
      turn=$((turn + 1))
      strays=$(
        printf '%s' "--database=$folder/" | grep -lsaF -f - /proc/[0-9]*/cmdline
        of="\\) [^ZX] -?[0-9]+ ($leader [0-9]+|-?[0-9]+ $leader) "
        grep -lsaE "$of" /proc/[0-9]*/stat
      )
      for file in $strays; do
        number=${file#/proc/}
        kill -KILL "${number%/*}"
      done
      rm -rf "$folder" && [ -z "$strays" ] && exit 0
      sleep 0.05
    done
    exit 1
    """

  private init(folder: String, shell: Subprocess, leash: Int32) {
    self.folder = folder
    self.shell = shell
    self.leash = Mutex(leash)
    let id = Teardown.ofProcess.add { [weak self] in self?.stop() }
    teardown.store(id, ordering: .relaxed)
  }

  deinit { stop() }

  /// Makes a folder, `PREFIX<pid>-<number>`, and starts a program with it.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments, of the folder.
  ///   - environment: its variables, of the folder.
  static func start(
    named prefix: String, environment: (String) -> [String: String],
    _ command: (String) -> [String]
  ) throws(HarnessFailure) -> WatchedProcess {
    removeStale(named: prefix)
    let folder = try makeFolder(prefix)
    var ends: [Int32] = [-1, -1]
    // Another child that had the end to write to would keep this one alive.
    guard LinuxCalls.pipe(&ends, O_CLOEXEC) == 0 else {
      let text = errorText()
      try? FileManager.default.removeItem(atPath: folder)
      throw HarnessFailure(.system, "expected a pipe, got \(text)")
    }
    defer { close(ends[0]) }
    do throws(HarnessFailure) {
      let shell = try Subprocess.start(
        ["sh", "-c", script, "firstframe-watch", folder] + command(folder), input: ends[0],
        environment: environment(folder))
      return WatchedProcess(folder: folder, shell: shell, leash: ends[1])
    } catch {
      close(ends[1])
      try? FileManager.default.removeItem(atPath: folder)
      throw error
    }
  }

  /// What the child has said.
  var output: String {
    (try? String(contentsOfFile: "\(folder)/output.txt", encoding: .utf8)) ?? ""
  }

  /// Whether the child has ended by itself; false before its start.
  var hasEnded: Bool {
    if shell.poll() != nil { return true }
    guard
      let text = try? String(contentsOfFile: "\(folder)/\(Self.numberFile)", encoding: .utf8),
      let number = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
    else { return false }
    return ProcessTable.state(of: number) == nil
  }

  /// Ends the child and what it started, and removes the folder.
  func stop() {
    let open = leash.withLock { leash in
      defer { leash = nil }
      return leash
    }
    guard let open else { return }
    Teardown.ofProcess.remove(teardown.load(ordering: .relaxed))
    close(open)
    let limit = Date().addingTimeInterval(Self.patience)
    while shell.poll() == nil && Date() < limit { usleep(2_000) }
    shell.stop(grace: 0)
    Self.remove(folder)
  }

  /// Seconds for the shell to remove everything (assumed; it needs 0.1).
  private static let patience = 15.0

  /// Does what the shell does, where it could not.
  private static func remove(_ folder: String) {
    Leftovers.remove(folder, ofGroupIn: numberFile)
  }

  /// Ends the children of processes that are no more, and removes their folders.
  static func removeStale(named prefix: String) {
    for parent in parents {
      Leftovers.remove(in: parent, after: [prefix]) { remove("\(parent)/\($0)") }
    }
  }

  private static func makeFolder(_ prefix: String) throws(HarnessFailure) -> String {
    let number = serial.wrappingAdd(1, ordering: .relaxed).newValue
    var space = statvfs()
    let hasRoom =
      access(parents[0], W_OK) == 0 && statvfs(parents[0], &space) == 0
      && UInt64(space.f_bavail) * UInt64(space.f_frsize) >= leastRoom
    let folder = "\(parents[hasRoom ? 0 : 1])/\(prefix)\(getpid())-\(number)"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw HarnessFailure(.system, "\(folder): expected to make it, got \(error)")
    }
    return folder
  }
}
