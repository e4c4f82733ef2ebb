import Scenario

/// One pass over all files.
struct FieldPass: ~Copyable {
  private let mapping: ColumnMapping
  private var filler: ObservationFiller
  private var events: EventReader
  private var joiner: ViewJoiner
  private var tally: ObservationTally
  private var path = PathTally()
  private var reading = TelemetryReading()
  private var skew = ThinnedSample()
  private var observation = Observation()
  private var unread: [String] = []
  private let period: Range<Double>?

  init(_ reader: FieldTelemetryReader) {
    mapping = reader.mapping
    filler = ObservationFiller(
      reader.mapping, titleParts: reader.titleParts, salt: reader.salt)
    events = EventReader(reader.salt)
    joiner = ViewJoiner(
      limit: reader.viewLimit, rowsAreParts: reader.mapping.rowsAreParts,
      rowsAreEvents: reader.mapping.rowsAreEvents)
    period = reader.period
    let habits = ViewKeeper.Habits(
      infersLeaving: reader.mapping.measuresStart,
      namesStalls: reader.mapping.events.values.contains(.stall),
      clock: reader.mapping.columns.first { $0.quantity == .ttff }?.clock ?? .unknown,
      startParts: reader.mapping.startParts)
    tally = ObservationTally(
      infersLeaving: habits.infersLeaving,
      keeper: reader.keepsViews ? ViewKeeper(habits, limit: reader.keptLimit) : nil,
      load: reader.countsLoad ? LoadTally() : nil)
    reading.formats = [reader.mapping.name]
  }

  /// Reads one file.
  /// - Returns: what keeps its columns from being those of the mapping.
  mutating func read(_ file: String) throws(InputFile.Failure) -> [Problem] {
    var stream = try ByteStream(file, digest: WordDigest(reading.digest))
    try stream.begin()
    switch mapping.records(of: file) {
    case .delimited(let delimiter, let hasQuotes):
      return try delimited(
        file, DelimitedRecords(stream, delimiter: delimiter, hasQuotes: hasQuotes))
    case .extendedLog:
      return try extended(file, DelimitedRecords(stream, delimiter: 0x09, hasQuotes: false))
    case .jsonLines: return try jsonLines(file, LineRecords(stream))
    case .commonLog: return try commonLog(file, LineRecords(stream))
    case .eventLines: return try eventLines(file, LineRecords(stream))
    }
  }

  // MARK: Records

  private mutating func delimited(
    _ file: String, _ records: consuming DelimitedRecords
  ) throws(InputFile.Failure) -> [Problem] {
    var names = mapping.header
    var hasRecords = false
    if names == nil {
      switch try records.next() {
      case .record: names = records.texts
      case .fault(let fault): return [problem(fault, records.fault(file))]
      case .end: throw FieldPass.empty
      }
      hasRecords = true
    }
    let bound = BoundColumns(
      mapping, names: names ?? [], place: .file(file, line: max(1, records.line), column: 1))
    if !bound.problems.isEmpty { return bound.problems }
    note(bound.unread)
    while true {
      switch try records.next(placesFaults: namesFaults) {
      case .end:
        return try finish(records.digest, hasRecords: hasRecords)
      case .fault(let fault):
        hasRecords = true
        reject(fault, at: records.fault(file))
      case .record:
        hasRecords = true
        take(file, bound, records.fields, records.place)
      }
    }
  }

  /// The names of the fields stand in a line `#Fields:`, with blanks between them.
  private mutating func extended(
    _ file: String, _ records: consuming DelimitedRecords
  ) throws(InputFile.Failure) -> [Problem] {
    var bound: BoundColumns?
    var hasRecords = false
    while true {
      switch try records.next(placesFaults: namesFaults) {
      case .end:
        return try finish(records.digest, hasRecords: hasRecords)
      case .fault(let fault): reject(fault, at: records.fault(file))
      case .record:
        hasRecords = true
        let first = records.text(0)
        if first[0] == 0x23 {
          guard first.starts(with: "#Fields:") else { continue }
          let names = records.texts.joined(separator: " ").dropFirst(8)
            .split { $0 == " " }.map { String($0) }
          let found = BoundColumns(
            mapping, names: names, place: .file(file, line: records.line, column: 1))
          if !found.problems.isEmpty { return found.problems }
          note(found.unread)
          bound = found
          continue
        }
        guard let columns = bound else {
          return [
            Problem(
              .missingKey, at: .file(file, line: records.line, column: 1), keyPath: "#Fields",
              expected: "a line #Fields: before the first record", got: "a record")
          ]
        }
        take(file, columns, records.fields, records.place)
      }
    }
  }

