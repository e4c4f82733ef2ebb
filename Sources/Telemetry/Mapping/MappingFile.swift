import Scenario

/// Reads a mapping file (`--map columns.yaml`), with every problem in one pass.
///
/// ```yaml
/// version: 1
/// records: csv            # csv, tsv, jsonl or common; else by the end of the file's name
/// timeZone: UTC           # of times without an offset
/// columns:
///   ttff: {column: startup_ms, unit: ms, clock: swipe}
///   session: session_id
/// ignore: [build, note]
/// events: {first_frame: ttff}
/// ```
public enum MappingFile {
  /// The largest mapping file, bytes.
  static let limit = 1 << 20

  /// Reads the file at `path`.
  /// - Throws: all that is wrong with it.
  public static func read(_ path: String) throws(InputRejected) -> ColumnMapping {
    do {
      return try parse(InputFile.bytes(at: path, limit: limit), file: path)
    } catch let failure as InputFile.Failure {
      throw InputRejected(
        .mapping,
        problems: [
          Problem(
            failure.code, at: .file(path, line: 1, column: 1), keyPath: "",
            expected: failure.expected, got: failure.got)
        ])
    } catch let rejected as InputRejected {
      throw rejected
    } catch {
      preconditionFailure("no other error is thrown: \(error)")
    }
  }

  /// Reads the bytes of a file called `file`.
  static func parse(_ bytes: [UInt8], file: String) throws(InputRejected) -> ColumnMapping {
    var reader = MappingReader(file)
    if let mapping = reader.mapping(bytes) { return mapping }
    let problems = reader.problems.sorted
    let kept = Array(problems.prefix(TelemetryReading.limit))
    throw InputRejected(
      .mapping, problems: kept, omitted: problems.count - kept.count + reader.problems.omitted)
  }
}

private struct MappingReader {
  let file: String
  private(set) var problems = Problems()

  init(_ file: String) { self.file = file }

  private static let keys = [
    "version", "records", "delimiter", "quotes", "header", "timeZone", "columns", "ignore",
    "events",
  ]
  private static let columnKeys = [
    "column", "unit", "clock", "timeZone", "encoded", "negative", "key",
  ]

  mutating func mapping(_ bytes: [UInt8]) -> ColumnMapping? {
    guard let top = YAMLReader.read(bytes, file: file, into: &problems) else { return nil }
    guard case .mapping(let entries) = top.content else {
      report(.wrongType, top, "", "a mapping of keys", top.excerpt)
      return nil
    }
    checkKeys(entries, MappingReader.keys, TreePath())
    var mapping = ColumnMapping(name: file, columns: [])
    if let version = top["version"], version.text != "1" {
      report(.outOfRange, version, "version", "1", version.excerpt)
    } else if top["version"] == nil {
      report(.missingKey, top, "version", "version: 1", "nothing")
    }
    readRecords(top, &mapping)
    mapping.zone = top["timeZone"].flatMap { zone($0, "timeZone") }
    mapping.header = top["header"].flatMap { texts($0, "header") }
    if let ignored = top["ignore"] { readIgnored(ignored, &mapping) }
    if let events = top["events"] { readEvents(events, &mapping) }
    if let columns = top["columns"] {
      readColumns(columns, &mapping)
    } else {
      report(.missingKey, top, "columns", "columns: with at least one quantity", "nothing")
    }
    checkTogether(mapping, top)
    return problems.isEmpty ? mapping : nil
  }

  private mutating func report(
    _ code: Problem.Code, _ node: Node, _ key: String, _ expected: String, _ got: String,
    suggestion: String? = nil
  ) {
    problems.add(
      Problem(
        code, at: node.origin, keyPath: key, expected: expected, got: got, suggestion: suggestion))
  }

  private mutating func checkKeys(
    _ entries: [Node.Entry], _ known: [String], _ path: TreePath
  ) {
    for entry in entries where !known.contains(entry.key) {
      problems.add(
        Problem(
          .unknownKey, at: entry.keyOrigin, keyPath: path.key(entry.key).description,
          expected: "one of " + known.joined(separator: ", "), got: Excerpt.oneLine(entry.key),
          suggestion: Spelling.nearest(to: entry.key, in: known)))
    }
  }

  // MARK: The file

  private mutating func readRecords(_ top: Node, _ mapping: inout ColumnMapping) {
    var delimiter: UInt8 = 0x2C
    if let node = top["records"] {
      switch node.text {
      case "csv": mapping.records = .delimited(0x2C, hasQuotes: true)
      case "tsv":
        delimiter = 0x09
        mapping.records = .delimited(0x09, hasQuotes: true)
      case "jsonl": mapping.records = .jsonLines
      case "common": mapping.records = .commonLog
      default:
        report(.wrongWord, node, "records", "one of csv, tsv, jsonl, common", node.excerpt)
      }
    }
    guard top["delimiter"] != nil || top["quotes"] != nil else { return }
    if let node = top["delimiter"] {
      let bytes = Array((node.text ?? "").utf8)
      if bytes.count == 1, bytes[0] >= 0x20 || bytes[0] == 0x09, bytes[0] < 0x7F, bytes[0] != 0x22 {
        delimiter = bytes[0]
      } else {
        report(.wrongType, node, "delimiter", "one character such as \";\"", node.excerpt)
      }
    }
    let hasQuotes = top["quotes"].map { flag($0, "quotes") } ?? true
    if !mapping.isTable { return }
    mapping.records = .delimited(delimiter, hasQuotes: hasQuotes)
  }

