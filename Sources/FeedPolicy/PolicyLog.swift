import MediaUnits

/// A machine whose configuration, events and commands have a line of text (docs/ARCHITECTURE.md,
/// rule 8).
///
/// A line is words of lower-case letters and whole numbers with one blank between. Reading takes
/// any bytes: what is not such a line, or has fields that are missing, too many or out of range, is
/// nil. Writing and reading are inverse to each other, so equal lines are equal values.
public protocol LoggedMachine: PolicyMachine {
  /// The machine's name in a log.
  static var logName: StaticString { get }
  static func write(_ configuration: Configuration, into line: inout PolicyLine)
  static func write(_ event: Event, into line: inout PolicyLine)
  static func write(_ command: Command, into line: inout PolicyLine)
  static func configuration(from fields: inout PolicyFields) -> Configuration?
  static func event(from fields: inout PolicyFields) -> Event?
}

/// Writes a line of a log, field by field.
public struct PolicyLine: Sendable {
  /// The fields so far, without the end of the line.
  public private(set) var bytes: [UInt8] = []

  public init() {}

  /// Adds a word of lower-case letters and hyphens.
  public mutating func add(_ word: StaticString) {
    separate()
    word.withUTF8Buffer { buffer in
      for byte in buffer { bytes.append(byte) }
    }
  }

  /// Adds a whole number in decimal.
  public mutating func add(_ number: Int64) {
    separate()
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    addDigits(number.magnitude)
  }

  /// Adds a whole number of 64 bits without a sign.
  public mutating func add(_ number: UInt64) {
    separate()
    addDigits(number)
  }

  public mutating func add(_ number: UInt32) { add(Int64(number)) }
  public mutating func add(_ number: Int) { add(Int64(number)) }
  public mutating func add(_ span: TimeSpan) { add(span.nanoseconds) }
  public mutating func add(_ instant: Instant) { add(instant.nanoseconds) }
  public mutating func add(_ flag: Bool) { add(Int64(flag ? 1 : 0)) }
  public mutating func add<ID: DenseIdentifier>(_ identifier: ID) { add(identifier.index) }

  /// Adds a number by its bits, so that it comes back as it was.
  public mutating func add(bitsOf number: Double) { add(number.bitPattern) }

  private mutating func separate() {
    if !bytes.isEmpty { bytes.append(0x20) }
  }

