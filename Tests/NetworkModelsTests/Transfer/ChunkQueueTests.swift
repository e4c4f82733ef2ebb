import MediaUnits
import SimulationKernel
import Testing

@testable import NetworkModels

/// The chunk tier for who learns of flows as time goes by.
@Suite struct ChunkQueueTests {
  /// When each flow was offered, passed its mark and ended.
  private struct Times: Equatable {
    var begun: Int64 = 0
    var mark: Int64?
    var end: Int64?
  }

  private static func settings(_ input: TransferCase) -> ChunkShared.Settings {
    ChunkShared.Settings(
      segmentSize: input.segmentSize, overhead: input.overhead,
      uplinkByteTime: 8e9 / input.uplinkRate, roundTrip: input.roundTrip,
      congestion: input.congestion, http: input.http, quic: input.quic,
      initialWindow: input.initialWindow, receiveWindow: input.receiveWindow,
      idleRestart: input.idleRestart, streams: RandomStreams(seed: input.seed, replication: 0))
  }

  /// Drives a queue with a case's flows, each when its request is there.
  ///
  /// - Parameters:
  ///   - marks: shares of the payload that clients wait for.
  ///   - withdraw: a flow that is not wanted any more at this time.
  ///   - looks: somebody looks at other times, too.
  private static func run(
    _ input: TransferCase, mark: Double = 0, withdraw: (flow: Int, at: Int64)? = nil,
    looks: Bool = false
  ) -> [Times] {
    let settings = settings(input)
    var queue = ChunkQueue(settings, link: ChunkLink(input.downlink, limit: input.queue))
    var places: [Int: Int] = [:]
    var numbers: [Int: Int] = [:]
    var times = [Times](repeating: Times(), count: input.flows.count)
    var steps: [(time: Int64, flow: Int, isEnd: Bool)] = []
    for (index, flow) in input.flows.enumerated() {
      if places[flow.connection] == nil {
        let roundTrip = flow.roundTrip ?? input.roundTrip
        places[flow.connection] = queue.open(
          roundTrip: roundTrip, sample: nil,
          loss: LossGaps(
            input.loss, connection: UInt64(flow.connection), streams: settings.streams))
      }
      let way = settings.uplinkTime(flow.requestBytes) + (flow.roundTrip ?? input.roundTrip)
      steps.append((flow.start + way, index, false))
    }
    if let withdraw { steps.append((withdraw.at, withdraw.flow, true)) }
    steps.sort { $0.time != $1.time ? $0.time < $1.time : $0.flow < $1.flow }
    func take(by time: Int64) {
      while let report = queue.takeReport(by: time) {
        let flow = numbers[report.flow]!
        if report.isEnd { times[flow].end = report.time } else { times[flow].mark = report.time }
      }
    }
    for step in steps {
      if looks {
        for share in [0.3, 0.31, 0.8] {
          let time = queue.now + Int64(Double(step.time - queue.now) * share)
          queue.advance(to: time)
          take(by: time)
        }
      }
      queue.advance(to: step.time)
      take(by: step.time)
      let flow = input.flows[step.flow]
      if step.isEnd {
        let number = numbers.first { $0.value == step.flow }!.key
        queue.withdraw(number, at: step.time)
        numbers[number] = nil
        continue
      }
      let number = queue.begin(
        bytes: flow.bytes, mark: Int64(Double(flow.bytes) * mark),
        on: places[flow.connection]!, at: step.time)
      numbers[number] = step.flow
      times[step.flow].begun = step.time
    }
    while min(queue.nextEvent, queue.nextReport) < .max {
      let time = min(queue.nextEvent, queue.nextReport)
      queue.advance(to: time)
      take(by: time)
    }
    return times
  }

