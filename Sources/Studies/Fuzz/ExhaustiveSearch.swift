import MediaUnits
import Models

/// Tries every fate of the first messages of a target's small schedules.
public struct ExhaustiveSearch: FuzzVisitor {
  /// Messages of each schedule that may fare in every way.
  public let depth: Int
  /// Runs of one schedule after which the search gives up.
  public let limit: Int
  public let commit: String
  public let scenario: FuzzOrigin?

  public init(depth: Int, limit: Int = 1_000_000, commit: String, scenario: FuzzOrigin? = nil) {
    self.depth = depth
    self.limit = limit
    self.commit = commit
    self.scenario = scenario
  }

  public func visit<Target: FuzzTarget>(_ target: Target) -> FuzzSearch.Answer {
    var report = FuzzReport<Target>()
    var heads: [String] = []
    var isComplete = true
    for (name, schedule) in target.smallSchedules {
      let found = Fuzzer(target).exhaust(schedule, depth: depth, limit: limit)
      let end = found.isComplete ? "every one" : "GAVE UP after so many"
      heads.append(
        "\(target.name): \(name): \(found.report.seeds) fates of the first \(depth) messages, "
          + end)
      isComplete = isComplete && found.isComplete
      report.add(found.report)
    }
    let search = FuzzSearch(
      seeds: 0..<1, shrinks: true, commit: commit, scenario: scenario, isOver: { false })
    var answer = search.answer(report, target, needsEverything: false)
    answer.lines = heads + answer.lines
    answer.holds = answer.holds && isComplete
    answer.isComplete = isComplete
    return answer
  }
}

extension MessagingFuzz {
  /// One video that is viewed, and one with a reply and another after it (TBM-055).
  public var smallSchedules: [(name: String, schedule: ProtocolSchedule<MessagingAction>)] {
    func schedule(
      _ steps: [(TimeSpan, MessagingAction)]
    ) -> ProtocolSchedule<MessagingAction> {
      var schedule = ProtocolSchedule<MessagingAction>(
        seed: 1, actors: 2, duration: .seconds(60), settling: .minutes(5),
        steps: steps.map { ScheduledStep(at: .zero + $0.0, $0.1) })
      schedule.choicesFrom = .zero + .seconds(1)
      return schedule
    }
    return [
      (
        "one video",
        schedule([
          (.seconds(1), .send(from: 0, to: 1)), (.seconds(12), .view(1)), (.seconds(40), .view(1)),
        ])
      ),
      (
        "a reply and another",
        schedule([
          (.seconds(1), .send(from: 0, to: 1)), (.seconds(4), .send(from: 1, to: 0)),
          (.seconds(8), .send(from: 0, to: 1)), (.seconds(9), .view(1)), (.seconds(20), .view(1)),
          (.seconds(40), .view(1)),
        ])
      ),
    ]
  }
}

extension CallsFuzz {
  /// Two callers and one interpreter.
  public var smallSchedules: [(name: String, schedule: ProtocolSchedule<CallsAction>)] {
    var schedule = ProtocolSchedule<CallsAction>(
      seed: 3, actors: 3, duration: .seconds(30), settling: .seconds(120),
      steps: [
        ScheduledStep(at: .zero + .seconds(5), .call(0, 2)),
        ScheduledStep(at: .zero + .seconds(5), .call(1, 2)),
        ScheduledStep(at: .zero + .seconds(9), .accept(2)),
        ScheduledStep(at: .zero + .milliseconds(9_050), .hangUp(0)),
        ScheduledStep(at: .zero + .milliseconds(9_050), .hangUp(1)),
      ])
    // From the requests on: who has registered is not the question.
    schedule.choicesFrom = .zero + .seconds(5)
    return [("two callers, one interpreter", schedule)]
  }
}
