import MediaUnits
import ModelBasics
import SimulationKernel

/// A viewer's transport: connections to two hosts, or to one more for each further provider of
/// edges (``TransportConfiguration/detours``), the transfers on them, the access link that they
/// share, and the cell that the link is in.
///
/// It knows what a transfer costs and nothing of what it is for: a transfer has the number of its
/// request. It keeps no clock: it is told the time, and says when it changes by itself. Cells are
/// all viewers' and are handed in.
///
/// Included and left out: as ``Connection``, ``AccessLink``, ``Radio`` and ``Cell`` say.
public struct ViewerTransport: ~Copyable {
  /// Whose connections.
  public struct Server: Sendable, Equatable {
    let number: UInt8

    /// The edge, with the connections of the configuration; of several providers the first one's.
    public static var edge: Server { Server(number: 0) }
    /// The feed's own host: one connection.
    public static var service: Server { Server(number: 1) }

    /// The edge of one of several providers.
    public static func edge(ofProvider provider: UInt8) -> Server {
      Server(number: provider == 0 ? 0 : provider + 1)
    }

    /// Its place among the edges of further providers; negative: it is none of them.
    var further: Int { Int(number) - 2 }
  }

  /// One session's way to the servers.
  public struct Session {
    public var number: UInt32
    public var profile: UnsafeMutablePointer<NetworkProfile>
    public var roundTrip: TimeSpan
    /// The place of its cell, or -1.
    public var cell: Int
    /// A TLS session or a token of an earlier visit is at hand.
    public var canResume: Bool

    public init(
      number: UInt32, profile: UnsafeMutablePointer<NetworkProfile>, roundTrip: TimeSpan,
      cell: Int, canResume: Bool
    ) {
      self.number = number
      self.profile = profile
      self.roundTrip = roundTrip
      self.cell = cell
      self.canResume = canResume
    }
  }

  private let byAddress = ByAddress()
  let settings: UnsafeMutablePointer<TransportConfiguration>
  private var session: Session
  private var startedAt: Instant
  var link: AccessLink
  /// What the link keeps of turns; nil where transfers share it by weight.
  private let turns: UnsafeMutablePointer<LinkTurns>?
  /// What the connections have in the link's queue; nil where nobody asks.
  private var queue: SharedQueue?
  private(set) var edge: Host
  private(set) var service: Host
  /// The edges of further providers; nil where there is one.
  let furtherEdges: UnsafeMutableBufferPointer<Host>?
  /// His link in his cell's queue, or -1.
  var queueLink: Int32 = -1
  private var radio = Radio()
  /// Connections opened so far, and look-ups that may have failed.
  private var serial: UInt32 = 0
  private var lookups: UInt32 = 0

  /// A transport with memory of its own, of nobody yet; ``release()`` gives it back.
  public init(
    _ session: Session, settings: UnsafeMutablePointer<TransportConfiguration>,
    sources: borrowing DrawSources, at now: Instant
  ) {
    self.settings = settings
    self.session = session
    startedAt = now
    turns = ViewerTransport.newTurns(settings)
    queue =
      settings.pointee.queuesTogether
      ? SharedQueue(connections: settings.pointee.connectionNumbers) : nil
    link = ViewerTransport.link(session, sources, turns, at: now)
    edge = Host(connections: settings.pointee.connectionsPerHost)
    service = Host(connections: 1)
    furtherEdges = ViewerTransport.newEdges(settings)
    resetHosts()
  }

  /// Memory for the hosts of further providers.
  private static func newEdges(
    _ settings: UnsafeMutablePointer<TransportConfiguration>
  ) -> UnsafeMutableBufferPointer<Host>? {
    let count = settings.pointee.detours.count - 1
    if count < 1 { return nil }
    let hosts = UnsafeMutableBufferPointer<Host>.allocate(capacity: count)
    for place in 0..<count {
      hosts.initializeElement(
        at: place, to: Host(connections: settings.pointee.connectionsPerHost))
    }
    return hosts
  }

