import MediaUnits
import Models

/// Makes a failing schedule smaller while it still breaks the same property.
///
/// Delta debugging over the steps (Zeller and Hildebrandt, IEEE TSE 28(2), 2002, doi
/// 10.1109/32.988498), then over the clients, the duration, what single steps do and when they
/// happen; until none of these helps any more.
public struct Shrinker<Target: FuzzTarget>: Sendable {
  public let target: Target
  /// Runs for one failure, more or less.
  public let budget: Int
  public private(set) var runs = 0

  public init(_ target: Target, budget: Int = 20_000) {
    self.target = target
    self.budget = budget
  }

  /// The smallest of several, each made as small as it gets; nil when there is none.
  public mutating func shrink(
    _ failures: [FuzzFailure<Target>]
  ) -> FuzzFailure<Target>? {
    var best: FuzzFailure<Target>?
    for failure in failures {
      let small = shrink(failure)
      if best.map({ small.size < $0.size }) ?? true { best = small }
    }
    return best
  }

  /// The smallest schedule found.
  public mutating func shrink(
    _ failure: FuzzFailure<Target>
  ) -> FuzzFailure<Target> {
    var best = failure
    let end = runs + budget
    cutTime(&best)
    while runs < end {
      let before = best.schedule
      dropSteps(&best)
      dropActors(&best)
      simplify(&best)
      round(&best)
      cutTime(&best)
      if best.schedule == before { break }
    }
    return best
  }

  /// Takes a schedule if it fails alike.
  private mutating func take(
    _ schedule: ProtocolSchedule<Target.Action>, _ best: inout FuzzFailure<Target>
  ) -> Bool {
    runs += 1
    let run = target.run(schedule, records: false)
    for violation in run.probes.violations where violation.property == best.property {
      best.schedule = schedule
      best.at = violation.at
      return true
    }
    return false
  }

  /// What is judged at once needs no time afterwards.
  private mutating func cutTime(_ best: inout FuzzFailure<Target>) {
    if best.property.kind == .always {
      var schedule = best.schedule
      schedule.settling = .zero
      schedule.duration = best.at - .zero
      schedule.steps.removeAll { $0.at > best.at }
      if schedule != best.schedule { _ = take(schedule, &best) }
      return
    }
    var schedule = best.schedule
    let last = schedule.steps.last?.at ?? .zero
    schedule.duration = (last - .zero) + .seconds(1)
    if schedule.duration < best.schedule.duration { _ = take(schedule, &best) }
  }

  private mutating func dropSteps(_ best: inout FuzzFailure<Target>) {
    var parts = 2
    while best.schedule.steps.count > 0 {
      let count = best.schedule.steps.count
      if parts > count { break }
      var isSmaller = false
      for part in 0..<parts {
        var schedule = best.schedule
        let from = count * part / parts
        let to = count * (part + 1) / parts
        schedule.steps.removeSubrange(from..<to)
        if take(schedule, &best) {
          isSmaller = true
          break
        }
      }
      if isSmaller {
        parts = max(2, parts - 1)
      } else if parts == count {
        break
      } else {
        parts = min(count, parts * 2)
      }
    }
  }

  private mutating func dropActors(_ best: inout FuzzFailure<Target>) {
    var most: UInt32 = 1
    for step in best.schedule.steps {
      if let client = target.client(in: step.action) { most = max(most, client) }
    }
    if most + 1 >= best.schedule.actors { return }
    var schedule = best.schedule
    schedule.actors = most + 1
    _ = take(schedule, &best)
  }

  private mutating func simplify(_ best: inout FuzzFailure<Target>) {
    for index in best.schedule.steps.indices {
      for action in target.simpler(best.schedule.steps[index].action) {
        var schedule = best.schedule
        schedule.steps[index].action = action
        if take(schedule, &best) { break }
      }
    }
  }

  /// Rounds the times of steps, coarsely if that works.
  private mutating func round(_ best: inout FuzzFailure<Target>) {
    for unit in [1_000_000_000, 100_000_000, 1_000_000] as [Int64] {
      for index in best.schedule.steps.indices {
        var schedule = best.schedule
        let time = schedule.steps[index].at.nanoseconds
        if time % unit == 0 { continue }
        schedule.steps[index].at = Instant(nanoseconds: time / unit * unit)
        schedule.steps.sort { $0.at < $1.at }
        _ = take(schedule, &best)
      }
    }
  }
}
