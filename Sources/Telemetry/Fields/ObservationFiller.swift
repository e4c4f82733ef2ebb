/// Fills observations from the fields of records, and keeps what only all records show: words,
/// units, forms of times, keys of CMCD.
struct ObservationFiller: ~Copyable {
  /// What is needed of a column in front of every field.
  private struct Plan {
    let quantity: ObservedQuantity
    let form: ObservedQuantity.Form
    let factor: Double
    let divisor: Double
    let clock: Observation.Clock
    let epoch: TextTime.Epoch?
    let isDate: Bool
    let isEncoded: Bool
    let negativeIsAbsent: Bool
    let key: CMCDKey?
    /// The place of a part of a start among these.
    let part: Int

    init(_ column: ColumnMapping.Column, part: Int) {
      self.part = part
      quantity = column.quantity
      form = column.quantity.form
      factor = column.unit.factor
      divisor = column.unit.divisor
      clock = column.clock
      epoch = column.unit.epoch
      isDate = column.unit.isDate
      isEncoded = column.isEncoded
      negativeIsAbsent = column.negativeIsAbsent
      key = column.key.isEmpty ? nil : CMCDKey.allCases.first { $0.name == column.key }
    }
  }

  /// Beyond is no second, byte or bit per second of anybody's.
  private static let largest = 1e15

  private let plans: [Plan]
  private let negativeStartIsAbandoned: Bool
  private let titleParts: Int
  let salt: IdentitySalt
  private let events: [(word: [UInt8], meaning: ColumnMapping.Meaning)]
  private(set) var cmcd: CMCDReader
  private(set) var words = ObservedWords()
  /// Of each column of the mapping.
  private(set) var units: [UnitTally]
  private(set) var epochs: [TextTime.Forms]
  /// Whether any record had something there.
  private(set) var seen: [Bool]
  private var zones: [ZoneClock?]
  /// Times whose offset nobody wrote, read by a zone.
  private(set) var zoned = 0
  private var day: Int64?
  private var meaning: ColumnMapping.Meaning?
  private var value = Double.nan
  /// The column with the first key of CMCD of the last record that cannot have its value.
  private(set) var faultyColumn: Int?
  /// A field's meaning where it is written otherwise, and the meaning of a part of it.
  private var plain = ScratchText()
  private var decoded = ScratchText()

  init(_ mapping: ColumnMapping, titleParts: Int, salt: IdentitySalt) {
    var parts = 0
    plans = mapping.columns.map { column in
      defer { if column.quantity == .startPart { parts += 1 } }
      return Plan(column, part: parts)
    }
    negativeStartIsAbandoned = mapping.negativeStartIsAbandoned
    self.titleParts = max(1, titleParts)
    self.salt = salt
    events = mapping.events.sorted { $0.key < $1.key }.map { (Array($0.key.utf8), $0.value) }
    cmcd = CMCDReader(salt)
    units = [UnitTally](repeating: UnitTally(), count: mapping.columns.count)
    epochs = [TextTime.Forms](repeating: [], count: mapping.columns.count)
    seen = [Bool](repeating: false, count: mapping.columns.count)
    zones = mapping.columns.map { $0.zone ?? mapping.zone }
  }

  /// What came of a record.
  enum Outcome {
    case filled
    /// Of an event that nothing is made of.
    case unused
    case fault(ColumnBinding, FieldFault)
  }

  /// Fills an observation from a record's fields, which stand behind `base`.
  mutating func fill(
    _ observation: inout Observation, _ bindings: [ColumnBinding], _ fields: [RecordField],
    _ base: UnsafePointer<UInt8>
  ) -> Outcome {
    observation = Observation()
    (day, meaning, value, faultyColumn) = (nil, nil, .nan, nil)
    cmcd.begin()
    for binding in bindings {
      let field = fields[binding.field]
      if field.count == 0 { continue }
      seen[binding.column] = true
      var text = TextSpan(base + field.start, field.count)
      if field.escape != .none {
        plain.unescape(text, field.escape)
        text = plain.text
      }
      let bare = text.trimmed
      if bare.isAbsent { continue }
      if let fault = take(bare, binding.column, &observation) { return .fault(binding, fault) }
    }
    return end(&observation, bindings)
  }

