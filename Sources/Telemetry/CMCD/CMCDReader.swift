/// Reads Common Media Client Data, version 1 (CTA-5004) and 2 (CTA-5004-A), in its three forms.
///
/// - A query's value and a header's value are the same text: `br=3200,bs,d=4004,sid="…"`; the four
///   headers hold a part of the keys each. Version 2 also writes lists by object type,
///   `br=(1000;a 3200;v)`, of which the first number counts.
/// - JSON is an object of the same keys; of a list the first value counts.
///
/// A key of neither version is counted and passed over, one with a hyphen is somebody's own. A
/// value that its key cannot have is counted, the first of a text is named, and the other keys are
/// read.
struct CMCDReader {
  /// What came by, over all texts.
  struct Report {
    /// Lines with at least one known key of version 1, and with one of version 2.
    var texts1 = 0
    var texts2 = 0
    var keys = 0
    var unknown = 0
    /// Keys with a hyphen, which are anybody's own.
    var custom = 0
    var bad = 0
  }

  private let salt: IdentitySalt
  private var before = 0
  private(set) var report = Report()
  /// The first key of the last text that cannot have its value.
  private(set) var fault: CMCDKey?
  /// The session and the content of the last text, 0 when it has none.
  private(set) var session: UInt64 = 0
  private(set) var content: UInt64 = 0

  init(_ salt: IdentitySalt) { self.salt = salt }

  /// Begins with a line, of whose columns several may hold keys.
  mutating func begin() {
    fault = nil
    (session, content) = (0, 0)
    before = report.keys
  }

  /// Ends a line.
  mutating func end(_ values: inout CMCDValues) {
    if report.keys == before { return }
    if values.version == 0 { values.version = 1 }
    if values.version == 1 { report.texts1 += 1 } else { report.texts2 += 1 }
  }

  /// Reads a text of any form into `values`.
  mutating func read(_ text: TextSpan, into values: inout CMCDValues) {
    if text.trimmed[0] == 0x7B { object(text, &values) } else { list(text, &values) }
  }

  /// Reads the value of one key, as logs have it that take CMCD apart.
  mutating func read(_ value: TextSpan, of key: CMCDKey, into values: inout CMCDValues) {
    take(key, string: unquoted(value), &values)
  }

  // MARK: Query and headers

  private mutating func list(_ text: TextSpan, _ values: inout CMCDValues) {
    var index = 0
    while index < text.count {
      let start = index
      while index < text.count && text.base[index] != 0x3D && text.base[index] != 0x2C {
        index += 1
      }
      let name = text.part(start, index).trimmed
      var value: TextSpan?
      if text[index] == 0x3D {
        index += 1
        let first = index
        index = end(of: text, index)
        value = text.part(first, index).trimmed
      }
      index += 1
      if !name.isEmpty { take(name, value, &values) }
    }
  }

  /// Where a value ends: at the next comma outside quotation marks and brackets.
  private func end(of text: TextSpan, _ start: Int) -> Int {
    var index = start
    var isQuoted = false
    var depth = 0
    while index < text.count {
      switch text.base[index] {
      case 0x22: isQuoted.toggle()
      case 0x5C where isQuoted: index += 1
      case 0x28 where !isQuoted: depth += 1
      case 0x29 where !isQuoted: depth -= 1
      case 0x2C where !isQuoted && depth <= 0: return index
      default: break
      }
      index += 1
    }
    return text.count
  }

  private mutating func take(_ name: TextSpan, _ value: TextSpan?, _ values: inout CMCDValues) {
    guard let key = known(name) else { return }
    var isBad = false
    switch key.form {
    case .flag:
      if let value {
        let isOn = value.equals("?1") ? true : value.equals("?0") ? false : TextNumber.flag(value)
        if let isOn { set(key, isOn, &values) } else { isBad = true }
      } else {
        set(key, true, &values)
      }
    case .whole, .decimal:
      if let value, let number = CMCDReader.number(value, key) {
        set(key, number, &values)
      } else {
        isBad = true
      }
    case .string:
      // Some clients leave the quotation marks out.
      if let value, !value.isEmpty { set(key, text: unquoted(value)) } else { isBad = true }
    case .token(let words):
      if let value, CMCDReader.isOne(unquoted(value), of: words) {
        set(key, token: unquoted(value), &values)
      } else {
        isBad = true
      }
    case .any: isBad = value == nil
    }
    end(key, isBad, &values)
  }

  private mutating func known(_ name: TextSpan) -> CMCDKey? {
    if let key = CMCDKey.named(name) { return key }
    if name.firstIndex(of: 0x2D) != nil { report.custom += 1 } else { report.unknown += 1 }
    return nil
  }

  private mutating func end(_ key: CMCDKey, _ isBad: Bool, _ values: inout CMCDValues) {
    if isBad {
      report.bad += 1
      if fault == nil { fault = key }
      return
    }
    report.keys += 1
    values.version = max(values.version, key.version)
  }

  /// The number of a value, or the first of a list `(1000;a 3200;v)`.
  private static func number(_ value: TextSpan, _ key: CMCDKey) -> Double? {
    var text = value
    if text[0] == 0x28 {
      if text[text.count - 1] != 0x29 { return nil }
      text = text.part(1, text.count - 1).trimmed
    }
    var end = 0
    while end < text.count && text.base[end] != 0x3B && text.base[end] != 0x20 { end += 1 }
    return checked(text.part(0, end), key)
  }

