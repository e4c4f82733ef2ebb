import Foundation
import Synchronization

/// This program as another process: the stand-in, the edge and the sweeper of a live run are verbs
/// of the program that runs it.
public enum OwnProgram {
  private static let front = Mutex<[String]>([])

  /// Verbs stand behind these words, before anybody is started: a program with live runs among its
  /// other verbs has `live` in front of them.
  public static func putVerbs(behind words: [String]) { front.withLock { $0 = words } }

  /// The program's file, also when it was found on PATH.
  ///
  /// Under another parent the symbolic link would be that of `ip netns exec`.
  private static var path: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? CommandLine.arguments[0]
  }

  /// The command of a verb.
  static func command(_ words: [String]) -> [String] {
    [path] + front.withLock { $0 } + words
  }
}