  /// Hosts as at the start of a session.
  private mutating func resetHosts() {
    edge.reset(canResume: session.canResume)
    service.reset(canResume: session.canResume)
    guard let furtherEdges else { return }
    for place in furtherEdges.indices {
      furtherEdges[place].reset(canResume: session.canResume)
    }
  }

  /// The round trip to a host: that of the session, and of a provider the way that it is farther.
  public func roundTrip(to server: Server) -> TimeSpan {
    if furtherEdges == nil || server == .service { return roundTrip }
    return roundTrip + settings.pointee.detours[max(server.further + 1, 0)]
  }

  /// Gives the memory back; the transport must not be used afterwards.
  public func release() {
    edge.release()
    service.release()
    if let furtherEdges {
      for host in furtherEdges { host.release() }
      furtherEdges.deinitialize()
      furtherEdges.deallocate()
    }
    if let turns {
      turns.deinitialize(count: 1)
      turns.deallocate()
    }
    queue?.release()
  }

  /// A session begins, in the same memory.
  public mutating func begin(
    _ session: Session, sources: borrowing DrawSources, at now: Instant
  ) {
    self.session = session
    startedAt = now
    turns?.pointee.reset()
    queue?.reset()
    link = ViewerTransport.link(session, sources, turns, at: now)
    resetHosts()
    radio = Radio()
    queueLink = -1
    serial = 0
    lookups = 0
  }

  private static func link(
    _ session: Session, _ sources: borrowing DrawSources,
    _ turns: UnsafeMutablePointer<LinkTurns>?, at now: Instant
  ) -> AccessLink {
    AccessLink(
      rate: LinkRate(session: session.number, profile: session.profile, sources: sources),
      isInCell: session.cell >= 0, turns: session.cell >= 0 ? nil : turns, at: now)
  }

  /// Memory for turns, where responses take them.
  private static func newTurns(
    _ settings: UnsafeMutablePointer<TransportConfiguration>
  ) -> UnsafeMutablePointer<LinkTurns>? {
    if !settings.pointee.takesTurns { return nil }
    let turns = UnsafeMutablePointer<LinkTurns>.allocate(capacity: 1)
    turns.initialize(to: LinkTurns())
    return turns
  }

  public var roundTrip: TimeSpan { session.roundTrip }
  /// The place of its cell, or -1.
  public var cell: Int { session.cell }
  var profile: UnsafeMutablePointer<NetworkProfile> { session.profile }
  /// Of the link, bits per second.
  public var rate: Double { link.rate.rate }
  /// Transfers under way, waiting ones included.
  public var count: Int { link.count }
  /// What prefetches have cost so far.
  public var contention: Contention { link.contention }
  /// The request of the transfer that most likely ends next.
  public var firstRequest: Int? { link.flows.isEmpty ? nil : link.flows[0].request }
  /// Where transfers and the edge's connections lie, for asking for that memory in advance.
  public var memory: (transfers: UnsafeRawPointer?, connections: UnsafeRawPointer) {
    (link.flows.address, UnsafeRawPointer(edge.connections))
  }
  public var heapBytes: Int {
    (edge.count + service.count) * MemoryLayout<Connection>.stride
      + (furtherEdges?.count ?? 0)
      * (MemoryLayout<Host>.stride + edge.count * MemoryLayout<Connection>.stride)
      + (turns == nil ? 0 : LinkTurns.bytes)
      + (queue == nil
        ? 0 : SharedQueue.bytes(connections: settings.pointee.connectionNumbers))
  }

  public mutating func forgetContention() { link.contention = Contention() }

  // MARK: Requests

  /// A connection that was opened.
  public struct Opening {
    /// Its number in the session, from 0, and its place at its host.
    public var serial: UInt32
    public var place: Int
    public var openedAt: Instant
    public var nameAt: Instant
    public var connectedAt: Instant
    public var readyAt: Instant
  }

