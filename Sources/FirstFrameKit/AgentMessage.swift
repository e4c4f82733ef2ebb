import Foundation
import Scenario

/// A message of JSON-RPC 2.0 from a client, read or refused.
enum AgentMessage {
  /// A request, which is answered, or without an identifier a notification, which is not.
  struct Request {
    var id: AgentID?
    var method: String
    var params: [String: Any]
  }

  /// What is answered instead of a result.
  struct Failure: Error {
    /// Codes of JSON-RPC 2.0 section 5.1, and one of the protocol's own.
    enum Code: Int64 {
      case parse = -32700
      case request = -32600
      case method = -32601
      case params = -32602
      case unsupportedVersion = -32022
    }

    var code: Code
    var message: String
    var data: JSONText?

    init(_ code: Code, _ message: String, data: JSONText? = nil) {
      self.code = code
      self.message = message
      self.data = data
    }
  }

  case request(Request)
  /// An answer to something that was never asked.
  case ignored
  case refused(AgentID?, Failure)

  /// Reads one line.
  static func read(_ line: [UInt8]) -> AgentMessage {
    let value: Any
    do throws(JSONReader.Fault) {
      value = try JSONReader.object(from: Data(line), within: .message)
    } catch {
      return .refused(nil, Failure(.parse, "expected a line of JSON; column \(error.column)"))
    }
    guard let members = value as? [String: Any] else {
      return .refused(nil, Failure(.request, "expected one JSON object a line"))
    }
    let id = members["id"].flatMap { AgentID($0) }
    if members["method"] == nil && (members["result"] != nil || members["error"] != nil) {
      return .ignored
    }
    guard members["jsonrpc"] as? String == "2.0" else {
      return .refused(id, Failure(.request, "jsonrpc: expected \"2.0\""))
    }
    guard let method = members["method"] as? String else {
      return .refused(id, Failure(.request, "method: expected a text"))
    }
    if members["id"] != nil && id == nil {
      return .refused(nil, Failure(.request, "id: expected a text or a whole number"))
    }
    if let params = members["params"], !(params is [String: Any]) {
      return .refused(id, Failure(.params, "params: expected an object"))
    }
    return .request(
      Request(id: id, method: method, params: members["params"] as? [String: Any] ?? [:]))
  }

  /// An answer as one line.
  static func answer(_ id: AgentID?, _ result: Result<[JSONText.Member], Failure>) -> String {
    var members: [JSONText.Member] = [.init("jsonrpc", "2.0"), .init("id", id?.json ?? .null)]
    switch result {
    case .success(let own): members.append(.init("result", .object(own)))
    case .failure(let failure):
      var error: [JSONText.Member] = [
        .init("code", .integer(failure.code.rawValue)), .init("message", .string(failure.message)),
      ]
      if let data = failure.data { error.append(.init("data", data)) }
      members.append(.init("error", .object(error)))
    }
    return JSONText.object(members).text(indent: 0) + "\n"
  }
}

/// What tells one request from another.
enum AgentID: Hashable, Sendable {
  case text(String)
  case number(Int64)

  /// Nil for anything that cannot be one.
  init?(_ value: Any) {
    if let text = value as? String {
      self = .text(text)
    } else if let number = value as? NSNumber, JSONValue.boolean(value) == nil,
      let whole = Int64(exactly: number)
    {
      self = .number(whole)
    } else {
      return nil
    }
  }

  var json: JSONText {
    switch self {
    case .text(let text): .string(text)
    case .number(let number): .integer(number)
    }
  }
}

/// The lines of standard input, none longer than a limit.
struct AgentLines {
  /// A line, or how it was refused.
  enum Line {
    case whole([UInt8])
    case tooLong
  }

  /// The longest message, in bytes.
  static let longest = 1 << 20

  private var chunk = [UInt8](repeating: 0, count: 1 << 16)
  private var waiting: ArraySlice<UInt8> = []
  private var line: [UInt8] = []
  private var isTooLong = false

  /// The next line without its end; nil at the end of the input, whose last line may have none.
  mutating func next() -> Line? {
    while true {
      if let end = waiting.firstIndex(of: 0x0A) {
        add(waiting[..<end])
        waiting = waiting[(end + 1)...]
        return take()
      }
      add(waiting)
      waiting = []
      let count = read(STDIN_FILENO, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return line.isEmpty && !isTooLong ? nil : take() }
      waiting = chunk[..<count]
    }
  }

  private mutating func add(_ part: ArraySlice<UInt8>) {
    if isTooLong || line.count + part.count > AgentLines.longest {
      isTooLong = true
      line = []
    } else {
      line += part
    }
  }

  private mutating func take() -> Line {
    defer {
      line = []
      isTooLong = false
    }
    return isTooLong ? .tooLong : .whole(line)
  }
}
