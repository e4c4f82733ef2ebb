import MediaUnits
import ModelBasics
import SimulationKernel
import Testing

@testable import NetworkModels

/// A viewer's transport without a viewer: requests and answers of the test's own.
@Suite struct ViewerTransportTests {
  /// A link of 8 Mbit/s and 40 ms, and what its transport needs.
  private final class Fixture {
    let settings: UnsafeMutablePointer<TransportConfiguration>
    let profile: UnsafeMutablePointer<NetworkProfile>
    let sources: DrawSources
    var cells: [Cell] = []
    var transport: ViewerTransport

    init(
      _ configuration: TransportConfiguration = TransportConfiguration(), cell: Double? = nil,
      queue: TimeSpan? = nil
    ) {
      settings = .allocate(capacity: 1)
      settings.initialize(to: configuration)
      profile = .allocate(capacity: 1)
      profile.initialize(
        to: NetworkProfile(
          sessionRate: QuantileTable(constant: 8e6), rateFactor: 1,
          roundTrip: QuantileTable(constant: 0.04), queueLimit: .seconds(1), lossRate: 0,
          uplinkRate: 1e12, nameLookup: .milliseconds(25), promotion: .zero,
          radioIdle: .seconds(10)))
      sources = DrawSources(
        streams: RandomStreams(seed: 1, replication: 0), normal: QuantileTable(constant: 0))
      if let cell {
        let own = CellConfiguration(capacity: cell, queue: queue)
        profile.pointee.cell = own
        cells = [
          Cell(own, edge: 0, of: profile.pointee, configuration, streams: sources.streams)
        ]
      }
      transport = ViewerTransport(
        Fixture.session(profile, cell: cell), settings: settings, sources: sources, at: .zero)
    }

    static func session(
      _ profile: UnsafeMutablePointer<NetworkProfile>, cell: Double?
    ) -> ViewerTransport.Session {
      ViewerTransport.Session(
        number: 1024, profile: profile, roundTrip: .milliseconds(40), cell: cell == nil ? -1 : 0,
        canResume: false)
    }

    deinit {
      transport.release()
      settings.deinitialize(count: 1)
      settings.deallocate()
      profile.deinitialize(count: 1)
      profile.deallocate()
    }

    func send(
      to server: ViewerTransport.Server = .edge, at now: Instant
    ) -> ViewerTransport.Departure? {
      transport.advance(to: now, sources: sources)
      return transport.send(to: server, body: 0, at: now, cells: &cells, sources: sources)
    }

    func begin(
      _ request: Int, bytes: Int64, weight: Double = 1, mark: Double = -1, connection: Int = 0,
      at now: Instant
    ) -> (joinedAt: Instant, wireBytes: Double) {
      transport.advance(to: now, sources: sources)
      return transport.begin(
        ViewerTransport.Transfer(
          request: request, server: .edge, connection: connection, body: bytes, weight: weight,
          role: .other, markShare: mark),
        arriving: now, at: now, cells: &cells)
    }

    /// All ends and marks that a cell brings, in their order.
    func runCell(from begin: Instant) -> [(at: Instant, request: Int, isEnd: Bool)] {
      var found: [(at: Instant, request: Int, isEnd: Bool)] = []
      var now = begin
      transport.setCaps(slot: 9, at: now, &cells)
      while let next = cells[0].nextChange(at: now) {
        now = next
        transport.advance(to: now, sources: sources)
        cells[0].advance(to: now)
        while let (owner, flow) = cells[0].takeFinished(at: now) {
          let request = Int(owner.request)
          if let (_, isEnd) = transport.finishInCell(request, flow: flow, at: now) {
            found.append((now, request, isEnd))
          }
        }
      }
      return found
    }

    /// All ends and marks, in their order.
    func run(
      from begin: Instant
    ) -> [(at: Instant, request: Int, isEnd: Bool, lost: Double)] {
      var found: [(at: Instant, request: Int, isEnd: Bool, lost: Double)] = []
      var now = begin
      while let next = transport.nextChange(after: now, sources: sources) {
        now = next
        transport.advance(to: now, sources: sources)
        while let (request, isEnd, lost) = transport.takeFinished(at: now) {
          found.append((now, request, isEnd, lost))
        }
      }
      return found
    }
  }

  private static func at(_ milliseconds: Int64) -> Instant {
    .zero + .milliseconds(milliseconds)
  }

