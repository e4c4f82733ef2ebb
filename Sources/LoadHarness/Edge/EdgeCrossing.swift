import NIOCore
import NIOHTTP1

/// One request whose client's connection is on another loop than the cache.
///
/// Each side is told by messages, in the order in which they were sent, and touches nothing of the
/// other's. What the cache says in one turn is one message: a hit is one each way. Of a longer
/// answer the client's side says what it has taken, so that the origin waits for a loop that is
/// behind.
final class EdgeCrossing: Sendable {
  private let client: NIOLoopBound<EdgeClientHandler>
  private let cache: NIOLoopBound<EdgeCache>
  /// The cache's side; nil when the exchange is over.
  private let sink: NIOLoopBoundBox<EdgeFarSink?>

  init(
    _ client: NIOLoopBound<EdgeClientHandler>, _ cache: NIOLoopBound<EdgeCache>, isWritable: Bool,
    _ state: EdgeConnectionState?
  ) {
    self.client = client
    self.cache = cache
    sink = .makeBoxSendingValue(
      EdgeFarSink(isWritable: isWritable, state), eventLoop: cache.eventLoop)
  }

  // MARK: From the client's loop

  func begin(_ request: HTTPRequestHead, _ content: ByteBuffer?) {
    cache.eventLoop.execute { [self] in
      sink.value?.begin(request, content, from: self, in: cache.value)
    }
  }

  func leave() {
    cache.eventLoop.execute { [self] in
      sink.value?.leave(cache.value)
      sink.value = nil
    }
  }

  func readinessChanged(_ isWritable: Bool) {
    cache.eventLoop.execute { [self] in sink.value?.readinessChanged(isWritable) }
  }

  // MARK: From the cache's loop

  fileprivate func send(_ parts: [EdgePart], isLast: Bool) {
    if isLast { sink.value = nil }
    // An edge that has stopped has no loops of clients any more.
    if cache.value.origin.isShut { return }
    client.eventLoop.execute { [self] in
      client.value.take(parts, of: self)
      if !isLast { took(parts) }
    }
  }

  private func took(_ parts: [EdgePart]) {
    let bytes = parts.reduce(0) { $0 + $1.byteCount }
    cache.eventLoop.execute { [self] in sink.value?.took(bytes) }
  }
}

/// A part of an answer on its way to a client.
enum EdgePart: Sendable {
  case interim(HTTPResponseHead)
  case head(HTTPResponseHead)
  case bytes(ByteBuffer)
  case end
  /// The answer cannot be finished.
  case broken

  fileprivate var byteCount: Int {
    if case .bytes(let bytes) = self { bytes.readableBytes } else { 0 }
  }

  fileprivate var isLast: Bool {
    switch self {
    case .end, .broken: true
    case .interim, .head, .bytes: false
    }
  }
}

/// What an exchange writes to when its client is on another loop.
final class EdgeFarSink: EdgeSink {
  private let state: EdgeConnectionState?
  /// As the client's side said last.
  private var takesMore: Bool
  /// Bytes of messages that the client's side has not taken yet, and how many there may be.
  private var onTheWay = 0
  private static let most = 256 << 10
  private var crossing: EdgeCrossing?
  private var exchange: EdgeExchange?
  private var parts: [EdgePart] = []
  /// More may follow in this turn.
  private var holds = true

  init(isWritable: Bool, _ state: EdgeConnectionState?) {
    takesMore = isWritable
    self.state = state
  }

  func begin(
    _ request: HTTPRequestHead, _ content: ByteBuffer?, from crossing: EdgeCrossing,
    in cache: EdgeCache
  ) {
    self.crossing = crossing
    let started = cache.take(request, content, sink: self)
    if !started.isOver { exchange = started }
    holds = false
    post()
  }

  func leave(_ cache: EdgeCache) {
    if let exchange { cache.left(exchange) }
    over()
  }

  var isWritable: Bool { takesMore && onTheWay < EdgeFarSink.most }

  func took(_ bytes: Int) {
    onTheWay -= bytes
    exchange?.readinessChanged()
  }

  func readinessChanged(_ isWritable: Bool) {
    takesMore = isWritable
    exchange?.readinessChanged()
  }

  private func put(_ part: EdgePart) {
    parts.append(part)
    onTheWay += part.byteCount
    if !holds { post() }
  }

  private func post() {
    guard let crossing, let last = parts.last else { return }
    let sent = parts
    parts.removeAll()
    if last.isLast { over() }
    crossing.send(sent, isLast: last.isLast)
  }

  /// They know each other.
  private func over() {
    exchange = nil
    crossing = nil
  }

  // MARK: EdgeSink

  func inform(_ head: HTTPResponseHead) { put(.interim(head)) }
  func begin(_ head: HTTPResponseHead) { put(.head(head)) }
  func write(_ bytes: ByteBuffer) { put(.bytes(bytes)) }
  func end() { put(.end) }
  func abort() { put(.broken) }
  /// As it was when the request came.
  func connectionState() -> EdgeConnectionState? { state }
}
