import FeedPolicy
import ForeignPolicies
import Foundation
import MediaUnits

/// A log held against the machine of this program, event by event, beyond the first difference.
public struct PolicyLogComparison: Sendable {
  /// A command that the log has and the machine does not give, or the other way round.
  public struct Difference: Sendable, Equatable {
    /// The line of the log, from 1; of a command that the log lacks the line where it would stand.
    public var line: Int
    /// The log's command and the machine's, each without the word `command`; nil for none.
    public var log, machine: String?
  }

  /// An event, what was done by it, and what the machine knew before.
  public struct Event: Sendable, Equatable {
    /// The line of the event.
    public var line: Int
    /// The event's words, from its time on.
    public var words: String
    /// The commands of the log and of the machine.
    public var log, machine: [String]
    public var differences: [Difference]
    /// What the machine held before the event, by name.
    public var snapshot: [PolicyLogForm.Told]
    /// The names of what the event has changed, with the new values.
    public var changed: [PolicyLogForm.Told]
  }

  /// The machine's name, and its configuration's words.
  public let machine, configuration: String
  /// The machine of which the events and commands are; another one's than ``machine`` where that is
  /// a package's policy.
  public let form: String
  /// The configuration by name, where it is that of a package's policy; nil: the form says it.
  public let parameters: [PolicyLogForm.Told]?
  /// Events that differ, and those that were asked for.
  public let told: [Event]
  /// Events of the log, and those of them whose commands differ.
  public let events, differing: Int
  /// The commands that differ.
  public let differences: Int
  /// The machine's commands in all.
  public let commands: Int
  /// The first line that is none of a log: what stands behind it was not compared.
  public let malformed: Int?

  /// Plays a log.
  ///
  /// - Parameters:
  ///   - lines: events to tell whether or not they differ, by their own line or that of one of
  ///     their commands.
  ///   - limit: how many events that differ are told; all are counted.
  /// - Returns: nil where the first three lines are not those of a log of a machine.
  public static func of(_ bytes: [UInt8], lines: Set<Int> = [], limit: Int) -> Self? {
    let name = name(in: bytes)
    for type in machines where name == "\(type.logName)" {
      return shipped(bytes, as: type, lines: lines, limit: limit)
    }
    for package in PolicyPackages.installed.prefetch where name == package.row.word {
      return packaged(bytes, as: package, lines: lines, limit: limit)
    }
    return nil
  }

  /// The machines that have logs, in the order of ``PolicyLog/machines``.
  static let machines: [any LoggedMachine.Type] = [
    PlayerPool.self, PrefetchPolicy.self, ReadinessGate.self, TelemetryBatcher.self,
    CursorPager.self, ScrubSession.self, PauseStack.self, DraftStore.self, ViewLog.self,
  ]

  /// The machine that a log names; nil where it has no second line.
  static func name(in bytes: [UInt8]) -> String? {
    let lines = bytes.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count > 1 else { return nil }
    let line = String(decoding: lines[1], as: UTF8.self)
    return line.hasPrefix("machine ") ? String(line.dropFirst(8)) : nil
  }

  private static func shipped<Machine: LoggedMachine>(
    _ bytes: [UInt8], as type: Machine.Type, lines: Set<Int>, limit: Int
  ) -> Self? {
    play(bytes, named: "\(Machine.logName)", lines: lines, limit: limit) { fields in
      Machine.configuration(from: &fields).map { (ShippedMachine(Machine($0)), nil) }
    }
  }

  private static func packaged(
    _ bytes: [UInt8], as package: PrefetchPackage, lines: Set<Int>, limit: Int
  ) -> Self? {
    play(bytes, named: package.row.word, lines: lines, limit: limit) { fields in
      package.machine(from: &fields).map { machine, values in
        (
          PackageMachine(machine),
          zip(package.row.parameters, values).map { .init(name: $0.name, value: $1.text) }
        )
      }
    }
  }