  private mutating func addDigits(_ number: UInt64) {
    let begin = bytes.count
    var rest = number
    repeat {
      bytes.append(0x30 + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[begin...].reverse()
  }
}

/// Reads the fields of one line of a log.
public struct PolicyFields: Sendable {
  let bytes: [UInt8]
  private var place: Int
  private let end: Int

  /// A line by itself, without its end.
  public init(_ bytes: [UInt8]) { self.init(bytes, bytes.indices) }

  init(_ bytes: [UInt8], _ line: Range<Int>) {
    self.bytes = bytes
    place = line.lowerBound
    end = line.upperBound
  }

  /// Whether every field was read.
  public var isAtEnd: Bool { place == end }

  /// The part of the line that was not read.
  var rest: Range<Int> { place..<end }

  /// Takes the next field if it is this word.
  public mutating func take(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    if end - place < count { return false }
    let isEqual = word.withUTF8Buffer { buffer in
      for index in 0..<count where bytes[place + index] != buffer[index] { return false }
      return true
    }
    if !isEqual { return false }
    return finish(place + count)
  }

  /// Takes the next field as a number.
  public mutating func number() -> Int64? {
    var index = place
    let isNegative = index < end && bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    guard let magnitude = digits(&index) else { return nil }
    if magnitude > UInt64(Int64.max) + (isNegative ? 1 : 0) { return nil }
    // Zero has no sign: each number has one text.
    if isNegative && magnitude == 0 { return nil }
    let value = isNegative ? 0 &- Int64(truncatingIfNeeded: magnitude) : Int64(magnitude)
    return finish(index) ? value : nil
  }

  public mutating func unsigned() -> UInt32? {
    guard let value = number() else { return nil }
    return UInt32(exactly: value)
  }

  /// A number that is not negative.
  public mutating func count() -> Int? {
    guard let value = number(), value >= 0 else { return nil }
    return Int(exactly: value)
  }

  public mutating func span() -> TimeSpan? {
    guard let value = number() else { return nil }
    return .nanoseconds(value)
  }

  public mutating func instant() -> Instant? {
    guard let value = number() else { return nil }
    return Instant(nanoseconds: value)
  }

  public mutating func flag() -> Bool? {
    guard let value = number(), value == 0 || value == 1 else { return nil }
    return value == 1
  }

  public mutating func identifier<ID: DenseIdentifier>(_ type: ID.Type = ID.self) -> ID? {
    guard let value = unsigned() else { return nil }
    return ID(value)
  }

  /// A whole number of 64 bits without a sign.
  public mutating func natural() -> UInt64? {
    var index = place
    guard let value = digits(&index), finish(index) else { return nil }
    return value
  }

  /// A number written by its bits.
  public mutating func double() -> Double? { natural().map { Double(bitPattern: $0) } }

  private func digits(_ index: inout Int) -> UInt64? {
    let begin = index
    var value: UInt64 = 0
    while index < end, bytes[index] >= 0x30, bytes[index] <= 0x39 {
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = product.addingReportingOverflow(UInt64(bytes[index] - 0x30))
      if isTooLarge || overflows { return nil }
      value = sum
      index += 1
    }
    if index == begin || index - begin > 1 && bytes[begin] == 0x30 { return nil }
    return value
  }

  /// Ends a field at `index`: there must be a blank or the end of the line.
  private mutating func finish(_ index: Int) -> Bool {
    if index == end {
      place = index
      return true
    }
    guard bytes[index] == 0x20, index + 1 < end else { return false }
    place = index + 1
    return true
  }
}

/// Writes the log of a machine: what it was told, and what was done then. An app writes with it
/// what it does, whether or not the machine itself has decided that.
///
/// ```text
/// firstframe-policy-log 1
/// machine player-pool
/// configuration 3 1 1
/// event 0 current 0 9
/// command prepare 0 0 1
/// ```
/// Every event has its time in nanoseconds; the commands that follow are its own.
public struct PolicyLogWriter<Machine: LoggedMachine>: Sendable {
  /// The lines that were not taken: ASCII, each with a line feed.
  public private(set) var bytes: [UInt8] = []

  /// Begins a log with the configuration that the machine has.
  public init(_ configuration: Machine.Configuration) {
    PolicyLog.begin(Machine.self, configuration, into: &bytes)
  }

  /// Adds an event and the commands that followed it.
  ///
  /// - Parameters:
  ///   - event: what the machine was told.
  ///   - now: the time of the event, which never goes back; from any beginning.
  ///   - commands: those that followed, behind others.
  ///   - first: the place of the first that followed; 0: all of them did.
  public mutating func note(
    _ event: Machine.Event, at now: Instant, _ commands: [Machine.Command], from first: Int = 0
  ) {
    PolicyLog.add(Machine.self, event, at: now, commands, from: first, into: &bytes)
  }

  /// The lines since the last call, to be put behind those before: memory does not grow with the
  /// log.
  public mutating func take() -> [UInt8] {
    let taken = bytes
    bytes.removeAll(keepingCapacity: true)
    return taken
  }
}

/// A machine that writes down what it is told and what it answers (``PolicyLogWriter``).
public struct PolicyRecorder<Machine: LoggedMachine>: Sendable {
  public private(set) var machine: Machine
  private var writer: PolicyLogWriter<Machine>

  /// The lines that were not taken: ASCII, each with a line feed.
  public var bytes: [UInt8] { writer.bytes }

  public init(_ configuration: Machine.Configuration) {
    machine = Machine(configuration)
    writer = PolicyLogWriter(configuration)
  }

  /// As the machine's own; the commands are appended to `commands` and to the log.
  public mutating func handle(
    _ event: Machine.Event, at now: Instant, into commands: inout [Machine.Command]
  ) {
    let before = commands.count
    machine.handle(event, at: now, into: &commands)
    writer.note(event, at: now, commands, from: before)
  }

  /// As ``PolicyLogWriter/take()``.
  public mutating func take() -> [UInt8] { writer.take() }
}

/// Reads logs of machines and plays them again.
public enum PolicyLog {
  static let signature: StaticString = "firstframe-policy-log"
  static let version: Int64 = 1

  /// How a replay ended.
  public enum Outcome: Sendable, Equatable {
    /// The machine gave the commands of the log.
    case equal(events: Int, commands: Int)
    /// Its commands differ from those of the log from this line on.
    case differs(line: Int)
    /// The line cannot be read, or is out of place.
    case malformed(line: Int)
  }

  /// The first line of every log of this form.
  public static var firstLine: [UInt8] {
    var line = PolicyLine()
    line.add(signature)
    line.add(version)
    var bytes: [UInt8] = []
    add(line, into: &bytes)
    return bytes
  }

  /// Adds the lines with which a log of a machine begins.
  public static func begin<Machine: LoggedMachine>(
    _ type: Machine.Type, _ configuration: Machine.Configuration, into bytes: inout [UInt8]
  ) {
    bytes += firstLine
    var line = PolicyLine()
    line.add("machine")
    line.add(Machine.logName)
    add(line, into: &bytes)
    line = PolicyLine()
    line.add("configuration")
    Machine.write(configuration, into: &line)
    add(line, into: &bytes)
  }

  /// Adds the lines of an event and of the machine's answer: its commands from `first` on.
  public static func add<Machine: LoggedMachine>(
    _ type: Machine.Type, _ event: Machine.Event, at now: Instant, _ commands: [Machine.Command],
    from first: Int, into bytes: inout [UInt8]
  ) {
    var line = PolicyLine()
    line.add("event")
    line.add(now)
    Machine.write(event, into: &line)
    add(line, into: &bytes)
    for index in first..<commands.count {
      add(PolicyLog.line(of: commands[index], type), into: &bytes)
    }
  }

  private static func add(_ line: PolicyLine, into bytes: inout [UInt8]) {
    bytes.append(contentsOf: line.bytes)
    bytes.append(0x0A)
  }

  static func line<Machine: LoggedMachine>(
    of command: Machine.Command, _ type: Machine.Type
  ) -> PolicyLine {
    var line = PolicyLine()
    line.add("command")
    Machine.write(command, into: &line)
    return line
  }

  /// Plays the events of a log through a new machine and compares the commands.
  ///
  /// Total: any bytes have an outcome.
  /// - Complexity: O(bytes), beside what the machine takes.
  public static func replay<Machine: LoggedMachine>(
    _ bytes: [UInt8], as type: Machine.Type
  ) -> Outcome {
    var lines = PolicyLogLines(bytes)
    guard var fields = lines.next(), fields.take(signature), fields.number() == version,
      fields.isAtEnd
    else { return .malformed(line: 1) }
    guard var fields = lines.next(), fields.take("machine"), fields.take(Machine.logName),
      fields.isAtEnd
    else { return .malformed(line: 2) }
    guard var fields = lines.next(), fields.take("configuration"),
      let configuration = Machine.configuration(from: &fields), fields.isAtEnd
    else { return .malformed(line: 3) }
    var machine = Machine(configuration)
    var commands: [Machine.Command] = []
    var place = 0
    var events = 0
    var total = 0
    while var fields = lines.next() {
      if fields.take("event") {
        if place < commands.count { return .differs(line: lines.number) }
        guard let now = fields.instant(), let event = Machine.event(from: &fields),
          fields.isAtEnd
        else { return .malformed(line: lines.number) }
        commands.removeAll(keepingCapacity: true)
        machine.handle(event, at: now, into: &commands)
        place = 0
        events += 1
        total += commands.count
        continue
      }
      guard lines.begins(with: "command ") else { return .malformed(line: lines.number) }
      guard place < commands.count, lines.equals(line(of: commands[place], Machine.self).bytes)
      else { return .differs(line: lines.number) }
      place += 1
    }
    if lines.isCutOff { return .malformed(line: lines.number + 1) }
    if place < commands.count { return .differs(line: lines.number + 1) }
    return .equal(events: events, commands: total)
  }
}

/// Cuts a log into lines; each ends with a line feed.
struct PolicyLogLines {
  let bytes: [UInt8]
  private var place = 0
  private var line = 0..<0
  /// The present line's number, from 1.
  private(set) var number = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Bytes follow the last line feed.
  var isCutOff: Bool { place < bytes.count }

  mutating func next() -> PolicyFields? {
    var end = place
    while end < bytes.count && bytes[end] != 0x0A { end += 1 }
    if end == bytes.count { return nil }
    line = place..<end
    place = end + 1
    number += 1
    return PolicyFields(bytes, line)
  }

  func equals(_ other: [UInt8]) -> Bool {
    if other.count != line.count { return false }
    for index in 0..<other.count where bytes[line.lowerBound + index] != other[index] {
      return false
    }
    return true
  }

  func begins(with word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    if line.count < count { return false }
    return word.withUTF8Buffer { buffer in
      for index in 0..<count where bytes[line.lowerBound + index] != buffer[index] {
        return false
      }
      return true
    }
  }
}
