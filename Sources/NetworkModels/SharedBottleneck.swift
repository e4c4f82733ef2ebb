/// A link that many flows share, as a fluid: weighted max-min with a cap on each flow.
///
/// At every moment a flow gets min(cap, weight · level), with the one level at which the flows use
/// the whole capacity or all reach their caps. Flows below the level run at their cap and end at a
/// time known in advance; the others share what is left and end in the order of virtual finish
/// tags, virtual time being the integral of the level (Parekh and Gallager, "A generalized
/// processor sharing approach to flow control", 1993; the caps as in network.md section 7.6). For
/// cell sectors, Wi-Fi and the egress of a point of presence; queues, slow start and losses are the
/// chunk tier's.
///
/// Times are whole nanoseconds and must not decrease from call to call; ends are rounded up. Rates
/// are kept in whole bits per second and weights in multiples of 2^-20, so that all sums are exact
/// and nothing depends on the order of equal events beyond the flows' numbers.
///
/// - Complexity: O(log n) per arrival, departure or change, plus O(log n) for every flow that it
///   moves from below the level to above or back.
public struct SharedBottleneck: Sendable {
  private struct Flow: BitwiseCopyable {
    var weight: Int64 = 0
    /// Bits per second; `.max` for no cap.
    var cap: Int64 = 0
    /// Under its cap: bits left at ``since``. Sharing: unused.
    var bits = 0.0
    var since: Int64 = 0
    var place = Place.absent
  }

  private enum Place: UInt8 { case absent, capped, sharing }

  /// A flow's end, and when it came.
  public struct End: Sendable, Equatable {
    public var flow: Int
    public var time: Int64
  }

  private static let weightUnit = 1_048_576.0
  private static let largestRate: Int64 = 1 << 52

  private var flows: [Flow]
  /// Ends of the flows at their caps, and finish tags of the others.
  private var ends: IndexedHeap<Int64>
  private var tags: IndexedHeap<Double>
  /// Cap by weight: greatest first below the level, least first above it.
  private var cappedRatios: IndexedHeap<Double>
  private var sharingRatios: IndexedHeap<Double>
  private var capacity: Int64
  /// Sums of the caps below the level and of the weights above it.
  private var cappedRate: Int64 = 0
  private var sharingWeight: Int64 = 0
  /// Bits per unit of weight since the link was last without sharing flows, and per second.
  private var virtualTime = 0.0
  private var level = 0.0
  /// Up to when everything has been worked out.
  public private(set) var now: Int64 = 0
  /// When the next flow ends unless something changes before; `Int64.max` for never.
  public private(set) var nextChange = Int64.max
  private var finished: [End] = []
  private var taken = 0

  /// - Parameters:
  ///   - capacity: bits per second.
  ///   - flows: numbers below this need no further memory.
  public init(capacity: Double, flows count: Int = 0) {
    self.capacity = SharedBottleneck.whole(capacity)
    flows = [Flow](repeating: Flow(), count: count)
    ends = IndexedHeap(entities: count)
    tags = IndexedHeap(entities: count)
    cappedRatios = IndexedHeap(entities: count)
    sharingRatios = IndexedHeap(entities: count)
  }

  /// Flows that have not ended.
  public var count: Int { ends.count + tags.count }

  /// Entries moved in all heaps so far: what the running time is proportional to.
  var heapSteps: Int { ends.steps + tags.steps + cappedRatios.steps + sharingRatios.steps }

  // MARK: - Changes

  /// Starts a flow at `time`; its number must not be in use. Nothing to send ends it at once.
  ///
  /// - Parameters:
  ///   - bytes: what it has to carry, headers included.
  ///   - weight: share relative to others; at least 2^-20.
  ///   - cap: bits per second; infinity for none.
  public mutating func add(
    _ flow: Int, bytes: Double, weight: Double = 1, cap: Double = .infinity, at time: Int64
  ) {
    advance(to: time)
    reserve(flow + 1)
    precondition(flows[flow].place == .absent, "the flow is there already")
    if bytes <= 0 {
      finished.append(End(flow: flow, time: now))
      return
    }
    let units = weight * SharedBottleneck.weightUnit + 0.5
    flows[flow].weight = units < 1 ? 1 : units < 1e12 ? Int64(units) : 1_000_000_000_000
    flows[flow].cap = cap == .infinity ? .max : SharedBottleneck.whole(cap)
    share(flow, bits: bytes * 8)
    settle()
  }

