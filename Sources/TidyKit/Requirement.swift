/// One row of the product's requirements: something a design document asks for or leaves open.
public struct Requirement: Equatable, Sendable {
  /// Such as `SIG-023`; `OQ-10` for an open question.
  public let row: String
  /// N number, T timeout, S state, B behaviour, F failure, R race, Q and OQ question, X
  /// contradiction.
  public let kind: String
  /// The part of the product that answers it, such as `feeds`.
  public let area: String
  /// What it asks for, in a few words.
  public let asks: String
}

/// The rows of `docs/requirements.csv`, in the order of the file.
public struct RequirementTable: Sendable {
  public static let path = "docs/requirements.csv"

  public private(set) var rows: [Requirement] = []
  /// Lines that are no row, and rows given twice.
  public private(set) var findings: [Finding] = []
  private var known: Set<String> = []

  /// Reads the table. No field holds a comma or a quote, so none needs quoting.
  public init(_ source: SourceText) {
    let lines = source.lines.map { String(decoding: $0, as: UTF8.self) }
    if lines.first != "row,kind,issue,asks" {
      add(source.path, 1, "the first line is not the heading, use 'row,kind,issue,asks'")
    }
    for (index, line) in lines.enumerated().dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let isRow =
        fields.count == 4 && !fields.contains("") && !line.contains("\"")
        && RowScanner.mentions(in: fields[0]).map(\.row) == [fields[0]]
      if !isRow {
        add(source.path, index + 1, "this is no row of four fields, use 'SIG-001,N,area,asks'")
      } else if !known.insert(fields[0]).inserted {
        add(source.path, index + 1, "the row '\(fields[0])' is there already, use one line")
      } else {
        rows.append(
          Requirement(row: fields[0], kind: fields[1], area: fields[2], asks: fields[3]))
      }
    }
  }

  /// Whether the table has the row.
  public func contains(_ row: String) -> Bool { known.contains(row) }

  /// The areas in the order they first appear in.
  public var areas: [String] {
    var seen: Set<String> = []
    return rows.map(\.area).filter { seen.insert($0).inserted }
  }

  private mutating func add(_ path: String, _ line: Int, _ message: String) {
    findings.append(Finding(path: path, line: line, rule: "requirement", message: message))
  }
}
