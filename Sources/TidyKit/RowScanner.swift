/// A row of the requirements that a text names.
struct RowMention: Equatable, Sendable {
  let row: String
  /// From 1.
  let line: Int
}

/// Finds the rows that a text names, alone (`SIG-023`), in lists (`SIG-064, 065 and 066`) and in
/// ranges (`REEL-008 to REEL-013`, `SIG-023...025`, `VF-031 to 036`).
///
/// After a row, a bare number counts only when it has as many digits and, in a list, begins with
/// 0: `SIG-064, 200 ms` names one row. A range that runs backwards is given as one row that no
/// table has, so that it is reported. A range does not reach across a line end.
struct RowScanner {
  private static let families = ["SIG", "TBM", "VF", "ICC", "REEL", "X", "OQ"].map {
    (name: $0, prefix: Array("\($0)-".utf8))
  }
  private static let rangeSigns = ["...", "…", "–", "-", " to ", " through "].map {
    Array($0.utf8)
  }
  private static let listSigns = [", ", ",", " and ", "/"].map { Array($0.utf8) }

  private let bytes: [UInt8]
  private var at = 0
  private var line: Int
  private var found: [RowMention] = []

  /// - Parameter line: the line the text starts on.
  static func mentions(in text: String, from line: Int = 1) -> [RowMention] {
    var scanner = RowScanner(bytes: Array(text.utf8), line: line)
    scanner.scan()
    return scanner.found
  }

  private init(bytes: [UInt8], line: Int) {
    self.bytes = bytes
    self.line = line
  }

  private mutating func scan() {
    while at < bytes.count {
      if bytes[at] == ascii("\n") { line += 1 }
      guard isStart(at), let family = family(at: at),
        let digits = digits(at: at + family.prefix.count)
      else {
        at += 1
        continue
      }
      at += family.prefix.count + digits.utf8.count
      add(family.name, digits)
      rest(of: family, after: digits)
    }
  }

  private mutating func add(_ family: String, _ digits: String) {
    found.append(RowMention(row: "\(family)-\(digits)", line: line))
  }

  /// Lists and ranges that go on after a row.
  private mutating func rest(of family: (name: String, prefix: [UInt8]), after first: String) {
    var last = first
    while true {
      if let (digits, end) = next(Self.rangeSigns, family.prefix, like: last, isList: false) {
        addRange(family.name, from: last, to: digits)
        (last, at) = (digits, end)
      } else if let (digits, end) = next(Self.listSigns, family.prefix, like: last, isList: true) {
        add(family.name, digits)
        (last, at) = (digits, end)
      } else {
        return
      }
    }
  }

  private mutating func addRange(_ family: String, from first: String, to last: String) {
    guard let low = Int(first), let high = Int(last), low < high else {
      add(family, "\(first) to \(family)-\(last)")
      return
    }
    for number in (low + 1)...high {
      let digits = String(number)
      add(family, String(repeating: "0", count: max(0, first.count - digits.count)) + digits)
    }
  }

  /// The number after one of the signs, and where it ends.
  private func next(
    _ signs: [[UInt8]], _ prefix: [UInt8], like last: String, isList: Bool
  ) -> (digits: String, end: Int)? {
    for sign in signs where holds(sign, at: at) {
      var place = at + sign.count
      let isWhole = holds(prefix, at: place)
      if isWhole { place += prefix.count }
      guard let digits = digits(at: place) else { continue }
      if !isWhole {
        if digits.count != last.count || (isList && digits.first != "0") { continue }
      }
      return (digits, place + digits.utf8.count)
    }
    return nil
  }

  private func isStart(_ place: Int) -> Bool {
    place == 0 || (!isWordByte(bytes[place - 1]) && bytes[place - 1] != ascii("-"))
  }

  private func holds(_ text: [UInt8], at place: Int) -> Bool {
    place + text.count <= bytes.count && bytes[place..<place + text.count].elementsEqual(text)
  }

  private func family(at place: Int) -> (name: String, prefix: [UInt8])? {
    Self.families.first { holds($0.prefix, at: place) }
  }

  /// A number that is no part of a longer word or of a decimal.
  private func digits(at place: Int) -> String? {
    var end = place
    while end < bytes.count && isDigit(bytes[end]) { end += 1 }
    if end == place { return nil }
    if end < bytes.count {
      let isDecimal =
        bytes[end] == ascii(".") && end + 1 < bytes.count && isDigit(bytes[end + 1])
      // A character beyond ASCII, such as a dash, ends the number.
      if isDecimal || (isWordByte(bytes[end]) && bytes[end] < 0x80) { return nil }
    }
    return String(decoding: bytes[place..<end], as: UTF8.self)
  }
}
