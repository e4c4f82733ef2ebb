/// A whole number that lies in fewer bits than an `Int` has: a simulation holds millions of them.
///
/// - Precondition: the values fit.
@propertyWrapper
struct Packed<Stored: FixedWidthInteger & BitwiseCopyable>: BitwiseCopyable {
  private var stored: Stored

  @inline(__always)
  init(wrappedValue: Int) { stored = Stored(wrappedValue) }

  @inline(__always)
  var wrappedValue: Int {
    get { Int(stored) }
    set { stored = Stored(newValue) }
  }
}

extension Packed: Sendable where Stored: Sendable {}
