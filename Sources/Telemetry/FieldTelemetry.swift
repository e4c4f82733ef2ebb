import Scenario

/// What was read of what a team has.
public struct FieldTelemetry: Sendable {
  /// What fits take.
  public internal(set) var reading = TelemetryReading()
  /// What a prediction is compared with.
  public internal(set) var tally: ObservationTally
  public internal(set) var words = ObservedWords()
  /// Each view and each hour's requests, where they were asked for.
  public internal(set) var observed: ObservedViews?
  /// What came when, where it was asked for.
  public internal(set) var load: ObservedLoad?
  /// How far the client's clocks are behind the server's in the median, seconds; nil where no line
  /// has both.
  public internal(set) var skew: Double?
  /// Keys of CMCD: read, of neither version, somebody's own, and with values they cannot have.
  public internal(set) var keysOfCMCD = (known: 0, unknown: 0, custom: 0, bad: 0)
}

/// Reads telemetry and logs of any format that a ``ColumnMapping`` describes, in flat memory.
///
/// ```swift
/// let telemetry = try FieldTelemetryReader(files: ["views.csv"], mapping: mapping).read()
/// ```
public struct FieldTelemetryReader: Sendable {
  public var files: [String]
  public var mapping: ColumnMapping
  /// How many parts of a URL's path name a title, the first ones.
  public var titleParts: Int
  /// Of the run; nothing that is read depends on it.
  public var salt: IdentitySalt
  /// Whether views are kept one by one, for a backtest: memory grows with them.
  public var keepsViews = false
  /// Whether what came when is counted, for a capacity plan.
  public var countsLoad = false
  /// Only lines of this time are read, seconds since 1970; nil: all.
  public var period: Range<Double>?
  /// The most views that are kept.
  var keptLimit = ViewKeeper.limit
  /// The most views that wait in a generation, see ``ViewJoiner``.
  var viewLimit = ViewJoiner.limit

  public init(
    files: [String], mapping: ColumnMapping, titleParts: Int = 2, salt: IdentitySalt = .drawn()
  ) {
    self.files = files
    self.mapping = mapping
    self.titleParts = titleParts
    self.salt = salt
  }

  /// Reads all files, one after the other: a view may go on in the next.
  /// - Throws: ``InputRejected`` for a file that is missing or has other columns than the mapping
  ///   says, and for a unit that cannot be right.
  public func read() throws(InputRejected) -> FieldTelemetry {
    var pass = FieldPass(self)
    var problems: [Problem] = []
    for file in files {
      do {
        problems += try pass.read(file)
      } catch {
        problems.append(
          Problem(
            error.code, at: .file(file, line: 1, column: 1), keyPath: "", expected: error.expected,
            got: error.got))
      }
    }
    let first = files.first ?? ""
    if problems.isEmpty { problems = pass.missingMembers(first) + pass.implausibleUnits(first) }
    if !problems.isEmpty {
      let kept = Array(problems.prefix(TelemetryReading.limit))
      throw InputRejected(.telemetry, problems: kept, omitted: problems.count - kept.count)
    }
    return pass.finish()
  }
}
