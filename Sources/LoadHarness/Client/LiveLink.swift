import Glibc
import MediaUnits
import NIOCore
import NIOSSL

/// One TCP connection of a player. Confined to its event loop.
final class LiveLink {
  /// `opening` → `ready` → `closed`; `opening` can lead to `closed`.
  enum Phase {
    case opening, ready, closed
  }

  /// Carries requests over the protocol that was agreed on.
  enum Carrier {
    case none
    case http1(HTTP1Carrier)
    case http2(HTTP2Carrier)
  }

  let slot: LiveSlot
  let loop: LiveLoop
  var phase = Phase.opening
  var carrier = Carrier.none
  /// When the first packet went out.
  private(set) var begunAt = Instant.zero
  private(set) var connectedAt: Instant?
  private(set) var secureAt: Instant?
  var lastActive = Instant.zero
  /// No request has been sent on it yet.
  private(set) var isFresh = true
  /// The error that the end of the connection will be about.
  private(set) var lastError: (any Error)?
  private(set) var channel: (any Channel)?

  init(slot: LiveSlot) {
    self.slot = slot
    loop = slot.loop
  }

  var isIdle: Bool {
    switch carrier {
    case .none: false
    case .http1(let carrier): carrier.isIdle
    case .http2(let carrier): carrier.isIdle
    }
  }

  var canTake: Bool {
    switch carrier {
    case .none: false
    case .http1(let carrier): carrier.isIdle
    case .http2(let carrier): carrier.canTake
    }
  }

  /// Never takes a request again, though some may be under way.
  var isExhausted: Bool {
    if case .http2(let carrier) = carrier { return !carrier.canTake }
    return false
  }

  var target: LiveTarget { loop.configuration.targets[slot.target] }

  // MARK: opening

  func open(from source: SocketAddress?, timeout: TimeSpan) {
    begunAt = loop.clock.now
    loop.counters.opened += 1
    let future = loop.connect(self, from: source, timeout: timeout)
    future.assumeIsolated().whenFailure { [self] error in
      if phase == .opening { failOpening(LiveLink.connectFailure(error)) }
    }
  }

  /// The channel exists, but is not connected yet.
  func attach(_ channel: any Channel) {
    self.channel = channel
    loop.linkCount += 1
    channel.closeFuture.assumeIsolated().whenComplete { [self] _ in
      // The carrier holds this link.
      carrier = .none
      self.channel = nil
      loop.linkCount -= 1
    }
    if phase == .closed { channel.close(promise: nil) }
  }

  func isConnected() {
    if connectedAt == nil { connectedAt = loop.clock.now }
  }

  func isSecure() { secureAt = loop.clock.now }

  func isReady(_ carrier: Carrier) {
    if phase != .opening { return }
    self.carrier = carrier
    phase = .ready
    lastActive = loop.clock.now
    slot.pump()
  }

  func failOpening(_ failure: LiveFailure) {
    if phase != .opening { return }
    phase = .closed
    loop.counters.unopened += 1
    // Before the channel closes: the end of a connection makes those that wait open another.
    if slot.link === self {
      slot.link = nil
      slot.openingFailed(failure)
    }
    channel?.close(promise: nil)
  }

  private static func connectFailure(_ error: any Error) -> LiveFailure {
    if let error = error as? IOError {
      switch error.errnoCode {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .descriptorsExhausted
      case EADDRNOTAVAIL, EADDRINUSE: return .sourceExhausted
      case ETIMEDOUT: return .connectTimeout
      default: return .unreachable
      }
    }
    if case .connectTimeout? = error as? ChannelError { return .connectTimeout }
    if LiveLink.isTLS(error) { return .tls }
    return .unreachable
  }

  private static func isTLS(_ error: any Error) -> Bool {
    error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError
  }

  // MARK: requests

  func send(_ exchange: LiveExchange, at now: Instant) {
    exchange.link = self
    exchange.state = .sent
    exchange.sentAt = now
    let isReused = !isFresh
    isFresh = false
    lastActive = now
    let connectedAt = connectedAt ?? begunAt
    let version: LiveEvent.Version
    if case .http2 = carrier { version = .http2 } else { version = .http1 }
    loop.report(
      exchange,
      .connected(
        isReused: isReused, tcp: isReused ? .zero : connectedAt - begunAt,
        tls: isReused ? .zero : secureAt.map { $0 - connectedAt } ?? .zero, version: version),
      at: now)
    loop.arm(exchange)
    exchange.wasReused = isReused
    switch carrier {
    case .none: break
    case .http1(let carrier): carrier.send(exchange)
    case .http2(let carrier): carrier.send(exchange)
    }
  }

  /// A request on this connection was given up.
  func giveUp(_ exchange: LiveExchange) {
    switch carrier {
    case .none: break
    // The only way to stop an answer over HTTP/1.1 is to hang up, which players do.
    case .http1: close()
    case .http2(let carrier): carrier.reset(exchange)
    }
  }

  // MARK: the end

  /// Hangs up. Requests under way are not touched: who calls it has dealt with them.
  func close() {
    if phase == .closed { return }
    phase = .closed
    if slot.link === self { slot.link = nil }
    channel?.close(promise: nil)
  }

  /// Notes what an error says about the end that follows it.
  func caught(_ error: any Error) {
    lastError = error
    if phase == .opening {
      failOpening(LiveLink.isTLS(error) ? .tls : LiveLink.connectFailure(error))
    }
  }

  /// The connection is gone: whatever was on it ends one way or another.
  func isGone(_ unfinished: [LiveExchange]) {
    if phase == .opening {
      failOpening(connectedAt != nil && target.isSecure ? .tls : .unreachable)
      return
    }
    phase = .closed
    if slot.link === self { slot.link = nil }
    for exchange in unfinished where exchange.state != .done { end(exchange) }
    slot.pump()
  }

  /// A request whose connection ended before its answer did.
  private func end(_ exchange: LiveExchange) {
    if exchange.state == .sent {
      if exchange.wasReused && mayRetry(exchange) {
        retry(exchange)
      } else {
        loop.fail(exchange, isTLSEnd ? .tls : .closedBeforeHead)
      }
      return
    }
    let isClean = lastError == nil
    let saidSo = exchange.serverCloses && exchange.announced != nil
    loop.fail(exchange, isClean && saidSo ? .wrongContentLength : .closedMidBody)
  }

  /// TLS 1.3 clients learn of a refused certificate only after their part of the handshake.
  private var isTLSEnd: Bool {
    guard let lastError else { return false }
    if case .uncleanShutdown? = lastError as? NIOSSLError { return false }
    return LiveLink.isTLS(lastError)
  }

  func mayRetry(_ exchange: LiveExchange) -> Bool {
    loop.configuration.retriesRefused && !exchange.hasRetried && exchange.request.isIdempotent
  }

  func retry(_ exchange: LiveExchange) {
    loop.counters.retried += 1
    exchange.requeue()
    exchange.hasRetried = true
    slot.queue.prepend(exchange)
    loop.arm(exchange)
  }
}
