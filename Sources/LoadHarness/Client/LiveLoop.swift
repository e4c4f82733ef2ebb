import MediaUnits
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The players of one event loop: their connections, requests and deadlines. Confined to it.
final class LiveLoop {
  let configuration: LiveClientConfiguration
  let clock: LiveClock
  let eventLoop: any EventLoop
  private let tls: NIOSSLContext?
  private let sink: @Sendable (LiveEvent) -> Void

  private var slots: [UInt32: [LiveSlot]] = [:]
  /// Links that take no new requests but have some under way are held by their channels alone.
  private var exchanges: [UInt64: LiveExchange] = [:]
  private var serials: [UInt64: UInt64] = [:]
  private var nextSerial: UInt64 = 0
  private var deadlines = DeadlineQueue()
  private var alarm: Scheduled<Void>?
  private var alarmAt = Instant.distantFuture
  private var isShutDown = false
  private var whenEmpty: EventLoopPromise<Void>?

  var counters = LiveCounters()
  /// Sockets that exist.
  var linkCount = 0 {
    didSet {
      if linkCount == 0 && isShutDown {
        whenEmpty?.succeed(())
        whenEmpty = nil
      }
    }
  }

  init(
    _ configuration: LiveClientConfiguration, eventLoop: any EventLoop, tls: NIOSSLContext?,
    sink: @escaping @Sendable (LiveEvent) -> Void
  ) {
    self.configuration = configuration
    clock = configuration.clock
    self.eventLoop = eventLoop
    self.tls = tls
    self.sink = sink
  }

  // MARK: requests

  func send(_ request: LiveRequest) {
    let now = clock.now
    counters.requests += 1
    if isShutDown {
      counters.failed += 1
      sink(
        LiveEvent(
          token: request.token, player: request.player, kind: .failed(.cancelled), at: now,
          startedAt: now, intendedAt: request.intendedAt))
      return
    }
    precondition(serials[request.token] == nil, "token \(request.token) is in use")
    let slot = slot(of: request)
    nextSerial += 1
    let exchange = LiveExchange(request, serial: nextSerial, startedAt: now, slot: slot)
    serials[request.token] = nextSerial
    exchanges[nextSerial] = exchange
    slot.queue.append(exchange)
    arm(exchange)
    slot.pump()
  }

  private func slot(of request: LiveRequest) -> LiveSlot {
    precondition(
      configuration.targets.indices.contains(request.target), "no target \(request.target)")
    if let slot = slots[request.player]?.first(where: {
      $0.target == request.target && $0.number == request.connection
    }) {
      return slot
    }
    let slot = LiveSlot(
      player: request.player, target: request.target, number: request.connection, loop: self)
    slots[request.player, default: []].append(slot)
    return slot
  }

  func cancel(_ token: UInt64) {
    guard let exchange = serials[token].flatMap({ exchanges[$0] }) else { return }
    abandon(exchange, .cancelled)
  }

  /// Ends a request that has not ended by itself, and what carries it.
  func abandon(_ exchange: LiveExchange, _ failure: LiveFailure) {
    if exchange.state == .done { return }
    let slot = exchange.slot
    let link = exchange.link
    if exchange.state == .queued {
      slot.remove(exchange)
      fail(exchange, failure)
      // Nobody waits for the connection any more; over HTTP/1.1 the player gives it up.
      let isShared = configuration.transport != .http1
      if let link = slot.link, link.phase == .opening, slot.queue.isEmpty, !isShared {
        link.close()
      }
    } else {
      fail(exchange, failure)
      link?.giveUp(exchange)
    }
    slot.pump()
  }

  func closePlayer(_ player: UInt32) {
    guard let slots = slots.removeValue(forKey: player) else { return }
    for slot in slots { slot.queue.removeAll() }
    for exchange in exchanges.values.filter({ $0.request.player == player }) {
      let link = exchange.link
      fail(exchange, .cancelled)
      link?.close()
    }
    for slot in slots { slot.link?.close() }
  }

