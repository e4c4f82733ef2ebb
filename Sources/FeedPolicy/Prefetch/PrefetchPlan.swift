import MediaUnits

/// One thing that a family wants.
struct PrefetchWish: Sendable, Equatable {
  var depth: PrefetchDepth
  var priority: PrefetchPolicy.Priority
  var item: ItemID
  /// Begins only once nothing is wanted of this item any more.
  var after: ItemID?
}

/// When a family lets fetches begin.
enum PrefetchGate: Sendable, Equatable {
  /// With this much buffered of the current item, or all of it.
  case buffer(TimeSpan)
  /// Always: players load without regard to each other.
  case open
  /// Not now.
  case closed
}

/// What a family wants at a moment, the most urgent first.
struct PrefetchPlan: Sendable, Equatable {
  private(set) var wishes: [PrefetchWish] = []
  var gate = PrefetchGate.open
  /// How far ahead of its playhead the current item should be loaded; nil: the player decides.
  var bufferLimit: TimeSpan?
  /// Fetches at once, if the configuration allows as many; nil: as the configuration says.
  var parallel: Int?

  init(reserving count: Int) { wishes.reserveCapacity(count) }

  mutating func clear(gate: PrefetchGate) {
    wishes.removeAll(keepingCapacity: true)
    bufferLimit = nil
    parallel = nil
    self.gate = gate
  }

  /// Adds a wish, less urgent than all before it: its category is at least theirs.
  mutating func add(
    _ item: ItemID, _ depth: PrefetchDepth, _ priority: PrefetchPolicy.Priority,
    after: ItemID? = nil
  ) {
    if depth.stage == .nothing { return }
    let least = wishes.last?.priority ?? .next
    wishes.append(
      PrefetchWish(
        depth: depth, priority: least > priority ? least : priority, item: item, after: after))
  }

  func wants(_ item: ItemID) -> Bool {
    for index in 0..<wishes.count where wishes[index].item == item { return true }
    return false
  }
}

extension PrefetchPlan {
  /// Media that is wanted of an item so far; nil when none is.
  func depth(of item: ItemID) -> TimeSpan? {
    var deepest: TimeSpan?
    for index in 0..<wishes.count where wishes[index].item == item {
      deepest = wishes[index].depth.length
    }
    return deepest
  }
}