  private static let cases: [TransferCase] = {
    var cases: [TransferCase] = []
    for congestion in [CongestionControl.cubic, .bbr] {
      for queue in [QueueLimit.packets(1000), .packets(50)] {
        for (http, loss) in [
          (HTTPVersion.http1, 0.0), (.http2, 0), (.http2, 0.01), (.http3, 0.01),
        ] {
          var flows: [TransferFlow] = []
          for index in 0..<6 {
            let connection = http == .http1 ? index : index % 3
            flows.append(
              ChunkParts.flow(
                Int64(20_000 + 130_000 * index), connection: connection,
                start: Int64(index) * 37_000_000))
          }
          cases.append(
            ChunkParts.link(
              flows, queue: queue, congestion: congestion,
              loss: loss > 0 ? .independent(loss) : .none, http: http, handshake: .none))
        }
      }
    }
    return cases
  }()

  @Test func `what it is told of gets what the chunk tier gives it`() {
    for input in Self.cases {
      let ends = ChunkParts.durations(input)
      for (index, time) in Self.run(input).enumerated() {
        #expect(time.end == input.flows[index].start + ends[index], "\(input) \(index)")
        #expect(time.mark == nil)
      }
    }
  }

  @Test func `whoever looks on the way changes nothing`() {
    for input in Self.cases {
      #expect(Self.run(input, mark: 0.4, looks: true) == Self.run(input, mark: 0.4))
    }
  }

