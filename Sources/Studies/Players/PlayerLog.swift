import Foundation
import Scenario

/// What real players did in a live run: a file of JSON lines, the first of which says whose they
/// are, and each other one a session's.
public struct PlayerLog: Sendable, Equatable {
  /// The name of the file in a run's folder.
  public static let fileName = "players.jsonl"

  /// The first line.
  public struct Head: Codable, Sendable, Equatable {
    public var schema: Int
    public var kind: String
    /// As the browser calls itself.
    public var browser: String
    /// How the players are fed.
    public var feeding: BrowserFeeding
    /// Of the machine.
    public var processors: Int
    /// Viewers at once, at most.
    public var viewers: Int
    public var scenario: String
    public var seed: UInt64

    public init(
      browser: String, feeding: BrowserFeeding, processors: Int, viewers: Int, scenario: String,
      seed: UInt64
    ) {
      schema = 1
      kind = "firstframe.players"
      self.browser = browser
      self.feeding = feeding
      self.processors = processors
      self.viewers = viewers
      self.scenario = scenario
      self.seed = seed
    }
  }

  /// One line after it.
  public struct Session: Codable, Sendable, Equatable {
    public var session: UInt32
    public var players: [PlayerUse]

    public init(session: UInt32, players: [PlayerUse]) {
      self.session = session
      self.players = players
    }
  }

  public var head: Head
  public var sessions: [Session]

  public init(_ head: Head, sessions: [Session]) {
    self.head = head
    self.sessions = sessions.sorted { $0.session < $1.session }
  }

  /// The file, ending in a line feed.
  public func text() -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func line(_ value: some Encodable) -> String {
      // Numbers that no JSON has are told by no browser.
      (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
    return ([line(head)] + sessions.map { line($0) }).joined(separator: "\n") + "\n"
  }

  /// Reads a file, or ``fileName`` in a folder.
  ///
  /// - Returns: the log, and a problem for each line that is none; nil for what is no such file.
  public static func read(_ path: String) -> (log: PlayerLog?, problems: [String]) {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    let file = exists && isFolder.boolValue ? "\(path)/\(fileName)" : path
    let data: Data
    do throws(DocumentRejected) {
      data = try DocumentRejected.bytes(of: file, expected: "a file that can be read")
    } catch {
      return (nil, [error.description])
    }
    var lines = DocumentLines(data)
    let decoder = JSONDecoder()
    let head: Head
    switch Self.head(lines.next()?.line ?? Data(), decoder) {
    case .success(let known): head = known
    case .failure(let problem): return (nil, ["\(file):1:1: \(problem.words)"])
    }
    var sessions: [Session] = []
    var problems: [String] = []
    var known: Set<UInt32> = []
    for (number, line) in lines {
      let place = "\(file):\(number):1"
      do {
        let session = try JSONReader.decode(
          Session.self, from: line, within: .line, by: decoder)
        if let bad = session.players.firstIndex(where: { !$0.isSound }) {
          problems.append("\(place): players[\(bad)]: expected times that a page tells, got others")
        } else if !known.insert(session.session).inserted {
          problems.append(
            "\(place): session: expected each session once, got \(session.session) again")
        } else {
          sessions.append(session)
        }
      } catch {
        problems.append("\(place): expected a session's players, got something else")
      }
    }
    return (PlayerLog(head, sessions: sessions), problems)
  }

  private struct HeadProblem: Error {
    var words: String
  }

  private static func head(
    _ line: Data, _ decoder: JSONDecoder
  ) -> Result<Head, HeadProblem> {
    do {
      let head = try JSONReader.decode(Head.self, from: line, within: .line, by: decoder)
      if head.kind == "firstframe.players" && head.schema == 1 { return .success(head) }
    } catch let fault where fault.keyPath == "feeding" {
      let known = BrowserFeeding.allCases.map(\.rawValue).joined(separator: " or ")
      return .failure(HeadProblem(words: "feeding: expected \(known), got another word"))
    } catch {}
    return .failure(
      HeadProblem(words: "expected the players of a live run in a browser, got another file"))
  }
}