  func shutDown() -> EventLoopFuture<Void> {
    isShutDown = true
    for player in Array(slots.keys) { closePlayer(player) }
    alarm?.cancel()
    if linkCount == 0 { return eventLoop.makeSucceededVoidFuture() }
    if let whenEmpty { return whenEmpty.futureResult }
    let promise = eventLoop.makePromise(of: Void.self)
    whenEmpty = promise
    return promise.futureResult
  }

  // MARK: events

  func report(_ exchange: LiveExchange, _ kind: LiveEvent.Kind, at now: Instant) {
    sink(
      LiveEvent(
        token: exchange.request.token, player: exchange.request.player, kind: kind, at: now,
        startedAt: exchange.startedAt, intendedAt: exchange.request.intendedAt,
        received: exchange.next == nil ? exchange.received : 0))
  }

  /// The head of an answer. Heads of redirects are not reported.
  func headed(
    _ exchange: LiveExchange, _ headers: LiveHeaders, serverCloses: Bool, at now: Instant
  ) {
    var headers = headers
    headers.redirects = exchange.redirects
    let base = configuration.targets[exchange.request.target]
    if [301, 302, 303, 307, 308].contains(headers.status), let location = headers.location {
      exchange.next = URIReference(location).resolved(against: base.reference(path: exchange.path))
    }
    let length =
      exchange.method == "HEAD" || headers.status == 304 || headers.status == 204
      ? nil : headers.contentLength
    exchange.begin(
      announced: length, serverCloses: serverCloses, isWhole: headers.status == 200)
    if length == nil && headers.status != 304 { headers.contentLength = nil }
    // What is announced is not waited for when it would be too much, or more than is believed.
    let isLong = length.map { $0 > Int64(exchange.request.bound) } ?? false
    if isLong || headers.refused.contains(.contentLength) {
      abandon(exchange, .bodyOverBound)
      return
    }
    if let next = exchange.next {
      redirect(exchange, next, headers.status)
    } else {
      report(exchange, .headed(headers), at: now)
    }
  }

  /// Decides about a redirect (RFC 9110 section 15.4); it is followed when its body has ended.
  private func redirect(_ exchange: LiveExchange, _ next: URIReference, _ status: Int) {
    if !configuration.targets[exchange.request.target].owns(next) {
      abandon(exchange, .redirectElsewhere)
      return
    }
    exchange.redirects += 1
    if exchange.redirects > configuration.redirectLimit {
      abandon(exchange, .redirectLoop)
      return
    }
    exchange.path = LiveRequest.encoded(next.requestTarget)
    let becomesGet = status == 303 || (status < 303 && exchange.method == "POST")
    if becomesGet && exchange.method != "HEAD" {
      exchange.method = "GET"
      exchange.body = nil
    }
  }

  /// Body bytes, whole frames or what one read brought.
  ///
  /// - Returns: false when they were the last ones that were wanted.
  func took(_ exchange: LiveExchange, _ buffer: ByteBuffer, at now: Instant) -> Bool {
    let failure = exchange.take(buffer) { report(exchange, .mark(bytes: $0), at: now) }
    counters.bytes += buffer.readableBytes
    guard let failure else { return true }
    abandon(exchange, failure)
    return false
  }

  /// The end of an answer whose bytes were read at `now`.
  func finished(_ exchange: LiveExchange, at now: Instant) {
    if exchange.state == .done { return }
    if exchange.next != nil {
      exchange.requeue()
      exchange.slot.queue.prepend(exchange)
      arm(exchange)
      return
    }
    if let announced = exchange.announced, announced != exchange.received {
      fail(exchange, .wrongContentLength)
    } else if !exchange.isRight() {
      fail(exchange, .wrongContent)
    } else {
      forget(exchange)
      counters.ended += 1
      report(exchange, .ended(bytes: exchange.received, body: exchange.takeBody()), at: now)
    }
  }

  /// Reports a failure, the last event of a request. What carries it is the caller's to deal with.
  func fail(_ exchange: LiveExchange, _ failure: LiveFailure) {
    if exchange.state == .done { return }
    forget(exchange)
    counters.failed += 1
    report(exchange, .failed(failure), at: clock.now)
  }

