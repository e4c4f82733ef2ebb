/// Objects in the order of their last request, with the bytes (or whatever adds up) above each.
///
/// Every request takes the next slot; a Fenwick tree (P. Fenwick 1994, doi:10.1002/spe.4380240306)
/// over the slots sums the sizes, so that moving an object to the top and asking what lies above it
/// cost O(log slots). When the slots run out, the objects are moved together, which is O(1) per
/// request on average. Mattson et al. 1970 (doi:10.1147/sj.92.0078) is the origin of the method,
/// Bennett and Kruskal 1975 of the tree.
struct RecencyStack<Weight: AdditiveArithmetic> {
  /// Partial sums, from 1.
  private var tree: [Weight]
  /// The object in each slot; `nobody` where it has moved on.
  private var owners: [UInt32]
  /// The slot of each object; `nowhere` when it is not in the stack.
  private var slots: [UInt32]
  /// The size each object has in the stack.
  private var sizes: [Weight]
  private var next = 0
  /// How many objects the stack holds.
  private(set) var count = 0
  /// Their bytes.
  private(set) var bytes = Weight.zero

  private static var nobody: UInt32 { .max }
  private static var nowhere: UInt32 { .max }

  /// - Parameters:
  ///   - objects: handles are below this number.
  ///   - resident: at most so many are in the stack at once.
  init(objects: Int, resident: Int) {
    precondition(resident < Int(Int32.max), "more objects than a stack has slots for")
    let room = max(2 * resident, 1 << 12)
    tree = [Weight](repeating: .zero, count: room + 1)
    owners = [UInt32](repeating: RecencyStack.nobody, count: room)
    slots = [UInt32](repeating: RecencyStack.nowhere, count: objects)
    sizes = [Weight](repeating: .zero, count: objects)
  }

  /// Moves an object to the top.
  /// - Parameter size: its bytes when it is new; an object keeps the size it came with.
  /// - Returns: the bytes of the object and of all above it before the move; nil for a new one.
  @inline(__always)
  mutating func touch(_ object: UInt32, size: Weight) -> Weight? {
    let slot = slots[Int(object)]
    var distance: Weight?
    if slot == RecencyStack.nowhere {
      sizes[Int(object)] = size
      bytes += size
      count += 1
    } else {
      distance = bytes - sum(below: Int(slot))
      add(.zero - sizes[Int(object)], at: Int(slot))
      owners[Int(slot)] = RecencyStack.nobody
    }
    if next == owners.count { compact() }
    slots[Int(object)] = UInt32(next)
    owners[next] = object
    add(sizes[Int(object)], at: next)
    next += 1
    return distance
  }

  /// Takes an object out of the stack.
  mutating func remove(_ object: UInt32) {
    let slot = slots[Int(object)]
    if slot == RecencyStack.nowhere { return }
    add(.zero - sizes[Int(object)], at: Int(slot))
    owners[Int(slot)] = RecencyStack.nobody
    slots[Int(object)] = RecencyStack.nowhere
    bytes -= sizes[Int(object)]
    count -= 1
  }

  /// Whether the stack holds an object.
  func contains(_ object: UInt32) -> Bool { slots[Int(object)] != RecencyStack.nowhere }

  /// Gives an object of the stack another size where it is.
  mutating func resize(_ object: UInt32, to size: Weight) {
    let change = size - sizes[Int(object)]
    add(change, at: Int(slots[Int(object)]))
    sizes[Int(object)] = size
    bytes += change
  }

  /// The sizes in the slots before `slot`.
  @inline(__always)
  private func sum(below slot: Int) -> Weight {
    var index = slot
    var total = Weight.zero
    while index > 0 {
      total += tree[index]
      index &= index - 1
    }
    return total
  }

  @inline(__always)
  private mutating func add(_ size: Weight, at slot: Int) {
    var index = slot + 1
    while index < tree.count {
      tree[index] += size
      index += index & -index
    }
  }

  /// Moves the objects together in their order and builds the sums anew.
  private mutating func compact() {
    var place = 0
    for slot in owners.indices where owners[slot] != RecencyStack.nobody {
      let object = owners[slot]
      // A moving object still owns its old slot only by `slots`, which `touch` overwrites.
      owners[slot] = RecencyStack.nobody
      owners[place] = object
      slots[Int(object)] = UInt32(place)
      place += 1
    }
    for index in tree.indices { tree[index] = .zero }
    for slot in 0..<place { tree[slot + 1] = sizes[Int(owners[slot])] }
    for index in 1..<tree.count {
      let parent = index + (index & -index)
      if parent < tree.count { tree[parent] += tree[index] }
    }
    next = place
  }
}
