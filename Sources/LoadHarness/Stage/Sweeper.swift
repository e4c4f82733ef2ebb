import Foundation
import Glibc
import Synchronization

/// Removes what this process has started once it is no more, however it ended: a process of this
/// program that waits for the end of a pipe which only this one can write to, so that it also sees
/// a SIGKILL, and then takes away the stand-ins, edges, browsers and namespaces of every process
/// that is no more. After an orderly end it finds nothing.
public enum Sweeper {
  /// The pipe's end whose closing wakes it; open as long as this process runs.
  private static let leash = Mutex<Int32?>(nil)

  /// Starts it, once in a process.
  public static func start() throws(HarnessFailure) {
    try leash.withLock { leash throws(HarnessFailure) in
      if leash != nil { return }
      var ends: [Int32] = [-1, -1]
      guard LinuxCalls.pipe(&ends, O_CLOEXEC) == 0 else {
        throw HarnessFailure(.system, "expected a pipe, got \(errorText())")
      }
      defer { close(ends[0]) }
      do throws(HarnessFailure) {
        _ = try Subprocess.start(
          OwnProgram.command(["sweep", "--of", "\(getpid())"]), input: ends[0])
      } catch {
        close(ends[1])
        throw error
      }
      leash = ends[1]
    }
  }

  /// Waits for the end of the standard input and of a process, and sweeps: `firstframe-live sweep`.
  public static func sweepAtEnd(of process: pid_t?) {
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
    var byte: UInt8 = 0
    while read(STDIN_FILENO, &byte, 1) > 0 {}
    // Its files are closed some time before it is gone.
    if let process {
      for _ in 0..<1000 where ProcessTable.state(of: process) != nil { usleep(10_000) }
    }
    sweep()
  }

  /// Takes away what processes that are no more have left.
  public static func sweep() {
    WatchedProcess.removeStale(named: Chromium.folderPrefix)
    EdgeProcess.removeStale()
    LiveStage.removeStale()
    NamespacePair.removeStale()
  }
}
