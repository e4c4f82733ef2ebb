import Foundation
import NIOCore

/// A headless Chromium of our own: started with an empty profile, driven over its DevTools
/// protocol, and gone with everything it started and wrote when it is stopped or this process ends,
/// also by SIGKILL.
public final class Chromium: Sendable {
  /// Of the folders of browsers; the process's number follows.
  static let folderPrefix = "firstframe-browser-"

  /// As it calls itself: `Chrome/156.0.8078.108`.
  public let version: String
  private let process: WatchedProcess
  private let link: DevToolsLink

  private init(version: String, process: WatchedProcess, link: DevToolsLink) {
    self.version = version
    self.process = process
    self.link = link
  }

  deinit { stop() }

  private struct Version: Decodable { var product: String }

  /// Starts a browser and waits until it answers.
  ///
  /// - Parameters:
  ///   - group: where the connection to it lives; made in the client's namespace when there is a
  ///     pair.
  ///   - pair: the browser runs on the client's side of this link; nil: on the machine's network.
  ///   - flags: more of its own, such as `--host-resolver-rules=…`.
  /// - Throws: ``HarnessFailure``, `.missing` where there is no Chromium; nothing is left.
  public static func start(
    on group: any EventLoopGroup, in pair: NamespacePair? = nil, flags: [String] = [],
    patience: Duration = .seconds(30)
  ) async throws(HarnessFailure) -> Chromium {
    let command = ChromiumCommand(program: try ChromiumCommand.findProgram(), flags: flags)
    return try await start(command, on: group, in: pair, patience: patience)
  }

  static func start(
    _ command: ChromiumCommand, on group: any EventLoopGroup, in pair: NamespacePair? = nil,
    patience: Duration = .seconds(30)
  ) async throws(HarnessFailure) -> Chromium {
    let process = try WatchedProcess.start(
      named: folderPrefix, environment: command.environment(in:)
    ) { folder in
      let words = command.words(in: folder)
      return pair?.command(words, in: .client) ?? words
    }
    do throws(HarnessFailure) {
      let (port, path) = try await address(of: process, command, patience)
      let link = try await DevToolsLink.connect(port: port, path: path, on: group)
      do throws(HarnessFailure) {
        let version = try await link.call("Browser.getVersion", as: Version.self)
        return Chromium(version: version.product, process: process, link: link)
      } catch {
        link.close()
        throw error
      }
    } catch {
      process.stop()
      throw error
    }
  }

  /// Where it listens, which it writes into its profile.
  private static func address(
    of process: WatchedProcess, _ command: ChromiumCommand, _ patience: Duration
  ) async throws(HarnessFailure) -> (port: Int, path: String) {
    let file = command.addressFile(in: process.folder)
    let limit = ContinuousClock.now + patience
    while ContinuousClock.now < limit {
      let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
      let lines = text.split(separator: "\n")
      // It may be read while it is written: a path ends with 36 digits and hyphens.
      if lines.count == 2, let port = Int(lines[0]), let path = lines.last.map(String.init),
        path.split(separator: "/").last?.count == 36
      {
        return (port, path)
      }
      if process.hasEnded {
        let said = process.output.trimmingCharacters(in: .whitespacesAndNewlines)
        throw HarnessFailure(
          .unreachable,
          "chromium: expected it to run, got its end" + (said.isEmpty ? "" : "\n\(said)"))
      }
      try? await Task.sleep(for: .milliseconds(5))
    }
    throw HarnessFailure(
      .unreachable, "chromium: expected it to listen within \(patience), got nothing")
  }

  /// Whether it still answers; one that does not will not again.
  public var isConnected: Bool { link.isConnected }

  /// Opens a page and waits until its document has been read and its scripts have run once.
  public func open(
    _ url: String, _ settings: BrowserPageSettings = BrowserPageSettings()
  ) async throws(HarnessFailure) -> BrowserPage {
    try await BrowserPage.open(url, settings, on: link)
  }

  /// Ends the browser and everything that it started, and removes its files; its pages end as
  /// ``BrowserPage/Ending/closed``.
  public func stop() {
    link.close()
    process.stop()
  }
}
