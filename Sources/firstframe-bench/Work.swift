import BenchBaselines
import Foundation

/// What a piece of work costs beside time.
struct Work {
  var allocations: Int64
  var instructions: Int64

  static func now() -> Work {
    Work(allocations: bench_heap().allocations, instructions: bench_instructions())
  }

  static var countsAllocations: Bool { bench_heap().allocations >= 0 }
  static let countsInstructions = bench_instructions() >= 0

  /// What is missing here.
  static var notes: [String] {
    var notes: [String] = []
    if !countsAllocations { notes.append("allocations are not counted: this needs glibc") }
    if !countsInstructions {
      notes.append("instructions are not counted: perf_event_open gives no hardware counter here")
    }
    return notes
  }
}

extension Double {
  /// Four digits or so.
  func short() -> String {
    let size = magnitude
    if size == 0 { return "0" }
    if size >= 1e6 { return String(format: "%.2fM", self / 1e6) }
    if size >= 1e3 { return String(format: "%.0f", self) }
    return size < 1e-3 ? String(format: "%.1e", self) : String(format: "%.3g", self)
  }
}

extension String {
  /// Padded to `width`, on the left when it is negative.
  func padded(_ width: Int) -> String {
    let missing = String(repeating: " ", count: max(0, abs(width) - count))
    return width < 0 ? missing + self : self + missing
  }
}
