extension Array {
  /// Where the elements lie: a host with very many arrays may ask the processor for that memory in
  /// advance. Not for reading, and of no meaning once the array has changed.
  @inlinable @inline(__always)
  public var memory: UnsafeRawPointer? {
    withUnsafeBufferPointer { $0.baseAddress.map { UnsafeRawPointer($0) } }
  }
}
