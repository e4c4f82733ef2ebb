import Foundation

/// What built the program and what the scenario's repository is at.
public enum Toolchain {
  /// The compiler's version, as far as the language can tell it.
  public static var version: String {
    #if compiler(>=6.4)
      "Swift 6.4 or later"
    #elseif compiler(>=6.3.2)
      "Swift 6.3.2 or later"
    #elseif compiler(>=6.3.1)
      "Swift 6.3.1"
    #elseif compiler(>=6.3)
      "Swift 6.3"
    #else
      "Swift 6.2"
    #endif
  }

  /// `debug` or `release`.
  public static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }

  /// The commit of the repository around a file; nil without git, outside a repository, or when git
  /// does not answer.
  public static func commit(ofFolderOf file: String) -> String? {
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder.path, "rev-parse", "HEAD"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      return nil
    }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }
    let isHash = text.count >= 40 && text.allSatisfy(\.isHexDigit)
    return process.terminationStatus == 0 && isHash ? text : nil
  }
}
