/// The file formats of link traces that are read as they are.
///
/// A format is one file, `…Format.swift`, and its line in ``reader``. Detection goes by content
/// alone, never by name: at least half of the first 64 lines must have the format's shape, so that
/// a broken line is reported as such. Shapes that two formats share are told apart as their files
/// say; what then still fits both needs ``TraceReader`` to be told which.
public enum TraceFormat: String, Sendable, Hashable, CaseIterable {
  /// Delivery opportunities of Mahimahi's mm-link.
  case mahimahi
  /// Seconds and Mbit/s, as used by Pensieve and the MM 2022 short-video challenge.
  case cooked
  /// The HSDPA logs of Riiser et al. from Norway.
  case norway3G = "norway-3g"
  /// The LTE logs of van der Hooft et al. from Belgium.
  case belgium4G = "belgium-4g"
  /// Measuring Broadband America, web browsing and download tests.
  case fcc
  /// Sabre's network JSON and its CSV form.
  case sabre
  /// The chunk downloads published with Oboe.
  case oboe
  /// The CSV of this program.
  case firstframe

  /// The registry.
  var reader: any TraceFormatReader.Type {
    switch self {
    case .mahimahi: MahimahiFormat.self
    case .cooked: CookedFormat.self
    case .norway3G: NorwayFormat.self
    case .belgium4G: BelgiumFormat.self
    case .fcc: FCCFormat.self
    case .sabre: SabreFormat.self
    case .oboe: OboeFormat.self
    case .firstframe: FirstFrameFormat.self
    }
  }

  /// One line for a list of formats.
  public var summary: String { reader.summary }
  /// What follows the last row unless ``TraceOptions/end`` says otherwise.
  public var defaultEnd: TraceEnd { reader.defaultEnd }

  /// The formats whose shape the text has, in the order of the cases.
  static func fitting(_ text: TraceText) -> [TraceFormat] {
    let sample = TraceSample(text)
    return allCases.filter { $0.reader.fits(sample) }
  }
}

/// What follows the last row of a trace.
public enum TraceEnd: String, Sendable, Hashable, CaseIterable {
  /// The trace starts anew.
  case loop
  /// The last rate lasts for ever.
  case hold
  /// Nothing moves any more.
  case silence
}

/// A format: how it looks and how it is read.
protocol TraceFormatReader {
  /// Rows and units in one line.
  static var summary: String { get }
  /// What follows the last row, as in the programs that use the format.
  static var defaultEnd: TraceEnd { get }
  /// The window over which statistics average, nanoseconds; 0 for the steps themselves.
  static var statisticsWindow: Int64 { get }
  /// Whether the first lines have the format's shape.
  static func fits(_ sample: TraceSample) -> Bool
  /// The traces of the text; what is wrong goes to the report, and then the result is not used.
  static func read(
    _ text: TraceText, _ options: TraceOptions, _ report: inout TraceReport
  ) -> [TraceRows]
}

extension TraceFormatReader {
  static var statisticsWindow: Int64 { 0 }
}

/// The first lines of a text, cut at white space and at commas.
struct TraceSample {
  /// The most lines looked at.
  static let limit = 64
  /// The lines' words.
  let words: [[String]]
  /// The lines' comma-separated cells.
  let cells: [[String]]

  init(_ text: TraceText) {
    let lines = text.lines.prefix(TraceSample.limit)
    words = lines.map { line in text.fields(of: line, .blanks).map { text.string($0) } }
    cells = lines.map { line in text.fields(of: line, .commas).map { text.string($0) } }
  }

  /// Whether at least half of the lines are this many words that are all numbers.
  func hasNumbers(_ count: Int) -> Bool {
    let fitting = words.filter { $0.count == count && $0.allSatisfy { Double($0) != nil } }
    return !words.isEmpty && fitting.count * 2 >= words.count
  }

  /// A column of the lines with that many numbers.
  func column(_ index: Int, of count: Int) -> [Double] {
    words.compactMap { $0.count == count ? Double($0[index]) : nil }
  }

  /// The cells of the first line, without quotes, in lower case; empty when it has one cell.
  var header: [String] {
    guard let first = cells.first, first.count > 1 else { return [] }
    return first.map { CSVColumns.plain($0) }
  }
}
