/// An array of which the front is taken away, a few elements at a time.
///
/// - Complexity: amortised O(1) per element that comes and goes.
struct FrontQueue<Element: BitwiseCopyable & Sendable>: Sendable {
  private var elements: [Element] = []
  private var start = 0

  var count: Int { elements.count - start }
  var isEmpty: Bool { elements.count == start }
  /// The oldest element; there must be one.
  var first: Element { elements[start] }

  subscript(index: Int) -> Element { elements[start + index] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func swap(_ a: Int, _ b: Int) {
    if a != b { elements.swapAt(start + a, start + b) }
  }

  /// Takes away the elements from `low` up to `high`, not included; those before them stay.
  ///
  /// - Complexity: O(low), amortised.
  mutating func drop(from low: Int, to high: Int) {
    if high <= low { return }
    var index = low
    while index > 0 {
      index -= 1
      elements[start + index + high - low] = elements[start + index]
    }
    start += high - low
    if start == elements.count {
      elements.removeAll(keepingCapacity: true)
      start = 0
    } else if start > 1024 && start > elements.count / 2 {
      elements.removeSubrange(0..<start)
      start = 0
    }
  }
}
