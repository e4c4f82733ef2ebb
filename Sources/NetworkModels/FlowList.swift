/// The transfers on one link, in no order, in a block of memory of their own.
public struct FlowList: ~Copyable {
  /// How many there are.
  public private(set) var count = 0
  private var capacity = 0
  @usableFromInline
  var flows: UnsafeMutablePointer<Flow>?

  /// Room that is added at a time: few links have more transfers than this at once.
  private static let step = 4

  init() {}

  deinit { flows?.deallocate() }

  /// Whether there is none.
  public var isEmpty: Bool { count == 0 }

  /// Where they are, for asking for them in advance; nil before the first one.
  public var address: UnsafeRawPointer? { UnsafeRawPointer(flows) }

  /// One of them, in place.
  ///
  /// - Precondition: `index` is below ``count``.
  @inline(__always)
  public subscript(index: Int) -> Flow {
    @inlinable unsafeAddress {
      precondition(index < count && index >= 0, "a transfer of the list")
      return UnsafePointer(flows! + index)
    }
    @inlinable unsafeMutableAddress {
      precondition(index < count && index >= 0, "a transfer of the list")
      return flows! + index
    }
  }

  mutating func append(_ flow: Flow) {
    if count == capacity { grow() }
    (flows! + count).initialize(to: flow)
    count += 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Flow>.allocate(capacity: capacity + FlowList.step)
    if let flows {
      larger.moveInitialize(from: flows, count: count)
      flows.deallocate()
    }
    flows = larger
    capacity += FlowList.step
  }

  /// Takes a transfer out; the last one takes its place.
  mutating func remove(at index: Int) -> Flow {
    let flow = self[index]
    self[index] = self[count - 1]
    count -= 1
    return flow
  }

  mutating func removeAll() { count = 0 }
}
