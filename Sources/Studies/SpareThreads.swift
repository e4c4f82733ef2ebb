import Synchronization

/// Threads that no piece of work needs for itself at the moment; who can use one more takes it, and
/// gives it back at its end.
///
/// Only for work that comes to the same bytes on any number of threads.
final class SpareThreads: Sendable {
  private let count: Atomic<Int>

  init(_ count: Int = 0) { self.count = Atomic(count) }

  func give(_ number: Int = 1) { count.wrappingAdd(number, ordering: .relaxed) }

  /// Takes one; false when there is none.
  func take() -> Bool {
    var left = count.load(ordering: .relaxed)
    while left > 0 {
      let (isTaken, found) = count.weakCompareExchange(
        expected: left, desired: left - 1, ordering: .relaxed)
      if isTaken { return true }
      left = found
    }
    return false
  }

  var number: Int { count.load(ordering: .relaxed) }
}