  /// A request that leaves.
  public struct Departure {
    /// Place of its connection at the host.
    public var connection: Int
    /// When the connection can carry it, and when it is at the server; nil: the link never comes
    /// back.
    public var readyAt: Instant
    public var arrivesAt: Instant?
    /// What the link's own queue adds before the answer.
    public var queueing: TimeSpan
    /// When its connection knew the name, was connected and was ready.
    public var nameAt: Instant
    public var connectedAt: Instant
    public var secureAt: Instant
    /// Its connection, if it was opened for it.
    public var opening: Opening?
    /// When it turns out that the server's name does not resolve: there is no connection then, and
    /// the request goes nowhere.
    public var failsAt: Instant?
  }

  /// Whether a connection to the edge is free.
  public var hasFreeConnection: Bool { hasFreeConnection(to: .edge) }

  /// Whether a connection to a host is free.
  public func hasFreeConnection(to server: Server) -> Bool { choose(server, isShared: false) >= 0 }

  /// The connections to a host, and what is known of it.
  func host(_ server: Server) -> Host {
    if server == .service { return service }
    return server.further < 0 ? edge : furtherEdges![server.further]
  }

  /// Changes what is known of a host.
  private mutating func change(_ server: Server, _ body: (inout Host) -> Void) {
    if server == .service {
      body(&service)
    } else if server.further < 0 {
      body(&edge)
    } else {
      body(&furtherEdges![server.further])
    }
  }

  /// Sends a request: opens a connection if need be.
  ///
  /// - Parameters:
  ///   - body: bytes that it carries beside its head.
  ///   - cells: of all viewers.
  /// - Precondition: the link is that of `now`.
  /// - Returns: nil while no connection is free.
  public mutating func send(
    to server: Server, body: Int64, at now: Instant, cells: inout [Cell],
    sources: borrowing DrawSources
  ) -> Departure? {
    let isShared = server == .service || settings.pointee.http != .http1
    let choice = choose(server, isShared: isShared)
    if choice < 0 { return nil }
    let connection = connections(server) + choice
    closeIdle(connection, at: now)
    connection.pointee.outstanding += 1
    var departure = Departure(
      connection: choice, readyAt: now, arrivesAt: nil, queueing: .zero, nameAt: now,
      connectedAt: now, secureAt: now, opening: nil)
    let roundTrip = roundTrip(to: server)
    guard
      var begin = ready(isOpen: connection.pointee.isOpen, roundTrip: roundTrip, at: now)
    else { return departure }
    if !connection.pointee.isOpen {
      guard let opening = open(server, choice, at: begin, sources) else {
        departure.failsAt = host(server).nameFailsAt
        return departure
      }
      departure.opening = opening
    }
    if connection.pointee.readyAt > begin { begin = connection.pointee.readyAt }
    departure.readyAt = begin
    departure.nameAt = connection.pointee.nameAt
    departure.connectedAt = connection.pointee.connectedAt
    departure.secureAt = connection.pointee.readyAt
    if settings.pointee.model != .firstFrame {
      departure.arrivesAt = begin + roundTrip / 2
      return departure
    }
    let uplink = settings.pointee.requestTime(body: body, uplink: profile.pointee.uplinkRate)
    // A sender that still pauses has no more out than the pipe holds.
    // In a cell's queue it waits with the answer's bytes.
    if let queue, cell < 0 {
      departure.queueing = Connection.queueingDelay(
        inFlight: inFlight(queue), rate: rate, roundTrip: roundTrip,
        limit: profile.pointee.queueLimit)
    } else if link.isBusy(at: now) && !isInQueue && !link.isPausing(number(server, choice)) {
      departure.queueing = connection.pointee.queueingDelay(
        backlog: rate > 0 ? backlog(&cells) : 0, rate: rate, roundTrip: roundTrip,
        limit: profile.pointee.queueLimit, transport: settings)
    }
    departure.arrivesAt = begin + roundTrip / 2 + uplink + departure.queueing
    return departure
  }

