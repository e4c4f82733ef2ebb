// What was counted, as 64-bit words that hold it to the bit: a host may keep them, send them to
// another machine, and take them for the same later.

/// Writes numbers as words.
public struct WordWriter: Sendable {
  public private(set) var words: [UInt64] = []

  public init() {}

  public mutating func add(_ number: Int64) { words.append(UInt64(bitPattern: number)) }
  public mutating func add(_ number: Double) { words.append(number.bitPattern) }
  public mutating func add(_ isSo: Bool) { words.append(isSo ? 1 : 0) }

  /// Adds counters one by one.
  ///
  /// - Precondition: they are 64-bit whole numbers without gaps; vectors have some before them.
  public mutating func add<Value: Counters>(_ counters: Value) {
    precondition(MemoryLayout<Value>.alignment == MemoryLayout<UInt64>.alignment)
    withUnsafeBytes(of: counters) { bytes in
      for place in stride(from: 0, to: bytes.count, by: MemoryLayout<UInt64>.size) {
        words.append(bytes.load(fromByteOffset: place, as: UInt64.self))
      }
    }
  }

  /// Adds values after their count.
  public mutating func add<Value>(
    each values: [Value], _ write: (Value, inout WordWriter) -> Void
  ) {
    words.append(UInt64(values.count))
    for value in values { write(value, &self) }
  }

  /// Adds counters after their count.
  public mutating func add(each counters: [some Counters]) {
    add(each: counters) { $1.add($0) }
  }

  /// Adds numbers most of which are zero: their count, that of those which are not, and these with
  /// their places.
  public mutating func add(sparse numbers: [UInt64]) {
    words.append(UInt64(numbers.count))
    let place = words.count
    words.append(0)
    for (index, number) in numbers.enumerated() where number != 0 {
      words.append(UInt64(index))
      words.append(number)
    }
    words[place] = UInt64((words.count - place - 1) / 2)
  }

  public mutating func add(sparse numbers: [Int64]) {
    add(sparse: numbers.map { UInt64(bitPattern: $0) })
  }

  public mutating func add(sparse numbers: [Double]) { add(sparse: numbers.map { $0.bitPattern }) }
}

/// Reads them back; everything is nil from the first word on that cannot be.
public struct WordReader: Sendable {
  private let words: [UInt64]
  private var place = 0

  public init(_ words: [UInt64]) { self.words = words }

  /// Whether all words were read.
  public var isAtEnd: Bool { place == words.count }

  public mutating func word() -> UInt64? {
    if place >= words.count { return nil }
    place += 1
    return words[place - 1]
  }

  public mutating func integer() -> Int64? { word().map { Int64(bitPattern: $0) } }
  public mutating func double() -> Double? { word().map { Double(bitPattern: $0) } }

  /// Counters that ``WordWriter/add(_:)`` has written.
  public mutating func counters<Value: Counters>(_: Value.Type = Value.self) -> Value? {
    let size = MemoryLayout<UInt64>.size
    let count = MemoryLayout<Value>.size / size
    if words.count - place < count { return nil }
    var value = Value()
    withUnsafeMutableBytes(of: &value) { bytes in
      for index in 0..<count {
        bytes.storeBytes(of: words[place + index], toByteOffset: index * size, as: UInt64.self)
      }
    }
    place += count
    return value
  }

  /// Values after their count, each of which takes a word at least.
  public mutating func each<Value>(_ read: (inout WordReader) -> Value?) -> [Value]? {
    guard let count = word(), count <= UInt64(words.count - place) else { return nil }
    var values: [Value] = []
    for _ in 0..<count {
      guard let value = read(&self) else { return nil }
      values.append(value)
    }
    return values
  }

  /// Counters after their count.
  public mutating func each<Value: Counters>(of _: Value.Type = Value.self) -> [Value]? {
    each { $0.counters() }
  }

  public mutating func truth() -> Bool? {
    guard let word = word(), word <= 1 else { return nil }
    return word == 1
  }

  /// - Parameter count: how many numbers there are unless there is none.
  public mutating func sparse(count: Int) -> [UInt64]? {
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

  public mutating func integers(count: Int) -> [Int64]? {
    sparse(count: count)?.map { Int64(bitPattern: $0) }
  }

  public mutating func doubles(count: Int) -> [Double]? {
    sparse(count: count)?.map { Double(bitPattern: $0) }
  }
}

/// What is written as words, and comes back from them and from no others.
public protocol HeldInWords {
  func write(to writer: inout WordWriter)
  init?(_ reader: inout WordReader)
}

extension HeldInWords {
  /// All of it, as words.
  public var words: [UInt64] {
    var writer = WordWriter()
    write(to: &writer)
    return writer.words
  }

  /// What ``words`` gave; nil for other words.
  public init?(words: [UInt64]) {
    var reader = WordReader(words)
    self.init(&reader)
    if !reader.isAtEnd { return nil }
  }
}
