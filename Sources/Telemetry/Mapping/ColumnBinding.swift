import Scenario

/// A column of a mapping at its place in a file.
struct ColumnBinding {
  /// The field of a record.
  let field: Int
  /// The column of the mapping.
  let column: Int
}

/// A mapping laid over the names of a file's columns.
struct BoundColumns {
  private(set) var bindings: [ColumnBinding] = []
  /// Columns of the file that are not read and that nobody said are not.
  private(set) var unread: [String] = []
  private(set) var problems: [Problem] = []
  /// How many fields a record has.
  let count: Int

  /// - Parameters:
  ///   - place: of the line with the names.
  init(_ mapping: ColumnMapping, names: [String], place: Origin) {
    count = names.count
    func folded(_ name: String) -> String { mapping.foldsNames ? name.lowercased() : name }
    var places: [String: Int] = [:]
    var twice: Set<String> = []
    for (index, name) in names.enumerated() {
      if places.updateValue(places[folded(name)] ?? index, forKey: folded(name)) != nil {
        twice.insert(folded(name))
      }
    }
    // Where no name fits the line is not one of names, and may name somebody.
    let fits = mapping.columns.contains { places[folded($0.name)] != nil }
    var read: Set<String> = []
    for (index, column) in mapping.columns.enumerated() {
      let name = folded(column.name)
      read.insert(name)
      guard let field = places[name] else {
        if mapping.needsAll {
          problems.append(
            Problem(
              .missingKey, at: column.origin ?? place,
              keyPath: "columns.\(column.quantity.rawValue)",
              expected: "a column of \(place.file ?? "the file")",
              got: Excerpt.oneLine(column.name),
              suggestion: fits ? Spelling.nearest(to: column.name, in: names) : nil))
        }
        continue
      }
      if twice.contains(name) {
        problems.append(
          Problem(
            .duplicateKey, at: place, keyPath: Excerpt.oneLine(column.name),
            expected: "this column once", got: "it again"))
      }
      bindings.append(ColumnBinding(field: field, column: index))
    }
    let known = mapping.ignored.union(read)
    unread = fits ? names.filter { !known.contains(folded($0)) } : []
    if mapping.rest == .refused { refuse(mapping, place) }
    bindings.sortForReading(mapping.columns)
    let tells = bindings.contains { mapping.columns[$0.column].quantity.form != .dropped }
    if problems.isEmpty && !tells {
      problems.append(
        Problem(
          .missingKey, at: place, keyPath: "", expected: "columns of \(mapping.name)",
          got: "none of them"))
    }
  }

  private mutating func refuse(_ mapping: ColumnMapping, _ place: Origin) {
    let names = mapping.columns.map(\.name) + mapping.ignored.sorted()
    for name in unread {
      problems.append(
        Problem(
          .unknownKey, at: place, keyPath: Excerpt.oneLine(name),
          expected: "a column of \(mapping.name)"
            + (mapping.source.isEmpty ? " or one to ignore" : " (\(mapping.source))"),
          got: "an unknown one", suggestion: Spelling.nearest(to: name, in: names)))
    }
    unread = []
  }
}

extension [ColumnBinding] {
  /// Brings them into the order of the columns, but a day's first: it is known when its time is
  /// read.
  mutating func sortForReading(_ columns: [ColumnMapping.Column]) {
    sort { a, b in
      let (first, second) = (columns[a.column], columns[b.column])
      if (first.quantity == .date) != (second.quantity == .date) { return first.quantity == .date }
      return a.column < b.column
    }
  }
}
