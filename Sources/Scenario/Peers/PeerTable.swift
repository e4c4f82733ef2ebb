/// One cell of a ``PeerTable``.
public enum PeerValue: Hashable, Sendable {
  /// A word or a list of levels; it has no mean.
  case text(String)
  /// A count, e.g. bytes.
  case integer(Int64)
  /// Any other number.
  case number(Double)

  /// The cell as a number; nil for text.
  public var real: Double? {
    switch self {
    case .text: nil
    case .integer(let value): Double(value)
    case .number(let value): value
    }
  }

  var json: JSONText {
    switch self {
    case .text(let text): .string(text)
    case .integer(let value): .integer(value)
    case .number(let value): .number(value)
    }
  }
}

/// One row of a ``PeerTable``: what it is about, then what came out.
public struct PeerRow: Hashable, Sendable {
  /// The identity, in the order of ``PeerTable/identity``, e.g. the name of the trace.
  public var names: [String]
  /// The results, in the order of ``PeerTable/columns``.
  public var values: [PeerValue]

  /// A row of the given cells.
  public init(names: [String], values: [PeerValue]) {
    self.names = names
    self.values = values
  }
}

/// What `firstframe peer` answers (contract.md section 6): rows under named columns.
public struct PeerTable: Hashable, Sendable {
  /// The names of the columns that say what a row is about, e.g. `sample`, `trace`.
  public var identity: [String]
  /// The names of the result columns, in the order they are written.
  public var columns: [String]
  /// The rows, in the order they are written.
  public private(set) var rows: [PeerRow] = []

  /// A table without rows.
  public init(identity: [String], columns: [String]) {
    self.identity = identity
    self.columns = columns
  }

  /// Adds a row at the end.
  /// - Precondition: as many names and values as the table has columns for them.
  public mutating func append(_ row: PeerRow) {
    precondition(row.names.count == identity.count && row.values.count == columns.count)
    rows.append(row)
  }

  /// The arithmetic mean over the rows of every column that holds nothing but numbers, in the order
  /// of ``columns``; empty without rows.
  public var mean: [(column: String, value: Double)] {
    if rows.isEmpty { return [] }
    var means: [(column: String, value: Double)] = []
    for (index, column) in columns.enumerated() {
      let numbers = rows.compactMap { $0.values[index].real }
      if numbers.count < rows.count { continue }
      means.append((column, numbers.reduce(0, +) / Double(numbers.count)))
    }
    return means
  }

  /// `{"schema":1,"rows":[{…}],"mean":{…}}`: members in column order, identity first, and numbers
  /// as the shortest decimals that read back to the same value.
  public func json() -> JSONText {
    let objects = rows.map { row in
      let names = zip(identity, row.names).map { JSONText.Member($0, .string($1)) }
      let values = zip(columns, row.values).map { JSONText.Member($0, $1.json) }
      return JSONText.object(names + values)
    }
    let means = mean.map { JSONText.Member($0.column, .number($0.value)) }
    return ["schema": 1, "rows": .array(objects), "mean": .object(means)]
  }
}