  private mutating func end(
    _ observation: inout Observation, _ bindings: [ColumnBinding]
  ) -> Outcome {
    cmcd.end(&observation.request.cmcd)
    if cmcd.session != 0 {
      observation.who.view = salt.joined(cmcd.session, cmcd.content)
    }
    if cmcd.content != 0 { observation.who.title = cmcd.content }
    if observation.start.ttff.isNaN { observation.start.ttff = observation.request.cmcd.startDelay }
    if observation.start.isFailed == true { observation.start.isAbandoned = nil }
    guard !events.isEmpty, let meaning else { return events.isEmpty ? .filled : .unused }
    return apply(meaning, &observation, bindings)
  }

  private func apply(
    _ meaning: ColumnMapping.Meaning, _ observation: inout Observation,
    _ bindings: [ColumnBinding]
  ) -> Outcome {
    switch meaning {
    case .ignored: return .unused
    case .start: return .filled
    case .failed:
      observation.start.isFailed = true
      return .filled
    case .ttff, .dwell, .stall: break
    }
    if value.isNaN {
      // Named by the column of the value, else of the event.
      let column =
        plans.firstIndex { $0.quantity == .value }
        ?? plans.firstIndex { $0.quantity == .event }
      guard let place = bindings.first(where: { $0.column == column }) else { return .unused }
      return .fault(place, .noValue)
    }
    switch meaning {
    case .ttff: observation.start.ttff = value
    case .dwell: observation.playback.dwell = value
    case .stall: (observation.playback.stall, observation.playback.stalls) = (value, 1)
    case .start, .failed, .ignored: break
    }
    return .filled
  }

  private mutating func take(
    _ text: TextSpan, _ index: Int, _ observation: inout Observation
  ) -> FieldFault? {
    let quantity = plans[index].quantity
    switch plans[index].form {
    case .dropped: return nil
    case .instant: return instant(text, index, &observation)
    case .span, .size, .rate: return measure(text, index, &observation)
    case .number: return number(text, index, &observation)
    case .flag: return flag(text, quantity, &observation)
    case .name:
      name(salt.hash(text), quantity, &observation)
      return nil
    case .word:
      words.note(text, quantity, &observation.words)
      return nil
    case .text: return other(text, index, &observation)
    }
  }

  // MARK: Numbers

  private mutating func measure(
    _ text: TextSpan, _ index: Int, _ observation: inout Observation
  ) -> FieldFault? {
    let plan = plans[index]
    let said = TextNumber.real(text)
    guard let number = said ?? (plan.quantity == .upstream ? TextNumber.sum(text) : nil) else {
      return .notNumber
    }
    if number < 0 {
      if plan.quantity == .ttff && negativeStartIsAbandoned {
        observation.start.isAbandoned = true
        return nil
      }
      return plan.negativeIsAbsent ? nil : .negative
    }
    let scaled = number * plan.factor / plan.divisor
    if scaled > ObservationFiller.largest { return .tooLarge }
    units[index].add(scaled)
    switch plan.quantity {
    case .ttff:
      observation.start.ttff = scaled
      if plan.clock != .unknown { observation.start.clock = plan.clock }
    case .dwell: observation.playback.dwell = scaled
    case .played: observation.playback.played = scaled
    case .stall: observation.playback.stall = scaled
    case .titleLength: observation.playback.titleLength = scaled
    case .bitrate: observation.playback.bitrate = scaled
    case .bytes: observation.request.bytes = scaled
    case .duration: observation.request.duration = scaled
    case .firstByte: observation.request.firstByte = scaled
    case .upstream: observation.request.upstream = scaled
    case .roundTrip: observation.request.roundTrip = scaled
    case .throughput: observation.request.throughput = scaled
    case .value: value = scaled
    case .startPart: observation.startParts[plan.part] = Float(scaled)
    default: observation.parts.set(plan.quantity, scaled)
    }
    return nil
  }

  private func number(
    _ text: TextSpan, _ index: Int, _ observation: inout Observation
  ) -> FieldFault? {
    guard let number = TextNumber.real(text) else { return .notNumber }
    let (quantity, mayBeNegative) = (plans[index].quantity, plans[index].negativeIsAbsent)
    if number < 0 { return mayBeNegative ? nil : .negative }
    switch quantity {
    case .item: observation.start.item = number
    case .stalls: observation.playback.stalls = number
    case .status:
      observation.request.status = number
      observation.request.isRequest = true
    default: preconditionFailure("\(quantity) is no number")
    }
    return nil
  }