  /// Bytes that the connections have in flight.
  private func inFlight(_ queue: SharedQueue) -> Double {
    var sum = 0.0
    for index in 0..<link.flows.count where link.flows[index].remaining > 0 {
      let flow = link.flows[index]
      let server = Server(number: UInt8(flow.connection / Connection.perHost))
      let connection = connections(server) + flow.connection % Connection.perHost
      sum += queue.inFlight(
        flow.connection, remaining: flow.remaining,
        window: connection.pointee.state.window * settings.pointee.wirePacket)
    }
    return sum
  }

  /// Sends a request without any model of the network: its connection is a real client's affair.
  ///
  /// - Returns: the connection's place, how long the request takes, and whether the connection is
  ///   new; nil while none is free.
  public mutating func sendReal(
    to server: Server, at now: Instant
  ) -> (connection: Int, way: TimeSpan, isNew: Bool)? {
    let choice = choose(
      server, isShared: server == .service || settings.pointee.http != .http1)
    if choice < 0 { return nil }
    let connection = connections(server) + choice
    connection.pointee.outstanding += 1
    let roundTrip = roundTrip(to: server)
    var way = roundTrip / 2
    let isNew = !connection.pointee.isOpen
    if isNew {
      connection.pointee.isOpen = true
      serial += 1
      way = way + roundTrip
    }
    connection.pointee.nameAt = now
    connection.pointee.connectedAt = now
    connection.pointee.readyAt = now
    return (choice, way, isNew)
  }

  /// Opens the connection to an edge ahead of any request, unless one is open.
  ///
  /// - Precondition: the link is that of `now`.
  public mutating func warm(
    _ server: Server = .edge, at now: Instant, sources: borrowing DrawSources
  ) -> Opening? {
    let choice = choose(server, isShared: settings.pointee.http != .http1)
    if choice < 0 { return nil }
    let connection = connections(server) + choice
    closeIdle(connection, at: now)
    if connection.pointee.isOpen { return nil }
    guard let begin = ready(isOpen: false, roundTrip: roundTrip(to: server), at: now) else {
      return nil
    }
    return open(server, choice, at: begin, sources)
  }

  private func choose(_ server: Server, isShared: Bool) -> Int {
    host(server).choose(limit: settings.pointee.connectionsPerHost, isShared: isShared)
  }

  private func connections(_ server: Server) -> UnsafeMutablePointer<Connection> {
    // Not by way of a copy of the host: this is asked several times for each request.
    if server == .edge { return edge.connections }
    return server == .service ? service.connections : furtherEdges![server.further].connections
  }

  private func closeIdle(_ connection: UnsafeMutablePointer<Connection>, at now: Instant) {
    if connection.pointee.isOpen && connection.pointee.outstanding == 0
      && now - connection.pointee.lastActive > settings.pointee.idleClose
    {
      connection.pointee.isOpen = false
    }
  }

  /// When the radio and the link carry packets; nil for never.
  private mutating func ready(
    isOpen: Bool, roundTrip: TimeSpan, at now: Instant
  ) -> Instant? {
    let isIdle = settings.pointee.model == .firstFrame && link.count == 0
    let begin = radio.wake(at: now, isIdle: isIdle, profile: profile)
    guard profile.pointee.conditions != nil else { return begin }
    return profile.pointee.firstTry(
      at: begin, since: startedAt, isOpen: isOpen, roundTrip: roundTrip)
  }

