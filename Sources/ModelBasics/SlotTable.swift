/// Things that come and go in a run, each with a number while it is there.
///
/// The number that was given back last is the next one given, so that a run has no more places than
/// it had things at one time. What was in a place stays there until the place is given again: an
/// event that comes late finds who had it.
///
/// - Complexity: O(1) amortised for every operation.
public struct SlotTable<Element> {
  @usableFromInline var elements: [Element] = []
  @usableFromInline var free: [UInt32] = []
  @usableFromInline var additions: UInt32 = 0

  @inlinable
  public init() {}

  /// Things that were ever added: the number, in the run, of the next one.
  @inlinable
  public var added: UInt32 { additions }

  /// Places, with and without a thing.
  @inlinable
  public var count: UInt32 { UInt32(elements.count) }

  /// The place that the next thing gets, if another one had it before.
  @inlinable
  public var reused: UInt32? { free.last }

  @inlinable
  public subscript(slot: UInt32) -> Element {
    _read { yield elements[Int(slot)] }
    _modify { yield &elements[Int(slot)] }
  }

  /// Gives a place.
  @inlinable
  public mutating func add(_ element: Element) -> UInt32 {
    additions += 1
    if let slot = free.popLast() {
      elements[Int(slot)] = element
      return slot
    }
    elements.append(element)
    return count - 1
  }

  /// A place is free from now on. It must not be given back twice.
  @inlinable
  public mutating func giveBack(_ slot: UInt32) { free.append(slot) }
}

extension SlotTable: Sendable where Element: Sendable {}