  private func flag(
    _ text: TextSpan, _ quantity: ObservedQuantity, _ observation: inout Observation
  ) -> FieldFault? {
    // A count of what happened is a flag, too.
    guard let isOn = TextNumber.flag(text) ?? TextNumber.whole(text).map({ $0 > 0 }) else {
      return .notFlag
    }
    switch quantity {
    case .abandoned: observation.start.isAbandoned = isOn
    case .failed: observation.start.isFailed = isOn
    case .ready: observation.start.isReady = isOn
    default: preconditionFailure("\(quantity) is no flag")
    }
    return nil
  }

  private func name(
    _ hash: UInt64, _ quantity: ObservedQuantity, _ observation: inout Observation
  ) {
    switch quantity {
    case .session: observation.who.session = hash
    case .view: observation.who.view = hash
    case .viewer: observation.who.viewer = hash
    case .title: observation.who.title = hash
    case .object: observation.who.object = hash
    default: preconditionFailure("\(quantity) is no name")
    }
  }

  // MARK: Instants

  private mutating func instant(
    _ text: TextSpan, _ index: Int, _ observation: inout Observation
  ) -> FieldFault? {
    let plan = plans[index]
    let instant: Int64
    if !plan.isDate, let found = TextTime.epoch(text, plan.epoch) {
      epochs[index].insert(found.form.asForms)
      instant = found.instant
    } else if plan.epoch != nil {
      return .notInstant
    } else {
      var zone = zones[index] ?? .utc
      guard let found = date(text, &zone) else { return .notInstant }
      if !found.hasOffset {
        if zones[index] == nil { return .noOffset }
        zoned += 1
        zones[index] = zone
      }
      instant = found.instant
    }
    if plan.quantity == .time {
      observation.when.client = instant
    } else {
      observation.when.server = instant
    }
    return nil
  }

  private func date(
    _ text: TextSpan, _ zone: inout ZoneClock
  ) -> (instant: Int64, hasOffset: Bool)? {
    if let day, text[2] == 0x3A {
      guard let clock = TextTime.timeOfDay(text) else { return nil }
      let local = day + clock.seconds
      return (zone.toUTC(local) * 1_000_000_000 + clock.nanoseconds, false)
    }
    if text[2] == 0x2F {
      return TextTime.commonLog(text).map { ($0, true) }
    }
    return TextTime.iso(text, &zone)
  }

  // MARK: Texts

  private mutating func other(
    _ text: TextSpan, _ index: Int, _ observation: inout Observation
  ) -> FieldFault? {
    let quantity = plans[index].quantity
    switch quantity {
    case .date:
      day = TextTime.day(text)
      return day == nil ? .notInstant : nil
    case .clock:
      guard let clock = ObservationFiller.clock(text) else { return .notClock }
      observation.start.clock = clock
      return nil
    case .event:
      meaning = meaning(of: text)
      return nil
    case .cache:
      observation.request.isRequest = true
      guard let outcome = CacheField.outcome(text) else { return .notCache }
      observation.request.outcome = outcome
      observation.request.behind = CacheField.behind(text) ?? .unknown
      return nil
    case .serverTiming: return serverTiming(text, &observation.request)
    case .request: return request(text, index, &observation)
    case .url:
      target(text, &observation)
      return nil
    case .query:
      query(text, index, &observation)
      return nil
    case .cmcd:
      readCMCD(text, index, &observation)
      return nil
    default: preconditionFailure("\(quantity) is no text")
    }
  }

  private func meaning(of word: TextSpan) -> ColumnMapping.Meaning? {
    let bytes = UnsafeBufferPointer(start: word.base, count: word.count)
    return events.first { $0.word.elementsEqual(bytes) }?.meaning
  }

  private static func clock(_ text: TextSpan) -> Observation.Clock? {
    if text.isWord("cold") { return .cold }
    if text.isWord("swipe") { return .swipe }
    return text.isWord("play") ? .play : nil
  }

  private func serverTiming(
    _ text: TextSpan, _ request: inout Observation.Request
  ) -> FieldFault? {
    let field = ServerTimingField(text)
    if !field.isPlausible { return .notTiming }
    if request.duration.isNaN { request.duration = field.total }
    if request.upstream.isNaN { request.upstream = field.upstream }
    if request.roundTrip.isNaN { request.roundTrip = field.roundTrip }
    if request.outcome == .unknown { request.outcome = field.outcome }
    return nil
  }

