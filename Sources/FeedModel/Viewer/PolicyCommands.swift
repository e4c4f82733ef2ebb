import FeedPolicy

/// What the player pool and the prefetch policy have commanded and nobody has done yet.
///
/// First in, first out: doing something may tell a policy of it, whose commands then wait until
/// that is done. So no machine hears of an event in the middle of another one, and nothing that is
/// done is cut through by something else.
struct PolicyCommands {
  enum Command {
    case pool(PlayerPool.Command)
    case prefetch(PrefetchPolicy.Command)
  }

  private var commands: [Command] = []
  private var next = 0
  /// Whether somebody is at it.
  private var isWorkedOff = false

  // What a policy writes into, used anew by every event.
  var pool: [PlayerPool.Command] = []
  var prefetch: [PrefetchPolicy.Command] = []

  /// Queues what the pool has just commanded.
  mutating func queuePool() {
    for command in pool { commands.append(.pool(command)) }
    pool.removeAll(keepingCapacity: true)
  }

  /// Queues what the prefetch policy has just commanded.
  mutating func queuePrefetch() {
    for command in prefetch { commands.append(.prefetch(command)) }
    prefetch.removeAll(keepingCapacity: true)
  }

  /// Begins to work them off; false where somebody is at it already, or there are none.
  mutating func begin() -> Bool {
    if isWorkedOff || commands.isEmpty { return false }
    isWorkedOff = true
    return true
  }

  /// The next one; nil ends it.
  mutating func take() -> Command? {
    if next < commands.count {
      next += 1
      return commands[next - 1]
    }
    commands.removeAll(keepingCapacity: true)
    next = 0
    isWorkedOff = false
    return nil
  }
}