  private func forget(_ exchange: LiveExchange) {
    exchange.state = .done
    exchange.link = nil
    exchanges[exchange.serial] = nil
    serials[exchange.request.token] = nil
  }

  // MARK: deadlines

  /// Sees to it that a request's deadline is looked at in time.
  func arm(_ exchange: LiveExchange) {
    let at = exchange.deadline
    if at >= exchange.armedAt { return }
    exchange.armedAt = at
    deadlines.push(at, exchange.serial)
    deadlines.compact(liveCount: exchanges.count) { exchanges[$0] != nil }
    setAlarm()
  }

  private func setAlarm() {
    guard let first = deadlines.first, first < alarmAt, !isShutDown else { return }
    alarm?.cancel()
    alarmAt = first
    alarm = eventLoop.assumeIsolated().scheduleTask(deadline: clock.deadline(first)) { [self] in
      alarmAt = .distantFuture
      ring()
    }
  }

  private func ring() {
    let now = clock.now
    while let serial = deadlines.pop(until: now) {
      guard let exchange = exchanges[serial] else { continue }
      exchange.armedAt = .distantFuture
      if exchange.deadline > now {
        arm(exchange)
      } else {
        expire(exchange, at: now)
      }
    }
    setAlarm()
  }

  private func expire(_ exchange: LiveExchange, at now: Instant) {
    if now >= exchange.startedAt.advanced(saturatingBy: exchange.request.timeouts.whole) {
      abandon(exchange, .wholeTimeout)
    } else if exchange.state == .sent {
      abandon(exchange, .firstByteTimeout)
    } else if let link = exchange.slot.link, link.phase == .opening {
      link.failOpening(.connectTimeout)
    }
  }

  // MARK: sockets

  /// `IP_BIND_ADDRESS_NO_PORT` of Linux' `in.h`, which Glibc's module does not show.
  private static let bindAddressNoPort: CInt = 24

  /// Opens a socket and puts the handlers in place.
  func connect(
    _ link: LiveLink, from source: SocketAddress?, timeout: TimeSpan
  ) -> EventLoopFuture<Void> {
    let bound = NIOLoopBound(link, eventLoop: eventLoop)
    let tls = link.target.isSecure ? tls : nil
    let transport = configuration.transport
    var bootstrap = ClientBootstrap(group: eventLoop)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .connectTimeout(.nanoseconds(min(timeout, .hours(1)).nanoseconds))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let link = bound.value
          link.attach(channel)
          let pipeline = channel.pipeline.syncOperations
          if let tls {
            let host = link.target.host
            let isName = (try? SocketAddress(ipAddress: host, port: 0)) == nil
            try pipeline.addHandler(
              NIOSSLClientHandler(context: tls, serverHostname: isName ? host : nil))
            try pipeline.addHandler(HandshakeHandler(link, transport))
          } else {
            try LiveLoop.install(
              isHTTP2: transport == .http2PriorKnowledge, link: link, into: pipeline)
          }
        }
      }
    if let source {
      // Linux chooses the port at connect, so that ports are used up per peer and not in all.
      let isVersion4 = source.protocol == .inet
      if isVersion4 {
        let chooseLate = NIOBSDSocket.Option(rawValue: LiveLoop.bindAddressNoPort)
        bootstrap = bootstrap.channelOption(.ipOption(chooseLate), value: 1)
      }
      bootstrap = bootstrap.bind(to: source)
    }
    return bootstrap.connect(to: link.target.address).map { _ in }
  }

  /// Puts the handlers of a protocol at the end of the pipeline.
  static func install(
    isHTTP2: Bool, link: LiveLink, into pipeline: ChannelPipeline.SynchronousOperations
  ) throws {
    if isHTTP2 {
      let carrier = HTTP2Carrier(link)
      try pipeline.addHandlers([HTTP2Carrier.codec(link.loop.configuration), carrier])
    } else {
      try pipeline.addHandler(HTTPRequestEncoder())
      try pipeline.addHandler(
        ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes)))
      try pipeline.addHandler(HTTP1Carrier(link))
    }
  }
}
