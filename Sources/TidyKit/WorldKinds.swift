/// Where code may look at the kind of a scenario's world (docs/ARCHITECTURE.md section 4).
public struct WorldDoors: Sendable {
  /// Folders of the modules that hold scenarios.
  public var folders: [String]
  /// Files in them with the `switch` of their layer, or that need one world and refuse the others.
  public var files: [String]

  public init(folders: [String], files: [String]) {
    self.folders = folders
    self.files = files
  }

  /// The doors of this house.
  public static let firstFrame = WorldDoors(
    folders: [
      "Sources/Scenario", "Sources/Studies", "Sources/Reports", "Sources/LoadHarness",
      "Sources/FirstFrameKit", "Sources/FirstFrameLiveKit", "Sources/firstframe-bench",
    ],
    files: [
      "Sources/Scenario/FeedStudy.swift", "Sources/Scenario/Worlds/FeedWorldPlan.swift",
      "Sources/Scenario/Worlds/FeedMetrics+Standard.swift",
      "Sources/Scenario/Worlds/World.swift", "Sources/Studies/StudiedWorld.swift",
      "Sources/Reports/ReportedWorld.swift", "Sources/FirstFrameLiveKit/LiveCalls.swift",
      "Sources/FirstFrameLiveKit/Messages.swift",
    ])

  func covers(_ path: String) -> Bool {
    folders.contains { path.hasPrefix($0 + "/") } && !files.contains(path)
  }
}

/// The rule that the kind of a world is looked at in one file of each layer: a place elsewhere
/// would be forgotten when a world is added.
///
/// Seen are a pattern with the plan of a world (`case .calls(let plan)`), a comparison with a kind
/// of feed (`== .mixed`) and the old test of a feed by its surface (`surface == nil`). What the
/// rule leaves out: a name or a word of a world that is compared, and a feed's plan under another
/// name than `plan`.
extension Tidy {
  func worldKinds(_ source: SourceText, _ tokens: [Token]) -> [Finding] {
    guard layout.worldDoors.covers(source.path) else { return [] }
    let reader = WorldPatterns(tokens: tokens)
    return tokens.indices.filter { reader.isTest(at: $0) }.map { index in
      Finding(
        path: source.path, line: tokens[index].line, rule: "world-kind",
        message: "the kind of a world is looked at in one file of each layer, use an answer of "
          + "WorldPlan, StudiedWorld or ReportedWorld, or StudyScenario.feed")
    }
  }
}

/// Reads what a file asks of worlds.
private struct WorldPatterns {
  let tokens: [Token]

  private static let plans: Set<String> = [
    "feed", "mixedFeed", "messages", "services", "pipeline", "calls",
  ]
  private static let kinds: Set<String> = ["mixed", "fullScreen"]

  func isTest(at index: Int) -> Bool {
    isPattern(at: index) || isComparison(at: index) || isSurface(at: index)
  }

  /// `case .calls(let …`, or the same with an underscore.
  private func isPattern(at index: Int) -> Bool {
    guard tokens[index].is("case"), holds(index + 1, "."),
      isOne(of: WorldPatterns.plans, index + 2),
      holds(index + 3, "(")
    else { return false }
    if holds(index + 4, "_") { return true }
    // Other things than worlds may be of a feed, too.
    return holds(index + 4, "let") && (!holds(index + 2, "feed") || holds(index + 5, "plan"))
  }

  /// `== .mixed` or `!= .fullScreen`.
  private func isComparison(at index: Int) -> Bool {
    isOperator(at: index) && holds(index + 2, ".")
      && isOne(of: WorldPatterns.kinds, index + 3)
  }

  /// `surface == nil` or `surface != nil`.
  private func isSurface(at index: Int) -> Bool {
    tokens[index].is("surface") && isOperator(at: index + 1) && holds(index + 3, "nil")
  }

  private func isOperator(at index: Int) -> Bool {
    (holds(index, "=") || holds(index, "!")) && holds(index + 1, "=")
  }

  private func isOne(of words: Set<String>, _ index: Int) -> Bool {
    guard tokens.indices.contains(index) else { return false }
    return tokens[index].kind == .word && words.contains(tokens[index].text)
  }

  private func holds(_ index: Int, _ text: String) -> Bool {
    tokens.indices.contains(index) && tokens[index].is(text)
  }
}