  private static func play<Machine: PlayedMachine>(
    _ bytes: [UInt8], named name: String, lines wanted: Set<Int>, limit: Int,
    _ read: (inout PolicyFields) -> (machine: Machine, parameters: [PolicyLogForm.Told]?)?
  ) -> Self? {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    // Behind the last line feed there is nothing.
    let rest = lines.popLast()
    guard lines.count >= 3 else { return nil }
    var fields = PolicyFields(Array(lines[2]))
    guard fields.take("configuration"), let configured = read(&fields), fields.isAtEnd else {
      return nil
    }
    var player = Player<Machine>(configured.machine)
    var place = 3
    var told: [Event] = []
    var (events, differing, differences) = (0, 0, 0)
    var malformed = rest?.isEmpty == false ? lines.count + 1 : nil
    while place < lines.count {
      var end = place + 1
      while end < lines.count, lines[end].starts(with: "command ".utf8) { end += 1 }
      let isWanted = (place..<end).contains { wanted.contains($0 + 1) }
      guard
        let event = player.step(
          Array(lines[place]), commands: lines[(place + 1)..<end].map { Array($0) },
          line: place + 1, isWanted: isWanted, tells: differing < limit)
      else {
        malformed = place + 1
        break
      }
      events += 1
      if isWanted || (differing < limit && !event.differences.isEmpty) { told.append(event) }
      if !event.differences.isEmpty {
        differing += 1
        differences += event.differences.count
      }
      place = end
    }
    let words = String(decoding: lines[2], as: UTF8.self).dropFirst("configuration".count)
    return PolicyLogComparison(
      machine: name, configuration: String(words.drop { $0 == " " }),
      form: "\(Machine.Form.logName)", parameters: configured.parameters, told: told,
      events: events, differing: differing, differences: differences, commands: player.commands,
      malformed: malformed)
  }

  /// A machine that is told the events of a log.
  private struct Player<Machine: PlayedMachine> {
    private typealias Form = Machine.Form
    private var machine: Machine
    private(set) var commands = 0

    init(_ machine: Machine) { self.machine = machine }

    mutating func step(
      _ words: [UInt8], commands log: [[UInt8]], line: Int, isWanted: Bool, tells: Bool
    ) -> Event? {
      var fields = PolicyFields(words)
      guard fields.take("event"), let now = fields.instant(),
        let event = Form.event(from: &fields), fields.isAtEnd
      else { return nil }
      let before = machine
      var given: [Form.Command] = []
      machine.handle(event, at: now, into: &given)
      commands += given.count
      let own = given.map { command -> String in
        var line = PolicyLine()
        Form.write(command, into: &line)
        return String(decoding: line.bytes, as: UTF8.self)
      }
      let logged = log.map { String(decoding: $0, as: UTF8.self).dropFirst("command ".count) }
        .map(String.init)
      let differences = Self.differences(logged, own, behind: line)
      let isShown = isWanted || (tells && !differences.isEmpty)
      let snapshot = isShown ? before.snapshot : []
      let after = isShown ? machine.snapshot : []
      return Event(
        line: line, words: String(decoding: words.dropFirst("event ".utf8.count), as: UTF8.self),
        log: logged, machine: own, differences: differences, snapshot: snapshot,
        changed: after.filter { !snapshot.contains($0) })
    }

    /// The commands that one has and the other has not, in their order: a command that is missing
    /// makes no other one differ.
    ///
    /// - Parameter line: that of the event.
    private static func differences(
      _ log: [String], _ own: [String], behind line: Int
    ) -> [Difference] {
      if log == own { return [] }
      var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
      for change in own.difference(from: log) {
        switch change {
        case .remove(let offset, _, _): removed.insert(offset)
        case .insert(let offset, _, _): inserted.insert(offset)
        }
      }
      var differences: [Difference] = []
      var (left, right) = (0, 0)
      while left < log.count || right < own.count {
        let (isRemoved, isInserted) = (removed.contains(left), inserted.contains(right))
        if isRemoved || isInserted {
          differences.append(
            Difference(
              line: line + 1 + left, log: isRemoved ? log[left] : nil,
              machine: isInserted ? own[right] : nil))
        }
        if isRemoved || !isInserted { left += 1 }
        if isInserted || !isRemoved { right += 1 }
      }
      return differences
    }
  }
}

/// A machine that the events of a log are told.
private protocol PlayedMachine {
  /// The machine of which events and commands are.
  associatedtype Form: LoggedMachine
  mutating func handle(
    _ event: Form.Event, at now: Instant, into commands: inout [Form.Command])
  /// What it holds.
  var snapshot: [PolicyLogForm.Told] { get }
}

