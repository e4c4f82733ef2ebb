import CHeap

/// Memory in pages of 2 MiB for large runs.
///
/// An event of a large run reads memory from all over the heap. With pages of 4 KiB the processor
/// has to look up, in memory again, where nearly each of them lies (docs/decisions/0021).
enum LargePages {
  /// Runs below take the same time either way, and some hundred MiB more with large pages.
  private static let leastEstimate: Int64 = 1 << 30

  /// Makes all threads use the heap that ``reserve(_:)`` reserves; before there is another thread.
  static func prepare() { heap_share() }

  /// Reserves memory for a run that is expected to need so many bytes. Where there are no large
  /// pages it goes on with small ones: `firstframe doctor` says what there is.
  static func reserve(_ estimate: Int64) {
    if estimate >= leastEstimate { heap_reserve(estimate) }
  }
}
