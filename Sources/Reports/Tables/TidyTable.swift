/// A table with a name and one observation in each row, as CSV (RFC 4180, with line feeds): the
/// unit of a number stands in the name of its column or in a column `unit`, what is missing is
/// empty, numbers are the shortest that read as the same value, and texts that would be taken apart
/// are quoted.
struct TidyTable {
  /// What the values of a column are.
  enum Kind: String {
    case text, integer, number, boolean
  }

  /// A column of rows of one kind.
  struct Column<Row> {
    let name: String
    let kind: Kind
    let cell: (Row) -> String

    static func text(_ name: String, _ value: @escaping (Row) -> String) -> Column {
      Column(name: name, kind: .text) { CSVText.field(value($0)) }
    }

    static func count<Number: FixedWidthInteger>(
      _ name: String, _ value: @escaping (Row) -> Number?
    ) -> Column {
      Column(name: name, kind: .integer) { value($0).map { "\($0)" } ?? "" }
    }

    static func number(_ name: String, _ value: @escaping (Row) -> Double?) -> Column {
      Column(name: name, kind: .number) { value($0).map { "\($0)" } ?? "" }
    }

    static func flag(_ name: String, _ value: @escaping (Row) -> Bool) -> Column {
      Column(name: name, kind: .boolean) { value($0) ? "true" : "false" }
    }

    /// The same column of rows that have such a row within.
    func within<Whole>(_ part: @escaping (Whole) -> Row) -> Column<Whole> {
      Column<Whole>(name: name, kind: kind) { cell(part($0)) }
    }
  }

  let name: String
  /// By column, what `tables.json` says of it.
  let columns: [(name: String, kind: Kind)]
  private(set) var text: String

  init<Row>(_ name: String, _ columns: [Column<Row>], _ rows: some Sequence<Row>) {
    self.name = name
    self.columns = columns.map { ($0.name, $0.kind) }
    text = columns.map { CSVText.field($0.name) }.joined(separator: ",") + "\n"
    for row in rows {
      text += columns.map { $0.cell(row) }.joined(separator: ",") + "\n"
    }
  }

  /// The name of its file.
  var file: String { "\(name).csv" }
}
