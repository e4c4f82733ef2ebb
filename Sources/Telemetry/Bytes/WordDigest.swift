/// FNV-1a over the bytes of files, eight at a time, however they come in pieces: for the provenance
/// of what was fitted.
struct WordDigest {
  private(set) var value: UInt64
  private var waiting: UInt64 = 0
  private var waitingCount = 0

  private static let prime: UInt64 = 0x0000_0100_0000_01B3

  init(_ value: UInt64) { self.value = value }

  mutating func add(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    var index = 0
    while waitingCount > 0 && index < count {
      put(bytes[index])
      index += 1
    }
    let raw = UnsafeRawPointer(bytes)
    while index + 8 <= count {
      mix(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
      index += 8
    }
    while index < count {
      put(bytes[index])
      index += 1
    }
  }

  /// Ends a file: what is less than a word is taken byte by byte.
  mutating func endFile() {
    while waitingCount > 0 {
      mix(waiting & 0xFF)
      waiting >>= 8
      waitingCount -= 1
    }
    waiting = 0
  }

  private mutating func put(_ byte: UInt8) {
    waiting |= UInt64(byte) << UInt64(8 * waitingCount)
    waitingCount += 1
    if waitingCount == 8 {
      mix(waiting)
      (waiting, waitingCount) = (0, 0)
    }
  }

  @inline(__always)
  private mutating func mix(_ word: UInt64) { value = (value ^ word) &* WordDigest.prime }
}