  /// Takes a flow away at `time`.
  ///
  /// - Returns: what it had not carried, bytes; 0 when it has ended.
  @discardableResult
  public mutating func remove(_ flow: Int, at time: Int64) -> Double {
    advance(to: time)
    if flow >= flows.count || flows[flow].place == .absent { return 0 }
    let bits = withdraw(flow)
    settle()
    return bits / 8
  }

  /// Changes a flow's cap, bits per second, at `time`; without effect when it has ended.
  public mutating func changeCap(_ flow: Int, to cap: Double, at time: Int64) {
    advance(to: time)
    if flow >= flows.count || flows[flow].place == .absent { return }
    let bits = withdraw(flow)
    flows[flow].cap = cap == .infinity ? .max : SharedBottleneck.whole(cap)
    share(flow, bits: bits)
    settle()
  }

  /// Changes the link's capacity, bits per second, at `time`.
  public mutating func changeCapacity(to capacity: Double, at time: Int64) {
    advance(to: time)
    self.capacity = SharedBottleneck.whole(capacity)
    settle()
  }

  /// Works out everything up to `time`.
  public mutating func advance(to time: Int64) {
    while nextChange <= time {
      move(to: nextChange)
      let flow = nextEnding()
      _ = withdraw(flow)
      finished.append(End(flow: flow, time: now))
      settle()
    }
    move(to: time)
  }

  /// Whether ``takeFinished()`` has anything to give.
  public var hasFinished: Bool { taken < finished.count }

  /// The earliest end that has not been taken, in the order of time and then of the flow's number,
  /// of those up to the last call's time; nil when there is none.
  public mutating func takeFinished() -> End? {
    if taken == finished.count {
      if taken > 0 {
        finished.removeAll(keepingCapacity: true)
        taken = 0
      }
      return nil
    }
    taken += 1
    return finished[taken - 1]
  }

  // MARK: - What is

  /// Whether a flow is under way.
  public func contains(_ flow: Int) -> Bool {
    flow < flows.count && flows[flow].place != .absent
  }

  /// Present rate of a flow, bits per second; 0 when it has ended.
  public func rate(of flow: Int) -> Double {
    if flow >= flows.count { return 0 }
    switch flows[flow].place {
    case .absent: return 0
    case .capped: return Double(flows[flow].cap)
    case .sharing: return level * Double(flows[flow].weight)
    }
  }

  /// What one more flow without a cap would get, bits per second; caps of others stay as they are.
  public func rateOfNewFlow(weight: Double) -> Double {
    let units = weight * SharedBottleneck.weightUnit
    let rest = Double(capacity - cappedRate) * units / (Double(sharingWeight) + units)
    // Flows at their caps give way when their caps exceed the new level.
    let equal = Double(capacity) / Double(count + 1)
    return rest > equal ? rest : equal
  }

  /// What a flow has not carried yet, bytes.
  public func remaining(of flow: Int) -> Double {
    if flow >= flows.count { return 0 }
    switch flows[flow].place {
    case .absent: return 0
    case .capped: return cappedBits(flow) / 8
    case .sharing: return sharingBits(flow) / 8
    }
  }

  private func cappedBits(_ flow: Int) -> Double {
    let served = Double(flows[flow].cap) * Double(now - flows[flow].since) * 1e-9
    return flows[flow].bits > served ? flows[flow].bits - served : 0
  }

  private func sharingBits(_ flow: Int) -> Double {
    let bits = (tags.key(of: flow) - virtualTime) * Double(flows[flow].weight)
    return bits > 0 ? bits : 0
  }

  // MARK: - Below and above the level

  private mutating func share(_ flow: Int, bits: Double) {
    flows[flow].place = .sharing
    sharingWeight += flows[flow].weight
    tags.set(flow, to: virtualTime + bits / Double(flows[flow].weight))
    if flows[flow].cap != .max { sharingRatios.set(flow, to: ratio(flow)) }
  }

