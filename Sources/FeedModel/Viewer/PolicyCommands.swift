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
    /// What a foreign prefetch policy answers to the oldest event that it was told.
    case answer
  }

  private var commands: [Command] = []
  private var next = 0

  // What a policy writes into, used anew by every event.
  var pool: [PlayerPool.Command] = []
  var prefetch: [PrefetchPolicy.Command] = []

  /// Whether nothing waits to be done.
  var isEmpty: Bool { commands.isEmpty }

  /// Queues what the pool has just commanded.
  mutating func queuePool() {
    if pool.isEmpty { return }
    for command in pool { commands.append(.pool(command)) }
    pool.removeAll(keepingCapacity: true)
  }

  /// Queues what the prefetch policy has just commanded.
  mutating func queuePrefetch() {
    if prefetch.isEmpty { return }
    for command in prefetch { commands.append(.prefetch(command)) }
    prefetch.removeAll(keepingCapacity: true)
  }

  /// Queues the answer to an event of which a foreign policy has just been told.
  mutating func queueAnswer() { commands.append(.answer) }

  /// The next one; nil when all have been taken.
  mutating func take() -> Command? {
    if next < commands.count {
      next += 1
      return commands[next - 1]
    }
    commands.removeAll(keepingCapacity: true)
    next = 0
    return nil
  }
}
