/// A struct of nothing but counters: 64-bit whole numbers, and structs of them.
///
/// Counters add themselves up: a new one is a line where it is declared, and cannot be forgotten in
/// a sum. `CountersTests` looks at the fields of every type that conforms.
public protocol Counters: BitwiseCopyable, Sendable, Equatable {
  init()
}

extension Counters {
  @inlinable
  public mutating func add(_ other: Self) { addAll(other) }

  /// Adds another's counters one by one. A type with a field that is no sum, such as a largest
  /// value, has an `add` of its own, which sets that field afterwards.
  @inlinable
  public mutating func addAll(_ other: Self) {
    withUnsafeMutableBytes(of: &self) { sums in
      withUnsafeBytes(of: other) { added in
        for place in stride(from: 0, to: sums.count, by: MemoryLayout<Int64>.size) {
          let sum =
            sums.load(fromByteOffset: place, as: Int64.self)
            + added.load(fromByteOffset: place, as: Int64.self)
          sums.storeBytes(of: sum, toByteOffset: place, as: Int64.self)
        }
      }
    }
  }
}
