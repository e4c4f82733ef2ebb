import FeedPolicy
import MediaUnits
import Models

/// A session made up at random, as far as the policy that it is played to lets it: what a host
/// tells next depends on what it was told to do.
///
/// In order, a feed moves on, its buffer grows and shrinks, fetches arrive or fail. In disorder
/// some of what was told comes once more, later than something else, or of items that nobody knows.
struct PrefetchRehearsal {
  private var draws: RehearsalDraws
  private let isInOrder: Bool
  private var now = Instant.zero
  private var current: UInt32?
  private var last: UInt32 = 0
  private var isOnline = true
  private var isHeld = false
  private var isStalled = false
  private var fetching: [(item: UInt32, depth: PrefetchDepth)] = []
  private var told: [PrefetchTold] = []
  private var postponed: PrefetchPolicy.Event?

  init(seed: UInt64, isInOrder: Bool) {
    draws = RehearsalDraws(seed: seed)
    self.isInOrder = isInOrder
  }

  /// What happens next.
  mutating func next() -> PrefetchTold {
    now += .milliseconds(Int64(draws.below(400)))
    let event: PrefetchPolicy.Event
    if let waiting = postponed, draws.below(3) == 0 {
      event = waiting
      postponed = nil
    } else if isInOrder || draws.below(5) > 0 {
      let happening = self.happening()
      if !isInOrder && postponed == nil && draws.below(8) == 0 {
        postponed = happening
        event = self.happening()
      } else {
        event = happening
      }
    } else {
      event = stray()
    }
    let one = PrefetchTold(event, at: now)
    told.append(one)
    return one
  }

  /// Once more what was told, or of an item that nobody knows.
  private mutating func stray() -> PrefetchPolicy.Event {
    if !told.isEmpty && draws.below(3) > 0 { return told[draws.below(told.count)].event }
    let item = ItemID([0, 1, last &+ 1, last &+ 40, UInt32.max][draws.below(5)])
    switch draws.below(6) {
    case 0: return .targetReached(item, [.zero, .seconds(2), .max][draws.below(3)])
    case 1: return .itemFailed(item)
    case 2: return .withdrawn(item)
    case 3:
      return .stageReached(item, PrefetchStage.allCases[draws.below(PrefetchStage.allCases.count)])
    case 4: return .durationKnown(item, [.zero, .seconds(15), .max][draws.below(3)])
    default:
      return .bufferChanged(ahead: [.zero, .max, .seconds(3)][draws.below(3)], isComplete: false)
    }
  }

  private mutating func happening() -> PrefetchPolicy.Event {
    guard let here = current else { return move(to: 0) }
    switch draws.below(16) {
    case 0, 1: return move(to: min(here + 1, last))
    case 2:
      return move(
        to: draws.below(2) == 0 ? max(here, 1) - 1 : min(here + UInt32(draws.below(3)), last))
    case 3:
      last += 10
      return .feedExtended(last: ItemID(last))
    case 4, 5, 6:
      return .bufferChanged(
        ahead: .milliseconds(Int64(draws.below(12_000))), isComplete: draws.below(4) == 0)
    case 7, 8:
      return .throughputChanged(
        BitRate(bitsPerSecond: Int64(draws.below(30_000_000))),
        bitrate: BitRate(bitsPerSecond: Int64(200_000 + draws.below(3_000_000))))
    case 9, 10, 11:
      if fetching.isEmpty { return .bufferChanged(ahead: .seconds(8), isComplete: true) }
      let (item, depth) = fetching.remove(at: draws.below(fetching.count))
      if depth.stage != .media { return .stageReached(ItemID(item), depth.stage) }
      return .targetReached(ItemID(item), depth.length)
    case 12:
      if fetching.isEmpty { return .positionChanged(.milliseconds(Int64(draws.below(15_000)))) }
      return .itemFailed(ItemID(fetching.remove(at: draws.below(fetching.count)).item))
    case 13:
      if draws.below(3) == 0 { return .withdrawn(ItemID(here + UInt32(draws.below(3)))) }
      return .durationKnown(
        ItemID(here + UInt32(draws.below(4))), .seconds(Int64(4 + draws.below(56))))
    case 14:
      if draws.below(2) == 0 {
        isOnline.toggle()
        return .connectivityChanged(isOnline: isOnline)
      }
      isHeld.toggle()
      return .hostHeld(isHeld)
    default:
      isStalled.toggle()
      return .stallChanged(isStalled: isStalled)
    }
  }

  private mutating func move(to item: UInt32) -> PrefetchPolicy.Event {
    if current == nil { last = UInt32(draws.below(10)) }
    current = item
    fetching.removeAll { $0.item == item }
    return .feedMoved(current: ItemID(item), last: ItemID(last))
  }

  /// Does what was commanded.
  mutating func take(_ commands: some Sequence<PrefetchPolicy.Command>) {
    for command in commands {
      switch command {
      case .start(let item, let length, _): begin(item.index, .media(length))
      case .warm(let item, let stage, _): begin(item.index, PrefetchDepth(stage))
      case .cancel(let item), .suspend(let item): fetching.removeAll { $0.item == item.index }
      case .limitBuffer: break
      }
    }
  }

  private mutating func begin(_ item: UInt32, _ depth: PrefetchDepth) {
    fetching.removeAll { $0.item == item }
    fetching.append((item, depth))
  }

  /// What a policy answers in some sessions, half of them in order, as bytes that are the same
  /// wherever it answers the same.
  static func answers<Machine: PolicyMachine>(
    of make: () -> Machine, sessions: Int, events: Int
  ) -> [UInt8]
  where Machine.Event == PrefetchPolicy.Event, Machine.Command == PrefetchPolicy.Command {
    var bytes: [UInt8] = []
    for session in 0..<sessions {
      var rehearsal = PrefetchRehearsal(seed: UInt64(session), isInOrder: session % 2 == 0)
      var machine = make()
      var commands: [PrefetchPolicy.Command] = []
      for _ in 0..<events {
        let one = rehearsal.next()
        commands.removeAll(keepingCapacity: true)
        machine.handle(one.event, at: one.at, into: &commands)
        rehearsal.take(commands)
        bytes += PolicyText.text(of: commands).utf8
      }
    }
    return bytes
  }
}
