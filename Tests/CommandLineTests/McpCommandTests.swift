import Foundation
import Testing

/// A session with `firstframe mcp`: a line to it, a line from it.
private final class Session {
  let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var waiting = Data()

  init(
    _ firstframe: Program, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws {
    process.executableURL = try Program.executable()
    process.arguments = ["mcp"] + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: firstframe.folder)
    process.environment = Program.environment(environment)
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  func send(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// The next message; nil at the end.
  func message() throws -> [String: Any]? {
    while true {
      if let end = waiting.firstIndex(of: 0x0A) {
        let line = waiting[..<end]
        waiting = Data(waiting[waiting.index(after: end)...])
        return try JSONSerialization.jsonObject(with: line) as? [String: Any]
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      waiting += more
    }
  }

  func ask(_ line: String) throws -> [String: Any] {
    try send(line)
    return try #require(try message())
  }

  func call(_ id: Int, _ tool: String, _ arguments: String) throws -> [String: Any] {
    let answer = try ask(
      #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)","#
        + #""arguments":\#(arguments)}}"#)
    #expect(answer["id"] as? Int == id)
    return try #require(answer["result"] as? [String: Any], "\(answer)")
  }

  func open() throws {
    let answer = try ask(
      #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","#
        + #""capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#)
    let result = try #require(answer["result"] as? [String: Any])
    #expect(result["protocolVersion"] as? String == "2025-06-18")
    try send(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
  }

  /// Ends the input and waits for the program.
  func close() throws -> Int32 {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }
}

private func text(_ result: [String: Any]) -> String {
  let parts = result["content"] as? [[String: Any]] ?? []
  return parts.compactMap { $0["text"] as? String }.joined(separator: "\n")
}

private func code(_ answer: [String: Any]) -> Int? {
  (answer["error"] as? [String: Any])?["code"] as? Int
}

@Suite(.timeLimit(.minutes(5))) struct McpCommandTests {
  @Test func `a call under way when the input ends leaves nothing behind`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let folder = firstframe.folder + "/temporary"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false)
      let session = try Session(firstframe, environment: ["TMPDIR": folder])
      try session.open()
      try session.send(
        #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":"#
          + #"{"file":"tiny.yaml","set":["audience.window=20 min"],"replications":64}}}"#)
      // Until the call has its folder.
      var kept: [String] = []
      for _ in 0..<200 where kept.isEmpty {
        kept = try FileManager.default.contentsOfDirectory(atPath: folder)
        if kept.isEmpty { usleep(20_000) }
      }
      #expect(!kept.isEmpty)
      #expect(try session.close() == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
  }

  @Test func `a session lists the tools and calls each`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      let session = try Session(firstframe)
      try session.open()
      let list = try session.ask(#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#)
      #expect(list["id"] as? String == "l")
      let result = try #require(list["result"] as? [String: Any])
      let tools = try #require(result["tools"] as? [[String: Any]])
      #expect(
        tools.compactMap { $0["name"] as? String } == [
          "validate", "explain", "run", "compare", "why", "audit",
        ])
      for tool in tools {
        let schema = try #require(tool["inputSchema"] as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        #expect(properties.values.allSatisfy { $0["description"] is String })
        #expect(properties["output"] == nil && properties["quiet"] == nil)
      }
      let valid = try session.call(1, "validate", #"{"files":["tiny.yaml"]}"#)
      #expect(valid["isError"] as? Bool == false)
      #expect(text(valid).contains("tiny.yaml: ok\n"), "\(text(valid))")
      let told = try session.call(2, "explain", #"{"file":"tiny.yaml","set":["seed=7"]}"#)
      let seed = text(told).split(separator: "\n").first { $0.hasPrefix("seed ") }
      #expect(seed?.hasSuffix(" --set") == true && seed?.contains(" 7 ") == true, "\(told)")
      let run = try session.call(
        3, "run", #"{"file":"tiny.yaml","short":true,"json":true,"replications":2}"#)
      let structured = try #require(run["structuredContent"] as? [String: Any])
      let status = try #require(structured["exitCode"] as? Int)
      #expect([0, 12, 13].contains(status) && run["isError"] as? Bool == false)
      let document = try #require(structured["document"] as? [String: Any])
      #expect(document["fingerprint"] is String)
      let folder = try #require(try firstframe.names("results").first)
      let why = try session.call(4, "why", #"{"result":"results/\#(folder)"}"#)
      #expect(why["isError"] as? Bool == false && !text(why).isEmpty)
      let compared = try session.call(
        5, "compare",
        #"{"file":"tiny.yaml","with":["policy.pool.size=1"],"short":true,"replications":2}"#)
      #expect(compared["isError"] as? Bool == false, "\(text(compared))")
      #expect(text(compared).contains("policy.pool.size"))
      let audited = try session.call(
        6, "audit",
        #"{"files":["tiny.yaml"],"mutant":["prefetch-off"],"short":true,"replications":2}"#)
      #expect((audited["structuredContent"] as? [String: Any])?["exitCode"] is Int)
      #expect(try session.close() == 0)
    }
  }

  @Test func `a bad scenario and bad arguments are told, and the server goes on`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("bad.yaml", "version: 1\nname: x\nsed: 3\n")
      let session = try Session(firstframe)
      try session.open()
      let bad = try session.call(1, "validate", #"{"files":["bad.yaml","none.yaml"]}"#)
      #expect(bad["isError"] as? Bool == true)
      #expect(text(bad).contains("bad.yaml:3:1: sed: expected a known key"), "\(text(bad))")
      #expect(text(bad).contains("exit code 66: an input file is missing"))
      let wrong = try session.call(2, "run", #"{"fle":"x","short":"yes","set":3}"#)
      #expect(wrong["isError"] as? Bool == true)
      for part in [
        "fle: expected one of", "did you mean file?", "short: expected true or false",
        "set: expected a list", "file: expected",
      ] { #expect(text(wrong).contains(part), "\(text(wrong))") }
      // A value that looks like an option is none.
      let odd = try session.call(3, "validate", #"{"files":["--help"],"set":["--short"]}"#)
      #expect(odd["isError"] as? Bool == true && text(odd).contains("--help"), "\(text(odd))")
      #expect(!text(odd).contains("USAGE"), "\(text(odd))")
      #expect(try session.close() == 0)
    }
  }

  @Test(arguments: [
    ("{", -32700), ("[1]", -32600), ("3", -32600),
    (#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1}"#, -32600),
    (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/run"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}"#, -32602),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":3}}"#,
      -32602
    ),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#, -32602),
    ("\u{1}", -32700), (String(repeating: "[", count: 5000), -32700),
    (
      #"{"jsonrpc":"2.0","id":1,"method":""# + String(repeating: "x", count: 1 << 20) + #""}"#,
      -32600
    ),
  ]) func `a malformed message has the right error, and the next one its answer`(
    line: String, expected: Int
  ) throws {
    try Program.inFolder { firstframe in
      let session = try Session(firstframe)
      try session.open()
      let answer = try session.ask(line)
      #expect(code(answer) == expected, "\(answer)")
      #expect(answer["jsonrpc"] as? String == "2.0" && answer.keys.contains("id"))
      let ping = try session.ask(#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#)
      #expect((ping["result"] as? [String: Any])?.isEmpty == true)
      #expect(try session.close() == 0)
    }
  }

  @Test func `what is no request has no answer`() throws {
    try Program.inFolder { firstframe in
      let session = try Session(firstframe)
      try session.open()
      for line in [
        "", "  ", #"{"jsonrpc":"2.0","method":"no/such"}"#,
        #"{"jsonrpc":"2.0","id":4,"result":{}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
      ] { try session.send(line) }
      let ping = try session.ask(#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#)
      #expect(ping["id"] as? Int == 5)
      #expect(try session.close() == 0)
    }
  }

  @Test func `the revision without initialize says itself what it is`() throws {
    try Program.inFolder { firstframe in
      let session = try Session(firstframe)
      let bare = try session.ask(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
      #expect(code(bare) == -32602)
      func ask(_ method: String, _ version: String, _ rest: String) throws -> [String: Any] {
        try session.ask(
          #"{"jsonrpc":"2.0","id":2,"method":"\#(method)","params":{"_meta":{"#
            + #""io.modelcontextprotocol/protocolVersion":"\#(version)"\#(rest)}}}"#)
      }
      let able = #","io.modelcontextprotocol/clientCapabilities":{}"#
      let found = try ask("server/discover", "2026-07-28", able)
      let result = try #require(found["result"] as? [String: Any])
      #expect(result["resultType"] as? String == "complete")
      #expect((result["supportedVersions"] as? [String])?.first == "2026-07-28")
      #expect(result["ttlMs"] is Int && result["cacheScope"] as? String == "public")
      let list = try ask("tools/list", "2026-07-28", able)["result"] as? [String: Any]
      #expect((list?["tools"] as? [Any])?.count == 6 && list?["ttlMs"] is Int)
      #expect(code(try ask("tools/list", "2026-07-28", "")) == -32602)
      let old = try ask("tools/list", "1900-01-01", able)
      #expect(code(old) == -32022)
      let data = (old["error"] as? [String: Any])?["data"] as? [String: Any]
      #expect(data?["requested"] as? String == "1900-01-01")
      #expect((data?["supported"] as? [String])?.contains("2025-11-25") == true)
      #expect(code(try ask("ping", "2026-07-28", able)) == -32601)
      #expect(try session.close() == 0)
    }
  }

  @Test func `a call that is taken back ends without an answer, and one that is late is told`()
    throws
  {
    try Program.inFolder { firstframe in
      try firstframe.write(
        "long.yaml",
        Program.tiny.replacing(
          "{window: 20 s, replications: 2}", with: "{window: 3 h, replications: 64}"))
      let session = try Session(firstframe, ["--call-limit", "1"])
      try session.open()
      let late = try session.call(1, "run", #"{"file":"long.yaml","short":true}"#)
      #expect(text(late).contains("stopped after 1 s"), "\(text(late))")
      try session.send(
        #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","#
          + #""arguments":{"file":"long.yaml","short":true}}}"#)
      try session.send(
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#)
      let ping = try session.ask(#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#)
      #expect(ping["id"] as? Int == 3)
      #expect(try session.close() == 0)
      #expect(try session.message() == nil)
    }
  }
}
