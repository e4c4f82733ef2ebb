import CachePolicy
import ForeignPolicies
import Foundation
import MediaUnits
import Models
import NIOCore
import Scenario
import SimulationKernel
import Studies
import Synchronization
import Telemetry

/// Drives a feed world by the real clock and carries its requests to real servers.
///
/// One thread owns the world. It brings it to the present, hands what it wants of the outside to
/// the client's event loops, and sleeps until the next event is due or something is heard. Arrivals
/// and everything else happen at the times that the world's draws say, whether the target keeps up
/// or not: an open loop. An answer takes effect at the moment at which its bytes were read.
///
/// Unchecked: after ``run(stop:progress:)`` has begun, only its thread touches the state.
public final class LiveRunner: @unchecked Sendable {
  /// A request on its way.
  private struct Errand {
    var request: OutsideRequest
    var uri: URIReference
    var connection: Int
    var status = 0
    var isChecked = false
    /// When it went onto the wire.
    var sentAt: Instant?
    /// Of a connection that was opened for it.
    var handshake: TimeSpan?
    var headedAt: Instant?
    var outcome: CacheOutcome?
    /// What the server next to the player said of the answer.
    var hop: CMSDHop?

    /// An answer with media in it.
    var isMedia: Bool {
      (request.asset == .segment || request.asset == .initSegment) && status < 300
    }
  }

  /// What is known of a session.
  private struct SessionState {
    /// What its last page said of the next one.
    var cursor: String?
    /// Its connections that carry a request.
    var busy: Set<Int> = []
  }

  private let configuration: FeedConfiguration
  private let options: LiveOptions
  private let clock: LiveClock
  private let inbox = LiveInbox()
  private let client: LiveClient
  private let monitor: GeneratorHealth
  private var world: LiveFeed
  private var map: TargetMap
  private let eventBody: EventBody
  /// When the clock was at zero, nanoseconds since 1970.
  private let epoch: Int64
  private var media: [MediaRequest] = []
  private var errands: [UInt64: Errand] = [:]
  private var numbers: [OutsideToken: UInt64] = [:]
  private var nextNumber: UInt64 = 1
  /// The entity tags that were seen, by path.
  private var tags: [String: String] = [:]
  /// Sessions that go on.
  private var sessions: [UInt32: SessionState] = [:]
  private var counts = LiveCounts()
  /// Views of the parts that are over.
  private var views: Int64 = 0
  private var latencies: [AssetClass: LiveLatency] = [:]
  private var teller: ClientDataTeller
  private var serverData = ServerDataTally()
  /// Where each session's connections come from, over real links.
  private let sources: (any PlayerSources)?
  /// Takes the logs of the players' machines; nil where none are wanted.
  private let logs: PolicyLogFolder?

  /// - Parameters:
  ///   - scenario: in its live form.
  ///   - sources: gives each session an address and a link of its own; nil: the system's choice.
  ///   - logs: takes what the players' machines are told and answer; the caller closes it.
  public init(
    _ scenario: FeedStudy, plan: FeedPlan, options: LiveOptions, group: any EventLoopGroup,
    sources: (any PlayerSources)? = nil, logs: PolicyLogFolder? = nil
  ) throws {
    configuration = scenario.configuration
    self.options = options
    self.sources = sources
    self.logs = logs
    clock = LiveClock()
    let targets = [options.edge] + (options.service.map { [$0] } ?? [])
    var settings = LiveClientConfiguration(targets: targets, clock: clock)
    settings.transport = options.transport
    settings.trust = options.trust
    settings.idleTime = configuration.transport.idleClose
    let inbox = inbox
    client = try LiveClient(configuration: settings, group: group) { inbox.post($0) }
    monitor = GeneratorHealth(group: group, clock: clock)
    if let logs, let deciders = configuration.policy.prefetchDeciders as? any RecordedDeciders,
      let name = deciders.logName
    {
      deciders.record { logs.add($1, session: $0, named: name) }
    }
    world = LiveFeed(
      configuration, plan: plan, seed: options.seed, servers: options.servers,
      logsPolicies: logs != nil)
    map = TargetMap(
      targets: targets, catalogue: configuration.catalogue, found: options.found)
    teller = ClientDataTeller(
      options.clientData, seed: options.seed, catalogue: configuration.catalogue,
      names: options.found?.entries.map(\.name))
    epoch = WallClock.nanoseconds() - clock.now.nanoseconds
    if let entries = options.found?.entries {
      eventBody = EventBody(epoch: epoch) { entries[safe: Int($0)]?.name ?? "" }
    } else {
      eventBody = EventBody(epoch: epoch)
    }
  }

