import CPrefetch

/// Asks the processor for memory ahead of its use. Nothing changes by it but when memory comes, and
/// an address need not be one.
public enum ComingMemory {
  /// - Parameter bytes: from the address on.
  @inlinable
  @inline(__always)
  public static func fetch(_ address: UnsafeRawPointer?, bytes: Int) {
    guard let address else { return }
    var offset = 0
    while offset < bytes {
      cache_prefetch(address + offset)
      offset += cacheLine
    }
  }

  /// Elements of an array, and the count that lies before them.
  ///
  /// - Parameter address: of the first element.
  @inlinable
  @inline(__always)
  public static func fetch(array address: UnsafeRawPointer?, bytes: Int) {
    guard let address else { return }
    fetch(address - arrayHead, bytes: arrayHead + bytes)
  }

  @usableFromInline static let cacheLine = 64
  /// Bytes of an array's head; another head would do no harm.
  @usableFromInline static let arrayHead = 32
}