  private static func checked(_ text: TextSpan, _ key: CMCDKey) -> Double? {
    guard let number = TextNumber.real(text), number >= 0, number < 1e15 else { return nil }
    if case .whole = key.form, number != number.rounded(.towardZero) { return nil }
    return number
  }

  private func unquoted(_ value: TextSpan) -> TextSpan {
    value.count >= 2 && value[0] == 0x22 && value[value.count - 1] == 0x22
      ? value.part(1, value.count - 1) : value
  }

  /// Whether a token is one of the words of a list.
  private static func isOne(_ token: TextSpan, of words: StaticString) -> Bool {
    let list = TextSpan(words.utf8Start, words.utf8CodeUnitCount)
    var start = 0
    while start < list.count {
      let end = list.firstIndex(of: 0x20, from: start) ?? list.count
      if end - start == token.count {
        var isSame = true
        for index in 0..<token.count where token.base[index] != list.base[start + index] {
          isSame = false
        }
        if isSame { return true }
      }
      start = end + 1
    }
    return false
  }

  // MARK: JSON

  private mutating func object(_ text: TextSpan, _ values: inout CMCDValues) {
    var cursor = JSONCursor(text)
    if !cursor.take(0x7B) || cursor.take(0x7D) { return }
    while true {
      guard let name = cursor.string(), cursor.take(0x3A) else { return bad() }
      let key = known(text.part(name.start, name.start + name.count))
      // Of a list the first value counts.
      var inner = cursor
      if inner.take(0x5B), inner.next == 0x5B || inner.next == 0x7B { inner = cursor }
      if let key { take(key, text, &inner, &values) }
      if !cursor.skip() { return bad() }
      if cursor.take(0x2C) { continue }
      if !cursor.take(0x7D) { bad() }
      return
    }
  }

  private mutating func bad() {
    report.bad += 1
    if fault == nil { fault = .v }
  }

  private mutating func take(
    _ key: CMCDKey, _ text: TextSpan, _ cursor: inout JSONCursor, _ values: inout CMCDValues
  ) {
    if cursor.next == 0x22 {
      guard let string = cursor.string() else { return }
      let value = text.part(string.start, string.start + string.count)
      take(key, string: value, &values)
      return
    }
    guard let value = cursor.bare() else { return end(key, !isAny(key), &values) }
    if value.equals("null") { return }
    switch key.form {
    case .flag:
      if let isOn = TextNumber.flag(value) {
        set(key, isOn, &values)
        end(key, false, &values)
      } else {
        end(key, true, &values)
      }
    case .whole, .decimal:
      if let number = CMCDReader.checked(value, key) {
        set(key, number, &values)
        end(key, false, &values)
      } else {
        end(key, true, &values)
      }
    case .any: end(key, false, &values)
    case .string, .token: end(key, true, &values)
    }
  }

  private func isAny(_ key: CMCDKey) -> Bool {
    if case .any = key.form { return true }
    return false
  }

  private mutating func take(_ key: CMCDKey, string: TextSpan, _ values: inout CMCDValues) {
    switch key.form {
    case .string:
      set(key, text: string)
      end(key, false, &values)
    case .token(let words):
      let isOne = CMCDReader.isOne(string, of: words)
      if isOne { set(key, token: string, &values) }
      end(key, !isOne, &values)
    case .any: end(key, false, &values)
    case .whole, .decimal:
      // Numbers in quotation marks, as a log of JSON writes everything.
      let number = CMCDReader.number(string, key)
      if let number { set(key, number, &values) }
      end(key, number == nil, &values)
    case .flag:
      let isOn = TextNumber.flag(string)
      if let isOn { set(key, isOn, &values) }
      end(key, isOn == nil, &values)
    }
  }

  // MARK: Values

  private func set(_ key: CMCDKey, _ isOn: Bool, _ values: inout CMCDValues) {
    switch key {
    case .bs: values.isStarved = isOn
    case .su: values.isStartup = isOn
    default: break
    }
  }

  private func set(_ key: CMCDKey, _ number: Double, _ values: inout CMCDValues) {
    let value = key.value(of: number)
    switch key {
    case .br: values.bitrate = value
    case .ab: if values.bitrate.isNaN { values.bitrate = value }
    case .tb: values.topBitrate = value
    case .mtp: values.throughput = value
    case .bl: values.buffer = value
    case .d: values.objectDuration = value
    case .msd: values.startDelay = value
    case .ltc: values.liveLatency = value
    case .ttfb: values.firstByte = value
    case .v: if number >= 1 && number <= 2 { values.version = UInt8(number) }
    default: break
    }
  }

  private mutating func set(_ key: CMCDKey, text: TextSpan) {
    switch key {
    case .sid: session = salt.hash(text)
    case .cid: content = salt.hash(text)
    default: break
    }
  }

  private func set(_ key: CMCDKey, token: TextSpan, _ values: inout CMCDValues) {
    let letters = UInt16(token[0]) << 8 | UInt16(token[1])
    switch key {
    case .ot: values.objectType = letters
    case .sta: values.state = token[0]
    case .e: values.event = letters
    default: break
    }
  }
}
