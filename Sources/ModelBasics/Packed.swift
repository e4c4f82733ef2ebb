/// A whole number that lies in fewer bits than an `Int` has: a simulation holds millions of them.
///
/// - Precondition: the values fit.
@propertyWrapper
@frozen
public struct Packed<Stored: FixedWidthInteger & BitwiseCopyable>: BitwiseCopyable {
  @usableFromInline
  var stored: Stored

  @inlinable @inline(__always)
  public init(wrappedValue: Int) { stored = Stored(wrappedValue) }

  /// The number as the rest of the code has it.
  @inlinable @inline(__always)
  public var wrappedValue: Int {
    get { Int(stored) }
    set { stored = Stored(newValue) }
  }
}

extension Packed: Sendable where Stored: Sendable {}
