import Models

/// The table of traces.
extension SabreReader {
  /// The longest table: 256 MiB, some six million rows.
  private static let tableLimit = 256 << 20
  private static let columns = ["trace", "duration_ms", "bandwidth_kbps", "latency_ms"]

  /// Reads every trace of a CSV table, in the order of their first rows; nil with problems.
  ///
  /// The first line names the columns, in any order. There are no quotes; blanks around fields and
  /// empty lines do not count.
  mutating func traces(at path: String) -> [SabreTrace]? {
    guard let bytes = bytes(of: path, limit: SabreReader.tableLimit) else { return nil }
    return bytes.withUnsafeBufferPointer { traces(of: $0, path) }
  }

  private mutating func traces(
    of bytes: UnsafeBufferPointer<UInt8>, _ path: String
  ) -> [SabreTrace]? {
    var table = SabreTable(bytes, path: path)
    let first = table.nextLine()
    guard let first, !table.isOver else {
      problems.add(
        Problem(
          .emptyFile, at: .file(path, line: 1, column: 1), keyPath: "",
          expected: "a header and at least one row",
          got: first == nil ? "nothing" : "a header only"))
      return nil
    }
    guard let positions = header(table.line(first), path) else { return nil }
    var rows = TraceRows()
    var isWhole = true
    while let line = table.nextLine() {
      if let plain = table.plainRow(line, positions) {
        let period = SabrePeriod(
          duration: plain.duration, bandwidth: plain.bandwidth, latency: plain.latency)
        rows.add(period, to: plain.name, in: table, line: line.number)
      } else if let (name, period) = row(table.line(line), positions, path) {
        rows.add(period, to: name, at: .file(path, line: line.number, column: 1))
      } else {
        isWhole = false
      }
    }
    return isWhole ? networks(rows) : nil
  }

  /// Rows in groups by trace.
  private struct TraceRows {
    struct Trace {
      var name: String
      var place: Origin
      var periods: [SabrePeriod]
    }

    var traces: [Trace] = []
    private var indices: [String: Int] = [:]
    /// The name of the row before, as the table has it.
    private var lastName: Range<Int>?

    mutating func add(
      _ period: SabrePeriod, to name: Range<Int>, in table: borrowing SabreTable, line: Int
    ) {
      // Rows of a trace mostly follow each other.
      if let last = lastName, table.areEqual(last, name) {
        traces[traces.count - 1].periods.append(period)
        return
      }
      add(
        period, to: table.text(name), at: .file(table.path, line: line, column: 1))
      lastName = traces.last?.name == table.text(name) ? name : nil
    }

    mutating func add(_ period: SabrePeriod, to name: String, at place: Origin) {
      lastName = nil
      if let last = traces.indices.last, traces[last].name == name {
        traces[last].periods.append(period)
      } else if let index = indices[name] {
        traces[index].periods.append(period)
      } else {
        indices[name] = traces.count
        traces.append(Trace(name: name, place: place, periods: [period]))
      }
    }
  }

  private mutating func networks(_ rows: TraceRows) -> [SabreTrace]? {
    var traces: [SabreTrace] = []
    for trace in rows.traces {
      let path = TreePath().key(trace.name)
      if let network = network(trace.periods, at: trace.place, path) {
        traces.append(SabreTrace(name: trace.name, network: network))
      }
    }
    return traces.count == rows.traces.count && !traces.isEmpty ? traces : nil
  }

  /// Where each column stands.
  private mutating func header(_ line: PeerLines.Line, _ path: String) -> [Int]? {
    let names = line.fields.map(\.text)
    var positions: [Int] = []
    for name in SabreReader.columns {
      if let position = names.firstIndex(of: name) {
        positions.append(position)
      } else {
        report(
          .missingKey, line.fields[0].origin, TreePath().key(name), "this column in the header",
          Excerpt.oneLine(names.joined(separator: ",")))
      }
    }
    return positions.count == SabreReader.columns.count ? positions : nil
  }

  private mutating func row(
    _ line: PeerLines.Line, _ positions: [Int], _ path: String
  ) -> (String, SabrePeriod)? {
    let needed = (positions.max() ?? 0) + 1
    if line.fields.count < needed {
      report(
        .wrongCount, .file(path, line: line.number, column: 1), TreePath(),
        "at least \(needed) fields", "\(line.fields.count)")
      return nil
    }
    let name = line.fields[positions[0]]
    if name.text.isEmpty {
      problems.add(
        name.problem(.missingKey, SabreReader.columns[0], expected: "the name of a trace"))
    }
    let bounds: [Bounds] = [.duration, .bandwidth, .latency]
    var values: [Double] = []
    for (bound, index) in zip(bounds, 1...) {
      let field = line.fields[positions[index]]
      let path = TreePath().key(SabreReader.columns[index])
      if let value = number(field.text, bound, at: field.origin, path) { values.append(value) }
    }
    if name.text.isEmpty || values.count < bounds.count { return nil }
    return (
      name.text, SabrePeriod(duration: values[0], bandwidth: values[1], latency: values[2])
    )
  }
}