  private mutating func jsonLines(
    _ file: String, _ records: consuming LineRecords
  ) throws(InputFile.Failure) -> [Problem] {
    let columns = mapping.columns
    let names = columns.map(\.name)
    let splitter = JSONFields(names)
    // Two quantities may be of one member.
    var bindings = names.indices.map { column in
      ColumnBinding(field: names.firstIndex(of: names[column]) ?? column, column: column)
    }
    bindings.sortForReading(columns)
    var fields: [RecordField] = []
    var hasRecords = false
    while true {
      switch try records.next() {
      case .end:
        return try finish(records.digest, hasRecords: hasRecords)
      case .fault(let fault): reject(fault, file, records.place, records.start)
      case .record:
        // A list around all objects.
        let bare = records.text.trimmed
        if bare.count == 1 && (bare[0] == 0x5B || bare[0] == 0x5D) { continue }
        if let index = splitter.split(records.text, records.start, into: &fields) {
          hasRecords = true
          reject(.noObject, file, records.place, records.start + index)
          continue
        }
        if !hasRecords {
          hasRecords = true
          let problems = check(JSONFields.names(records.text), file, records.line)
          if !problems.isEmpty { return problems }
        }
        take(file, bindings, fields, records.place)
      }
    }
  }

  /// Members may come and go from line to line: only those that are there are checked, by the first
  /// line.
  private mutating func check(_ names: [String], _ file: String, _ line: Int) -> [Problem] {
    var lenient = mapping
    lenient.needsAll = false
    // An object that is asked for as a whole is none of its members.
    let whole = mapping.columns.map(\.name)
    let plain = names.map { name in whole.first { name.hasPrefix($0 + ".") } ?? name }
    var seen: Set<String> = []
    let bound = BoundColumns(
      lenient, names: plain.filter { seen.insert($0).inserted },
      place: .file(file, line: line, column: 1))
    note(bound.unread)
    return bound.problems
  }

  private mutating func commonLog(
    _ file: String, _ records: consuming LineRecords
  ) throws(InputFile.Failure) -> [Problem] {
    let bound = BoundColumns(
      mapping, names: CommonLogFields.names, place: .file(file, line: 1, column: 1))
    if !bound.problems.isEmpty { return bound.problems }
    var fields: [RecordField] = []
    var hasRecords = false
    while true {
      switch try records.next() {
      case .end:
        return try finish(records.digest, hasRecords: hasRecords)
      case .fault(let fault): reject(fault, file, records.place, records.start)
      case .record:
        hasRecords = true
        if records.text[0] == 0x23 { continue }
        if CommonLogFields.split(records.text, records.start, into: &fields) {
          take(file, bound.bindings, fields, records.place)
        } else {
          reject(.noLogLine, file, records.place, records.start)
        }
      }
    }
  }

  private mutating func eventLines(
    _ file: String, _ records: consuming LineRecords
  ) throws(InputFile.Failure) -> [Problem] {
    var hasRecords = false
    var found: [Observation] = []
    var faults: [EventReader.Fault] = []
    while true {
      switch try records.next() {
      case .end:
        return try finish(records.digest, hasRecords: hasRecords)
      case .fault(let fault): reject(fault, file, records.place, records.start)
      case .record:
        hasRecords = true
        found.removeAll(keepingCapacity: true)
        faults.removeAll(keepingCapacity: true)
        let end = events.read(records.text) { observation, fault in
          if let observation { found.append(observation) }
          if let fault { faults.append(fault) }
        }
        for observation in found where isWithin(observation) {
          tally.meet(observation)
          joiner.take(observation, &tally)
        }
        for fault in faults {
          let (place, index) = (records.place, records.start + fault.index)
          reading.reject(
            Problem(
              .missingKey, at: place.origin(file, index), keyPath: fault.key,
              expected: fault.expected,
              got: "other text"))
        }
        if let end { reject(.noObject, file, records.place, records.start + end) }
      }
    }
  }