  @Test func `a mark waits for the rounds before it, and the end for all of them`() throws {
    // 100 kB: the first window holds 10 packets, and the pipe of 8 Mbit/s and 40 ms some 28.
    func run(_ mark: Double) throws -> (mark: TimeSpan?, end: TimeSpan) {
      let fixture = Fixture()
      _ = try #require(fixture.send(at: .zero))
      let begin = Self.at(500)
      _ = fixture.begin(1, bytes: 100_000, mark: mark, at: begin)
      let found = fixture.run(from: begin)
      let end = try #require(found.last { $0.isEnd })
      return (found.first { !$0.isEnd }.map { $0.at - begin }, end.at - begin)
    }
    let whole = try run(-1)
    #expect(whole.mark == nil)
    // A tenth is in the first window: it takes its bytes' time and no round more.
    let early = try run(0.9)
    let mark = try #require(early.mark)
    #expect(mark > .milliseconds(10) && mark < .milliseconds(12))
    #expect((early.end - whole.end).nanoseconds.magnitude < 2_000)
    // A quarter is in the second window: one round's stall.
    let second = try #require(try run(0.75).mark)
    #expect(second > .milliseconds(25) + .milliseconds(20) && second < .milliseconds(60))
    // Nine tenths come when the pipe is full: with all stalls.
    let late = try #require(try run(0.1).mark)
    #expect(whole.end - late < .milliseconds(13) && whole.end > late)
  }

  @Test func `the first request pays for name and handshake, the next for half a round trip`()
    throws
  {
    let fixture = Fixture()
    let first = try #require(fixture.send(at: .zero))
    let opening = try #require(first.opening)
    #expect(opening.serial == 0 && opening.place == 0 && opening.openedAt == .zero)
    #expect(first.nameAt == Self.at(25))
    // TCP and TLS 1.3: two round trips and a little.
    #expect(first.secureAt - first.nameAt >= .milliseconds(80))
    #expect(first.secureAt - first.nameAt < .milliseconds(100))
    #expect(first.readyAt == first.secureAt && first.queueing == .zero)
    let way = try #require(first.arrivesAt) - first.readyAt
    #expect(way >= .milliseconds(20) && way < .milliseconds(21))
    let later = try #require(fixture.send(at: Self.at(500)))
    #expect(later.opening == nil && later.readyAt == Self.at(500))
    #expect(try #require(later.arrivesAt) - Self.at(500) == way)
  }

  @Test func `a host has its connections of its own, and knows names and sessions by itself`()
    throws
  {
    let fixture = Fixture()
    _ = fixture.send(at: .zero)
    let service = try #require(fixture.send(to: .service, at: Self.at(300)))
    #expect(service.opening?.serial == 1 && service.nameAt == Self.at(325))
  }

  @Test func `of HTTP/1.1 no more requests are under way than connections`() throws {
    let fixture = Fixture(TransportConfiguration(http: .http1, connectionsPerHost: 2))
    let first = try #require(fixture.send(at: .zero))
    let second = try #require(fixture.send(at: .zero))
    #expect(Set([first.connection, second.connection]) == [0, 1])
    #expect(!fixture.transport.hasFreeConnection && fixture.send(at: Self.at(1)) == nil)
    fixture.transport.settle(.edge, first.connection, at: Self.at(300))
    let third = try #require(fixture.send(at: Self.at(301)))
    #expect(third.connection == first.connection && third.opening == nil)
    // An answer that is given up takes its connection with it.
    fixture.transport.giveUp(.edge, second.connection, at: Self.at(310))
    let fourth = try #require(fixture.send(at: Self.at(311)))
    #expect(fourth.connection == second.connection && fourth.opening?.serial == 2)
  }

  @Test func `an idle connection is closed, and so are all when the network is lost`() throws {
    let fixture = Fixture(TransportConfiguration(idleClose: .seconds(10)))
    let first = try #require(fixture.send(at: .zero))
    fixture.transport.settle(.edge, first.connection, at: Self.at(1000))
    #expect(try #require(fixture.send(at: Self.at(10_900))).opening == nil)
    fixture.transport.settle(.edge, 0, at: Self.at(11_000))
    let reopened = try #require(fixture.send(at: Self.at(21_001)))
    // The name is known by now.
    #expect(reopened.opening?.serial == 1 && reopened.nameAt == Self.at(21_001))
    let change = HandOver(from: 0, until: 0, keepsConnections: false)
    let isLost = fixture.transport.handOver(
      change, at: Self.at(21_500), cells: &fixture.cells)
    #expect(isLost)
    #expect(try #require(fixture.send(at: Self.at(21_600))).opening?.serial == 2)
  }

