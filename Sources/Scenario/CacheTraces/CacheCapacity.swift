/// A capacity as written: `10 GiB`, `500 MB`, a plain number, or a share of the working set such as
/// `10%`.
public enum CacheCapacity: Hashable, Sendable {
  /// Bytes, or objects where sizes are ignored.
  case units(Int64)
  /// A share of the working set, above 0.
  case share(Double)

  /// Reads a capacity.
  /// - Parameter unitSizes: a plain number counts objects, and units are refused.
  /// - Throws: ``QuantityFault`` in words that follow `expected` and `got`.
  public init(_ text: String, unitSizes: Bool) throws(QuantityFault) {
    let trimmed = DecimalNumber.trimmed(text)
    if trimmed.hasSuffix("%") {
      let number = try PlainNumber.real(of: String(trimmed.dropLast()))
      guard number > 0, number <= 1_000 else {
        throw QuantityFault(
          .outOfRange, expected: "a share of the working set above 0 % and at most 1000 %")
      }
      self = .share(number / 100)
      return
    }
    if unitSizes {
      let objects = try? PlainNumber.integer(of: trimmed)
      guard let objects, objects > 0, objects <= CacheTraceBuilder.byteLimit else {
        throw QuantityFault(
          .wrongType, expected: "a number of objects such as 1000 or a share such as 10%")
      }
      self = .units(objects)
    } else {
      self = .units(try CacheWords.bytes(trimmed))
    }
  }

  /// The capacity over a trace: a share is rounded down, but never to 0.
  public func value(workingSet: Int64) -> Int64 {
    switch self {
    case .units(let units): return units
    case .share(let share):
      // Hundredths of a per cent and the like are exact enough in binary; 10 % of 30 must be 3.
      let product = Double(workingSet) * share
      let nearest = product.rounded()
      let isWhole = (product - nearest).magnitude <= product * 1e-15
      return max(1, Int64(min(isWhole ? nearest : product.rounded(.down), 0x1p60)))
    }
  }
}
