import MediaUnits
import SimulationKernel

extension Bool: Imaged {
  public static func image(_ value: Bool?, _ coder: inout ImageCoder) -> Bool {
    let number = coder.whole(value.map { $0 ? 1 : 0 })
    if number != 0 && number != 1 { coder.fail() }
    return number != 0
  }
}

extension Imaged where Self: FixedWidthInteger {
  /// - Precondition: it has at most 64 bits, of which one is the sign.
  public static func image(_ value: Self?, _ coder: inout ImageCoder) -> Self {
    let number = coder.whole(value.map { Int64($0) })
    if let found = Self(exactly: number) { return found }
    coder.fail()
    return 0
  }
}

extension Int: Imaged {
  /// "Without a limit" is the largest number of whoever reads, where it may have fewer bits.
  public static func image(_ value: Int?, _ coder: inout ImageCoder) -> Int {
    let number = coder.whole(value.map { $0 == .max ? Int64.max : Int64($0) })
    if number == .max { return .max }
    if let found = Int(exactly: number) { return found }
    coder.fail()
    return 0
  }
}

extension Int64: Imaged {}
extension UInt8: Imaged {}
extension UInt16: Imaged {}
extension UInt32: Imaged {}

extension Double: Imaged {
  public static func image(_ value: Double?, _ coder: inout ImageCoder) -> Double {
    Double(bitPattern: coder.bits(value?.bitPattern))
  }
}

extension TimeSpan: Imaged {
  public static func image(_ value: TimeSpan?, _ coder: inout ImageCoder) -> TimeSpan {
    .nanoseconds(coder.whole(value?.nanoseconds))
  }
}

extension Instant: Imaged {
  public static func image(_ value: Instant?, _ coder: inout ImageCoder) -> Instant {
    .zero + .nanoseconds(coder.whole(value?.nanoseconds))
  }
}

extension BitRate: Imaged {
  public static func image(_ value: BitRate?, _ coder: inout ImageCoder) -> BitRate {
    BitRate(bitsPerSecond: coder.whole(value?.bitsPerSecond))
  }
}

extension ByteCount: Imaged {
  public static func image(_ value: ByteCount?, _ coder: inout ImageCoder) -> ByteCount {
    ByteCount(coder.whole(value?.bytes))
  }
}

extension RungIndex: Imaged {
  public static func image(_ value: RungIndex?, _ coder: inout ImageCoder) -> RungIndex {
    RungIndex(coder(value?.index))
  }
}

extension QuantileTable: Imaged {
  public static func image(_ value: QuantileTable?, _ coder: inout ImageCoder) -> QuantileTable {
    coder.table(value)
  }
}
