/// CSV under a header (RFC 4180 without line feeds inside fields): events, a column for each member
/// (`name,at,session_id,view` and any of `id,item,video_id,dwell_ms,ms`), or values under names of
/// the user's own (`quantity,value` and `censored`, 0 or 1).
struct TelemetryTable {
  let file: String

  static func fits(_ header: String) -> Bool {
    let names = columns(header)
    return names.contains("quantity") && names.contains("value")
      || names.contains("name") && names.contains("at")
  }

  private static func columns(_ header: String) -> [String] {
    header.split(separator: ",", omittingEmptySubsequences: false).map { part in
      var text = part.filter { $0 != "\r" && $0 != " " && $0 != "\"" }
      if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
      return String(text)
    }
  }

  func read(
    _ bytes: [UInt8], from start: Int, _ events: inout TelemetryEvents,
    _ reading: inout TelemetryReading, _ report: inout CacheTraceReport
  ) {
    var place = TelemetryPlace(file: file, bytes: bytes)
    var line = next(bytes, start)
    let names = TelemetryTable.columns(String(decoding: bytes[line], as: UTF8.self))
    let isNamed = names.contains("quantity")
    var fields: [Range<Int>] = []
    while line.upperBound < bytes.count {
      line = next(bytes, line.upperBound + 1)
      if line.isEmpty || line.count == 1 && bytes[line.lowerBound] == 0x0D { continue }
      split(bytes, line, &fields)
      if fields.count != names.count {
        reading.reject(
          place.problem(
            line.lowerBound, "", expected: "\(names.count) fields as in the header", .wrongCount))
        continue
      }
      let fault =
        isNamed
        ? named(bytes, names, fields, &reading)
        : event(bytes, names, fields, &events, &reading)
      if let fault {
        reading.reject(
          place.problem(line.lowerBound, fault.key, expected: fault.expected, .wrongType))
      }
    }
  }

  private func next(_ bytes: [UInt8], _ start: Int) -> Range<Int> {
    var end = start
    while end < bytes.count && bytes[end] != 0x0A { end += 1 }
    return start..<end
  }

  private func split(_ bytes: [UInt8], _ line: Range<Int>, _ fields: inout [Range<Int>]) {
    fields.removeAll(keepingCapacity: true)
    var end = line.upperBound
    if end > line.lowerBound && bytes[end - 1] == 0x0D { end -= 1 }
    var first = line.lowerBound
    var isQuoted = false
    for index in line.lowerBound..<end {
      if bytes[index] == 0x22 { isQuoted.toggle() }
      if bytes[index] == 0x2C && !isQuoted {
        fields.append(bare(bytes, first..<index))
        first = index + 1
      }
    }
    fields.append(bare(bytes, first..<end))
  }

  private func bare(_ bytes: [UInt8], _ field: Range<Int>) -> Range<Int> {
    let isQuoted =
      field.count >= 2 && bytes[field.lowerBound] == 0x22 && bytes[field.upperBound - 1] == 0x22
    return isQuoted ? (field.lowerBound + 1)..<(field.upperBound - 1) : field
  }

  private func named(
    _ bytes: [UInt8], _ names: [String], _ fields: [Range<Int>],
    _ reading: inout TelemetryReading
  ) -> (key: String, expected: String)? {
    var (quantity, isCensored) = ("", false)
    var value: Double?
    for (name, field) in zip(names, fields) {
      switch name {
      case "quantity": quantity = String(decoding: bytes[field], as: UTF8.self)
      case "value": value = field.isEmpty ? nil : JSONScanner.number(bytes, field)
      case "censored":
        let text = String(decoding: bytes[field], as: UTF8.self)
        guard ["0", "1", "", "true", "false"].contains(text) else {
          return ("censored", "0 or 1")
        }
        isCensored = text == "1" || text == "true"
      default: break
      }
    }
    if quantity.isEmpty { return ("quantity", "what the value is of") }
    guard let value, value >= 0 else { return ("value", "a number, not negative") }
    reading.records += 1
    reading.data.named[quantity, default: TelemetryData.Times()].add(value, isCensored: isCensored)
    return nil
  }

  private func event(
    _ bytes: [UInt8], _ names: [String], _ fields: [Range<Int>],
    _ events: inout TelemetryEvents, _ reading: inout TelemetryReading
  ) -> (key: String, expected: String)? {
    var event = TelemetryEvents.Event()
    for (name, field) in zip(names, fields) where !field.isEmpty {
      switch name {
      case "name": event.name = field
      case "id": event.id = field
      case "session_id": event.session = field
      case "video_id": event.video = field
      case "at": event.at = JSONScanner.number(bytes, field)
      case "view": event.view = JSONScanner.number(bytes, field)
      case "item": event.item = JSONScanner.number(bytes, field)
      case "dwell_ms": event.dwell = JSONScanner.number(bytes, field)
      case "ms": event.milliseconds = JSONScanner.number(bytes, field)
      default: break
      }
    }
    return events.add(event, bytes, &reading)
  }
}
