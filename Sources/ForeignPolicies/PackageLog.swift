import FeedPolicy
import MediaUnits
import Models

/// Deciders that write down what each session's policy was told and answered, as lines of a log
/// that ``FeedPolicy/PolicyLog`` has the form of.
public protocol RecordedDeciders: PrefetchDeciders {
  /// The log's machine: the policy's word; nil: it has no log.
  var logName: String? { get }
  /// Writes down what sessions that begin from now on decide.
  ///
  /// - Parameter take: gets lines of a session's log, in their order.
  func record(_ take: @escaping @Sendable (_ session: UInt32, _ lines: [UInt8]) -> Void)
}

/// What the logs of a package's prefetch policy are called, and how they begin.
///
/// Events and commands are those of ``FeedPolicy/PrefetchPolicy``; the configuration is the values
/// of the parameters, in their order, and what else of the scenario it may depend on.
public struct PackageLog: Sendable {
  /// The policy's word.
  let name: String
  /// The first three lines.
  let head: [UInt8]

  init(_ name: String, _ values: [PolicyValue], _ surroundings: PolicySurroundings) {
    self.name = name
    var line = PolicyLine()
    line.add("configuration")
    for value in values { line.add(value) }
    line.add(surroundings.segmentLength)
    PlayerPool.write(surroundings.pool, into: &line)
    head =
      PolicyLog.firstLine + Array("machine \(name)\n".utf8) + line.bytes + [UInt8(ascii: "\n")]
  }

  /// What stands behind `configuration`.
  ///
  /// - Returns: nil where the fields are no values of such parameters.
  static func read(
    _ fields: inout PolicyFields, _ parameters: [PackageRow.Parameter]
  ) -> (values: [PolicyValue], surroundings: PolicySurroundings)? {
    var values: [PolicyValue] = []
    for parameter in parameters {
      guard let value = fields.value(of: parameter.form) else { return nil }
      values.append(value)
    }
    guard let segment = fields.span(), let pool = PlayerPool.configuration(from: &fields) else {
      return nil
    }
    return (values, PolicySurroundings(segmentLength: segment, pool: pool))
  }
}

/// A policy of a package at some point of a session, whatever its type.
public protocol PackagedMachine: Sendable {
  /// Handles an event as the policy does.
  mutating func handle(
    _ event: PrefetchPolicy.Event, at now: Instant, into commands: inout [PrefetchPolicy.Command])
  /// The policy itself, whose fields are what it holds.
  var policy: Any { get }
}

/// A policy as a packaged one.
struct HeldMachine<Machine: PolicyMachine>: PackagedMachine
where Machine.Event == PrefetchPolicy.Event, Machine.Command == PrefetchPolicy.Command {
  private var machine: Machine

  init(_ machine: Machine) { self.machine = machine }

  mutating func handle(
    _ event: PrefetchPolicy.Event, at now: Instant, into commands: inout [PrefetchPolicy.Command]
  ) {
    machine.handle(event, at: now, into: &commands)
  }

  var policy: Any { machine }
}

extension PolicyLine {
  fileprivate mutating func add(_ value: PolicyValue) {
    switch value {
    case .time(let span): add(span)
    case .bitRate(let rate): add(Int64(rate.bitsPerSecond))
    case .count(let count): add(count)
    case .number(let number), .share(let number): add(bitsOf: number)
    case .flag(let flag): add(flag)
    }
  }
}

extension PolicyFields {
  /// The next field as a value of a form; nil where it is none, or out of its range.
  fileprivate mutating func value(of form: PolicyForm) -> PolicyValue? {
    let value: PolicyValue? =
      switch form {
      case .time: span().map { .time($0) }
      case .bitRate: number().flatMap { $0 < 0 ? nil : .bitRate(BitRate(bitsPerSecond: $0)) }
      case .count: number().flatMap { Int(exactly: $0) }.map { .count($0) }
      case .number: double().map { .number($0) }
      case .share: double().map { .share($0) }
      case .flag: flag().map { .flag($0) }
      }
    return value.flatMap { form.accepts($0) ? $0 : nil }
  }
}