  private static let empty = InputFile.Failure(
    code: .emptyFile, expected: "records", got: "an empty file")

  /// A file has come to its end; one without any record is none.
  private mutating func finish(
    _ digest: WordDigest, hasRecords: Bool
  ) throws(InputFile.Failure) -> [Problem] {
    reading.digest = digest.value
    if !hasRecords { throw FieldPass.empty }
    return []
  }

  private mutating func note(_ names: [String]) {
    for name in names where !unread.contains(name) { unread.append(name) }
  }

  // MARK: A record

  private mutating func take(
    _ file: String, _ bound: BoundColumns, _ fields: [RecordField], _ place: RecordPlace
  ) {
    if fields.count == bound.count { return take(file, bound.bindings, fields, place) }
    reading.reject(
      Problem(
        .wrongCount, at: place.origin(file, place.start), keyPath: "",
        expected: "\(bound.count) fields as there are names", got: "\(fields.count)"))
  }

  private mutating func take(
    _ file: String, _ bindings: [ColumnBinding], _ fields: [RecordField], _ place: RecordPlace
  ) {
    switch filler.fill(&observation, bindings, fields, place.base) {
    case .fault(let binding, let fault):
      if hasRoom() {
        let problem = problem(file, binding, fault, fields[binding.field], place)
        reading.reject(problem)
      }
      return
    case .unused:
      reading.unused += 1
      reading.records += 1
      return
    case .filled: reading.records += 1
    }
    if !isWithin(observation) { return }
    if let key = filler.cmcd.fault {
      let faulty = filler.faultyColumn
      let binding = bindings.first { $0.column == faulty }
      let start = binding.map { fields[$0.field].start } ?? place.start
      nameKey(key, file, place, start)
    }
    if observation.when.client != Observation.absentInstant
      && observation.when.server != Observation.absentInstant
    {
      skew.add(Double(observation.when.server - observation.when.client) / 1e9)
    }
    path.take(observation)
    tally.meet(observation)
    if observation.request.isRequest { tally.take(request: observation) }
    if !observation.request.isRequest || observation.isOfView {
      joiner.take(observation, &tally)
    }
  }

  /// Whether a line is of the time that is asked for.
  private func isWithin(_ observation: Observation) -> Bool {
    period?.contains(observation.second) ?? true
  }

  /// The request stays: only the key's value is not known.
  private mutating func nameKey(
    _ key: CMCDKey, _ file: String, _ place: RecordPlace, _ start: Int
  ) {
    if !namesFaults { return }
    reading.partial += 1
    reading.problems.append(
      Problem(
        .wrongType, at: place.origin(file, start), keyPath: "CMCD.\(key.name)",
        expected: key.expected, got: "another value"))
  }

  private func problem(
    _ file: String, _ binding: ColumnBinding, _ fault: FieldFault, _ field: RecordField,
    _ place: RecordPlace
  ) -> Problem {
    let text = TextSpan(place.base + field.start, field.count)
    return Problem(
      .wrongType, at: place.origin(file, field.count == 0 ? place.start : field.start),
      keyPath: Excerpt.oneLine(mapping.columns[binding.column].name), expected: fault.expected,
      got: fault.mayQuote
        ? Excerpt.oneLine(text.text, limit: 40)
        : field.count == 0 ? "nothing" : "other text (\(field.count) bytes)")
  }

  private func problem(_ fault: RecordFault, _ origin: Origin) -> Problem {
    Problem(.syntax, at: origin, keyPath: "", expected: fault.expected, got: fault.got)
  }

  private mutating func reject(_ fault: RecordFault, at origin: Origin) {
    let problem = problem(fault, origin)
    reading.reject(problem)
  }

  /// A line is no record, by its byte at `index`; where nobody will name it no column is counted.
  private mutating func reject(
    _ fault: RecordFault, _ file: String, _ place: RecordPlace, _ index: Int
  ) {
    if hasRoom() { reject(fault, at: place.origin(file, index)) }
  }

  /// Whether a malformed line will be named.
  private var namesFaults: Bool { reading.problems.count < TelemetryReading.limit }