  private mutating func flag(_ node: Node, _ key: String) -> Bool {
    if node.text == "true" { return true }
    if node.text != "false" { report(.wrongType, node, key, "true or false", node.excerpt) }
    return false
  }

  private mutating func zone(_ node: Node, _ key: String) -> ZoneClock? {
    if let text = node.text, let zone = ZoneClock(text) { return zone }
    report(
      .wrongWord, node, key, "UTC, an offset such as \"+02:00\" or a place such as Europe/Berlin",
      node.excerpt)
    return nil
  }

  private mutating func texts(_ node: Node, _ key: String) -> [String]? {
    guard case .sequence(let elements) = node.content else {
      report(.wrongType, node, key, "a list of names", node.excerpt)
      return nil
    }
    var result: [String] = []
    for (index, element) in elements.enumerated() {
      if let text = element.text, !text.isEmpty {
        result.append(text)
      } else {
        report(.wrongType, element, "\(key)[\(index)]", "a name", element.excerpt)
      }
    }
    return result
  }

  private mutating func readIgnored(_ node: Node, _ mapping: inout ColumnMapping) {
    if node.text == "rest" { return }
    guard let names = texts(node, "ignore") else { return }
    mapping.ignored = Set(names)
    mapping.rest = .refused
  }

  private mutating func readEvents(_ node: Node, _ mapping: inout ColumnMapping) {
    guard case .mapping(let entries) = node.content else {
      report(.wrongType, node, "events", "a mapping from words to meanings", node.excerpt)
      return
    }
    for entry in entries {
      if let meaning = entry.value.text.flatMap({ ColumnMapping.Meaning(rawValue: $0) }) {
        mapping.events[entry.key] = meaning
      } else {
        let words = ColumnMapping.Meaning.allCases.map(\.rawValue)
        report(
          .wrongWord, entry.value, TreePath().key("events").key(entry.key).description,
          "one of " + words.joined(separator: ", "), entry.value.excerpt,
          suggestion: entry.value.text.flatMap { Spelling.nearest(to: $0, in: words) })
      }
    }
  }

  // MARK: Columns

  private mutating func readColumns(_ node: Node, _ mapping: inout ColumnMapping) {
    guard case .mapping(let entries) = node.content, !entries.isEmpty else {
      report(.wrongType, node, "columns", "a mapping from quantities to columns", node.excerpt)
      return
    }
    let top = TreePath().key("columns")
    for entry in entries {
      guard let quantity = ObservedQuantity(rawValue: entry.key) else {
        let words = ObservedQuantity.allCases.map(\.rawValue)
        problems.add(
          Problem(
            .unknownKey, at: entry.keyOrigin, keyPath: top.key(entry.key).description,
            expected: "one of " + words.joined(separator: ", "), got: Excerpt.oneLine(entry.key),
            suggestion: Spelling.nearest(to: entry.key, in: words)))
        continue
      }
      // Several columns may hold the same kind of thing, such as the four headers of CMCD.
      if case .sequence(let elements) = entry.value.content {
        for (index, element) in elements.enumerated() {
          readColumn(quantity, element, top.key(entry.key).index(index), &mapping)
        }
      } else {
        readColumn(quantity, entry.value, top.key(entry.key), &mapping)
      }
    }
  }

  private mutating func readColumn(
    _ quantity: ObservedQuantity, _ node: Node, _ path: TreePath, _ mapping: inout ColumnMapping
  ) {
    var column = ColumnMapping.Column(quantity, "")
    column.origin = node.origin
    if case .mapping(let entries) = node.content {
      checkKeys(entries, MappingReader.columnKeys, path)
      if let name = node["column"], let text = name.text, !text.isEmpty {
        column.name = text
      } else {
        let place = node["column"] ?? node
        report(
          node["column"] == nil ? .missingKey : .wrongType, place, path.key("column").description,
          "the name of a column", node["column"]?.excerpt ?? "nothing")
      }
      readDetails(node, path, &column)
    } else if let text = node.text, !text.isEmpty {
      column.name = text
      if quantity == .startPart {
        report(
          .wrongType, node, path.description, "{column: …, unit: …, key: …}", node.excerpt)
      }
    } else {
      report(.wrongType, node, path.description, "the name of a column", node.excerpt)
    }
    readUnit(node, path, &column)
    mapping.columns.append(column)
  }

