import Dispatch
import Foundation
import Scenario
import Synchronization

/// A server of the Model Context Protocol on standard input and output.
///
/// It speaks the revisions that open with `initialize` and the one of 2026-07-28, in which every
/// request says its revision itself. Calls run as processes of their own, a few at a time.
final class AgentServer: Sendable {
  /// The revision whose requests need no `initialize`.
  static let current = "2026-07-28"
  /// Those that begin with it, the newest first.
  static let earlier = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
  /// Most calls at a time.
  static let mostCalls = 4
  /// How long calls may go on when the input has ended, in seconds.
  private static let leave = 2.0

  private static let versionKey = "io.modelcontextprotocol/protocolVersion"
  private static let capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
  private static let serverKey = "io.modelcontextprotocol/serverInfo"

  private struct State {
    /// Whether `initialize` was answered.
    var isOpen = false
    var calls: [AgentID: Call] = [:]
  }

  /// A call whose process has not ended.
  private struct Call {
    var process: AgentProcess
    /// Nobody waits for its answer.
    var isTakenBack = false
  }

  private let state = Mutex(State())
  private let output = Mutex(())
  private let group = DispatchGroup()
  /// Seconds that a call may take.
  private let limit: Double

  private let tools: [AgentTool]

  init(_ tools: [AgentTool], limit: Double) {
    self.tools = tools
    self.limit = limit
  }

  /// Answers until the input ends.
  func serve() {
    var lines = AgentLines()
    while let line = lines.next() {
      switch line {
      case .tooLong:
        send(
          nil, .failure(.init(.request, "expected a line of at most \(AgentLines.longest) bytes")))
      case .whole(let bytes):
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
        take(AgentMessage.read(bytes))
      }
    }
    if group.wait(timeout: .now() + AgentServer.leave) == .timedOut { end() }
  }

  /// Asks all calls to stop, ends those that do not, and waits until their folders are gone.
  func end() {
    for call in state.withLock({ Array($0.calls.values) }) { call.process.end() }
    if group.wait(timeout: .now() + AgentProcess.grace) == .success { return }
    for call in state.withLock({ Array($0.calls.values) }) { call.process.endNow() }
    _ = group.wait(timeout: .now() + AgentServer.leave)
  }

  private func send(_ id: AgentID?, _ result: Result<[JSONText.Member], AgentMessage.Failure>) {
    let text = AgentMessage.answer(id, result)
    output.withLock { _ in
      // Nobody reads any more: the end of the input comes next.
      _ = Console.document(text)
    }
  }

  private func take(_ message: AgentMessage) {
    switch message {
    case .ignored: break
    case .refused(let id, let failure): send(id, .failure(failure))
    case .request(let request):
      guard let id = request.id else { return note(request) }
      do throws(AgentMessage.Failure) {
        let isModern = try isModern(request)
        if request.method == "tools/call" {
          try call(id, request.params, isModern: isModern)
        } else {
          send(id, .success(decorated(try result(request, isModern: isModern), isModern)))
        }
      } catch {
        send(id, .failure(error))
      }
    }
  }

  /// A notification: nothing is answered, whatever it is.
  private func note(_ request: AgentMessage.Request) {
    guard request.method == "notifications/cancelled",
      let id = request.params["requestId"].flatMap({ AgentID($0) })
    else { return }
    state.withLock { state in
      state.calls[id]?.isTakenBack = true
      return state.calls[id]?.process
    }?.end()
  }

  // MARK: Revisions

  /// Whether a request is of the revision that needs no `initialize`.
  private func isModern(
    _ request: AgentMessage.Request
  ) throws(AgentMessage.Failure) -> Bool {
    if request.method == "initialize" { return false }
    let meta = request.params["_meta"] as? [String: Any] ?? [:]
    guard let version = meta[AgentServer.versionKey] else {
      let isOpen = state.withLock(\.isOpen)
      if (isOpen && request.method != "server/discover") || request.method == "ping" {
        return false
      }
      throw .init(
        .params, "params._meta: expected \(AgentServer.versionKey), or initialize before this")
    }
    guard version as? String == AgentServer.current else {
      let known = [AgentServer.current] + AgentServer.earlier
      throw .init(
        .unsupportedVersion, "unsupported protocol version",
        data: [
          "supported": .array(known.map { .string($0) }),
          "requested": (version as? String).map { .string($0) } ?? .null,
        ])
    }
    guard meta[AgentServer.capabilitiesKey] is [String: Any] else {
      throw .init(.params, "params._meta: expected \(AgentServer.capabilitiesKey), an object")
    }
    return true
  }

  /// The result with what the revision asks of every one.
  private func decorated(_ members: [JSONText.Member], _ isModern: Bool) -> [JSONText.Member] {
    if !isModern { return members }
    return [.init("resultType", "complete")] + members
      + [.init("_meta", .object([.init(AgentServer.serverKey, server)]))]
  }

  private var server: JSONText {
    ["name": "firstframe", "title": "FirstFrame", "version": .string(AgentServer.version)]
  }

  /// What tells builds apart, as the program has it.
  private static let version = String(Program.digest.prefix(16))

