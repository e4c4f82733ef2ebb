import Foundation
import SimulationKernel

/// Sizes for a trace of identities alone: a text file with a size in bytes on each line, 2^k lines.
/// The object `id` has the size on line `mix(id) & (2^k - 1)`, counted from 0, where `mix` is one
/// step of SplitMix64 (Steele, Lea, Flood 2014) from the state `id`.
struct ObjectSizeTable {
  private let sizes: [Int64]

  /// The size of an object, bytes.
  @inline(__always)
  func size(of id: UInt64) -> Int64 {
    sizes[Int(truncatingIfNeeded: SplitMix.hash(id)) & (sizes.count - 1)]
  }

  /// Reads the file at `path`; nil after adding a problem.
  init?(_ path: String, _ report: inout CacheTraceReport) {
    do {
      var found: [Int64] = []
      var isWhole = true
      var source = try ByteSource(path)
      while let line = try source.nextLine() {
        let text = CacheTraceLine(file: path, bytes: source.buffer, line: line)
        if line.start == line.end && !line.isTooLong { continue }
        if found.count == 1 << 24 { break }
        if let size = CacheTraceText.whole(text.bytes, text.range, limit: 1 << 40), size > 0 {
          found.append(size)
        } else {
          isWhole = false
          report.add(
            text.problem(
              .wrongType, text.range, "size",
              expected: "a whole number of bytes from 1 to \(Int64(1) << 40)"))
        }
      }
      if !isWhole { return nil }
      if found.isEmpty || found.count & (found.count - 1) != 0 {
        report.add(
          Problem(
            .wrongCount, at: .file(path, line: 1, column: 1), keyPath: "",
            expected: "a power of two of lines, such as 1024", got: "\(found.count)"))
        return nil
      }
      sizes = found
    } catch {
      report.add(error, file: path)
      return nil
    }
  }
}