  private mutating func bound(_ flow: Int, bits: Double) {
    flows[flow].place = .capped
    flows[flow].bits = bits
    flows[flow].since = now
    cappedRate += flows[flow].cap
    ends.set(
      flow, to: SharedBottleneck.time(of: bits, rate: Double(flows[flow].cap), from: now))
    cappedRatios.set(flow, to: -ratio(flow))
  }

  /// Takes a flow out of all sums and heaps.
  ///
  /// - Returns: its bits left.
  private mutating func withdraw(_ flow: Int) -> Double {
    let bits: Double
    if flows[flow].place == .capped {
      bits = cappedBits(flow)
      cappedRate -= flows[flow].cap
      ends.remove(flow)
      cappedRatios.remove(flow)
    } else {
      bits = sharingBits(flow)
      sharingWeight -= flows[flow].weight
      tags.remove(flow)
      sharingRatios.remove(flow)
      if tags.isEmpty { virtualTime = 0 }
    }
    flows[flow].place = .absent
    return bits
  }

  private func ratio(_ flow: Int) -> Double {
    Double(flows[flow].cap) / Double(flows[flow].weight)
  }

  /// Moves flows across the level until it fits, then works out the next end.
  ///
  /// Each move raises the level (or leaves it), so no flow crosses more than once in each direction
  /// and the loop ends; the comparison is exact, so rounding cannot undo a move.
  private mutating func settle() {
    while true {
      if !sharingRatios.isEmpty && isBelow(sharingRatios.first) {
        let flow = sharingRatios.first
        bound(flow, bits: withdraw(flow))
      } else if !cappedRatios.isEmpty && !isBelow(cappedRatios.first) {
        let flow = cappedRatios.first
        share(flow, bits: withdraw(flow))
      } else {
        break
      }
    }
    let rest = capacity - cappedRate
    level = sharingWeight > 0 ? Double(rest) / Double(sharingWeight) : 0
    nextChange = ends.isEmpty ? .max : ends.firstKey
    if !tags.isEmpty {
      let end = sharingEnd
      if end < nextChange { nextChange = end }
    }
  }

  /// Whether a flow's cap lies at or below its share at the present level.
  private func isBelow(_ flow: Int) -> Bool {
    let rest = capacity - cappedRate
    if rest < 0 { return false }
    if sharingWeight == 0 { return true }
    let cap = UInt64(flows[flow].cap).multipliedFullWidth(by: UInt64(sharingWeight))
    let share = UInt64(rest).multipliedFullWidth(by: UInt64(flows[flow].weight))
    return cap.high != share.high ? cap.high < share.high : cap.low <= share.low
  }

  // MARK: - Time

  private mutating func move(to time: Int64) {
    if time <= now { return }
    if !tags.isEmpty { virtualTime += level * Double(time - now) * 1e-9 }
    now = time
  }

  /// When the sharing flow of the least tag ends.
  private var sharingEnd: Int64 {
    SharedBottleneck.time(of: tags.firstKey - virtualTime, rate: level, from: now)
  }

  /// The flow that ends now; of several, the one of the lowest number.
  private func nextEnding() -> Int {
    if tags.isEmpty { return ends.first }
    if ends.isEmpty || ends.firstKey > now { return tags.first }
    let isTie = sharingEnd <= now
    return isTie && tags.first < ends.first ? tags.first : ends.first
  }

  /// When `amount` is done at `rate` per second, rounded up to whole nanoseconds.
  private static func time(of amount: Double, rate: Double, from now: Int64) -> Int64 {
    if amount <= 0 { return now }
    let span = amount / rate * 1e9
    if !(span < 4e18) { return .max }
    let whole = Int64(span)
    let (end, overflow) = now.addingReportingOverflow(Double(whole) < span ? whole + 1 : whole)
    return overflow ? .max : end
  }

  private static func whole(_ rate: Double) -> Int64 {
    if !(rate > 0) { return 0 }
    return rate < Double(largestRate) ? Int64(rate + 0.5) : largestRate
  }

  private mutating func reserve(_ count: Int) {
    while flows.count < count { flows.append(Flow()) }
    ends.reserve(count)
    tags.reserve(count)
    cappedRatios.reserve(count)
    sharingRatios.reserve(count)
  }
}