  /// - Returns: nil when the server's name does not resolve: then it says when that is known.
  private mutating func open(
    _ server: Server, _ place: Int, at begin: Instant, _ sources: borrowing DrawSources
  ) -> Opening? {
    var nameLoss = TimeSpan.zero
    if profile.pointee.nameFailure != nil {
      guard let lost = lookUp(server, at: begin, sources) else { return nil }
      nameLoss = lost
    }
    let connection = connections(server) + place
    connection.pointee.open(
      at: begin, to: host(server), nameLoss: nameLoss,
      number: UInt64(session.number) << 16 | UInt64(serial),
      over: AccessPath(
        profile: profile, rate: rate, mean: link.rate.mean, roundTrip: roundTrip(to: server)),
      transport: settings, streams: sources.streams)
    serial += 1
    change(server) { $0.learn(from: connection.pointee) }
    return Opening(
      serial: serial - 1, place: place, openedAt: begin, nameAt: connection.pointee.nameAt,
      connectedAt: connection.pointee.connectedAt, readyAt: connection.pointee.readyAt)
  }

  /// Looks a server's name up where that may fail, unless it is known or is looked up already.
  ///
  /// - Returns: what tries that failed have taken; nil when all have.
  private mutating func lookUp(
    _ server: Server, at begin: Instant, _ sources: borrowing DrawSources
  ) -> TimeSpan? {
    let host = host(server)
    if settings.pointee.model != .firstFrame || host.nameKnownAt != Host.never { return .zero }
    if host.nameFailsAt > begin { return nil }
    let outcome = profile.pointee.nameFailure!.outcome(
      of: lookups, session: session.number, answer: profile.pointee.nameLookup, sources.streams)
    lookups += 1
    if !outcome.hasFailed { return outcome.lost }
    let end = begin.advanced(saturatingBy: outcome.lost)
    change(server) { $0.nameFailsAt = end }
    return nil
  }

  /// The whole answer to a request is here.
  public mutating func settle(_ server: Server, _ connection: Int, at now: Instant) {
    let connection = connections(server) + connection
    connection.pointee.outstanding -= 1
    connection.pointee.lastActive = now
  }

  /// A request is given up: an answer of HTTP/1.1 cannot be stopped in any other way than by
  /// closing.
  public mutating func giveUp(_ server: Server, _ connection: Int, at now: Instant) {
    settle(server, connection, at: now)
    if settings.pointee.http == .http1 {
      connections(server)[connection].isOpen = false
    }
  }

  /// A connection has failed.
  public mutating func close(_ server: Server, _ connection: Int) {
    connections(server)[connection].isOpen = false
  }

  /// A request that is still outstanding has got no answer in time. Where nothing else waits on its
  /// connection, the connection is given up; else the request alone is, and the last one of them
  /// gives it up.
  public mutating func lose(_ server: Server, _ connection: Int) {
    let lost = connections(server) + connection
    if lost.pointee.outstanding <= 1 { lost.pointee.isOpen = false }
  }

  // MARK: Transfers

  /// An answer on its way.
  public struct Transfer {
    public var request: Int
    public var server: Server
    public var connection: Int
    /// Bytes of the answer's body.
    public var body: Int64
    public var weight: Double
    public var role: Flow.Role
    /// The share of its bytes that is left when its mark has passed; negative: it has none.
    public var markShare: Double

    public init(
      request: Int, server: Server, connection: Int, body: Int64, weight: Double,
      role: Flow.Role, markShare: Double
    ) {
      self.request = request
      self.server = server
      self.connection = connection
      self.body = body
      self.weight = weight
      self.role = role
      self.markShare = markShare
    }

    /// Packets up to the mark; 0 where there is none.
    func packetsToMark(of packets: Int64) -> Int64 {
      if markShare < 0 { return 0 }
      let passed = Int64(Double(packets) * (1 - markShare)) + 1
      return passed < packets ? passed : packets
    }

    /// ``markShare`` of media that are of such a length, whose mark is where so much of them has
    /// passed: none where all of it has to.
    public static func markShare(after missing: TimeSpan, of length: TimeSpan) -> Double {
      if missing >= length { return -1 }
      return missing <= .zero ? 0.999 : 1 - missing.seconds / length.seconds
    }