  /// Whether a malformed line will be named; else it is counted here.
  private mutating func hasRoom() -> Bool {
    if namesFaults { return true }
    reading.malformed += 1
    return false
  }

  // MARK: The end

  /// Members that no line of JSON had, though the mapping needs them.
  func missingMembers(_ file: String) -> [Problem] {
    guard mapping.needsAll, reading.records > 0, mapping.records(of: file) == .jsonLines else {
      return []
    }
    var problems: [Problem] = []
    for (index, column) in mapping.columns.enumerated() where !filler.seen[index] {
      problems.append(
        Problem(
          .missingKey, at: column.origin ?? .file(file, line: 1, column: 1),
          keyPath: "columns.\(column.quantity.rawValue)",
          expected: "a member of \(file)'s lines", got: Excerpt.oneLine(column.name),
          suggestion: Spelling.nearest(to: column.name, in: unread)))
    }
    return problems
  }

  /// Units by which half of the values would be what nobody has seen.
  func implausibleUnits(_ file: String) -> [Problem] {
    var problems: [Problem] = []
    for (index, column) in mapping.columns.enumerated() {
      guard let range = column.quantity.plausible, let median = filler.units[index].median,
        filler.units[index].total >= 3, !range.contains(median)
      else { continue }
      let choices = ObservedUnit.choices(column.quantity.form)
      // The other unit that is nearest in size.
      let other = choices.filter { range.contains(median / column.unit.scale * $0.scale) }
        .min { a, b in
          max(a.scale / column.unit.scale, column.unit.scale / a.scale)
            < max(b.scale / column.unit.scale, column.unit.scale / b.scale)
        }
      let form = column.quantity.form
      problems.append(
        Problem(
          .wrongUnit, at: column.origin ?? .file(file, line: 1, column: 1),
          keyPath: column.origin == nil
            ? Excerpt.oneLine(column.name) : "columns.\(column.quantity.rawValue).unit",
          expected: "a median from \(FieldPass.amount(range.lowerBound, form)) to "
            + FieldPass.amount(range.upperBound, form),
          got: "\(FieldPass.amount(median, form)) in \(column.unit.name)",
          suggestion: other?.name))
    }
    return problems
  }

  /// A value to two digits in its base unit.
  private static func amount(_ value: Double, _ form: ObservedQuantity.Form) -> String {
    let unit =
      switch form {
      case .span: "s"
      case .size: "B"
      case .rate: "bps"
      case .instant, .number, .flag, .name, .dropped, .word, .text: ""
      }
    var step = 1.0
    while value / step >= 100 { step *= 10 }
    while value / step < 10 && step > 1e-9 { step /= 10 }
    let digits = (value / step).rounded()
    let text = step >= 1 ? "\(Int64(digits * step))" : "\(digits / (1 / step).rounded())"
    return text + " " + unit
  }

  mutating func finish() -> FieldTelemetry {
    joiner.finish(&tally)
    reading.repeated = joiner.repeated + events.repeated
    if joiner.cut > 0 {
      reading.notes.append(
        "\(joiner.cut) sessions are counted as two: more views went on at once than wait in memory")
    }
    reading.unused += events.unused
    reading.records += events.taken + events.unused
    if joiner.last > joiner.first {
      reading.data.span = joiner.last - joiner.first
      reading.data.field.span = joiner.first...joiner.last
    }
    tally.finish(&reading)
    reading.data.field.isRead = true
    path.finish(&reading.data.field, words: filler.words)
    tally.audience.finish(&reading.data.field)
    tally.requests.finish(&reading.data.field)
    reading.notes += reading.data.field.notes
    var result = FieldTelemetry(tally: tally)
    let report = filler.cmcd.report
    result.keysOfCMCD = (report.keys, report.unknown, report.custom, report.bad)
    result.skew = skew.median
    result.words = filler.words
    let words = filler.words
    result.observed = tally.kept(digest: reading.digest) { words.cohort($0) }
    result.load = tally.counted(digest: reading.digest)
    reading.notes += FieldNotes.all(
      mapping, epochs: filler.epochs, zoned: filler.zoned, unread: unread, skew: skew,
      cmcd: report, words: filler.words)
    result.reading = reading
    return result
  }
}