  @Test func `over QUIC nothing is lost with the network, and it comes on the new path`() throws {
    let fixture = Fixture(TransportConfiguration(http: .http3))
    fixture.profile.pointee.timeline = LinkTimeline([
      LinkEvent(at: 2_000_000_000, .handOver(outage: 3_000_000_000, keepsConnections: false))
    ])
    let change = try #require(fixture.profile.pointee.handOvers.first)
    _ = fixture.send(at: .zero)
    let sent = fixture.begin(0, bytes: 4_000_000, at: Self.at(1000))
    fixture.transport.advance(to: Self.at(2000), sources: fixture.sources)
    let isLost = fixture.transport.handOver(change, at: Self.at(2000), cells: &fixture.cells)
    #expect(!isLost && fixture.transport.count == 1)
    let ends = fixture.run(from: Self.at(2000))
    #expect(ends.count == 1 && ends[0].isEnd)
    // The new path is there after 5 s and a round trip; at most a second's bytes came before.
    #expect(ends[0].at.nanoseconds > 5_040_000_000 + Int64(1000 * (sent.wireBytes - 1e6)))
    // The connection is still open.
    #expect(try #require(fixture.send(at: ends[0].at)).opening == nil)
  }

  @Test func `what has come of a transfer is between nothing and all of it`() {
    let share = ViewerTransport.Transfer.arrivedShare
    #expect(share(0, 1000) == 1 && share(1000, 1000) == 0 && share(250, 1000) == 0.75)
    #expect(share(1100, 1000) == 0 && share(-1, 1000) == 1 && share(0, 0) == 0)
  }

  @Test func `a connection that was warmed is there for the first request`() throws {
    let fixture = Fixture()
    fixture.transport.advance(to: .zero, sources: fixture.sources)
    let warmed = fixture.transport.warm(at: .zero, sources: fixture.sources)
    let opening = try #require(warmed)
    let again = fixture.transport.warm(at: Self.at(1), sources: fixture.sources)
    #expect(again == nil)
    let departure = try #require(fixture.send(at: Self.at(400)))
    #expect(departure.opening == nil && departure.secureAt == opening.readyAt)
    #expect(departure.readyAt == Self.at(400))
  }

  @Test(arguments: [1.0, 0.5, 0.25])
  func `transfers share the link by weight, and it is never idle meanwhile`(_ weight: Double) {
    let fixture = Fixture()
    _ = fixture.send(at: .zero)
    _ = fixture.send(at: .zero)
    let a = fixture.begin(0, bytes: 2_000_000, at: Self.at(1000))
    let b = fixture.begin(1, bytes: 2_000_000, weight: weight, at: Self.at(1000))
    let ends = fixture.run(from: Self.at(1000))
    #expect(ends.count == 2 && ends.allSatisfy(\.isEnd))
    let last = max(a.joinedAt, b.joinedAt)
    // Megabytes at a megabyte a second; slow start of the first to join counts in part.
    let whole = (a.wireBytes + b.wireBytes) / 1e6
    let span = (ends[1].at - min(a.joinedAt, b.joinedAt)).seconds
    #expect(span >= whole - 1e-6 && span <= whole + (last - min(a.joinedAt, b.joinedAt)).seconds)
    if weight < 1 {
      #expect(ends.map(\.request) == [0, 1] && ends[1].lost > ends[0].lost)
    }
  }

  @Test func `in turns two responses have one slow start, and end half a turn apart`() {
    let fixture = Fixture(TransportConfiguration(sharing: .turns))
    _ = fixture.send(at: .zero)
    _ = fixture.send(at: .zero)
    let begin = Self.at(1000)
    let a = fixture.begin(0, bytes: 300_000, at: begin)
    let b = fixture.begin(1, bytes: 300_000, at: begin)
    #expect(a.joinedAt > begin && b.joinedAt == begin)
    let ends = fixture.run(from: begin)
    #expect(ends.map(\.request) == [0, 1])
    // Megabytes at a megabyte a second, with the first one's pauses; of five turns of 64 kB and
    // what they cost on the wire the second has four before the first one's last.
    let stall = (a.joinedAt - begin).seconds
    let turn = 65_536 * 1_502 / 1_448e6
    let whole = (a.wireBytes + b.wireBytes) / 1e6 + stall
    #expect(abs((ends[1].at - begin).seconds - whole) < 1e-5)
    let first = a.wireBytes / 1e6 + 4 * turn + stall
    #expect(abs((ends[0].at - begin).seconds - first) < 1e-5)
    // One waits for the other's turns.
    #expect(abs(ends[0].lost - 4e9 * turn) < 1e5 && ends[1].lost > ends[0].lost)
  }

