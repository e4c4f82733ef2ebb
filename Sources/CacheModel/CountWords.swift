import AudienceModel
import MediaUnits

// What a pilot counted, and what follows from it for the caches, as 64-bit words that hold it to
// the bit: a host may keep them, and take them for the same later.

/// Writes numbers as words.
struct WordWriter {
  private(set) var words: [UInt64] = []

  mutating func add(_ number: Int64) { words.append(UInt64(bitPattern: number)) }
  mutating func add(_ number: Double) { words.append(number.bitPattern) }
  mutating func add(_ isSo: Bool) { words.append(isSo ? 1 : 0) }

  /// Adds numbers most of which are zero: their count, that of those which are not, and these with
  /// their places.
  mutating func add(sparse numbers: [UInt64]) {
    words.append(UInt64(numbers.count))
    let place = words.count
    words.append(0)
    for (index, number) in numbers.enumerated() where number != 0 {
      words.append(UInt64(index))
      words.append(number)
    }
    words[place] = UInt64((words.count - place - 1) / 2)
  }

  mutating func add(sparse numbers: [Int64]) {
    add(sparse: numbers.map { UInt64(bitPattern: $0) })
  }

  mutating func add(sparse numbers: [Double]) { add(sparse: numbers.map { $0.bitPattern }) }
}

/// Reads them back; everything is nil from the first word on that cannot be.
struct WordReader {
  private let words: [UInt64]
  private var place = 0

  init(_ words: [UInt64]) { self.words = words }

  /// Whether all words were read.
  var isAtEnd: Bool { place == words.count }

  mutating func word() -> UInt64? {
    if place >= words.count { return nil }
    place += 1
    return words[place - 1]
  }

  mutating func integer() -> Int64? { word().map { Int64(bitPattern: $0) } }
  mutating func double() -> Double? { word().map { Double(bitPattern: $0) } }

  mutating func truth() -> Bool? {
    guard let word = word(), word <= 1 else { return nil }
    return word == 1
  }

  /// - Parameter count: how many numbers there are unless there is none.
  mutating func sparse(count: Int) -> [UInt64]? {
    guard let stated = word(), stated == 0 || stated == UInt64(count), let filled = word(),
      filled <= stated
    else { return nil }
    var numbers = [UInt64](repeating: 0, count: Int(stated))
    for _ in 0..<filled {
      guard let index = word(), index < stated, let number = word() else { return nil }
      numbers[Int(index)] = number
    }
    return numbers
  }

  mutating func integers(count: Int) -> [Int64]? {
    sparse(count: count)?.map { Int64(bitPattern: $0) }
  }

  mutating func doubles(count: Int) -> [Double]? {
    sparse(count: count)?.map { Double(bitPattern: $0) }
  }
}

/// What is written as words, and comes back from them and from no others.
protocol HeldInWords {
  func write(to writer: inout WordWriter)
  init?(_ reader: inout WordReader)
}

extension HeldInWords {
  fileprivate var written: [UInt64] {
    var writer = WordWriter()
    write(to: &writer)
    return writer.words
  }

  fileprivate init?(written words: [UInt64]) {
    var reader = WordReader(words)
    self.init(&reader)
    if !reader.isAtEnd { return nil }
  }
}

extension OffsetCounts: HeldInWords {
  /// All that was counted, as words.
  public var words: [UInt64] { written }

  /// What ``words`` gave; nil for other words.
  public init?(words: [UInt64]) { self.init(written: words) }
}

extension TierContents: HeldInWords {
  /// All of it, as words.
  public var words: [UInt64] { written }

  /// What ``words`` gave; nil for other words.
  public init?(words: [UInt64]) { self.init(written: words) }
}