  private mutating func readDetails(
    _ node: Node, _ path: TreePath, _ column: inout ColumnMapping.Column
  ) {
    if let clock = node["clock"] {
      switch clock.text {
      case "cold": column.clock = .cold
      case "swipe": column.clock = .swipe
      case "play": column.clock = .play
      default:
        report(
          .wrongWord, clock, path.key("clock").description, "one of cold, swipe, play",
          clock.excerpt)
      }
      if column.quantity != .ttff {
        report(
          .inconsistent, clock, path.key("clock").description, "no clock but that of ttff",
          "one of \(column.quantity.rawValue)")
      }
    }
    if let zone = node["timeZone"] {
      column.zone = self.zone(zone, path.key("timeZone").description)
    }
    if let encoded = node["encoded"] {
      column.isEncoded = flag(encoded, path.key("encoded").description)
    }
    if column.quantity == .startPart {
      readStartPart(node["key"] ?? node, path.key("key"), &column)
    } else if let key = node["key"] {
      let names = CMCDKey.allCases.map(\.name)
      if column.quantity == .cmcd, let text = key.text, names.contains(text) {
        column.key = text
      } else {
        report(
          .wrongWord, key, path.key("key").description, "a key of CMCD, of a column of cmcd",
          key.excerpt)
      }
    }
    if let negative = node["negative"] {
      if negative.text == "absent" {
        column.negativeIsAbsent = true
      } else {
        report(
          .wrongWord, negative, path.key("negative").description, "absent", negative.excerpt)
      }
    }
  }

  private mutating func readStartPart(
    _ node: Node, _ path: TreePath, _ column: inout ColumnMapping.Column
  ) {
    let names = MetricReference.parts
    let expected = "one or more of " + names.joined(separator: ", ") + ", joined by +"
    guard let text = node.text else {
      report(.missingKey, node, path.description, expected, "nothing")
      return
    }
    column.key = text
    let words = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    for word in words where !names.contains(word) {
      report(
        .wrongWord, node, path.description, expected, Excerpt.oneLine(word),
        suggestion: Spelling.nearest(to: word, in: names))
    }
  }

  private mutating func readUnit(
    _ node: Node, _ path: TreePath, _ column: inout ColumnMapping.Column
  ) {
    let choices = ObservedUnit.choices(column.quantity.form)
    let names = choices.map(\.name)
    let key = path.key("unit").description
    guard let written = node["unit"] else {
      if let first = choices.first, column.quantity.form == .instant {
        column.unit = first
      } else if !choices.isEmpty {
        report(
          .missingUnit, node, key, "one of " + names.joined(separator: ", "), "nothing",
          suggestion: names.last { column.name.lowercased().hasSuffix("_" + $0.lowercased()) })
      }
      return
    }
    if choices.isEmpty {
      report(
        .inconsistent, written, key, "no unit: \(column.quantity.rawValue) has none",
        written.excerpt)
    } else if let unit = written.text.flatMap({
      ObservedUnit.named($0, column.quantity.form)
    }) {
      column.unit = unit
    } else {
      report(
        .wrongUnit, written, key, "one of " + names.joined(separator: ", "), written.excerpt,
        suggestion: written.text.flatMap { Spelling.nearest(to: $0, in: names) })
    }
  }

  private mutating func checkStartParts(_ mapping: ColumnMapping, _ top: Node) {
    let place = top["columns"] ?? top
    let parts = mapping.startParts
    if parts.count > Observation.mostStartParts {
      report(
        .outOfRange, place, "columns.startPart", "at most \(Observation.mostStartParts) columns",
        "\(parts.count)")
    }
    var seen: Set<Substring> = []
    for word in parts.flatMap({ $0.split(separator: "+") }) where !seen.insert(word).inserted {
      report(
        .inconsistent, place, "columns.startPart", "each part in one column",
        "\(word) once more")
    }
    if !parts.isEmpty && !mapping.measuresStart {
      report(
        .inconsistent, place, "columns.startPart", "a column of ttff beside it", "none")
    }
  }

  /// What single keys do not show.
  private mutating func checkTogether(_ mapping: ColumnMapping, _ top: Node) {
    let quantities = mapping.columns.map(\.quantity)
    checkStartParts(mapping, top)
    for quantity in ObservedQuantity.allCases
    where quantity != .cmcd && quantity != .startPart && quantity.form != .dropped {
      let columns = mapping.columns.filter { $0.quantity == quantity }
      // A time to the first frame by each clock.
      if columns.count < 2 || Set(columns.map(\.clock)).count == columns.count { continue }
      report(
        .inconsistent, top["columns"] ?? top, "columns.\(quantity.rawValue)", "one column",
        "\(columns.count)")
    }
    if quantities.contains(.value) && !quantities.contains(.event) {
      report(
        .inconsistent, top["columns"] ?? top, "columns.value", "a column of event beside it",
        "none")
    }
    if quantities.contains(.event) && top["events"] == nil {
      report(
        .missingKey, top, "events", "what the words of event mean, such as {first_frame: ttff}",
        "nothing")
    }
    for key in ["delimiter", "quotes", "header"] where !mapping.isTable {
      guard let node = top[key] else { continue }
      report(.inconsistent, node, key, "records of csv or tsv beside it", "others")
    }
    for column in mapping.columns where mapping.ignored.contains(column.name) {
      report(
        .inconsistent, top["ignore"] ?? top, "ignore", "columns that are not read",
        Excerpt.oneLine(column.name))
    }
  }
}
