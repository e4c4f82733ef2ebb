import MediaUnits
import SimulationKernel

/// What a ``ImageCoder`` writes and reads.
///
/// One function tells a type's parts for both ways, so that they cannot differ.
public protocol Imaged {
  /// Writes `value` and returns it; or, where `value` is nil and the coder reads, what it reads.
  static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self
}

/// Writes a configuration as bytes, or makes one of bytes that were written so.
///
/// Whole numbers are LEB128 with the sign in the last bit, other numbers their eight bytes, the
/// least significant one first; a list has its count in front, what may be absent one byte. A table
/// of quantiles is written once and then named by its place. The bytes name no type: who reads has
/// to be of the same model version as who wrote.
///
/// A reader of bytes that are none of an image sets ``isBroken`` and goes on with zeros; nothing
/// that it made may be used then.
public struct ImageCoder {
  /// What was written; or what is read.
  public private(set) var bytes: [UInt8]
  /// Whether it reads.
  public let isReading: Bool
  /// Whether the bytes were not those of an image.
  public private(set) var isBroken = false
  private var place = 0
  private var tables: [QuantileTable] = []

  /// A coder that writes.
  public init() {
    bytes = []
    isReading = false
  }

  /// A coder that reads.
  public init(reading bytes: [UInt8]) {
    self.bytes = bytes
    isReading = true
  }

  /// Whether everything was read.
  public var isAtEnd: Bool { place == bytes.count }

  /// What is read cannot be of an image.
  public mutating func fail() { isBroken = true }

  // MARK: Parts of a value

  /// A part that is always there.
  public mutating func callAsFunction<Value: Imaged>(_ value: Value?) -> Value {
    Value.image(value, &self)
  }

  /// A part that may be absent.
  public mutating func optional<Value: Imaged>(_ value: Value?) -> Value? {
    self(value != nil) ? Value.image(value, &self) : nil
  }

  /// Parts in their order.
  public mutating func list<Value: Imaged>(_ values: [Value]?) -> [Value] {
    let count = count(values?.count)
    var result: [Value] = []
    result.reserveCapacity(count)
    for index in 0..<count {
      result.append(Value.image(values?[index], &self))
      if isBroken { break }
    }
    return result
  }

  /// A case without parts, by its number; a number that no case has is not of an image.
  public mutating func word<Value: RawRepresentable>(_ value: Value?, else first: Value) -> Value
  where Value.RawValue: FixedWidthInteger {
    let number = whole(value.map { Int64($0.rawValue) })
    if let raw = Value.RawValue(exactly: number), let found = Value(rawValue: raw) {
      return found
    }
    isBroken = true
    return first
  }

  /// One of cases without parts or numbers, by its place.
  public mutating func one<Value: Equatable>(of all: [Value], _ value: Value?) -> Value {
    let place = value.flatMap { all.firstIndex(of: $0) }
    if value != nil && place == nil { isBroken = true }
    return all[tag(place, below: all.count)]
  }

  /// Which case follows.
  public mutating func tag(_ number: Int?, below count: Int) -> Int {
    let found = whole(number.map { Int64($0) })
    if found >= 0 && found < count { return Int(found) }
    isBroken = true
    return 0
  }

  /// How many follow, each of at least one byte.
  mutating func count(_ value: Int?) -> Int {
    let number = whole(value.map { Int64($0) })
    if !isReading { return Int(number) }
    if number >= 0 && number <= bytes.count - place { return Int(number) }
    isBroken = true
    return 0
  }

  // MARK: Numbers

  /// A whole number.
  mutating func whole(_ value: Int64?) -> Int64 {
    if !isReading {
      let value = value ?? 0
      var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
      while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(truncatingIfNeeded: rest))
      return value
    }
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64 {
      let next = byte()
      result |= UInt64(next & 0x7F) << shift
      if next < 0x80 {
        return Int64(bitPattern: result >> 1) ^ -Int64(bitPattern: result & 1)
      }
      shift += 7
    }
    isBroken = true
    return 0
  }

  /// Sixty-four bits.
  mutating func bits(_ value: UInt64?) -> UInt64 {
    if !isReading {
      let value = value ?? 0
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * shift))) }
      return value
    }
    var result: UInt64 = 0
    for shift in 0..<8 { result |= UInt64(byte()) << UInt64(8 * shift) }
    return result
  }

  /// One byte.
  mutating func byte() -> UInt8 {
    if place < bytes.count {
      place += 1
      return bytes[place - 1]
    }
    isBroken = true
    return 0
  }

  // MARK: Tables

  /// What tables and popularity are told by; none before it is needed.
  private var known: StandardLaws?

  /// What tables and popularity are told by.
  mutating func standards() -> StandardLaws {
    let standards = known ?? StandardLaws()
    known = standards
    return standards
  }

  /// A table of quantiles; one that was met before, by its place.
  mutating func table(_ value: QuantileTable?) -> QuantileTable {
    if let value, !isReading {
      let known = tables.firstIndex { TableImage.isSame($0, value) } ?? tables.count
      _ = whole(Int64(known))
      if known == tables.count {
        tables.append(value)
        _ = made(value)
      }
      return value
    }
    let index = whole(nil)
    if index >= 0 && index < tables.count { return tables[Int(index)] }
    if index != tables.count {
      isBroken = true
      return QuantileTable(constant: 0)
    }
    let table = made(nil)
    tables.append(table)
    return table
  }

  private mutating func made(_ value: QuantileTable?) -> QuantileTable {
    let standards = standards()
    return TableImage.image(value, &self, standards)
  }
}
