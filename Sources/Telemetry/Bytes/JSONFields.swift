/// Cuts a JSON object on one line into the fields that somebody asked for by name. Members of
/// members are named `outer.inner`; a member that is asked for and is an object or a list is a
/// field as it is written.
struct JSONFields {
  /// Names that are asked for, by their hash.
  private var places: [UInt64: Int] = [:]
  private let count: Int

  init(_ names: [String]) {
    count = names.count
    for (index, name) in names.enumerated() {
      var hash = JSONFields.start
      for byte in name.utf8 { hash = JSONFields.mixed(hash, byte) }
      if places[hash] == nil { places[hash] = index }
    }
  }

  private static let start: UInt64 = 0xCBF2_9CE4_8422_2325

  @inline(__always)
  private static func mixed(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
  }

  /// - Parameters:
  ///   - fields: gets a field for each name, absent ones among them.
  ///   - offset: of the line in the buffer that fields are places of.
  /// - Returns: where the line is no object; nil when it is one. A list around all objects of a
  ///   file is passed over.
  func split(_ line: TextSpan, _ offset: Int, into fields: inout [RecordField]) -> Int? {
    fields.removeAll(keepingCapacity: true)
    for _ in 0..<count { fields.append(.absent) }
    var cursor = JSONCursor(line)
    _ = cursor.take(0x5B)
    if !members(&cursor, JSONFields.start, 0, line, offset, &fields) {
      return min(cursor.index, line.count)
    }
    _ = cursor.take(0x2C)
    _ = cursor.take(0x5D)
    cursor.skipBlanks()
    return cursor.index == line.count ? nil : cursor.index
  }

  private func members(
    _ cursor: inout JSONCursor, _ outer: UInt64, _ depth: Int, _ line: TextSpan, _ offset: Int,
    _ fields: inout [RecordField]
  ) -> Bool {
    if depth > JSONCursor.depth || !cursor.take(0x7B) { return false }
    if cursor.take(0x7D) { return true }
    while true {
      guard let key = cursor.string(), cursor.take(0x3A) else { return false }
      var hash = outer
      for index in key.start..<(key.start + key.count) {
        hash = JSONFields.mixed(hash, line.base[index])
      }
      let isRead: Bool
      if let place = places[hash] {
        isRead = value(&cursor, place, offset, &fields)
      } else if cursor.next == 0x7B {
        let inner = JSONFields.mixed(hash, 0x2E)
        isRead = members(&cursor, inner, depth + 1, line, offset, &fields)
      } else {
        isRead = cursor.skip()
      }
      if !isRead { return false }
      if cursor.take(0x2C) { continue }
      return cursor.take(0x7D)
    }
  }

  private func value(
    _ cursor: inout JSONCursor, _ place: Int, _ offset: Int, _ fields: inout [RecordField]
  ) -> Bool {
    if cursor.next == 0x22 {
      guard let text = cursor.string() else { return false }
      fields[place] = RecordField(
        start: offset + text.start, count: text.count, escape: text.hasEscapes ? .json : .none,
        isQuoted: true)
      return true
    }
    let start = cursor.index
    if !cursor.skip() { return false }
    fields[place] = RecordField(start: offset + start, count: cursor.index - start)
    return true
  }

  /// The names of an object's members, `outer.inner` for those of members, for a note.
  static func names(_ line: TextSpan) -> [String] {
    var cursor = JSONCursor(line)
    _ = cursor.take(0x5B)
    var names: [String] = []
    _ = collect(&cursor, "", 0, line, &names)
    return names
  }

  private static func collect(
    _ cursor: inout JSONCursor, _ outer: String, _ depth: Int, _ line: TextSpan,
    _ names: inout [String]
  ) -> Bool {
    if depth > 4 { return cursor.skip() }
    if !cursor.take(0x7B) { return false }
    if cursor.take(0x7D) { return true }
    while names.count < RecordField.limit {
      guard let key = cursor.string(), cursor.take(0x3A) else { return false }
      let name = outer + line.part(key.start, key.start + key.count).text
      if cursor.next == 0x7B {
        if !collect(&cursor, name + ".", depth + 1, line, &names) { return false }
      } else {
        names.append(name)
        if !cursor.skip() { return false }
      }
      if cursor.take(0x2C) { continue }
      return cursor.take(0x7D)
    }
    return false
  }
}
