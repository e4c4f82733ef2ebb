import MediaUnits
import Models

/// A protocol that can be searched for schedules which break it.
public protocol FuzzTarget: Sendable {
  associatedtype Action: Sendable & Equatable
  associatedtype Property: ProtocolProperty

  /// What the protocol and its variant are called in files.
  var name: String { get }
  /// The schedule of a seed: which faults it may have is drawn first (swarm testing: Groce et al.,
  /// ISSTA 2012), then who does what and when.
  func schedule(seed: UInt64) -> ProtocolSchedule<Action>
  /// Small schedules without faults, of which every fate of the first messages can be tried.
  var smallSchedules: [(name: String, schedule: ProtocolSchedule<Action>)] { get }
  func run(
    _ schedule: ProtocolSchedule<Action>, records: Bool
  ) -> ProtocolRun<Property>

  /// Whether the variant can come to this at all.
  func canReach(_ property: Property) -> Bool

  /// The highest number of a client that the action names; nil when it names none.
  func client(in action: Action) -> UInt32?
  /// The client that acts; nil for what befalls everybody.
  func subject(of action: Action) -> UInt32?
  /// The same action, simpler in what it can be; nil when it is as simple as can be.
  func simpler(_ action: Action) -> [Action]
  /// One word and its values, and back.
  func text(_ action: Action) -> String
  func action(_ words: [Substring]) -> Action?
  /// Names of the actors of a diagram, and of its messages.
  func actors(of schedule: ProtocolSchedule<Action>) -> [String]
  func label(_ entry: SequenceEntry) -> String
}

extension FuzzTarget {
  public func subject(of action: Action) -> UInt32? { client(in: action) }
}

extension ProtocolProperty {
  /// The property's name as a string.
  public var title: String { "\(name)" }
}

/// A property that a schedule broke.
public struct FuzzFailure<Target: FuzzTarget>: Sendable {
  public var property: Target.Property
  /// When it was seen broken.
  public var at: Instant
  public var schedule: ProtocolSchedule<Target.Action>

  public init(
    property: Target.Property, at: Instant, schedule: ProtocolSchedule<Target.Action>
  ) {
    self.property = property
    self.at = at
    self.schedule = schedule
  }

  /// How much there is to read: steps, and more if the run had to settle first.
  var size: Int {
    let end = Instant.zero + schedule.duration
    return schedule.steps.count + (property.kind == .always && at > end ? 100 : 0)
  }
}

/// What a search has found.
public struct FuzzReport<Target: FuzzTarget>: Sendable {
  public var seeds = 0
  public var events: UInt64 = 0
  /// The sum of the runs' fingerprints: equal for equal searches, however they are divided.
  public var fingerprint: UInt64 = 0
  /// One bit for each `sometimes` that happened in some run, and in how many runs.
  public var reached: UInt64 = 0
  public var counts = [Int](repeating: 0, count: 64)
  /// The shortest failures of each property, the first of equal ones first.
  public private(set) var shortest: [FuzzFailure<Target>] = []
  /// How many seeds broke each property.
  public var failing = [Int](repeating: 0, count: 64)

  public init() {}

  /// How many failures of each property are kept.
  public static var kept: Int { 4 }

  /// What the target can come to and did not.
  public func unreached(by target: Target) -> [Target.Property] {
    Target.Property.allCases.filter {
      $0.kind == .sometimes && reached >> UInt64($0.rawValue) & 1 == 0 && target.canReach($0)
    }
  }

  /// Properties that some run broke.
  public var broken: [Target.Property] {
    Target.Property.allCases.filter { failing[Int($0.rawValue)] > 0 }
  }

  /// The shortest failures of a property.
  public func failures(of property: Target.Property) -> [FuzzFailure<Target>] {
    shortest.filter { $0.property == property }
  }

  /// Keeps a failure if it is among the shortest of its property.
  mutating func keep(_ failure: FuzzFailure<Target>) {
    let same = shortest.indices.filter { shortest[$0].property == failure.property }
    let place = same.first { shortest[$0].size > failure.size }
    if let place {
      shortest.insert(failure, at: place)
    } else if same.count < Self.kept {
      shortest.insert(failure, at: same.last.map { $0 + 1 } ?? shortest.count)
    }
    let now = shortest.indices.filter { shortest[$0].property == failure.property }
    if now.count > Self.kept { shortest.remove(at: now[now.count - 1]) }
  }

