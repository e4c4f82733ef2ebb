import Foundation
import Scenario

/// This build of the program.
enum Program {
  /// Tells builds apart: a digest of the executable file. What was computed by another build is
  /// never taken for this one's.
  static let digest: String = {
    let path = "/proc/self/exe"
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    else { return "unknown-\(ProcessInfo.processInfo.processIdentifier)" }
    // Words, not bytes: the file has tens of megabytes.
    let hash = data.withUnsafeBytes { bytes in
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
        hash ^= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        hash = hash &* 0x0000_0100_0000_01B3
      }
      return hash
    }
    return "\(data.count)-\(String(hash, radix: 16))"
  }()
}
