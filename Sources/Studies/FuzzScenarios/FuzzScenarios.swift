import MediaUnits
import Models
import Scenario

// Searches of scenario files. What stands in the folder Fuzz needs no scenarios, so that a search
// can be built without them.

extension MessagingFuzz {
  /// The protocol of a plan, with the delays and the waits of a search; a poll machine of somebody
  /// else's keeps its own waits.
  public init(_ plan: MessagesPlan) {
    name = MessagingFuzz.planName
    let given = plan.configuration
    var configuration = MessagingConfiguration.recommended
    configuration.sender = given.sender
    configuration.receiver = given.receiver
    configuration.poll = given.poll
    configuration.polls = given.polls
    let (period, age) = (configuration.server.sweepPeriod, configuration.server.strayAge)
    configuration.server = given.server
    if given.server.sweepPeriod > .zero {
      configuration.server.sweepPeriod = min(period, given.server.sweepPeriod)
    }
    configuration.server.strayAge = min(age, given.server.strayAge)
    if case .after(let time) = given.server.cleanup {
      configuration.server.cleanup = .after(min(time, .seconds(30)))
    }
    configuration.wakesPerHour = given.wakesPerHour
    configuration.runsInBackground = given.runsInBackground
    self.configuration = MessagingFuzz.hurried(configuration)
  }
}

extension CallsFuzz {
  /// The protocol of a plan, with the delays, users and relays of a search.
  public init(_ plan: CallsPlan) {
    name = "calls/scenario"
    var configuration = CallsFuzz.crowded
    configuration.server = plan.configuration.server
    configuration.client = plan.configuration.client
    self.configuration = configuration
  }
}

extension FuzzOrigin {
  /// The resolved scenario without what a search does not look at, so that a file outlives changes
  /// there.
  public init(_ scenario: StudyScenario) {
    let left = ["description", "budgets", "sweep", "short", "replications"]
    var isLeft = false
    let lines = scenario.resolvedText.split(separator: "\n").filter { line in
      // A key at the top begins its line; what belongs to it is indented.
      if line.first != " " && line.first != "-" {
        isLeft = left.contains { line.hasPrefix("\($0):") }
      }
      return !isLeft
    }
    self.init(name: scenario.name, lines: lines.map(String.init))
  }
}

extension FuzzFile {
  /// The scenario that a file's target is of; nil: it is of the catalogue.
  ///
  /// - Throws: ``ScenarioRejected`` when this program does not read it any more.
  public static func scenario(in text: String, file: String) throws -> StudyScenario? {
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("| ") }
    if lines.isEmpty { return nil }
    return try StudyScenario.parse(
      lines.map { $0.dropFirst(2) + "\n" }.joined(), file: "\(file): scenario")
  }
}

extension FuzzCatalogue {
  /// Shows the visitor the protocol of a scenario; nil for a world without one.
  public static func visit<Visitor: FuzzVisitor>(
    _ world: World, _ visitor: Visitor
  ) throws -> Visitor.Answer? {
    try world.studied.shown(to: visitor)
  }

  /// Shows the visitor the target of a kept failure; nil when there is no such target.
  ///
  /// - Throws: ``ScenarioRejected``, and what the visitor throws.
  public static func visit<Visitor: FuzzVisitor>(
    failure text: String, file: String, _ visitor: Visitor
  ) throws -> Visitor.Answer? {
    if let scenario = try FuzzFile.scenario(in: text, file: file) {
      return try visit(scenario.plan, visitor)
    }
    return try FuzzFile.targetName(in: text).flatMap { try visit($0, visitor) }
  }
}
