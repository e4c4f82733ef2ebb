/// A connection's transmissions that are out, in the order of their release, and which of them
/// causes the next acknowledgement.
///
/// It knows nothing of windows, losses or timers: who takes a transmission off says why.
struct ChunkFlight: BitwiseCopyable {
  private var list = ChunkList()
  /// Packets that are out.
  private(set) var count: Int64 = 0
  /// Transmissions so far.
  private(set) var sent: Int64 = 0
  /// Number of the latest transmission known to have arrived.
  private(set) var resolved: Int64 = 0
  /// The first packet that causes an acknowledgement, or -1.
  private(set) var ackPlace: Int32 = -1

  var isEmpty: Bool { list.isEmpty }
  /// The oldest and the latest transmission that is out, or -1.
  var head: Int32 { list.head }
  var tail: Int32 { list.tail }

  /// Puts a packet out at `now`; when it is acknowledged is not known yet.
  mutating func launch(_ place: Int32, at now: Int64, _ pool: inout ChunkPool) {
    sent += 1
    count += 1
    pool[place].number = sent
    pool[place].sentAt = now
    pool[place].ackAt = .max
    pool[place].isDropped = false
    list.append(place, &pool)
  }

  /// Takes off a packet that is out.
  mutating func remove(_ place: Int32, _ pool: inout ChunkPool) {
    list.unlink(place, &pool)
    count -= 1
  }

  /// The acknowledgement that transmission `number` caused is here.
  mutating func resolve(_ number: Int64) {
    ackPlace = -1
    resolved = number
  }

  /// Brings ``ackPlace`` to the first packet that causes an acknowledgement.
  mutating func findAcknowledgement(_ pool: borrowing ChunkPool) {
    var place = ackPlace >= 0 ? ackPlace : list.head
    while place >= 0 && pool[place].ackAt == .max { place = pool[place].next }
    ackPlace = place
  }

  /// When the next acknowledgement is here; `.max` without one.
  func nextAcknowledgement(_ pool: borrowing ChunkPool) -> Int64 {
    ackPlace >= 0 ? pool[ackPlace].ackAt : .max
  }

  /// Takes all off and gives them back.
  mutating func giveAll(_ pool: inout ChunkPool) {
    list.giveAll(&pool)
    count = 0
    ackPlace = -1
  }
}
