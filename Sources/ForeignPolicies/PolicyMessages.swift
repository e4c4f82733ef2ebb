import FeedPolicy
import MediaUnits
import Models
import SimulationKernel

/// What a policy of somebody else's is sent, as JSON (docs/reference/policy-protocol.md).
struct PolicyText {
  private(set) var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(256) }

  mutating func add(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  mutating func add(_ number: Int64) { bytes.append(contentsOf: String(number).utf8) }
  mutating func add(_ number: Int) { add(Int64(number)) }
  mutating func add(_ flag: Bool) { add(flag ? "true" : "false") }
  mutating func add(_ other: [UInt8]) { bytes.append(contentsOf: other) }

  /// Adds a member with a number.
  private mutating func add(_ key: StaticString, _ number: Int64) {
    add(",\"")
    add(key)
    add("\":")
    add(number)
  }

  private mutating func add(_ key: StaticString, _ item: ItemID) { add(key, Int64(item.index)) }
  private mutating func add(_ key: StaticString, _ span: TimeSpan) { add(key, span.nanoseconds) }

  private mutating func add(_ key: StaticString, _ flag: Bool) {
    add(",\"")
    add(key)
    add("\":")
    add(flag)
  }

  /// Adds an event with its time.
  mutating func add(_ told: PrefetchTold) {
    add("{\"at\":")
    add(told.at.nanoseconds)
    add(",\"event\":\"")
    add(PolicyEventKind(told.event).word)
    add("\"")
    switch told.event {
    case .feedMoved(let current, let last):
      add("current", current)
      add("last", last)
    case .feedExtended(let last): add("last", last)
    case .bufferChanged(let ahead, let isComplete):
      add("ahead", ahead)
      add("isComplete", isComplete)
    case .throughputChanged(let throughput, let bitrate):
      add("throughput", throughput.bitsPerSecond)
      add("bitrate", bitrate.bitsPerSecond)
    case .targetReached(let item, let length):
      add("item", item)
      add("length", length)
    case .itemFailed(let item), .withdrawn(let item): add("item", item)
    case .stageReached(let item, let stage):
      add("item", item)
      add(",\"stage\":\"")
      add(PolicyStage.word(of: stage))
      add("\"")
    case .durationKnown(let item, let duration):
      add("item", item)
      add("length", duration)
    case .positionChanged(let position): add("position", position)
    case .connectivityChanged(let isOnline): add("isOnline", isOnline)
    case .stallChanged(let isStalled): add("isStalled", isStalled)
    case .hostHeld(let isHeld): add("isHeld", isHeld)
    }
    add("}")
  }

  /// The message that begins with a viewer's number and goes on as `rest`, with its length.
  static func message(viewer: Int64, _ rest: [UInt8]) -> [UInt8] {
    var body = PolicyText()
    body.add("{\"viewer\":")
    body.add(viewer)
    body.add(rest)
    return framed(body.bytes)
  }

  /// What follows a viewer's number.
  static func rest(
    sequence: Int, _ told: ArraySlice<PrefetchTold>, closes: Bool = false
  ) -> [UInt8] {
    var text = PolicyText()
    text.add("sequence", Int64(sequence))
    text.add(",\"told\":[")
    for (index, one) in told.enumerated() {
      if index > 0 { text.add(",") }
      text.add(one)
    }
    text.add(closes ? "],\"close\":true}" : "]}")
    return text.bytes
  }

  /// The greeting.
  static func hello(_ task: ExternalPolicy.Task) -> [UInt8] {
    var text = PolicyText()
    text.add("{\"hello\":\"firstframe\",\"protocol\":1,\"decides\":\"")
    switch task {
    case .prefetch(let itemsAhead):
      text.add("prefetch\"")
      text.add("itemsAhead", Int64(itemsAhead))
    case .rule(let rule):
      text.add(Array(rule.rawValue.utf8))
      text.add("\"")
    }
    text.add("}")
    return framed(text.bytes)
  }

  /// A question of a rule, with its number in front.
  static func question(_ number: Int64, _ snapshot: [UInt8]) -> [UInt8] {
    var body = PolicyText()
    body.add("{\"question\":")
    body.add(number)
    body.add(",\"snapshot\":")
    body.add(snapshot)
    body.add("}")
    return framed(body.bytes)
  }

  /// A body with its length in front and a line feed behind.
  private static func framed(_ body: [UInt8]) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(body.count + 8)
    message.append(contentsOf: String(body.count).utf8)
    message.append(UInt8(ascii: " "))
    message.append(contentsOf: body)
    message.append(UInt8(ascii: "\n"))
    return message
  }
}

/// What kind an event is, by the word that stands for it.
enum PolicyEventKind: UInt8, CaseIterable {
  case moved, extended, buffer, throughput, reached, failed, stage, duration, position, withdrawn
  case online, stalled, held

