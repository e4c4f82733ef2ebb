import Models
import SimulationKernel

/// Which way a packet goes.
public enum LinkDirection: Int, Sendable, Equatable {
  /// Towards the client.
  case down
  /// Towards the edge.
  case up
}

/// The links of all clients as a calculation: packets and times in, packets and times out. No
/// sockets, no clock.
///
/// Each client has two lanes. Packet bytes lie in a pool of equal slots; an engine allocates when a
/// client is new or a queue is longer than any before, never for a packet. Losses are drawn from
/// streams keyed by (seed, loss key, direction): a run with the same packets loses the same ones.
///
/// - Complexity: O(log clients) for a packet.
struct LinkEngine: ~Copyable {
  /// A packet to hand over.
  struct Delivery {
    var slot: Int32
    var length: Int
    var direction: LinkDirection
    /// When it was due.
    var due: Int64
  }

  private let streams: RandomStreams
  private let fallback: LinkProfile
  /// Two lanes for each client: down, up.
  private var lanes: [LinkLane] = []
  /// Client number of each host of the block, or -1.
  private var clients: [Int32]
  private var due = DueHeap()
  private(set) var slots: SlotPool
  var counters = LinkCounters()

  /// - Parameters:
  ///   - hosts: addresses of the client block.
  ///   - slots: packets that may be on their way at once, in all.
  ///   - fallback: for hosts that were given no profile.
  init(hosts: Int, slots: Int, seed: UInt64, fallback: LinkProfile) {
    streams = RandomStreams(seed: seed, replication: 0)
    self.fallback = fallback
    clients = [Int32](repeating: -1, count: hosts)
    self.slots = SlotPool(count: slots)
  }

  /// Hosts of the block.
  var hosts: Int { clients.count }

  /// Gives a host its link, or another one.
  mutating func assign(_ host: Int, _ profile: LinkProfile, at now: Int64) {
    let key = profile.lossKey ?? UInt64(host)
    let down = LossGaps(profile.down.loss, connection: key << 1, streams: streams)
    let up = LossGaps(profile.up.loss, connection: key << 1 | 1, streams: streams)
    if clients[host] < 0 {
      clients[host] = Int32(lanes.count / 2)
      lanes.append(LinkLane(profile.down, framing: profile.framing, loss: down, at: now))
      lanes.append(LinkLane(profile.up, framing: profile.framing, loss: up, at: now))
      due.reserve(lanes.count)
      return
    }
    let lane = Int(clients[host]) * 2
    lanes[lane].change(to: profile.down, framing: profile.framing, loss: down, at: now)
    lanes[lane + 1].change(to: profile.up, framing: profile.framing, loss: up, at: now)
    due.set(lane, to: lanes[lane].nextArrival)
    due.set(lane + 1, to: lanes[lane + 1].nextArrival)
  }

  /// What a host's link has carried so far: down, up; nil for a host without a link.
  func counters(of host: Int) -> (down: LaneCounters, up: LaneCounters)? {
    let client = Int(clients[host])
    return client < 0 ? nil : (lanes[client * 2].counters, lanes[client * 2 + 1].counters)
  }

  /// A slot for the next packet; nil when all are in use.
  mutating func takeSlot() -> Int32? { slots.take() }

  /// The slot's packet is not needed any more.
  mutating func free(_ slot: Int32) { slots.give(slot) }

  /// Offers a packet whose bytes lie in a slot, which is the engine's from now on.
  mutating func offer(
    slot: Int32, length: Int, host: Int, _ direction: LinkDirection, at now: Int64
  ) {
    if clients[host] < 0 { assign(host, fallback, at: now) }
    let lane = Int(clients[host]) * 2 + direction.rawValue
    let wasEmpty = lanes[lane].count == 0
    switch lanes[lane].offer(length: length, slot: slot, at: now) {
    case .queued: break
    case .lost, .full: slots.give(slot)
    }
    if wasEmpty && lanes[lane].count > 0 { due.set(lane, to: lanes[lane].nextArrival) }
  }

  /// When the next packet is due; `.max` for none.
  var nextDue: Int64 { due.first }

  /// The next packet that is due at `now`; its slot is the caller's. nil when none is.
  mutating func take(at now: Int64) -> Delivery? {
    while due.first <= now {
      let lane = due.firstLane
      let packet = lanes[lane].take(at: now)
      due.set(lane, to: lanes[lane].nextArrival)
      guard let packet, packet.slot >= 0 else { continue }
      return Delivery(
        slot: packet.slot, length: Int(packet.length), direction: lane & 1 == 0 ? .down : .up,
        due: packet.arrival)
    }
    return nil
  }

  /// All counters at present.
  func total() -> LinkCounters {
    var result = counters
    for (index, lane) in lanes.enumerated() {
      if index & 1 == 0 { result.down.add(lane.counters) } else { result.up.add(lane.counters) }
      result.onTheWay += lane.count
    }
    return result
  }
}

/// Numbers of free packet slots.
struct SlotPool {
  private var free: [Int32]

  init(count: Int) { free = (0..<Int32(count)).reversed() }

  var available: Int { free.count }
  mutating func take() -> Int32? { free.popLast() }
  mutating func give(_ slot: Int32) { free.append(slot) }
}

/// When each lane has its next packet: a binary heap with a place for each lane.
///
/// Ties go to the lane that came first.
struct DueHeap {
  /// Lanes in heap order, and each lane's time and place; all lanes are always in.
  private var order: [Int32] = []
  private var times: [Int64] = []
  private var places: [Int32] = []

  /// The earliest time; `.max` when no lane has a packet.
  var first: Int64 { order.isEmpty ? .max : times[Int(order[0])] }
  var firstLane: Int { Int(order[0]) }

  /// Adds lanes without a packet up to `count`.
  mutating func reserve(_ count: Int) {
    while order.count < count {
      places.append(Int32(order.count))
      times.append(.max)
      order.append(Int32(order.count))
    }
  }

  mutating func set(_ lane: Int, to time: Int64) {
    let before = times[lane]
    times[lane] = time
    if time < before { rise(lane) } else if time > before { sink(lane) }
  }

  private func precedes(_ a: Int32, _ b: Int32) -> Bool {
    let (left, right) = (times[Int(a)], times[Int(b)])
    return left < right || (left == right && a < b)
  }

  private mutating func rise(_ lane: Int) {
    var place = Int(places[lane])
    while place > 0 {
      let parent = (place - 1) / 2
      if !precedes(order[place], order[parent]) { return }
      exchange(place, parent)
      place = parent
    }
  }

  private mutating func sink(_ lane: Int) {
    var place = Int(places[lane])
    while true {
      var least = place
      for child in [place * 2 + 1, place * 2 + 2] where child < order.count {
        if precedes(order[child], order[least]) { least = child }
      }
      if least == place { return }
      exchange(place, least)
      place = least
    }
  }

  private mutating func exchange(_ a: Int, _ b: Int) {
    order.swapAt(a, b)
    places[Int(order[a])] = Int32(a)
    places[Int(order[b])] = Int32(b)
  }
}