private struct ShippedMachine<Form: LoggedMachine>: PlayedMachine {
  private var machine: Form

  init(_ machine: Form) { self.machine = machine }

  mutating func handle(
    _ event: Form.Event, at now: Instant, into commands: inout [Form.Command]
  ) {
    machine.handle(event, at: now, into: &commands)
  }

  var snapshot: [PolicyLogForm.Told] { MachineSnapshot.of(machine) }
}

/// The prefetch policy of a package.
private struct PackageMachine: PlayedMachine {
  typealias Form = PrefetchPolicy
  private var machine: any PackagedMachine

  init(_ machine: any PackagedMachine) { self.machine = machine }

  mutating func handle(
    _ event: PrefetchPolicy.Event, at now: Instant, into commands: inout [PrefetchPolicy.Command]
  ) {
    machine.handle(event, at: now, into: &commands)
  }

  var snapshot: [PolicyLogForm.Told] { MachineSnapshot.of(machine.policy) }
}

extension PolicyValue {
  /// As reports say it.
  fileprivate var text: String {
    switch self {
    case .time(let span): PolicyLogForm.time(span.nanoseconds)
    case .bitRate(let rate): PolicyLogForm.Sort.rate.text(of: "\(rate.bitsPerSecond)") ?? ""
    case .count(let count): "\(count)"
    case .number(let number), .share(let number): "\(number)"
    case .flag(let flag): flag ? "yes" : "no"
    }
  }
}

/// What a machine holds, name by name: all of its stored state but its configuration.
enum MachineSnapshot {
  /// Lists that are longer are told by their length.
  private static let longest = 16
  /// Names below a name, at most.
  private static let deepest = 6

  static func of<Machine>(_ machine: Machine) -> [PolicyLogForm.Told] {
    var told: [PolicyLogForm.Told] = []
    for child in Mirror(reflecting: machine).children {
      add(child.label ?? "", child.value, 0, to: &told)
    }
    return told
  }

  private static func add(
    _ name: String, _ value: Any, _ depth: Int, to told: inout [PolicyLogForm.Told]
  ) {
    if name == "configuration" || name.hasSuffix(".configuration") { return }
    if let text = scalar(value) { return told.append(.init(name: name, value: text)) }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .collection?:
      let count = mirror.children.count
      told.append(.init(name: name, value: count == 0 ? "none" : "\(count)"))
      if count > longest || depth >= deepest { return }
      for (place, child) in mirror.children.enumerated() {
        add("\(name)[\(place)]", child.value, depth + 1, to: &told)
      }
    case .struct? where depth < deepest, .tuple? where depth < deepest:
      for child in mirror.children {
        add("\(name).\(child.label ?? "")", child.value, depth + 1, to: &told)
      }
    default: told.append(.init(name: name, value: "\(value)"))
    }
  }

  /// A value that is told in one word; nil for what has parts.
  private static func scalar(_ value: Any) -> String? {
    switch value {
    case let span as TimeSpan: return PolicyLogForm.time(span.nanoseconds)
    case let instant as Instant: return PolicyLogForm.time(instant.nanoseconds)
    case let rate as BitRate: return PolicyLogForm.Sort.rate.text(of: "\(rate.bitsPerSecond)")
    case let item as ItemID: return "\(item.index)"
    case let slot as SlotID: return "\(slot.index)"
    case let flag as Bool: return flag ? "yes" : "no"
    case let number as any BinaryInteger: return "\(number)"
    case let number as Double: return "\(number)"
    default: break
    }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      guard let inner = mirror.children.first else { return "none" }
      return scalar(inner.value)
    }
    guard mirror.displayStyle == .enum else { return nil }
    guard let payload = mirror.children.first, let label = payload.label else { return "\(value)" }
    var parts: [String] = []
    let inside = Mirror(reflecting: payload.value)
    if inside.displayStyle == .tuple {
      for child in inside.children {
        let name = child.label.map { $0.hasPrefix(".") ? "" : "\($0) " } ?? ""
        parts.append(name + (scalar(child.value) ?? "\(child.value)"))
      }
    } else {
      parts.append(scalar(payload.value) ?? "\(payload.value)")
    }
    return "\(label) \(parts.joined(separator: ", "))"
  }
}
