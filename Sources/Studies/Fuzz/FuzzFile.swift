import MediaUnits
import Models

/// The scenario that a target is of.
public struct FuzzOrigin: Sendable, Equatable {
  public var name: String
  /// Its resolved text, as far as a search looks at it.
  public var lines: [String]

  public init(name: String, lines: [String]) {
    self.name = name
    self.lines = lines
  }
}

/// A failure as text, so that it can be kept and run again whatever the seeds mean by then.
///
/// One line each: the format, target, property, seed, actors, duration, settling, core and commit;
/// for a target of a scenario its name and, behind bars, its resolved text; then a line
/// `step TIME ACTION` for each step. Times are whole nanoseconds.
public enum FuzzFile {
  public static let header = "firstframe fuzz failure 1"

  /// What a file cannot be read for.
  public struct Fault: Error, Equatable, Sendable {
    public var line: Int
    public var message: String
  }

  /// - Parameter scenario: the scenario that the target is of; nil for a target of the catalogue.
  public static func text<Target: FuzzTarget>(
    _ failure: FuzzFailure<Target>, of target: Target, commit: String = "unknown",
    scenario: FuzzOrigin? = nil
  ) -> String {
    let schedule = failure.schedule
    var lines = [
      header, "target \(target.name)", "property \(failure.property.title)", "commit \(commit)",
      "seed \(schedule.seed)", "actors \(schedule.actors)",
      "duration \(schedule.duration.nanoseconds)", "settling \(schedule.settling.nanoseconds)",
      "core \(schedule.core)",
    ]
    if let scenario {
      lines.append("scenario \(scenario.name)")
      lines += scenario.lines.map { "| \($0)" }
    }
    if !schedule.choices.isEmpty {
      lines.append("choices-from \(schedule.choicesFrom.nanoseconds)")
      lines.append("choices " + schedule.choices.map { "\($0.rawValue)" }.joined(separator: " "))
    }
    for step in schedule.steps {
      lines.append("step \(step.at.nanoseconds) \(target.text(step.action))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The target that a file is for; nil when it is none of these files.
  public static func targetName(in text: String) -> String? {
    let lines = text.split(separator: "\n")
    guard lines.count > 1, lines[0] == header, lines[1].hasPrefix("target ") else { return nil }
    return String(lines[1].dropFirst(7))
  }

  /// The schedule of a file, and the property it broke.
  public static func read<Target: FuzzTarget>(
    _ text: String, of target: Target
  ) throws(Fault) -> (property: Target.Property, schedule: ProtocolSchedule<Target.Action>) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first.map(String.init) == header else {
      throw Fault(line: 1, message: "expected '\(header)'")
    }
    var schedule = ProtocolSchedule<Target.Action>(
      seed: 0, actors: 2, duration: .zero, settling: .zero, steps: [])
    var property: Target.Property?
    for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      let words = line.split(separator: " ")
      let value = words.dropFirst().first.flatMap { Int64($0) }
      let number = words.dropFirst().first.flatMap { UInt64($0) }
      switch words.first {
      case "target", "commit", "scenario", "|": break
      case "property":
        property = Target.Property.allCases.first { words.count == 2 && $0.title == words[1] }
      case "seed": schedule.seed = try need(number, index)
      case "core": schedule.core = try need(number, index)
      case "actors":
        let count = try need(number, index)
        guard count >= 2, count <= 64 else {
          throw Fault(line: index + 1, message: "expected 2 to 64 actors")
        }
        schedule.actors = UInt32(count)
      case "duration": schedule.duration = .nanoseconds(try span(value, index))
      case "settling": schedule.settling = .nanoseconds(try span(value, index))
      case "choices-from":
        schedule.choicesFrom = Instant(nanoseconds: try span(value, index))
      case "choices":
        for word in words.dropFirst() {
          schedule.choices.append(try need(UInt8(word).flatMap(MessageChoice.init), index))
        }
      case "step":
        let action = try need(target.action(Array(words.dropFirst(2))), index)
        let client = target.client(in: action) ?? 0
        guard client < schedule.actors else {
          throw Fault(line: index + 1, message: "client \(client) is not one of the actors")
        }
        schedule.steps.append(
          ScheduledStep(at: Instant(nanoseconds: try span(value, index)), action))
      default: throw Fault(line: index + 1, message: "unreadable line")
      }
    }
    guard let property else { throw Fault(line: 3, message: "expected the name of a property") }
    for (step, next) in zip(schedule.steps, schedule.steps.dropFirst()) where step.at > next.at {
      throw Fault(line: 1, message: "steps are in order of time")
    }
    return (property, schedule)
  }

  private static func need<Value>(_ value: Value?, _ index: Int) throws(Fault) -> Value {
    guard let value else { throw Fault(line: index + 1, message: "unreadable line") }
    return value
  }

  private static func span(_ value: Int64?, _ index: Int) throws(Fault) -> Int64 {
    let value = try need(value, index)
    guard value >= 0, value <= TimeSpan.days(366).nanoseconds else {
      throw Fault(line: index + 1, message: "expected a time between 0 and 366 days")
    }
    return value
  }
}