  private static let instructions = """
    FirstFrame predicts what a change of configuration does to a short-video feed. Paths start from \
    the folder that the server runs in; results are written to its folder results. Use validate \
    before run, short=true for a quick look, set=["key.path=value"] to change a key, compare for \
    two configurations with the same random numbers, why for where time goes, audit for which \
    mistakes the budgets notice. Exit codes: 0 pass, 10 a hard budget failed, 12 not decided, 13 too \
    little data.
    """

  // MARK: Methods

  private func result(
    _ request: AgentMessage.Request, isModern: Bool
  ) throws(AgentMessage.Failure) -> [JSONText.Member] {
    let capabilities = JSONText.Member("capabilities", ["tools": .object([])])
    let instructions = JSONText.Member("instructions", .string(AgentServer.instructions))
    switch request.method {
    case "initialize":
      guard let wanted = request.params["protocolVersion"] as? String else {
        throw .init(.params, "protocolVersion: expected a text")
      }
      state.withLock { $0.isOpen = true }
      let agreed = AgentServer.earlier.contains(wanted) ? wanted : AgentServer.earlier[0]
      return [
        .init("protocolVersion", .string(agreed)), capabilities, .init("serverInfo", server),
        instructions,
      ]
    case "server/discover":
      let known = [AgentServer.current] + AgentServer.earlier
      return [
        .init("supportedVersions", .array(known.map { .string($0) })), capabilities, instructions,
      ] + AgentServer.caching
    case "ping" where !isModern: return []
    case "tools/list":
      if request.params["cursor"] != nil {
        throw .init(.params, "cursor: expected none, all tools are in one answer")
      }
      let tools = JSONText.Member("tools", .array(self.tools.map(\.json)))
      return [tools] + (isModern ? AgentServer.caching : [])
    default: throw .init(.method, "no method \(request.method)")
    }
  }

  /// Nothing of it changes while the server runs.
  private static let caching: [JSONText.Member] = [
    .init("ttlMs", 3_600_000), .init("cacheScope", "public"),
  ]

  // MARK: Calls

  private func call(
    _ id: AgentID, _ params: [String: Any], isModern: Bool
  ) throws(AgentMessage.Failure) {
    guard let name = params["name"] as? String else {
      throw .init(.params, "name: expected a text")
    }
    guard let tool = tools.first(where: { $0.command.commandName == name }) else {
      let names = tools.map(\.command.commandName)
      throw .init(.params, "name: expected one of \(names.joined(separator: ", ")), got \(name)")
    }
    let input = params["arguments"] ?? [String: Any]()
    guard let input = input as? [String: Any] else {
      throw .init(.params, "arguments: expected an object")
    }
    let words: [String]
    do throws(AgentTool.Rejected) {
      words = try tool.words(input)
    } catch {
      // The caller can mend these and call again.
      let text = error.faults.joined(separator: "\n")
      return send(id, .success(decorated(AgentServer.refusal(text), isModern)))
    }
    try begin(id, words, isModern: isModern)
  }

  private func begin(
    _ id: AgentID, _ words: [String], isModern: Bool
  ) throws(AgentMessage.Failure) {
    let process = AgentProcess()
    let limit = limit
    let refusal = state.withLock { state -> String? in
      if state.calls[id] != nil { return "id: expected another one than a call under way has" }
      if state.calls.count >= AgentServer.mostCalls {
        return "expected at most \(AgentServer.mostCalls) calls at a time"
      }
      state.calls[id] = Call(process: process)
      return nil
    }
    if let refusal { throw .init(.request, refusal) }
    group.enter()
    // A thread for each: they wait for processes.
    Thread.detachNewThread { [self] in
      let members: [JSONText.Member]
      do {
        members = AgentServer.members(try process.run(words, limit: limit), words, limit: limit)
      } catch {
        members = AgentServer.refusal("the call could not begin: \(error)")
      }
      // A call that was taken back has no answer.
      if state.withLock({ $0.calls.removeValue(forKey: id) })?.isTakenBack == false {
        send(id, .success(decorated(members, isModern)))
      }
      group.leave()
    }
  }

  private static func refusal(_ text: String) -> [JSONText.Member] {
    [
      .init("content", [["type": "text", "text": .string(text)]]),
      .init("isError", true),
    ]
  }

  /// What a call printed, how it ended, and with `json` the document itself.
  private static func members(
    _ outcome: AgentProcess.Outcome, _ words: [String], limit: Double
  ) -> [JSONText.Member] {
    var texts = [outcome.output, outcome.error].filter { !$0.isEmpty }
    if outcome.omitted > 0 {
      texts.append("\(outcome.omitted) bytes more are left out; result.json and the files have all")
    }
    if outcome.isLate { texts.append("stopped after \(Int(limit)) s") }
    let meaning = ExitStatus.meaning(outcome.status)
    texts.append("exit code \(outcome.status): \(meaning)")
    var structured: [JSONText.Member] = [
      .init("exitCode", .integer(Int64(outcome.status))), .init("meaning", .string(meaning)),
    ]
    if words.contains("--json"), outcome.omitted == 0, let document = JSONDocument(outcome.output) {
      structured.append(.init("document", document.value))
    }
    return [
      .init("content", .array(texts.map { ["type": "text", "text": .string($0)] })),
      .init("structuredContent", .object(structured)),
      .init("isError", .boolean(!ExitStatus.isVerdict(outcome.status))),
    ]
  }
}
