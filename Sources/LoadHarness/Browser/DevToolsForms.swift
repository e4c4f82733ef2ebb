import Foundation

/// A value among the parameters of a call.
enum DevToolsValue: Encodable, Sendable, Equatable, ExpressibleByStringLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
  case text(String)
  case number(Int)
  case flag(Bool)
  case list([DevToolsValue])
  case map([String: DevToolsValue])

  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int) { self = .number(value) }
  init(booleanLiteral value: Bool) { self = .flag(value) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .flag(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    case .map(let values): try container.encode(values)
    }
  }
}

/// A call as it is sent.
struct DevToolsCall: Encodable {
  var id: Int
  var method: String
  var params: [String: DevToolsValue]
  var sessionId: String?
}

/// The answer to a call whose result has a form.
struct DevToolsAnswer<Result: Decodable>: Decodable {
  var result: Result
}

/// A result that nobody looks at.
struct DevToolsNothing: Decodable, Sendable {}

/// What the browser says: the head of an answer, or an event.
struct DevToolsMessage: Decodable {
  struct Trouble: Decodable { var message: String }

  /// Of the call that is answered; nil: an event.
  var call: Int?
  var session: String?
  var trouble: Trouble?
  var event: DevToolsEvent

  private enum Key: String, CodingKey { case id, sessionId, error }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    call = try container.decodeIfPresent(Int.self, forKey: .id)
    session = try container.decodeIfPresent(String.self, forKey: .sessionId)
    trouble = try container.decodeIfPresent(Trouble.self, forKey: .error)
    event = call == nil ? try DevToolsEvent(from: decoder) : .other
  }
}

/// The events that somebody listens to.
enum DevToolsEvent: Decodable, Sendable {
  /// A page called a function that we gave it.
  case bindingCalled(name: String, payload: String)
  /// A page wrote to its console; the kind is the function's name.
  case consoleCalled(kind: String, text: String)
  case exceptionThrown(String)
  /// The browser wrote to a page's console.
  case logAdded(level: String, text: String)
  /// A document has come as far as the name says.
  case documentCame(loader: String, name: String)
  case crashed
  /// A request waits for an answer of ours.
  case requestPaused(id: String, url: String)
  /// A media player of a page's has told its video decoder's name.
  case decoderTold(String)
  /// A session has ended.
  case detached(session: String)
  /// The connection is no more, by us or by the browser; not of the protocol.
  case disconnected(byUs: Bool)
  case other

  private enum Key: String, CodingKey { case method, params }
  private struct Binding: Decodable { var name, payload: String }
  private struct Console: Decodable {
    var type: String
    var args: [DevToolsObject]
  }
  private struct Thrown: Decodable { var exceptionDetails: DevToolsException }
  private struct Log: Decodable {
    struct Entry: Decodable {
      var level, text: String
      var url: String?
    }
    var entry: Entry
  }
  private struct Document: Decodable { var loaderId, name: String }
  private struct Session: Decodable { var sessionId: String }
  private struct Player: Decodable {
    struct Property: Decodable { var name, value: String }
    var properties: [Property]
    var decoder: String? {
      properties.last { $0.name == "kVideoDecoderName" && !$0.value.isEmpty }?.value
    }
  }
  private struct Paused: Decodable {
    struct Request: Decodable { var url: String }
    var requestId: String
    var request: Request
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch try container.decode(String.self, forKey: .method) {
    case "Runtime.bindingCalled":
      let binding = try container.decode(Binding.self, forKey: .params)
      self = .bindingCalled(name: binding.name, payload: binding.payload)
    case "Runtime.consoleAPICalled":
      let console = try container.decode(Console.self, forKey: .params)
      self = .consoleCalled(
        kind: console.type, text: console.args.map(\.text).joined(separator: " "))
    case "Runtime.exceptionThrown":
      self = .exceptionThrown(
        try container.decode(Thrown.self, forKey: .params).exceptionDetails.words)
    case "Log.entryAdded":
      let entry = try container.decode(Log.self, forKey: .params).entry
      self = .logAdded(
        level: entry.level, text: entry.text + (entry.url.map { " (\($0))" } ?? ""))
    case "Page.lifecycleEvent":
      let document = try container.decode(Document.self, forKey: .params)
      self = .documentCame(loader: document.loaderId, name: document.name)
    case "Inspector.targetCrashed": self = .crashed
    case "Fetch.requestPaused":
      let paused = try container.decode(Paused.self, forKey: .params)
      self = .requestPaused(id: paused.requestId, url: paused.request.url)
    case "Media.playerPropertiesChanged":
      let decoder = try container.decode(Player.self, forKey: .params).decoder
      self = decoder.map { .decoderTold($0) } ?? .other
    case "Target.detachedFromTarget":
      self = .detached(session: try container.decode(Session.self, forKey: .params).sessionId)
    default: self = .other
    }
  }
}

/// A value of a page's script as the protocol describes it.
struct DevToolsObject: Decodable {
  /// The value itself where it is a string.
  var value: String?
  /// In words; without them for undefined, null, true and false.
  var description: String?
  var type: String

  private enum Key: String, CodingKey { case value, description, type }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    type = try container.decode(String.self, forKey: .type)
    description = try container.decodeIfPresent(String.self, forKey: .description)
    if type == "string" { value = try container.decodeIfPresent(String.self, forKey: .value) }
    if type == "boolean" { description = "\(try container.decode(Bool.self, forKey: .value))" }
  }

  var text: String { value ?? description ?? type }
}

/// What a page's script has thrown.
struct DevToolsException: Decodable {
  /// `Uncaught`, or a whole sentence where nothing was thrown.
  var text: String
  var exception: DevToolsObject?
  var url: String?
  /// Counted from 0.
  var lineNumber: Int

  var words: String {
    let place = url.map { $0.isEmpty ? "" : " (\($0):\(lineNumber + 1))" } ?? ""
    return (exception?.text ?? text) + place
  }
}
