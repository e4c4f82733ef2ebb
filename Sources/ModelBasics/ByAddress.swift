import Synchronization

/// Makes the compiler hand a structure that has one on by its address.
///
/// A method that changes nothing gets its structure as a value, and the compiler copies one that
/// has many fields to the stack for every call (docs/ARCHITECTURE.md, "Copies"). An atomic number
/// cannot be copied to another place, so a structure that has one stays where it is. It is never
/// read; it takes a byte.
public struct ByAddress: ~Copyable {
  private let mark = Atomic<Bool>(false)

  public init() {}
}
