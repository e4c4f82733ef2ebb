import FeedPolicy
import MediaUnits
import Models

/// What the floor did so far: the work that it must have in common with the world.
struct FloorCounts {
  var views: Int64 = 0
  /// Requests that viewers sent, and look-ups at edges that they came to.
  var requests: Int64 = 0
  var lookUps: Int64 = 0
  /// Answers that were priced round by round, and their bytes.
  var transfers: Int64 = 0
  var bytes: Int64 = 0
  /// Events that the two machines were told.
  var poolTells: Int64 = 0
  var prefetchTells: Int64 = 0
  /// What the machines of sessions that are over commanded.
  var prefetchStarts: Int64 = 0
  var preparedPlayers: Int64 = 0
}

/// What a viewer's turn is given: the time, and memory that all turns share.
struct FloorContext {
  /// A request that waited at its edge and is given up.
  struct GivenUp {
    var number: UInt32
    var object: UInt32
    var edge: UInt32
  }

  var now = Instant.zero
  var counts = FloorCounts()
  var poolCommands: [PlayerPool.Command] = []
  var prefetchCommands: [PrefetchPolicy.Command] = []
  /// Whether commands are being performed: what they lead to is done after them.
  var isPerforming = false
  var givenUp: [GivenUp] = []
}
