import MediaUnits
import Models
import SimulationKernel

/// A case as a feed prices it: one viewer's transport over a constant rate, whose server answers at
/// once. Flows start at times of their own.
struct FeedPricing: ~Copyable {
  /// What a flow waits for.
  private enum Step {
    case sends
    /// Its request is with the server at this time.
    case answered(Instant)
    case comes
    case done
  }

  private let input: TransferCase
  private let settings: UnsafeMutablePointer<TransportConfiguration>
  private let profile: UnsafeMutablePointer<NetworkProfile>
  private let sources: DrawSources
  private var cells: [Cell] = []
  private var transport: ViewerTransport
  private var steps: [Step]
  private var places: [Int]
  private var timings: [TransferTiming]

  /// Timings of a case's flows.
  static func run(
    _ input: TransferCase, sharing: LinkSharing, replication: UInt16 = 0
  ) -> [TransferTiming] {
    priced(input, sharing: sharing, replication: replication).timings
  }

  /// Timings of a case's flows, and the place of each one's connection, which the feed chooses.
  static func priced(
    _ input: TransferCase, sharing: LinkSharing, replication: UInt16 = 0
  ) -> (timings: [TransferTiming], connections: [Int]) {
    var pricing = FeedPricing(input, sharing, replication)
    pricing.run()
    return (pricing.timings, pricing.places)
  }

  private init(_ input: TransferCase, _ sharing: LinkSharing, _ replication: UInt16) {
    guard let rate = input.downlink.constantRate else {
      preconditionFailure("a feed's price of a case has a constant rate")
    }
    self.input = input
    settings = .allocate(capacity: 1)
    settings.initialize(
      to: TransportConfiguration(
        http: input.http, congestion: input.congestion, handshake: input.handshake,
        resumedHandshake: input.handshake,
        connectionsPerHost: input.http == .http1 ? Connection.perHost : 1,
        initialWindow: input.initialWindow, segmentSize: input.segmentSize,
        overhead: input.overhead, requestBytes: input.flows[0].requestBytes,
        responseHeaderBytes: input.flows[0].responseHeaderBytes, sharing: sharing))
    let packetBytes = Double(input.segmentSize + input.overhead)
    var queue = TimeSpan.hours(1)
    if case .packets(let limit) = input.queue {
      queue = TimeSpan(seconds: Double(limit) * packetBytes * 8 / rate)
    }
    var profile = NetworkProfile(
      sessionRate: QuantileTable(constant: rate), rateFactor: 1,
      roundTrip: QuantileTable(constant: Double(input.roundTrip) * 1e-9), queueLimit: queue,
      lossRate: 0, uplinkRate: input.uplinkRate, nameLookup: .zero, promotion: .zero,
      radioIdle: .hours(1))
    if case .independent(let share) = input.loss { profile.lossRate = share }
    self.profile = .allocate(capacity: 1)
    self.profile.initialize(to: profile)
    sources = DrawSources(
      streams: RandomStreams(seed: input.seed, replication: replication),
      normal: QuantileTable(constant: 0))
    transport = ViewerTransport(
      ViewerTransport.Session(
        number: 0, profile: self.profile, roundTrip: TimeSpan(nanoseconds: input.roundTrip),
        cell: -1, canResume: false),
      settings: settings, sources: sources, at: .zero)
    steps = input.flows.map { _ in .sends }
    places = input.flows.map { _ in 0 }
    timings = input.flows.map {
      TransferTiming(start: $0.start, connect: 0, secure: nil, firstByte: .max, duration: .max)
    }
  }

  deinit {
    transport.release()
    settings.deinitialize(count: 1)
    settings.deallocate()
    profile.deinitialize(count: 1)
    profile.deallocate()
  }

  private mutating func run() {
    var now = Instant.zero
    while true {
      var next = transport.nextChange(after: now, sources: sources) ?? .distantFuture
      var flow = -1
      for index in steps.indices {
        let time: Instant
        switch steps[index] {
        case .sends: time = Instant(nanoseconds: input.flows[index].start)
        case .answered(let arrival): time = arrival
        case .comes, .done: continue
        }
        if time < next {
          next = time
          flow = index
        }
      }
      if next == .distantFuture { return }
      now = next
      transport.advance(to: now, sources: sources)
      if flow < 0 { finish(at: now) } else { act(flow, at: now) }
    }
  }

  private mutating func finish(at now: Instant) {
    while let (flow, isEnd, _) = transport.takeFinished(at: now) {
      if !isEnd { continue }
      timings[flow].duration = now.nanoseconds - timings[flow].start
      steps[flow] = .done
      transport.settle(.edge, places[flow], at: now)
    }
  }

  private mutating func act(_ flow: Int, at now: Instant) {
    if case .sends = steps[flow] {
      steps[flow] = .done
      guard
        let departure = transport.send(
          to: .edge, body: 0, at: now, cells: &cells, sources: sources),
        let arrival = departure.arrivesAt
      else { return }
      places[flow] = departure.connection
      timings[flow].connect = (departure.connectedAt - now).nanoseconds
      steps[flow] = .answered(arrival)
      return
    }
    steps[flow] = .comes
    let arrival = now + transport.roundTrip / 2
    timings[flow].firstByte = arrival.nanoseconds - timings[flow].start
    _ = transport.begin(
      ViewerTransport.Transfer(
        request: flow, server: .edge, connection: places[flow], body: input.flows[flow].bytes,
        weight: 1, role: .other, markShare: -1),
      arriving: arrival, at: now, cells: &cells)
  }
}
