/// Where numbers that results depend on are given: each a row of one file.
public struct NumberRegistries: Sendable {
  /// Random streams: constants of `StreamName`, and a `StreamRow` for each.
  public var streams: String
  /// Event tags: an enumeration for each world.
  public var tags: String
  /// Whose sources have the events.
  public var worlds: [String]
  /// What makes a stream of a number, as it must.
  public var kernel: String

  public init(streams: String, tags: String, worlds: [String], kernel: String) {
    self.streams = streams
    self.tags = tags
    self.worlds = worlds
    self.kernel = kernel
  }

  public static let firstFrame = NumberRegistries(
    streams: "Sources/ModelBasics/Streams.swift", tags: "Sources/ModelBasics/EventTags.swift",
    worlds: [
      "Sources/FeedModel/", "Sources/ServiceModel/", "Sources/MessagingModel/",
      "Sources/CallsModel/",
    ],
    kernel: "Sources/SimulationKernel/")
}

/// The rules `stream` and `event-tag`: no number is given outside of its registry. Tests may: what
/// they draw is no result.
struct RegistryRules {
  let path: String
  let tokens: [Token]
  let registries: NumberRegistries
  private var findings: [Finding] = []

  init(path: String, tokens: [Token], registries: NumberRegistries) {
    self.path = path
    self.tokens = tokens
    self.registries = registries
  }

  func check() -> [Finding] {
    guard path.hasPrefix("Sources/") else { return [] }
    var rules = self
    if path == registries.streams {
      rules.rows()
    } else if !path.hasPrefix(registries.kernel) {
      rules.streams()
    }
    if registries.worlds.contains(where: path.hasPrefix) { rules.tags() }
    return rules.findings
  }

  private mutating func add(_ rule: String, _ line: Int, _ message: String) {
    findings.append(Finding(path: path, line: line, rule: rule, message: message))
  }

  /// Whether these symbols and words stand from a place on; "" is any word or string.
  private func stands(_ texts: [String], at index: Int) -> Bool {
    guard index + texts.count <= tokens.count else { return false }
    return texts.indices.allSatisfy { place in
      let token = tokens[index + place]
      return texts[place].isEmpty
        ? token.kind == .word || token.kind == .string : token.is(texts[place])
    }
  }

  private mutating func streams() {
    for index in tokens.indices
    where stands(["StreamName", "("], at: index)
      || stands(["StreamName", ".", "init", "("], at: index)
    {
      add(
        "stream", tokens[index].line,
        "'StreamName(' is banned outside of the registry, use a row of \(registries.streams)")
    }
  }

  /// Every constant of the registry of streams has one row, which has its name.
  private mutating func rows() {
    var rows: [String: Int] = [:]
    for index in tokens.indices where stands(["StreamRow", "(", ".", "", ",", ""], at: index) {
      let (name, text) = (tokens[index + 3].text, tokens[index + 5].text)
      rows[name, default: 0] += 1
      if text != name {
        add(
          "stream", tokens[index].line, "the row of '\(name)' has the name '\(text)', use its own")
      }
    }
    for index in tokens.indices
    where stands(["let", "", "=", "StreamName", "("], at: index)
      || stands(["var", "", ":", "StreamName", "{", "StreamName", "("], at: index)
    {
      let name = tokens[index + 1].text
      let count = rows[name, default: 0]
      if count != 1 {
        add("stream", tokens[index].line, "'\(name)' has \(count) rows, use one StreamRow")
      }
    }
  }

  /// What is called `tag` says no number.
  private mutating func tags() {
    for index in tokens.indices
    where stands(["func", "tag", "("], at: index) || stands(["var", "tag", ":"], at: index) {
      guard let open = tokens[index...].firstIndex(where: { $0.is("{") }) else { continue }
      var depth = 0
      for token in tokens[open...] {
        if token.is("{") { depth += 1 }
        if token.is("}") { depth -= 1 }
        if depth == 0 { break }
        if token.kind == .number {
          add(
            "event-tag", token.line,
            "the number \(token.text) in 'tag' is banned outside of the registry, "
              + "use a row of \(registries.tags)")
        }
      }
    }
  }
}