    /// The share of a transfer that has come when so many bytes are still to come on the wire, of
    /// all that there are; 0 where there are none.
    public static func arrivedShare(remaining: Double, of wireBytes: Double) -> Double {
      if wireBytes <= 0 { return 0 }
      let share = 1 - remaining / wireBytes
      return share <= 0 ? 0 : share < 1 ? share : 1
    }
  }

  /// An answer's first byte reaches the viewer at `arrival`: the body joins the link after that and
  /// after its rounds of slow start and recovery, for which the link is taken as it stands now. Of
  /// a body with a mark the rounds that follow the mark come when it is passed. Where responses
  /// take turns the body joins at once, and its rounds are its connection's sender's.
  ///
  /// - Precondition: the link is that of `now`.
  /// - Returns: when the rounds before the mark are over, and bytes on the wire.
  public mutating func begin(
    _ transfer: Transfer, arriving arrival: Instant, at now: Instant, cells: inout [Cell]
  ) -> (joinedAt: Instant, wireBytes: Double) {
    let connection = connections(transfer.server) + transfer.connection
    let held = connection.pointee.held
    let (stall, early, wire, waits) = cost(of: transfer, connection, at: arrival, now, &cells)
    let joinedAt = arrival + TimeSpan(nanoseconds: early)
    let isInTurns = link.turns != nil
    var flow = Flow(
      request: transfer.request, joinAt: (isInTurns ? arrival : joinedAt).nanoseconds + 1,
      remaining: wire, markAt: transfer.markShare < 0 ? -1 : wire * transfer.markShare,
      stallAfterMark: isInTurns ? waits.mark : stall - early, weight: transfer.weight,
      role: transfer.role, connection: number(transfer.server, transfer.connection),
      held: held)
    flow.waitAtEnd = waits.end
    link.add(flow)
    return (joinedAt, wire)
  }

  /// Nanoseconds in which the transfer does not use the link, those of them before its mark, its
  /// bytes on the wire, and what mark and end wait for beyond pauses; the connection learns.
  private mutating func cost(
    of transfer: Transfer, _ connection: UnsafeMutablePointer<Connection>, at arrival: Instant,
    _ now: Instant, _ cells: inout [Cell]
  ) -> (stall: Int64, early: Int64, wire: Double, waits: (mark: Int64, end: Int64)) {
    if settings.pointee.model != .firstFrame {
      connection.pointee.lastActive = arrival
      return (0, 0, Double(transfer.body) / settings.pointee.model.payloadShare, (0, 0))
    }
    let packets = settings.pointee.packets(of: transfer.body)
    let wire = settings.pointee.wireBytes(of: transfer.body, packets: packets)
    if isInQueue {
      connection.pointee.lastActive = arrival
      return (0, 0, wire, (0, 0))
    }
    // A connection's transfers share its window, so the pipe that the window has to fill is the
    // connection's part of the link.
    let number = number(transfer.server, transfer.connection)
    var share = link.share(of: number, weight: transfer.weight, at: now)
    if cell >= 0 {
      let level = cells[cell].link.rateOfNewFlow(weight: transfer.weight * cellBias) * 1e-9
      if level < share { share = level }
    }
    let packetTime = settings.pointee.packetTime(at: link.usable(share))
    var wait: Int64 = 0
    if queue != nil && cell < 0 {
      let window = connection.pointee.windowAfterPause(at: arrival, transport: settings)
      wait = queue!.enter(
        number, wire: wire, window: window * settings.pointee.wirePacket, rate: rate * 1.25e-10,
        at: arrival.nanoseconds, limit: profile.pointee.queueLimit.nanoseconds)
    }
    let carried = connection.pointee.carry(
      packets: packets, mark: transfer.packetsToMark(of: packets), packetTime: packetTime,
      at: arrival, roundTrip: roundTrip(to: transfer.server),
      profile: profile, transport: settings,
      behind: link.stream(of: number).map { ($0, packets > 0 ? wire / Double(packets) : 0) })
    // The other responses of a connection wait for a packet that is missing.
    if let missing = carried.missing {
      connection.pointee.held = missing
      link.hold(connection: number, missing)
    }
    return (carried.stall + wait, carried.early + wait, wire, carried.waits)
  }

