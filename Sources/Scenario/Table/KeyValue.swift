import MediaUnits
import SimulationKernel

/// What the value of a key is read as, by the type of its place in a configuration.
protocol KeyValue: Sendable {
  /// The value in the unit of the type.
  /// - Precondition: the key's shape has values of this type.
  static func read(_ value: ResolvedTree, by builder: inout ScenarioBuilder) -> Self
}

extension Bool: KeyValue {
  static func read(_ value: ResolvedTree, by _: inout ScenarioBuilder) -> Bool { value.boolean() }
}

/// Whole numbers, bytes, bits per second.
extension KeyValue where Self: FixedWidthInteger {
  static func read(_ value: ResolvedTree, by _: inout ScenarioBuilder) -> Self {
    Self(value.whole())
  }
}

extension Int: KeyValue {}
extension Int64: KeyValue {}
extension UInt32: KeyValue {}

/// Numbers of any sort, shares, bits per second.
extension Double: KeyValue {
  static func read(_ value: ResolvedTree, by _: inout ScenarioBuilder) -> Double { value.number() }
}

extension TimeSpan: KeyValue {
  static func read(_ value: ResolvedTree, by _: inout ScenarioBuilder) -> TimeSpan { value.span() }
}

extension ByteCount: KeyValue {
  static func read(_ value: ResolvedTree, by _: inout ScenarioBuilder) -> ByteCount {
    ByteCount(value.bytes())
  }
}

extension BitRate: KeyValue {
  static func read(_ value: ResolvedTree, by _: inout ScenarioBuilder) -> BitRate {
    BitRate(bitsPerSecond: value.bitRate())
  }
}

/// Laws whose values are at least zero.
extension QuantileTable: KeyValue {
  static func read(_ value: ResolvedTree, by builder: inout ScenarioBuilder) -> QuantileTable {
    builder.tables.table(value)
  }

  /// In a configuration whose keys have yet to be read.
  static let unread = QuantileTable(constant: 0)
}

/// `none`, where the key may say so.
extension Optional: KeyValue where Wrapped: KeyValue {
  static func read(_ value: ResolvedTree, by builder: inout ScenarioBuilder) -> Wrapped? {
    value.isNone() ? nil : Wrapped.read(value, by: &builder)
  }
}
