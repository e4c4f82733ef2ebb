import FeedPolicy
import MediaUnits
import Models

/// What the prefetch policy asks for of the items around the current one, once everything that it
/// waits for has come: the ranges that a platform without FeedPolicy can be given.
///
/// Found by asking the machine itself: the current item is loaded to its end, and the throughput is
/// the first estimate over the bit rate of the rung that an item starts with. Families that neither
/// read swipe curves nor have a `cover` ask for the same on every link, but for the item before.
struct PreloadByDistance: Sendable {
  /// What is asked for of one item.
  enum Depth: Sendable, Equatable {
    /// A stage below media.
    case stage(PrefetchStage)
    /// Media from the item's beginning.
    case media(TimeSpan)
  }

  /// One item.
  struct Row: Sendable, Equatable {
    /// Items after the current one; negative before it.
    var distance: Int
    var depth: Depth
  }

  /// Ascending by distance; items of which nothing is asked are not there.
  let rows: [Row]
  /// How far the current item is loaded ahead, where prefetch says so.
  let bufferLimit: TimeSpan?
  /// Whether the answer would be another one on another link or with other viewers.
  let isOfEstimate: Bool
  /// The throughput and the bit rate that were told.
  let throughput, bitrate: BitRate
  /// The rung that an item starts with.
  let rung: RungIndex

  /// More items than any configuration looks at on either side.
  private static let middle: UInt32 = 64

  init(_ policy: PolicyConfiguration, _ ladder: Ladder) {
    let cap = BitrateCap(policy.startupCap).cap(for: PlaybackSnapshot())
    rung = policy.bitrate.rung(
      for: BitrateSnapshot(
        estimate: policy.initialEstimate, cap: cap, segmentDuration: policy.prefetch.segmentLength),
      in: ladder)
    throughput = policy.initialEstimate
    bitrate = ladder[rung]
    isOfEstimate = policy.prefetch.family.readsHazard || policy.prefetch.cover != nil
    var machine = PrefetchPolicy(policy.prefetch)
    var waiting: [PrefetchPolicy.Command] = []
    let now = Instant(nanoseconds: 0)
    let current = ItemID(PreloadByDistance.middle)
    machine.handle(
      .feedMoved(current: current, last: ItemID(2 * PreloadByDistance.middle)), at: now,
      into: &waiting)
    machine.handle(.throughputChanged(throughput, bitrate: bitrate), at: now, into: &waiting)
    machine.handle(.bufferChanged(ahead: .max, isComplete: true), at: now, into: &waiting)
    var found: [UInt32: Depth] = [:]
    var limit: TimeSpan?
    // Each answer is given at once. Depths only grow, so that this ends.
    while !waiting.isEmpty {
      switch waiting.removeFirst() {
      case .start(let item, let length, _):
        found[item.index] = .media(length)
        machine.handle(.targetReached(item, length), at: now, into: &waiting)
      case .warm(let item, let stage, _):
        found[item.index] = .stage(stage)
        machine.handle(.stageReached(item, stage), at: now, into: &waiting)
      case .limitBuffer(let told): limit = told
      case .cancel, .suspend: break
      }
    }
    bufferLimit = limit
    rows = found.sorted { $0.key < $1.key }.map { item, depth in
      Row(distance: Int(item) - Int(PreloadByDistance.middle), depth: depth)
    }
  }

  /// Rows of one depth that follow each other, together.
  var groups: [(distances: [Int], depth: Depth)] {
    var groups: [(distances: [Int], depth: Depth)] = []
    for row in rows {
      if let last = groups.last, last.depth == row.depth, last.distances.last == row.distance - 1 {
        groups[groups.count - 1].distances.append(row.distance)
      } else {
        groups.append(([row.distance], row.depth))
      }
    }
    return groups
  }
}