  /// `GET /path?query HTTP/1.1`.
  private mutating func request(
    _ text: TextSpan, _ index: Int, _ observation: inout Observation
  ) -> FieldFault? {
    guard let first = text.firstIndex(of: 0x20), first > 0 else { return .notRequest }
    for place in 0..<first where !(0x41...0x5A).contains(text.base[place]) { return .notRequest }
    let start = first + 1
    let end = text.firstIndex(of: 0x20, from: start) ?? text.count
    if end == start { return .notRequest }
    observation.request.isRequest = true
    target(text.part(start, end), &observation)
    if let mark = text.part(start, end).firstIndex(of: 0x3F) {
      query(text.part(start + mark + 1, end), index, &observation)
    }
    return nil
  }

  /// The title is the first parts of the path, the object all of it.
  private mutating func target(_ text: TextSpan, _ observation: inout Observation) {
    let mark = text.firstIndex(of: 0x3F) ?? text.count
    var path = text.part(0, mark)
    // An address in full, such as a player's.
    if let colon = path.firstIndex(of: 0x3A), path[colon + 1] == 0x2F, path[colon + 2] == 0x2F {
      path = path.from(path.firstIndex(of: 0x2F, from: colon + 3) ?? path.count)
    }
    if path.firstIndex(of: 0x25) != nil {
      decoded.decodePercent(path)
      path = decoded.text
    }
    if path.isEmpty { return }
    observation.who.object = salt.hash(path)
    if observation.who.title == 0 {
      observation.who.title = salt.hash(ObservationFiller.title(path, parts: titleParts))
    }
  }

  /// The first parts of a path, but not the last one, unless it is the only one.
  static func title(_ path: TextSpan, parts: Int) -> TextSpan {
    var start = 0
    while path[start] == 0x2F { start += 1 }
    var end = path.count
    while end > start && path[end - 1] == 0x2F { end -= 1 }
    var slashes = 0
    var cut = end
    var last = start
    for index in start..<end where path.base[index] == 0x2F {
      slashes += 1
      last = index
      if slashes == parts { cut = index }
    }
    // With fewer slashes than parts all but the last one are the title.
    if slashes > 0 && slashes < parts { cut = last }
    return path.part(start, cut)
  }

  /// The parameter `CMCD` of a query. Logs encode once more what the player encoded.
  private mutating func query(
    _ text: TextSpan, _ index: Int, _ observation: inout Observation
  ) {
    var start = 0
    while start < text.count {
      let end = text.firstIndex(of: 0x26, from: start) ?? text.count
      let parameter = text.part(start, end)
      start = end + 1
      guard parameter.starts(with: "CMCD=") else { continue }
      decoded.decodePercent(parameter.from(5))
      for _ in 0..<2 where ObservationFiller.isEncoded(decoded.text) {
        decoded.decodePercent(decoded.text)
      }
      cmcd.read(decoded.text, into: &observation.request.cmcd)
      observation.request.isRequest = true
      noteFault(index)
      return
    }
  }

  /// Whether a text of CMCD is still encoded: it has neither `=` nor `,`, but `%`.
  private static func isEncoded(_ text: TextSpan) -> Bool {
    text.firstIndex(of: 0x25) != nil && text.firstIndex(of: 0x3D) == nil
      && text.firstIndex(of: 0x2C) == nil
  }

  private mutating func readCMCD(
    _ text: TextSpan, _ index: Int, _ observation: inout Observation
  ) {
    var value = text
    let isEncoded = plans[index].isEncoded || ObservationFiller.isEncoded(text)
    if isEncoded {
      decoded.decodePercent(text)
      value = decoded.text
    }
    if let key = plans[index].key {
      cmcd.read(value, of: key, into: &observation.request.cmcd)
    } else {
      if value.starts(with: "CMCD=") { value = value.from(5) }
      cmcd.read(value, into: &observation.request.cmcd)
    }
    noteFault(index)
  }

  private mutating func noteFault(_ index: Int) {
    if cmcd.fault != nil && faultyColumn == nil { faultyColumn = index }
  }
}

extension Observation.Parts {
  fileprivate mutating func set(_ quantity: ObservedQuantity, _ seconds: Double) {
    switch quantity {
    case .launch: launch = seconds
    case .creation: creation = seconds
    case .preparation: preparation = seconds
    case .setup: setup = seconds
    case .reuse: reuse = seconds
    case .decode: decode = seconds
    case .presentation: presentation = seconds
    default: preconditionFailure("\(quantity) is no measure")
    }
  }
}