  @Test func `a mark comes before the end, and moves it by nothing`() throws {
    for input in Self.cases {
      let plain = Self.run(input)
      let half = Self.run(input, mark: 0.5)
      let whole = Self.run(input, mark: 1)
      for index in plain.indices {
        #expect(half[index].end == plain[index].end)
        let mark = try #require(half[index].mark)
        let end = try #require(half[index].end)
        #expect(mark > half[index].begun && mark <= end)
        if input.http != .http3 { #expect(whole[index].mark == whole[index].end) }
      }
    }
  }

  @Test func `what is withdrawn tells nothing more, and the others have its place`() throws {
    for input in Self.cases {
      let plain = Self.run(input)
      let less = Self.run(input, withdraw: (5, plain[5].begun + 20_000_000))
      #expect(less[5].end == nil)
      let last = plain.indices.dropLast().compactMap { plain[$0].end }.max()!
      let sooner = less.indices.dropLast().compactMap { less[$0].end }.max()!
      #expect(less.dropLast().allSatisfy { $0.end != nil })
      if input.loss == .none && input.queue == .packets(1000) { #expect(sooner <= last) }
    }
  }

  @Test func `what begins later may be told before`() {
    for input in Self.cases {
      let settings = Self.settings(input)
      var queue = ChunkQueue(settings, link: ChunkLink(input.downlink, limit: input.queue))
      var numbers: [Int] = []
      for connection in 0..<6 {
        let place = queue.open(
          roundTrip: input.roundTrip, sample: nil,
          loss: LossGaps(input.loss, connection: UInt64(connection), streams: settings.streams))
        #expect(place == connection)
      }
      for flow in input.flows {
        let way = settings.uplinkTime(flow.requestBytes) + input.roundTrip
        numbers.append(
          queue.begin(
            bytes: flow.bytes, mark: 0, on: flow.connection, at: flow.start + way))
      }
      queue.advance(to: .max)
      var ends = [Int64](repeating: 0, count: numbers.count)
      while let report = queue.takeReport(by: .max) {
        ends[numbers.firstIndex(of: report.flow)!] = report.time
      }
      #expect(ends == Self.run(input).map { $0.end! })
    }
  }

  /// Numbers of flows that have ended, were withdrawn or lost their connection are others' later:
  /// no flow may end before its own bytes can have come, none twice, and none never.
  @Test(arguments: [HTTPVersion.http1, .http2, .http3], [CongestionControl.cubic, .bbr])
  func `numbers are given away when nothing of their flow is to come`(
    _ http: HTTPVersion, _ congestion: CongestionControl
  ) {
    var input = ChunkParts.link(
      [], queue: .packets(60), congestion: congestion, loss: .independent(0.03), http: http)
    input.seed = 11
    let settings = Self.settings(input)
    let streams = settings.streams
    var queue = ChunkQueue(settings, link: ChunkLink(input.downlink, limit: input.queue))
    var draws: UInt32 = 0
    func below(_ limit: Int64) -> Int64 {
      draws += 1
      return Int64(streams.uniform(.packetLoss, entity: 1 << 40, draw: draws) * Double(limit))
    }
    func loss(_ number: Int64) -> LossGaps {
      LossGaps(input.loss, connection: UInt64(number), streams: streams)
    }
    var places = (0..<4).map { number in
      queue.open(roundTrip: 60_000_000, sample: nil, loss: loss(Int64(number)))
    }
    var open: [Int: (connection: Int, bytes: Int64, begun: Int64)] = [:]
    var largest = 0
    var ended = 0
    func take(by time: Int64) {
      while let report = queue.takeReport(by: time) {
        guard let flow = open[report.flow] else {
          Issue.record("\(report) of nobody")
          continue
        }
        let most = Double(report.time - flow.begun) * 10e6 / 8e9
        #expect(Double(flow.bytes) * (report.isEnd ? 1 : 0.4) <= most + 1, "\(report)")
        if report.isEnd {
          open[report.flow] = nil
          ended += 1
        }
      }
    }
    var now: Int64 = 0
    for step in 0..<4_000 {
      now += below(20_000_000)
      queue.advance(to: now)
      take(by: now)
      let victim = open.keys.sorted().dropFirst(Int(below(4))).first
      switch below(16) {
      case 0:
        let place = Int(below(4))
        queue.close(places[place])
        for (number, flow) in open where flow.connection == places[place] { open[number] = nil }
        places[place] = queue.open(
          roundTrip: 60_000_000, sample: nil, loss: loss(Int64(step) + 10))
      case 1..<6:
        guard let victim else { continue }
        queue.withdraw(victim, at: now + below(60_000_000))
        open[victim] = nil
      default:
        if open.count > 12 { continue }
        let bytes = 1 + below(150_000)
        let connection = places[Int(below(4))]
        let number = queue.begin(
          bytes: bytes, mark: below(2) == 0 ? 0 : max(1, bytes * 4 / 10), on: connection, at: now)
        #expect(open[number] == nil)
        open[number] = (connection, bytes, now)
        largest = max(largest, number)
      }
    }
    queue.advance(to: .max)
    take(by: .max)
    #expect(open.isEmpty && ended > 150 && largest < 100, "\(open) \(ended) \(largest)")
  }

  @Test func `a connection that is closed leaves the queue to the others, and its numbers`() {
    let input = Self.cases[0]
    let settings = Self.settings(input)
    var queue = ChunkQueue(settings, link: ChunkLink(input.downlink, limit: input.queue))
    let loss = LossGaps.none
    let first = queue.open(roundTrip: 60_000_000, sample: 60_000_000, loss: loss)
    let second = queue.open(roundTrip: 60_000_000, sample: 60_000_000, loss: loss)
    let gone = queue.begin(bytes: 1_000_000, mark: 0, on: first, at: 0)
    let kept = queue.begin(bytes: 100_000, mark: 0, on: second, at: 0)
    queue.advance(to: 100_000_000)
    queue.close(first)
    #expect(queue.open(roundTrip: 60_000_000, sample: nil, loss: loss) == first)
    #expect(queue.begin(bytes: 1_000, mark: 0, on: first, at: 110_000_000) == gone)
    var found: [Int] = []
    while min(queue.nextEvent, queue.nextReport) < .max {
      queue.advance(to: min(queue.nextEvent, queue.nextReport))
      while let report = queue.takeReport(by: queue.now) { found.append(report.flow) }
    }
    #expect(found.sorted() == [gone, kept].sorted())
  }
}