  /// Adds another part of the same search, of later seeds.
  public mutating func add(_ other: FuzzReport) {
    seeds += other.seeds
    events += other.events
    fingerprint &+= other.fingerprint
    reached |= other.reached
    for index in 0..<64 {
      counts[index] += other.counts[index]
      failing[index] += other.failing[index]
    }
    for failure in other.shortest { keep(failure) }
  }
}

extension FuzzReport {
  /// All of it as words. A failure is its property, its time and the seed that it was drawn from,
  /// so that it is drawn again by whoever reads it.
  ///
  /// - Precondition: the schedules are those of seeds.
  var words: [UInt64] {
    var words = [UInt64(seeds), events, fingerprint, reached]
    for index in 0..<64 { words += [UInt64(counts[index]), UInt64(failing[index])] }
    words.append(UInt64(shortest.count))
    for failure in shortest {
      precondition(failure.schedule.choices.isEmpty, "a schedule with choices has no seed")
      words += [
        UInt64(failure.property.rawValue), UInt64(bitPattern: failure.at.nanoseconds),
        failure.schedule.seed,
      ]
    }
    return words
  }

  /// - Returns: nil for what are no words of a report.
  init?(_ words: [UInt64], of target: Target) {
    let head = 4 + 2 * 64
    func count(_ place: Int) -> Int? { Int(exactly: words[place]) }
    guard words.count > head, let seeds = count(0), let failures = count(head),
      failures <= 64 * Self.kept, words.count == head + 1 + 3 * failures
    else { return nil }
    self.seeds = seeds
    (events, fingerprint, reached) = (words[1], words[2], words[3])
    for index in 0..<64 {
      guard let reached = count(4 + 2 * index), let failing = count(5 + 2 * index) else {
        return nil
      }
      counts[index] = reached
      self.failing[index] = failing
    }
    for place in stride(from: head + 1, to: words.count, by: 3) {
      guard
        let property = Target.Property.allCases.first(where: {
          UInt64($0.rawValue) == words[place]
        })
      else { return nil }
      shortest.append(
        FuzzFailure(
          property: property, at: Instant(nanoseconds: Int64(bitPattern: words[place + 1])),
          schedule: target.schedule(seed: words[place + 2])))
    }
  }
}

/// Searches the schedules of a target.
public struct Fuzzer<Target: FuzzTarget>: Sendable {
  public let target: Target

  public init(_ target: Target) { self.target = target }

  /// Runs the schedules of the seeds.
  public func search(_ seeds: Range<UInt64>) -> FuzzReport<Target> {
    var report = FuzzReport<Target>()
    for seed in seeds { note(target.schedule(seed: seed), in: &report) }
    return report
  }

  private func note(
    _ schedule: ProtocolSchedule<Target.Action>, in report: inout FuzzReport<Target>
  ) {
    let run = target.run(schedule, records: false)
    report.seeds += 1
    report.events += run.events
    report.fingerprint &+= run.fingerprint
    report.reached |= run.probes.reached
    for index in 0..<64 where run.probes.reached >> UInt64(index) & 1 == 1 {
      report.counts[index] += 1
    }
    for violation in run.probes.violations {
      report.failing[Int(violation.property.rawValue)] += 1
      report.keep(
        FuzzFailure(property: violation.property, at: violation.at, schedule: schedule))
    }
  }

  /// Runs a small schedule once for every way in which its first messages can fare.
  ///
  /// - Parameters:
  ///   - depth: how many messages have a choice.
  ///   - choices: what can become of one, `normal` first.
  ///   - limit: runs after which the search gives up.
  /// - Returns: the report, and whether every way was tried.
  public func exhaust(
    _ schedule: ProtocolSchedule<Target.Action>, depth: Int,
    choices: [MessageChoice] = [.normal, .late, .lost], limit: Int = 1_000_000
  ) -> (report: FuzzReport<Target>, isComplete: Bool) {
    precondition(!choices.isEmpty, "there is at least one choice")
    var report = FuzzReport<Target>()
    var ranks: [Int] = []
    while report.seeds < limit {
      var chosen = schedule
      chosen.choices = ranks.map { choices[$0] }
      let run = target.run(chosen, records: false)
      note(chosen, in: &report)
      // Every message that had a choice now has a rank; the last that can go on goes on.
      while ranks.count < min(depth, run.messages) { ranks.append(0) }
      ranks.removeLast(max(0, ranks.count - min(depth, run.messages)))
      while let last = ranks.last, last == choices.count - 1 { ranks.removeLast() }
      if ranks.isEmpty { return (report, true) }
      ranks[ranks.count - 1] += 1
    }
    return (report, false)
  }
}
