/// Where the columns of a CSV file with a header stand.
struct CSVColumns {
  private var places: [(name: String, place: Int)] = []
  /// How many columns there are.
  let count: Int

  /// Reads a header line.
  ///
  /// - Parameters:
  ///   - known: the names that mean something; any other is a problem if `isStrict`.
  ///   - required: those that must be there.
  init(
    _ line: TraceText.Line, known: [String], required: [String], isStrict: Bool,
    _ report: inout TraceReport
  ) {
    let fields = report.text.fields(of: line, .commas)
    count = fields.count
    for (place, field) in fields.enumerated() {
      let name = CSVColumns.plain(report.text.string(field))
      if self[name] != nil {
        report.add(.duplicateKey, field, line, name, expected: "each column once")
      } else if known.contains(name) {
        places.append((name, place))
      } else if isStrict {
        report.add(
          .unknownKey, field, line, "", expected: "a column of \(known.joined(separator: ", "))",
          suggestion: Spelling.nearest(to: name, in: known))
      }
    }
    for name in required where self[name] == nil {
      report.add(
        .missingKey, line: Int(line.number), name, expected: "a column \(name)", got: "none")
    }
  }

  /// Columns at fixed places, for a file without a header.
  init(_ names: [String], count: Int) {
    places = names.enumerated().map { ($0.element, $0.offset) }
    self.count = count
  }

  /// The place of a column, from 0; nil when the file does not have it.
  subscript(name: String) -> Int? { places.first { $0.name == name }?.place }

  /// A name without quotes and without the `#` of the FCC's first files, in lower case.
  static func plain(_ name: String) -> String {
    name.trimmingPrefix("#").filter { $0 != "\"" }.lowercased()
  }
}