  init(_ event: PrefetchPolicy.Event) {
    switch event {
    case .feedMoved: self = .moved
    case .feedExtended: self = .extended
    case .bufferChanged: self = .buffer
    case .throughputChanged: self = .throughput
    case .targetReached: self = .reached
    case .itemFailed: self = .failed
    case .stageReached: self = .stage
    case .durationKnown: self = .duration
    case .positionChanged: self = .position
    case .withdrawn: self = .withdrawn
    case .connectivityChanged: self = .online
    case .stallChanged: self = .stalled
    case .hostHeld: self = .held
    }
  }

  var word: StaticString {
    switch self {
    case .moved: "moved"
    case .extended: "extended"
    case .buffer: "buffer"
    case .throughput: "throughput"
    case .reached: "reached"
    case .failed: "failed"
    case .stage: "stage"
    case .duration: "duration"
    case .position: "position"
    case .withdrawn: "withdrawn"
    case .online: "online"
    case .stalled: "stalled"
    case .held: "held"
    }
  }

  /// The kind that a word stands for.
  static func named(_ word: String) -> PolicyEventKind? {
    allCases.first { $0.word.is(word) }
  }

  /// Its place in a set of kinds.
  var bit: UInt32 { 1 << UInt32(rawValue) }
}

extension StaticString {
  /// Whether a text is this one. No text is made for it.
  fileprivate func `is`(_ text: String) -> Bool {
    withUTF8Buffer { $0.elementsEqual(text.utf8) }
  }
}

/// Stages below media, by the words that stand for them.
enum PolicyStage {
  static func word(of stage: PrefetchStage) -> StaticString {
    switch stage {
    case .nothing: "nothing"
    case .connection: "connection"
    case .playlists: "playlists"
    case .initSegment: "init"
    case .media: "media"
    }
  }

  static func named(_ word: String) -> PrefetchStage? {
    PrefetchStage.allCases.first { Self.word(of: $0).is(word) }
  }
}

/// Why a message of a policy's cannot be used: what was expected, and what came.
struct PolicyNonsense: Error, Equatable {
  var expected: String
  var got: String
}

/// What a policy says of itself.
public struct PolicyIdentity: Sendable, Equatable {
  /// What it decides, in the words of a result: `prefetch` or `bit rate`.
  public let decides: String
  /// Its name and version, as it says them.
  public let name, version: String
  /// What tells this code of it from any other: 64 hexadecimal digits.
  public let digest: String
  /// Whether it is told lengths and positions, and stalls.
  let readsHazard, readsStalls: Bool

  /// Reads the answer to the greeting.
  init(_ answer: PolicyJSON, decides task: ExternalPolicy.Task) throws(PolicyNonsense) {
    for key in answer.keys where !["name", "version", "digest", "reads"].contains(key) {
      throw PolicyNonsense(
        expected: "name, version, digest and reads in the answer to the greeting", got: "\"\(key)\""
      )
    }
    switch task {
    case .prefetch: decides = "prefetch"
    case .rule(let rule): decides = rule.words
    }
    name = try PolicyIdentity.label("name", answer)
    version = try PolicyIdentity.label("version", answer)
    guard let digest = answer["digest"]?.text, digest.utf8.count == 64,
      digest.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else {
      throw PolicyNonsense(
        expected: "a digest of 64 hexadecimal digits in the answer to the greeting",
        got: answer["digest"].map { $0.text.map { "\"\($0)\"" } ?? "no text" } ?? "none")
    }
    self.digest = digest
    var (hazard, stalls) = (false, false)
    for word in answer["reads"]?.list ?? [] {
      switch word.text {
      case "hazard" where decides == "prefetch": hazard = true
      case "stalls" where decides == "prefetch": stalls = true
      default:
        throw PolicyNonsense(
          expected: "hazard or stalls among what it reads", got: word.text ?? "no text")
      }
    }
    (readsHazard, readsStalls) = (hazard, stalls)
  }

