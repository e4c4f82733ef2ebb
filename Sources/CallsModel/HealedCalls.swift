/// What is tried when a schedule is over and all faults are healed: interpreters go online, a
/// caller calls one of them, and once more if that comes to nothing.
struct HealedCalls {
  enum Move: Equatable { case goOnline, call, callAgain, nothing }

  private(set) var isHealed = false
  private var movesMade = 0
  /// Calls that connected, since the last one was made for certain.
  private(set) var connected = 0

  mutating func heal() { isHealed = true }

  /// A call has connected, before or after.
  mutating func noteConnected() { connected += 1 }

  /// What is to be done next.
  mutating func nextMove() -> Move {
    movesMade += 1
    switch movesMade {
    case 1: return .goOnline
    case 2:
      connected = 0
      return .call
    default: return connected > 0 ? .nothing : .callAgain
    }
  }
}