  /// Runs to the end of the scenario's window, or until a stop is requested; once.
  ///
  /// - Parameter progress: called about once a second, on the run's own thread.
  /// - Throws: ``SimulationError`` when an instant has no end of events.
  public func run(
    stop: StopRequest, progress: @escaping @Sendable (LiveProgress) -> Void
  ) async throws -> LiveOutcome {
    try await withCheckedThrowingContinuation { continuation in
      let thread = Thread {
        // It does little and must do it on time: when sessions start is the run's clock.
        ThreadPriority.raise()
        continuation.resume(with: Result { try self.drive(stop: stop, progress: progress) })
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  private func drive(
    stop: StopRequest, progress: (LiveProgress) -> Void
  ) throws(SimulationError) -> LiveOutcome {
    monitor.start()
    var parts: [FeedRunResult] = []
    let end = world.end
    let step = (world.arrivalsEnd - world.measuredFrom).nanoseconds / Int64(options.parts)
    var nextPart = world.measuredFrom + TimeSpan(nanoseconds: step)
    var nextTold = Instant.zero
    var events: UInt64 = 0
    while !stop.isRequested {
      let now = clock.now
      hear(now: now)
      let present = now < end ? now : end
      while parts.count < options.parts - 1 && nextPart <= present {
        events += try world.advance(to: nextPart)
        perform()
        parts.append(part(events: &events, length: step))
        views += Int64(parts[parts.count - 1].measures.views.count)
        nextPart += TimeSpan(nanoseconds: step)
      }
      events += try world.advance(to: present)
      perform()
      if now >= end { break }
      if now >= nextTold {
        progress(status(now, length: end - Instant.zero))
        nextTold = now + .seconds(1)
      }
      var until = world.nextEvent ?? end
      if end < until { until = end }
      if nextPart < until && parts.count < options.parts - 1 { until = nextPart }
      inbox.wait((until - clock.now).nanoseconds)
    }
    let isPartial = stop.isRequested && clock.now < end
    let length = clock.now - Instant.zero
    let measures = world.finish()
    perform()
    parts.append(
      FeedRunResult(
        measures: measures, summary: RunSummary(), fingerprint: Fingerprint(), recording: nil))
    parts[parts.count - 1].summary.events = events
    parts[parts.count - 1].summary.lastEvent = Instant(nanoseconds: step)
    monitor.stop()
    let health = monitor.report()
    counts.elsewhere = map.elsewhere
    counts.unknownItems = map.unknownItems
    var outcome = LiveOutcome(
      parts: parts, counts: counts, health: health, latencies: latencies, length: length,
      isPartial: isPartial)
    outcome.requests = media
    outcome.epoch = epoch
    if options.clientData.way != .off {
      outcome.clientData = LiveFacts.ClientData(
        way: options.clientData.way.rawValue, version: options.clientData.version)
      outcome.clientData?.requests = teller.count
    }
    outcome.serverData = serverData.facts(isAsked: options.wantsServerData)
    return outcome
  }

  /// Closes every connection.
  public func shutDown() async { try? await client.shutDown() }

  private func part(events: inout UInt64, length: Int64) -> FeedRunResult {
    var summary = RunSummary()
    summary.events = events
    summary.lastEvent = Instant(nanoseconds: length)
    events = 0
    return FeedRunResult(
      measures: world.takePart(), summary: summary, fingerprint: Fingerprint(), recording: nil)
  }

  private func status(_ now: Instant, length: TimeSpan) -> LiveProgress {
    LiveProgress(
      elapsed: now - Instant.zero, length: length, sessions: world.activeSessions,
      views: views + Int64(world.views), requests: counts.requests, bytes: counts.bytes,
      failures: counts.failures.reduce(0) { $0 + $1.count })
  }

  // MARK: Out

  private func perform() {
    for command in world.takeCommands() {
      switch command {
      case .begin(let slot, let session, let due):
        counts.starts += 1
        let now = clock.now
        monitor.noteSlip(startedAt: now, intendedAt: due)
        if now - due > options.lateAfter { counts.lateStarts += 1 }
        sessions[session] = SessionState()
        sources?.open(session, slot: slot)
      case .request(let request): send(request)
      case .cancel(let token):
        if let number = numbers.removeValue(forKey: token) {
          client.cancel(number, of: token.session)
        }
      case .close(let session): client.closePlayer(session)
      // Players are the world's here.
      case .player: break
      case .told(let session, let machine, let lines):
        logs?.add(lines, session: session, machine: machine)
      case .end(_, let session):
        sessions[session] = nil
        teller.end(session)
        serverData.end(session)
        client.closePlayer(session)
        sources?.close(session)
        logs?.end(session: session)
      }
    }
  }

  private func send(_ request: OutsideRequest) {
    let isService = request.service != .media
    if isService && !options.hasService {
      world.hear(OutsideAnswer(request.token, .headed(OutsideHead(outcome: .hit))), at: world.now)
      world.hear(OutsideAnswer(request.token, .ended(bytes: 0)), at: world.now)
      return
    }
    counts.requests += 1
    guard
      let place = map.place(
        of: request, pageSize: Int(configuration.policy.pageSize),
        cursor: sessions[request.token.session]?.cursor)
    else {
      counts.unnamed += 1
      world.hear(OutsideAnswer(request.token, .failed(bytes: 0)), at: world.now)
      return
    }
    let number = nextNumber
    nextNumber += 1
    let path = place.uri.requestTarget
    var message = LiveRequest(
      token: number, player: request.token.session, path: path, intendedAt: request.dueAt)
    message.connection = UInt16(connection(of: request, isService: isService))
    message.target = place.target
    if let range = place.range { message.headers.append(("Range", range.rangeField)) }
    if request.isConditional, let tag = tags[path] {
      message.headers.append(("If-None-Match", tag))
    }
    if request.service == .events {
      message.method = "POST"
      message.headers.append(("Content-Type", "application/json"))
      message.headers.append(("Idempotency-Key", eventBody.key(request)))
      message.body = eventBody.text(request)
    }
    if !isService {
      let next = map.placeAfter(request).flatMap {
        $0.target == place.target ? ClientDataTeller.Next(uri: $0.uri, range: $0.range) : nil
      }
      teller.tell(request, at: place.uri, next: next, in: &message)
      if request.asset == .segment, let rate = teller.rate(of: request) {
        serverData.ask(request.token.session, rate: rate)
      }
    }
    if let bound = TargetMap.longest(request) {
      message.keepsBody = true
      message.bound = bound
    }
    if request.startMark > 0 { message.marks = [Int(request.startMark)] }
    message.sourceAddress = sources?.address(of: request.token.session)
    var errand = Errand(request: request, uri: place.uri, connection: Int(message.connection))
    if let contents = options.contents, request.service == .media, !message.keepsBody {
      errand.isChecked = true
      let media = options.media
      message.check = { StandinBodyCheck(contents, media: media, path: path) }
    }
    errands[number] = errand
    numbers[request.token] = number
    client.send(message)
  }

  /// Connections to the feed's host are numbered from here.
  private static let serviceConnections = 64

  /// The connection that carries a request: the one that the model chose. Where the model's link
  /// has connections that requests share and the real ones cannot, the lowest one that is free, so
  /// that no real request waits for another.
  private func connection(of request: OutsideRequest, isService: Bool) -> Int {
    let base = isService ? Self.serviceConnections : 0
    guard options.servers == .realBehindModelledLinks, options.transport == .http1,
      var session = sessions[request.token.session]
    else { return base + request.connection }
    var place = base
    while session.busy.contains(place) { place += 1 }
    session.busy.insert(place)
    sessions[request.token.session] = session
    return place
  }

  // MARK: In

  private func hear(now: Instant) {
    for event in inbox.take() {
      guard var errand = errands[event.token] else { continue }
      let token = errand.request.token
      let time = event.at < now ? event.at : now
      switch event.kind {
      case .connected(let isReused, let tcp, _, _):
        if !isReused {
          counts.connections += 1
          errand.handshake = tcp
        }
        errand.sentAt = event.at
        errands[event.token] = errand
      case .headed(let headers):
        for kind in headers.refused { counts.add(failures: 1, named: kind.refusal) }
        errand.status = headers.status
        errand.headedAt = event.at
        errand.outcome = headers.verdict.outcome
        errand.hop = serverData.hear(
          headers, token.session,
          rate: errand.request.asset == .segment ? teller.rate(of: errand.request) : nil)
        errands[event.token] = errand
        if let tag = headers.entityTag { tags[errand.uri.requestTarget] = tag }
        world.hear(OutsideAnswer(token, .headed(head(headers, errand.request))), at: time)
      case .mark: world.hear(OutsideAnswer(token, .marked), at: time)
      case .ended(let bytes, let body):
        forget(event.token, errand)
        counts.answered += 1
        counts.bytes += Int64(bytes)
        note(event, errand, bytes: bytes)
        if errand.isChecked && errand.status == 200 { counts.checked += 1 }
        if errand.isMedia, errand.request.asset == .segment, let hop = errand.hop,
          let sentAt = errand.sentAt
        {
          serverData.end(bytes: bytes, in: event.at - sentAt, hop)
        }
        let isUsable = errand.status == 304 || learn(body, errand, at: time)
        world.hear(
          OutsideAnswer(
            token, isUsable ? .ended(bytes: Int64(bytes)) : .failed(bytes: Int64(bytes)),
            isMedia: errand.isMedia), at: time)
      case .failed(let failure):
        forget(event.token, errand)
        if failure != .cancelled { counts.add(failure) }
        monitor.noteFailure(failure)
        world.hear(
          OutsideAnswer(token, .failed(bytes: Int64(event.received)), isMedia: errand.isMedia),
          at: time)
      }
    }
  }

  private func forget(_ number: UInt64, _ errand: Errand) {
    errands[number] = nil
    let token = errand.request.token
    if numbers[token] == number { numbers[token] = nil }
    sessions[token.session]?.busy.remove(errand.connection)
  }

  private func note(_ event: LiveEvent, _ errand: Errand, bytes: Int) {
    let asset = errand.request.asset
    latencies[asset, default: LiveLatency()].record(
      startedAt: event.startedAt, intendedAt: errand.request.dueAt, endedAt: event.at)
    if options.keepsRequests, errand.request.service == .media,
      event.at >= world.measuredFrom, let sentAt = errand.sentAt, let headedAt = errand.headedAt
    {
      media.append(
        MediaRequest(
          session: errand.request.token.session, asset: asset,
          path: String(errand.uri.requestTarget.prefix { $0 != "?" }), status: errand.status,
          sentAt: sentAt, firstByte: headedAt - sentAt, duration: event.at - sentAt,
          bytes: Int64(bytes), handshake: errand.handshake, outcome: errand.outcome))
    }
  }

  /// Reads what a body says; false when it says nothing usable.
  private func learn(_ body: [UInt8]?, _ errand: Errand, at time: Instant) -> Bool {
    guard let body, errand.status == 200 else { return true }
    do {
      if errand.request.service == .feed {
        let page = try FeedPage.parse(body)
        sessions[errand.request.token.session]?.cursor = page.cursor
        if let listed = map.listed(page) {
          world.hear(OutsideAnswer(errand.request.token, .listed(listed)), at: time)
        }
      } else {
        try map.learn(body, of: errand.request, from: errand.uri)
      }
      return true
    } catch {
      counts.malformed += 1
      if counts.examples.count < 10 {
        counts.examples.append("\(errand.uri.requestTarget): \(error)")
      }
      return false
    }
  }

  private func head(_ headers: LiveHeaders, _ request: OutsideRequest) -> OutsideHead {
    var outcome = headers.verdict.outcome ?? options.silentOutcome
    if headers.verdict.outcome == nil && request.service == .media { counts.silent += 1 }
    let isError = headers.status >= 400
    if isError { outcome = .error }
    return OutsideHead(
      outcome: outcome, isError: isError, isNotModified: headers.status == 304,
      age: .seconds(headers.age ?? 0), lifetime: headers.lifetime,
      bytes: headers.contentLength)
  }
}

/// Gives sessions addresses and links of their own.
public protocol PlayerSources: AnyObject {
  /// A session begins at a place that earlier sessions may have had.
  func open(_ session: UInt32, slot: UInt32)
  func address(of session: UInt32) -> SocketAddress?
  func close(_ session: UInt32)
}
