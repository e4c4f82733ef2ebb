import NetworkModels
import SimulationKernel

/// Random transfers from the whole range that a file of cases may name, its ends included.
///
/// A case is a function of (seed, number).
struct TransferFuzzCase {
  private let streams: RandomStreams
  private let number: UInt64
  private var draw: UInt32 = 0
  private(set) var input: TransferCase
  private(set) var tier: TransferTier?

  private static let stream = StreamName(rawValue: 950)
  private let mostPackets: Int64
  private let mostFlows: Int

  init(seed: UInt64, number: UInt64, mostPackets: Int64 = 10_000, mostFlows: Int = 100) {
    self.mostPackets = mostPackets
    self.mostFlows = mostFlows
    streams = RandomStreams(seed: seed, replication: 0)
    self.number = number
    input = TransferCase(
      downlink: RateTrace(constant: 1e6), uplinkRate: 1e6, roundTrip: 0, flows: [], seed: number)
    link()
    transport()
    flows()
    tier = TransferTier(rawValue: UInt8(whole(0, 3)))
  }

  // MARK: - Draws

  private mutating func uniform() -> Double {
    draw += 1
    return streams.uniform(TransferFuzzCase.stream, entity: number, draw: draw)
  }

  private mutating func whole(_ low: Int64, _ high: Int64) -> Int64 {
    low + Int64(uniform() * Double(high - low + 1))
  }

  private mutating func isOne(of chance: Double) -> Bool { uniform() < chance }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int(uniform() * Double(values.count))]
  }

  /// Milliseconds from microseconds to `longest`, or one of the ends.
  private mutating func time(longest: Int64) -> Int64 {
    pick([0, 1, 1_000_000, 20_000_000, 300_000_000, 5_000_000_000, longest])
  }

  // MARK: - Parts

  private mutating func link() {
    let rates = [1e3, 2e4, 1e5, 1e6, 1e7, 5e7, 1e9, 1e12]
    if isOne(of: 0.6) {
      input.downlink = RateTrace(constant: pick(rates))
    } else {
      var starts: [Int64] = []
      var steps: [Double] = []
      var start = time(longest: 1_000_000_000)
      for _ in 0..<whole(1, 12) {
        starts.append(start)
        steps.append(isOne(of: 0.4) ? 0 : pick(rates))
        start += pick([1, 1, 1_000, 500_000, 500_000_000, 3_000_000_000, 1_000_000_000_000])
      }
      input.downlink = RateTrace(starts: starts, rates: steps, end: .hold)
    }
    var greatest = 0.0
    for rate in input.downlink.rates where rate > greatest { greatest = rate }
    input.uplinkRate = isOne(of: 0.5) ? greatest : pick(rates)
    input.roundTrip = time(longest: 600_000_000_000)
    switch whole(0, 3) {
    case 0: input.loss = .none
    case 1: input.loss = .independent(pick([1e-9, 0.001, 0.02, 0.3, 0.9, 0.99]))
    case 2:
      let burst = pick([1, 3.5, 50, 1e6])
      let most = burst / (1 + burst)
      let rate = pick([1e-9, 0.001, 0.02, 0.3, most])
      input.loss = .bursts(rate: rate < most ? rate : most, meanBurst: burst)
    default: input.loss = .none
    }
    switch whole(0, 3) {
    case 0: input.queue = .unlimited
    case 1: input.queue = .bytes(pick([1, 1_500, 64_000, .max]))
    default: input.queue = .packets(pick([1, 2, 20, 1_000, .max]))
    }
  }

  private mutating func transport() {
    input.congestion = pick(CongestionControl.allCases)
    input.handshake = pick(Handshake.allCases)
    input.http = pick(HTTPVersion.allCases)
    input.initialWindow = pick([1, 2, 10, 10.5, 100, 100_000])
    input.warmWindow = pick([nil, nil, 1, 2.5, 40, 100_000])
    input.segmentSize = pick([1, 64, 536, 1_448, 1_448, 9_000, 65_495])
    input.overhead = pick([0, 54, 54, 10_000])
    input.idleRestart = isOne(of: 0.5)
    input.resync = isOne(of: 0.15)
  }

  private mutating func flows() {
    let count = pick([1, 1, 1, 2, 5, 20, mostFlows])
    let connections = pick([1, 1, 2, 5, mostFlows])
    let most = mostPackets / Int64(count) * input.segmentSize
    for index in 0..<count {
      let bytes = pick([0, 1, input.segmentSize, 30_000, 300_000, 10_000_000, most])
      var flow = TransferFlow(bytes: bytes < most ? bytes : most)
      flow.start = time(longest: 1_000_000_000_000_000)
      flow.requestBytes = pick([0, 80, 80, 5_000, 1_000_000_000])
      let header: Int64 = pick([0, 0, 242, 5_000])
      flow.responseHeaderBytes = header < most ? header : most
      flow.connection = Int(whole(0, Int64(connections) - 1))
      if index > 0 && !input.resync && isOne(of: 0.4) {
        flow.after = isOne(of: 0.5) ? index - 1 : Int(whole(0, Int64(index) - 1))
        flow.gap = time(longest: 1_000_000_000_000_000)
      }
      if isOne(of: 0.2) { flow.roundTrip = time(longest: 600_000_000_000) }
      input.flows.append(flow)
    }
  }
}

/// What must hold of every result.
enum TransferFuzzCheck {
  /// Says what is wrong, nil when nothing is.
  static func flaw(_ input: TransferCase, _ result: TransferResult) -> String? {
    if result.timings.count != input.flows.count { return "a timing for each flow" }
    var greatest = 0.0
    for rate in input.downlink.rates where rate > greatest { greatest = rate }
    // A packet takes whole nanoseconds; a round knows when it begins and ends, not in between.
    let share = result.tier == .chunks ? 0.9 : input.downlink.constantRate != nil ? 0.4 : 0
    for (flow, timing) in zip(input.flows, result.timings) {
      if timing.start < 0 || timing.connect < 0 { return "no time before the start" }
      let secure = timing.secure ?? timing.connect
      if timing.connect > secure { return "connected before secure" }
      if secure > timing.firstByte && timing.start < .max { return "secure before first byte" }
      if timing.firstByte > timing.duration { return "first byte before last" }
      if timing.duration == .max { continue }
      if flow.after == nil && timing.start != flow.start { return "start as asked" }
      let least = Double(flow.bytes + flow.responseHeaderBytes) * 8e9 / greatest
      if Double(timing.duration) < share * least - 10 { return "no faster than the link" }
    }
    return nil
  }
}
