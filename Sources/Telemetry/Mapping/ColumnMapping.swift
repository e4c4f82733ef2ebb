import Scenario

/// Which column of a file is which quantity, in which unit: all that readers need to know of a
/// format.
public struct ColumnMapping: Sendable {
  /// How a file is cut into fields.
  public enum Records: Sendable, Hashable {
    /// Fields between delimiters, a record a line; `hasQuotes`: RFC 4180.
    case delimited(UInt8, hasQuotes: Bool)
    /// Like those, of tabs, with the names of the fields in lines that begin with `#Fields:`.
    case extendedLog
    /// A JSON object a line; members of members are named `outer.inner`.
    case jsonLines
    /// Bodies of `POST /v1/events`, a value a line; they need no columns.
    case eventLines
    /// The common log of HTTP servers and what goes on like it.
    case commonLog
  }

  /// What a row of events is about.
  public enum Meaning: String, Sendable, CaseIterable {
    /// `value` is the time to the first frame.
    case ttff
    /// `value` is the time on the screen: the view ended.
    case dwell
    /// `value` is the time of one stall.
    case stall
    /// The view began.
    case start
    /// The view failed.
    case failed
    /// Of no interest.
    case ignored
  }

  /// A column.
  public struct Column: Sendable {
    public var quantity: ObservedQuantity
    /// As the header names it.
    public var name: String
    public var unit: ObservedUnit
    public var clock = Observation.Clock.unknown
    /// Where clocks hang whose times say no offset.
    var zone: ZoneClock?
    /// Whether `%xx` stands for a byte.
    public var isEncoded = false
    /// Whether a negative number stands for no value.
    public var negativeIsAbsent = false
    /// The one key of CMCD whose value the column holds, empty for a text of CMCD; or which parts
    /// of a start a column of ``ObservedQuantity/startPart`` is, as metrics name them, joined by
    /// `+`.
    public var key = ""
    /// Where it was written, nil in a mapping that ships.
    public var origin: Origin?

    public init(
      _ quantity: ObservedQuantity, _ name: String, _ unit: ObservedUnit = .none,
      clock: Observation.Clock = .unknown, isEncoded: Bool = false,
      negativeIsAbsent: Bool = false, key: String = ""
    ) {
      self.quantity = quantity
      self.name = name
      self.unit = unit
      self.clock = clock
      self.isEncoded = isEncoded
      self.negativeIsAbsent = negativeIsAbsent
      self.key = key
    }

    /// A column of a mapping that ships: a number in a unit, of which negative ones stand for no
    /// value.
    static func measured(
      _ quantity: ObservedQuantity, _ name: String, in unit: String,
      clock: Observation.Clock = .unknown
    ) -> Column {
      Column(quantity, name, .known(unit, quantity), clock: clock, negativeIsAbsent: true)
    }

    /// One of times, which are those of UTC where they say no offset.
    static func instant(
      _ quantity: ObservedQuantity, _ name: String, in unit: String = "auto"
    ) -> Column {
      var column = Column(quantity, name, .known(unit, quantity))
      column.zone = .utc
      return column
    }
  }

  /// What to do with columns that the mapping does not name.
  public enum Rest: Sendable {
    /// They are named in a note.
    case noted
    /// They are refused by name.
    case refused
  }

  /// How messages and reports call it.
  public var name: String
  public var records: Records?
  public var columns: [Column]
  /// The names of the columns where files have no line with them.
  public var header: [String]?
  /// Columns that are known and not read.
  public var ignored: Set<String> = []
  public var rest = Rest.noted
  /// Whether all columns have to be there.
  public var needsAll = true
  public var events: [String: Meaning] = [:]
  /// Where clocks hang whose times say no offset; nil: such times are refused.
  var zone: ZoneClock?
  /// A negative time to the first frame: left before it, unless it failed.
  public var negativeStartIsAbandoned = false
  /// Whether a row is a part of a view, so that what rows of a view played adds up.
  public var rowsAreParts = false
  /// Whether a row is about something that happened, and stands where it did.
  var rowsAreEvents: Bool { records == .eventLines || !events.isEmpty }
  /// Whether the columns' names may be written in big or small letters.
  public var foldsNames = false
  /// The document and its version that the columns' names are from.
  public var source = ""

  public init(name: String, records: Records? = nil, columns: [Column]) {
    self.name = name
    self.records = records
    self.columns = columns
  }

  /// Whether fields stand between delimiters, so that names of columns can be given.
  public var isTable: Bool {
    switch records {
    case .delimited, nil: true
    case .extendedLog, .jsonLines, .eventLines, .commonLog: false
    }
  }

  /// The parts of a start that columns hold, in their order.
  var startParts: [String] { columns.filter { $0.quantity == .startPart }.map(\.key) }

  /// Whether files say how long views took to begin.
  var measuresStart: Bool {
    records == .eventLines || columns.contains { $0.quantity == .ttff }
      || events.values.contains(.ttff)
  }

  /// Reads times without an offset as those of a place.
  /// - Returns: whether there is such a place.
  public mutating func setZone(_ text: String) -> Bool {
    guard let clock = ZoneClock(text) else { return false }
    zone = clock
    return true
  }

  /// How to cut a file of a name, when the mapping does not say.
  func records(of file: String) -> Records {
    if let records { return records }
    let name = file.lowercased()
    if name.hasSuffix(".tsv") || name.hasSuffix(".tab") {
      return .delimited(0x09, hasQuotes: true)
    }
    for suffix in [".json", ".jsonl", ".ndjson"] where name.hasSuffix(suffix) { return .jsonLines }
    return .delimited(0x2C, hasQuotes: true)
  }
}