  /// Of a policy that this program brings along.
  ///
  /// - Parameter answers: what it answers in sessions that are always the same ones, which tells
  ///   its code from any other's.
  init(_ decides: String, name: String, version: String, answers: [UInt8]) {
    self.decides = decides
    var lanes = [UInt64](0..<4)
    for byte in answers {
      for lane in 0..<4 { lanes[lane] = SplitMix.hash(lanes[lane] ^ UInt64(byte)) }
    }
    self.name = name
    self.version = version
    digest = lanes.map { lane in
      let digits = String(lane, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
    (readsHazard, readsStalls) = (false, false)
  }

  /// Whether a text may be a name or a version.
  static func isLabel(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  private static func label(_ key: String, _ answer: PolicyJSON) throws(PolicyNonsense) -> String {
    guard let text = answer[key]?.text, isLabel(text) else {
      throw PolicyNonsense(
        expected: "a \(key) of 1 to 64 letters, digits and signs in the answer to the greeting",
        got: answer[key].map { $0.text ?? "no text" } ?? "none")
    }
    return text
  }

  /// All of it in one line, as what a run depends on.
  public var words: String { "policy \(name) \(version) \(digest)" }

  /// `head-of-next 1.0 (0123456789ab)`
  public var text: String { "\(name) \(version) (\(digest.prefix(12)))" }
}

/// What a policy answers to one message.
struct PolicyAnswer: Equatable {
  /// The commands for all events of the message, and where those of each end.
  var commands: [PrefetchPolicy.Command] = []
  var ends: [Int] = []
  /// Kinds of events that need not be told before the next one of another kind.
  var held: UInt32 = 0

  /// Commands of one event at most.
  private static let most = 64

  /// Reads the answer to a message.
  ///
  /// - Parameters:
  ///   - events: how many the message had.
  ///   - silent: so many of the first were answered with nothing before.
  init(
    _ answer: PolicyJSON, viewer: Int64, sequence: Int, events: Int, silent: Int
  ) throws(PolicyNonsense) {
    guard case .object = answer, let toWhom = answer["viewer"]?.number,
      let to = answer["sequence"]?.number
    else {
      throw PolicyNonsense(
        expected: "an object with viewer, sequence and commands", got: "an answer without them")
    }
    if toWhom != viewer || to != Int64(sequence) {
      throw PolicyNonsense(
        expected: "the answer to message \(sequence) of viewer \(viewer)",
        got: "one to message \(to) of viewer \(toWhom)")
    }
    let known = ["viewer", "sequence", "commands", "hold"]
    if let key = answer.keys.first(where: { !known.contains($0) }) {
      throw PolicyNonsense(
        expected: "viewer, sequence, commands and hold", got: "\"\(key)\"")
    }
    guard let lists = answer["commands"]?.list, lists.count == events else {
      throw PolicyNonsense(
        expected: "a list of commands for each of \(events) events",
        got: answer["commands"]?.list.map { "\($0.count)" } ?? "none")
    }
    for (index, list) in lists.enumerated() {
      guard let list = list.list, list.count <= PolicyAnswer.most else {
        throw PolicyNonsense(
          expected: "a list of at most \(PolicyAnswer.most) commands for event \(index)",
          got: list.list.map { "\($0.count)" } ?? "none")
      }
      if index < silent && !list.isEmpty {
        throw PolicyNonsense(
          expected: "no command for event \(index), which the answer before had put on hold",
          got: "\(list.count)")
      }
      for command in list { commands.append(try PolicyAnswer.command(command)) }
      ends.append(commands.count)
    }
    for word in answer["hold"]?.list ?? [] {
      guard let kind = word.text.flatMap({ PolicyEventKind.named($0) }) else {
        throw PolicyNonsense(
          expected: "kinds of events on hold", got: word.text.map { "\"\($0)\"" } ?? "no text")
      }
      held |= kind.bit
    }
  }

  private static func command(_ text: PolicyJSON) throws(PolicyNonsense) -> PrefetchPolicy.Command {
    let word = text["do"]?.text
    let keys: [String]
    switch word {
    case "start": keys = ["do", "item", "length", "priority"]
    case "warm": keys = ["do", "item", "stage", "priority"]
    case "cancel", "suspend": keys = ["do", "item"]
    case "limit": keys = ["do", "length"]
    default:
      throw PolicyNonsense(
        expected: "start, warm, cancel, suspend or limit to do",
        got: word.map { "\"\($0)\"" } ?? "none")
    }
    if text.keys.sorted() != keys.sorted() {
      throw PolicyNonsense(
        expected: "\(keys.joined(separator: ", ")) in a command",
        got: text.keys.joined(separator: ", "))
    }
    switch word {
    case "start":
      return .start(
        try item(text), length: .nanoseconds(try number("length", text)), try priority(text))
    case "warm":
      guard let stage = text["stage"]?.text.flatMap({ PolicyStage.named($0) }) else {
        throw PolicyNonsense(
          expected: "connection, playlists or init as the stage",
          got: text["stage"]?.text ?? "no text")
      }
      return .warm(try item(text), stage, try priority(text))
    case "cancel": return .cancel(try item(text))
    case "suspend": return .suspend(try item(text))
    default:
      if text["length"] == .null { return .limitBuffer(nil) }
      return .limitBuffer(.nanoseconds(try number("length", text)))
    }
  }

  private static func number(
    _ key: String, _ text: PolicyJSON
  ) throws(PolicyNonsense) -> Int64 {
    guard let number = text[key]?.number else {
      throw PolicyNonsense(expected: "a whole number as the \(key)", got: "none")
    }
    return number
  }

  private static func item(_ text: PolicyJSON) throws(PolicyNonsense) -> ItemID {
    let number = try number("item", text)
    guard let index = UInt32(exactly: number) else {
      throw PolicyNonsense(expected: "an item's number", got: "\(number)")
    }
    return ItemID(index)
  }

  private static func priority(
    _ text: PolicyJSON
  ) throws(PolicyNonsense) -> PrefetchPolicy.Priority {
    let number = try number("priority", text)
    guard let raw = UInt8(exactly: number), let priority = PrefetchPolicy.Priority(rawValue: raw)
    else { throw PolicyNonsense(expected: "a priority from 0 to 3", got: "\(number)") }
    return priority
  }
}
