/// What a line of a policy's log may be: the published form of a machine's configuration, events
/// and commands, by which lines are told in words and by which others write them.
public struct PolicyLogForm: Sendable {
  /// What a field holds.
  public indirect enum Sort: Sendable, Equatable {
    /// A whole number within bounds.
    case number(ClosedRange<Int64>)
    /// A whole number of 64 bits without a sign.
    case natural
    /// A time or an instant in nanoseconds, at least so long.
    case time(atLeast: Int64 = .min)
    /// Bits per second.
    case rate
    /// 0 or 1.
    case flag
    /// A number by the 64 bits of its IEEE 754 form, as a whole number without a sign.
    case bits
    /// One of these numbers, each with a name.
    case code([Name])
    /// The sum of one or more of these numbers.
    case set([Name])

    /// A number and what it stands for.
    public struct Name: Sendable, Equatable {
      public let number: Int64
      public let text: String
    }
  }

  /// A part of a line.
  public indirect enum Piece: Sendable {
    case field(String, Sort, String)
    /// A count, and so many times the pieces.
    case list(String, ClosedRange<Int64>, [Piece], String)
    /// The pieces as often as there are fields left.
    case rest([Piece])
    /// The pieces, or the end of the line.
    case maybe([Piece])
    /// One of these words, each with pieces behind it.
    case choice([Row])
  }

  /// A word and what follows it.
  public struct Row: Sendable {
    public let word: String
    /// What it means, one line without a full stop.
    public let meaning: String
    public let pieces: [Piece]

    init(_ word: String, _ meaning: String, _ pieces: [Piece] = []) {
      self.word = word
      self.meaning = meaning
      self.pieces = pieces
    }
  }

  /// The machine's name in logs, and what it decides.
  public let machine, summary: String
  public let configuration: [Piece]
  public let events, commands: [Row]

  /// The form of the machine of this name.
  public static func named(_ name: String) -> PolicyLogForm? { all.first { $0.machine == name } }
}

// MARK: Lines in words

extension PolicyLogForm {
  /// A field of a line with its name and its value for reading.
  public struct Told: Sendable, Equatable {
    public var name: String
    public var value: String
  }

  /// The fields of a configuration; nil when the words are none.
  public func configuration(_ words: [Substring]) -> [Told]? {
    var reader = Reader(words)
    guard reader.read(configuration), reader.isAtEnd else { return nil }
    return reader.told
  }

  /// What an event or a command says: the word's meaning, and its fields; nil when it is none.
  public static func line(_ words: [Substring], of rows: [Row]) -> (row: Row, told: [Told])? {
    guard let word = words.first, let row = rows.first(where: { $0.word == word }) else {
      return nil
    }
    var reader = Reader(Array(words.dropFirst()))
    guard reader.read(row.pieces), reader.isAtEnd else { return nil }
    return (row, reader.told)
  }

  private struct Reader {
    let words: [Substring]
    var place = 0
    var told: [Told] = []

    init(_ words: [Substring]) { self.words = words }

    var isAtEnd: Bool { place == words.count }

    mutating func next() -> Substring? {
      guard place < words.count else { return nil }
      place += 1
      return words[place - 1]
    }

    mutating func read(_ pieces: [Piece]) -> Bool {
      for piece in pieces where !read(piece) { return false }
      return true
    }

    private mutating func read(_ piece: Piece) -> Bool {
      switch piece {
      case .field(let name, let sort, _):
        guard let word = next(), let text = sort.text(of: word) else { return false }
        told.append(Told(name: name, value: text))
        return true
      case .list(let name, let range, let pieces, _):
        guard let word = next(), let count = Int64(word), range.contains(count) else {
          return false
        }
        let before = told.count
        for _ in 0..<count where !read(pieces) { return false }
        // Long lists are told by their length.
        if told.count - before > 12 { told.removeSubrange(before...) }
        told.insert(Told(name: name, value: "\(count)"), at: before)
        return true
      case .rest(let pieces):
        while !isAtEnd { if !read(pieces) { return false } }
        return true
      case .maybe(let pieces): return isAtEnd || read(pieces)
      case .choice(let rows):
        guard let word = next(), let row = rows.first(where: { $0.word == word }) else {
          return false
        }
        told.append(Told(name: row.word, value: ""))
        return read(row.pieces)
      }
    }
  }
}

extension PolicyLogForm.Sort {
  /// A field for reading; nil when it is none of the sort.
  func text(of word: Substring) -> String? {
    switch self {
    case .natural: return UInt64(word).map { "\($0)" }
    case .bits:
      return UInt64(word).map { bits in
        let number = Double(bitPattern: bits)
        return number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
      }
    case .flag: return word == "0" ? "no" : word == "1" ? "yes" : nil
    case .number(let range):
      guard let number = Int64(word), range.contains(number) else { return nil }
      return number == .max ? "without bound" : "\(number)"
    case .time(let least):
      guard let nanoseconds = Int64(word), nanoseconds >= least else { return nil }
      return PolicyLogForm.time(nanoseconds)
    case .rate:
      guard let rate = Int64(word), rate >= 0 else { return nil }
      return rate % 1000 == 0 ? "\(rate / 1000) kbps" : "\(rate) bps"
    case .code(let names):
      guard let number = Int64(word) else { return nil }
      return names.first { $0.number == number }?.text
    case .set(let names):
      guard let sum = Int64(word), sum >= 0 else { return nil }
      let held = names.filter { sum & $0.number != 0 }
      if held.reduce(0, { $0 | $1.number }) != sum { return nil }
      return held.isEmpty ? "none" : held.map(\.text).joined(separator: "+")
    }
  }

  /// The sort in words, for the page.
  public var words: String {
    switch self {
    case .number(0...Int64.max): "whole number, at least 0"
    case .number(Int64.min...Int64.max): "whole number"
    case .number(0...Int64(UInt32.max)): "whole number of 32 bits"
    case .number(let range):
      range.upperBound == .max
        ? "whole number, at least \(range.lowerBound)"
        : "whole number, \(range.lowerBound) to \(range.upperBound)"
    case .natural: "whole number of 64 bits without a sign"
    case .time(let least):
      least == .min ? "ns" : "ns, at least \(least)"
    case .rate: "bits per second"
    case .flag: "0 or 1"
    case .bits: "number, by its 64 bits"
    case .code(let names): names.map { "\($0.number) \($0.text)" }.joined(separator: ", ")
    case .set(let names):
      "sum of " + names.map { "\($0.number) \($0.text)" }.joined(separator: ", ")
    }
  }
}

extension PolicyLogForm {
  /// A time in the unit that reads best; exact.
  public static func time(_ nanoseconds: Int64) -> String {
    if nanoseconds == .max { return "without end" }
    let units: [(Int64, String)] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs")]
    for (size, unit) in units where nanoseconds.magnitude >= UInt64(size) {
      let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: size)
      if rest == 0 { return "\(whole) \(unit)" }
      if rest % (size / 1000) == 0 {
        var digits = "\(rest.magnitude / UInt64(size / 1000))"
        digits = String(repeating: "0", count: 3 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return (nanoseconds < 0 && whole == 0 ? "-" : "") + "\(whole).\(digits) \(unit)"
      }
    }
    return "\(nanoseconds) ns"
  }
}