  /// Number of a connection among the viewer's.
  private func number(_ server: Server, _ connection: Int) -> Int {
    connection + Int(server.number) * Connection.perHost
  }

  /// The current item waits for a transfer from now on; what it has lost to others so far, or nil
  /// when there is none.
  public mutating func promote(
    _ request: Int, at now: Instant, cells: inout [Cell]
  ) -> (lost: Double, entersCell: Bool)? {
    guard let lost = link.promote(request: request) else { return nil }
    return (lost, cell >= 0 && enterAnew(request, at: now, &cells))
  }

  // MARK: The link

  /// Whether transfers and rate are those of `now` already.
  public func isAt(_ now: Instant) -> Bool { link.isAt(now) }

  /// Moves transfers and rate on to the last change of the rate before `now` that a transfer saw.
  ///
  /// - Returns: when the rate has changed; nil when nothing is left but ``advance(to:sources:)``.
  public mutating func step(
    before now: Instant, sources: borrowing DrawSources
  ) -> Instant? {
    link.step(before: now, session: session.number, profile: profile, sources: sources)
  }

  /// Moves transfers and rate on to `now`.
  public mutating func advance(to now: Instant, sources: borrowing DrawSources) {
    link.advance(to: now, session: session.number, profile: profile, sources: sources)
  }

  /// When a transfer passes its mark or ends, if nothing else happens until then; in a cell: when
  /// one joins it or the rate changes; nil for never.
  public func nextChange(after now: Instant, sources: borrowing DrawSources) -> Instant? {
    link.nextChange(after: now, session: session.number, profile: profile, sources: sources)
  }

  /// A transfer that has passed its mark or ended; nil when there is none.
  ///
  /// - Returns: its request, whether it has ended, and what it lost to others, nanoseconds.
  public mutating func takeFinished(
    at now: Instant
  ) -> (request: Int, isEnd: Bool, lost: Double)? {
    guard let finished = link.takeFinished(at: now) else { return nil }
    radio.receive(at: now)
    return finished
  }

  /// Bytes have come that the link does not carry: the radio is awake.
  public mutating func receive(at now: Instant) { radio.receive(at: now) }

  // MARK: Another network

  /// The old network is lost: TCP connections are gone, QUIC connections wait for the new path.
  ///
  /// - Parameter change: of the profile's ``NetworkProfile/handOvers``.
  /// - Returns: whether what was under way has to be asked for anew.
  public mutating func handOver(
    _ change: HandOver, at now: Instant, cells: inout [Cell]
  ) -> Bool {
    if settings.pointee.isQUIC {
      migrate(until: profile.pointee.end(of: change, for: startedAt), at: now, cells: &cells)
      return false
    }
    closeAll(at: now)
    return true
  }

  /// The old network is lost, and with it all connections.
  mutating func closeAll(at now: Instant) {
    queue?.reset()
    edge.close(at: now)
    service.close(at: now)
    guard let furtherEdges else { return }
    for place in furtherEdges.indices { furtherEdges[place].close(at: now) }
  }

  /// All hosts.
  var servers: [Server] { (0..<2 + (furtherEdges?.count ?? 0)).map { Server(number: UInt8($0)) } }

  /// A path change takes a round trip of validation and starts with the initial window (RFC 9000
  /// sections 9.3 and 9.4).
  private mutating func migrate(until end: Instant, at now: Instant, cells: inout [Cell]) {
    hold(until: end.advanced(saturatingBy: roundTrip).nanoseconds, at: now, &cells)
    for server in servers {
      let host = host(server)
      let roundTrip = Double(roundTrip(to: server).nanoseconds)
      for place in 0..<host.count {
        host.connections[place].state.forgetPath(roundTrip: roundTrip)
      }
    }
  }
}