  @Test func `a short response waits for the turn under way, and by weights for nothing`() throws {
    func wait(_ sharing: LinkSharing) throws -> TimeSpan {
      let fixture = Fixture(TransportConfiguration(sharing: sharing))
      _ = fixture.send(at: .zero)
      _ = fixture.send(at: .zero)
      _ = fixture.begin(0, bytes: 1_000_000, at: Self.at(1000))
      _ = fixture.begin(1, bytes: 5_000, at: Self.at(1005))
      let end = try #require(fixture.run(from: Self.at(1005)).first { $0.request == 1 && $0.isEnd })
      return end.at - Self.at(1005)
    }
    // Windows of 10 and 20 packets and half of the next one's 40: two round trips.
    #expect(try wait(.turns) > .milliseconds(95) && wait(.turns) < .milliseconds(115))
    #expect(try wait(.weights) < .milliseconds(15))
  }

  @Test func `what is withdrawn leaves its turns to the others`() throws {
    let fixture = Fixture(TransportConfiguration(sharing: .turns))
    _ = fixture.send(at: .zero)
    let begin = Self.at(1000)
    _ = fixture.begin(0, bytes: 500_000, at: begin)
    _ = fixture.begin(1, bytes: 500_000, mark: 0.5, at: begin)
    let later = Self.at(1300)
    fixture.transport.advance(to: later, sources: fixture.sources)
    let gone = fixture.transport.withdraw(0, at: later, cells: &fixture.cells)
    let left = fixture.transport.left(of: 1, at: later, cells: &fixture.cells)
    let (remaining, rest) = (try #require(gone), try #require(left))
    #expect(remaining > 300_000 && rest > 300_000)
    let steps = fixture.run(from: later)
    #expect(steps.map(\.isEnd) == [false, true] && steps.map(\.request) == [1, 1])
    #expect(abs((steps[1].at - later).seconds - rest / 1e6) < 1e-5)
    #expect(fixture.transport.count == 0)
  }

  @Test func `turns are longer for who weighs more`() {
    let fixture = Fixture(TransportConfiguration(sharing: .turns))
    _ = fixture.send(at: .zero)
    let begin = Self.at(1000)
    let light = fixture.begin(0, bytes: 2_000_000, weight: 0.25, at: begin)
    let heavy = fixture.begin(1, bytes: 2_000_000, at: begin)
    let ends = fixture.run(from: begin)
    #expect(ends.map(\.request) == [1, 0])
    // A quarter as much, to a turn.
    let both = (ends[0].at - light.joinedAt).seconds * 1e6
    #expect(abs(both - heavy.wireBytes * 1.25) < 100_000)
  }

  @Test func `a mark passes when its share is left, and what is withdrawn has not come`() throws {
    let fixture = Fixture()
    _ = fixture.send(at: .zero)
    let (joined, wire) = fixture.begin(0, bytes: 1_000_000, mark: 0.25, at: Self.at(1000))
    let steps = fixture.run(from: Self.at(1000))
    #expect(steps.map(\.isEnd) == [false, true])
    #expect(abs((steps[0].at - joined).seconds - wire * 0.75 / 1e6) < 1e-6)
    #expect(abs((steps[1].at - joined).seconds - wire / 1e6) < 1e-6)
    let again = fixture.begin(7, bytes: 1_000_000, at: steps[1].at + .seconds(1))
    let half = again.joinedAt + TimeSpan(seconds: again.wireBytes / 2e6)
    fixture.transport.advance(to: half, sources: fixture.sources)
    let remaining = fixture.transport.withdraw(7, at: half, cells: &fixture.cells)
    let left = try #require(remaining)
    #expect(abs(left / again.wireBytes - 0.5) < 1e-6)
    #expect(fixture.transport.count == 0)
    let none = fixture.transport.withdraw(7, at: half, cells: &fixture.cells)
    #expect(none == nil)
  }

  @Test func `in a cell of half the link's rate a transfer takes as long as the cell says`() throws
  {
    let fixture = Fixture(cell: 4e6)
    _ = fixture.send(at: .zero)
    let (joined, wire) = fixture.begin(3, bytes: 500_000, mark: 0.5, at: Self.at(1000))
    // The link itself only says when the transfer joins.
    let change = fixture.transport.nextChange(after: Self.at(1000), sources: fixture.sources)
    let join = try #require(change)
    #expect(join.nanoseconds == joined.nanoseconds + 1)
    fixture.transport.advance(to: join, sources: fixture.sources)
    fixture.transport.enterCell(slot: 9, at: join, &fixture.cells)
    var found: [(at: Int64, isEnd: Bool)] = []
    for _ in 0..<2 {
      let time = fixture.cells[0].link.nextChange
      fixture.cells[0].link.advance(to: time)
      let taken = fixture.cells[0].link.takeFinished()
      let end = try #require(taken)
      #expect(fixture.cells[0].owners[end.flow].slot == 9)
      fixture.cells[0].giveBack(end.flow)
      fixture.transport.advance(to: Instant(nanoseconds: time), sources: fixture.sources)
      let told = fixture.transport.finishInCell(
        3, flow: end.flow, at: Instant(nanoseconds: time))
      let finished = try #require(told)
      found.append((time, finished.isEnd))
      if !finished.isEnd {
        fixture.transport.enterCell(
          slot: 9, at: Instant(nanoseconds: time), &fixture.cells)
      }
    }
    #expect(found.map(\.isEnd) == [false, true] && fixture.transport.count == 0)
    for (step, share) in zip(found, [0.5, 1]) {
      let seconds = Double(step.at - join.nanoseconds) * 1e-9
      #expect(abs(seconds - wire * share / 0.5e6) < 1e-6)
    }
  }

  @Test func `a cell's queue brings marks and ends, and a server stops what is withdrawn`() throws {
    // A cell of half the link's rate, and one of ten times as much, where the own link decides.
    for (rate, payload) in [(4e6, 0.5e6), (80e6, 1e6)] {
      let fixture = Fixture(cell: rate, queue: .milliseconds(200))
      _ = fixture.send(at: .zero)
      let begin = Self.at(1000)
      let (joined, wire) = fixture.begin(3, bytes: 2_000_000, mark: 0.5, at: begin)
      _ = fixture.begin(4, bytes: 2_000_000, at: begin)
      #expect(joined == begin)
      let found = fixture.runCell(from: begin)
      #expect(found.map(\.request) == [3, 3, 4] && found.map(\.isEnd) == [false, true, true])
      // Slow start takes some round trips, in which the link is in use for a part.
      let both = 2 * wire / payload
      let end = (try #require(found.last).at - begin).seconds
      #expect(end > both && end < both + 0.2, "\(end) \(both)")
      #expect((found[0].at - begin).seconds > 0.4 * both && fixture.transport.count == 0)
      // One is given up: the other comes soon after what was under way.
      let later = Self.at(20_000)
      _ = fixture.begin(5, bytes: 2_000_000, at: later)
      _ = fixture.begin(6, bytes: 200_000, at: later)
      fixture.transport.setCaps(slot: 9, at: later, &fixture.cells)
      let left = fixture.transport.withdraw(5, at: later, cells: &fixture.cells)
      #expect(try #require(left) > 1_900_000)
      let rest = fixture.runCell(from: later)
      #expect(rest.map(\.request) == [6] && (rest[0].at - later).seconds < 0.2 * both)
      fixture.transport.leaveCell(&fixture.cells)
      #expect(fixture.cells[0].nextChange(at: Self.at(90_000)) == nil)
    }
  }

  @Test func `two viewers share a cell's queue`() throws {
    func time(_ viewers: Int) throws -> Double {
      let fixture = Fixture(cell: 8e6, queue: .milliseconds(200))
      var second = ViewerTransport(
        Fixture.session(fixture.profile, cell: 8e6), settings: fixture.settings,
        sources: fixture.sources, at: .zero)
      defer { second.release() }
      let begin = Self.at(1000)
      _ = fixture.send(at: .zero)
      _ = fixture.begin(1, bytes: 1_000_000, at: begin)
      if viewers == 2 {
        second.advance(to: begin, sources: fixture.sources)
        _ = second.send(
          to: .edge, body: 0, at: begin, cells: &fixture.cells, sources: fixture.sources)
        _ = second.begin(
          ViewerTransport.Transfer(
            request: 7, server: .edge, connection: 0, body: 1_000_000, weight: 1, role: .other,
            markShare: -1), arriving: begin, at: begin, cells: &fixture.cells)
        second.setCaps(slot: 10, at: begin, &fixture.cells)
      }
      let end = try #require(fixture.runCell(from: begin).first { $0.request == 1 && $0.isEnd })
      return (end.at - begin).seconds
    }
    let (alone, shared) = (try time(1), try time(2))
    #expect(shared > 1.6 * alone && shared < 2.1 * alone, "\(alone) \(shared)")
  }

  @Test func `the next session finds nothing of the one before`() throws {
    let fixture = Fixture()
    _ = fixture.send(at: .zero)
    _ = fixture.begin(0, bytes: 1_000_000, at: Self.at(500))
    fixture.transport.begin(
      Fixture.session(fixture.profile, cell: nil), sources: fixture.sources, at: Self.at(900))
    #expect(fixture.transport.count == 0 && fixture.transport.contention.foreground == 0)
    let first = try #require(fixture.send(at: Self.at(900)))
    #expect(first.opening?.serial == 0 && first.nameAt == Self.at(925))
  }

  @Test func `who gets no answer gives the connection up where nobody else waits on it`() throws {
    let fixture = Fixture()
    let first = try #require(fixture.send(at: .zero))
    let second = try #require(fixture.send(at: Self.at(1_000)))
    #expect(first.opening != nil && second.opening == nil)
    fixture.transport.lose(.edge, first.connection)
    fixture.transport.settle(.edge, first.connection, at: Self.at(2_000))
    let third = try #require(fixture.send(at: Self.at(2_100)))
    #expect(third.opening == nil)
    fixture.transport.settle(.edge, third.connection, at: Self.at(2_200))
    fixture.transport.lose(.edge, second.connection)
    fixture.transport.settle(.edge, second.connection, at: Self.at(3_000))
    #expect(try #require(fixture.send(at: Self.at(3_100))).opening != nil)
  }

  // MARK: Several connections

  /// The first ten packets of 1,502 bytes take 15.02 ms of a link of 8 Mbit/s.
  @Test func `over HTTP-1 a playlist waits for the packets of a poster before it`() throws {
    func wait(_ sharing: LinkSharing) throws -> TimeSpan {
      let fixture = Fixture(
        TransportConfiguration(
          http: .http1, handshake: .tcp, resumedHandshake: .tcp, connectionsPerHost: 6,
          sharing: sharing))
      let first = try #require(fixture.send(at: .zero))
      let second = try #require(fixture.send(at: .zero))
      #expect(first.connection != second.connection)
      let at = try #require(second.arrivesAt)
      _ = fixture.begin(1, bytes: 30_000, connection: first.connection, at: at)
      return fixture.begin(2, bytes: 800, connection: second.connection, at: at).joinedAt - at
    }
    let waited = try wait(.queue)
    #expect(waited > .microseconds(15_000) && waited < .microseconds(15_040), "\(waited)")
    #expect(try wait(.weights) == .zero)
  }

  /// Two answers fill the pipe of 40 kB by themselves once most of their windows has grown.
  @Test func `over HTTP-1 a request waits for what other connections have in flight`() throws {
    let fixture = Fixture(
      TransportConfiguration(
        http: .http1, handshake: .tcp, resumedHandshake: .tcp, connectionsPerHost: 6,
        sharing: .queue))
    let first = try #require(fixture.send(at: .zero))
    let second = try #require(fixture.send(at: .zero))
    let at = try #require(second.arrivesAt)
    for (request, departure) in [first, second].enumerated() {
      _ = fixture.begin(request, bytes: 400_000, connection: departure.connection, at: at)
    }
    // Nothing is in the queue yet that a request would wait for: windows of ten packets.
    let early = try #require(fixture.send(at: at + .milliseconds(1)))
    #expect(early.queueing == .zero)
    fixture.transport.settle(.edge, early.connection, at: at + .milliseconds(1))
    let late = try #require(fixture.send(at: at + .milliseconds(400)))
    #expect(late.queueing > .milliseconds(40), "\(late.queueing)")
    #expect(late.connection != first.connection && late.connection != second.connection)
  }
}
