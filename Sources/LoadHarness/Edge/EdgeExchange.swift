import CachePolicy
import MediaUnits
import NIOCore
import NIOHTTP1

/// Where the answer to one request goes: a client's connection or stream.
protocol EdgeSink: AnyObject {
  func inform(_ head: HTTPResponseHead)
  func begin(_ head: HTTPResponseHead)
  func write(_ bytes: ByteBuffer)
  func end()
  /// The answer cannot be finished: the connection or stream is broken off.
  func abort()
  var isWritable: Bool { get }
  /// How the client's connection is; nil where the system does not say.
  func connectionState() -> EdgeConnectionState?
}

/// What the system knows of a connection.
struct EdgeConnectionState: Sendable {
  var roundTrip: TimeSpan
  /// The window that the sender has open, for each round trip.
  var throughput: BitRate
}

/// One request of a client, from its last byte to the last byte of its answer.
final class EdgeExchange: EdgeBodyReader {
  let number: RequestNumber
  let request: HTTPRequestHead
  let content: ByteBuffer?
  let fields: EdgeRequestFields
  let sink: any EdgeSink
  let arrivedAt: Instant
  /// What was answered, for a log.
  private(set) var answered: HTTPResponseHead?
  private(set) var sentBytes: Int64 = 0
  /// Called once, when it is over.
  var whenOver: ((EdgeExchange) -> Void)?
  /// Its own fetch.
  var fetch: EdgeFetch?
  /// The variant whose machine it waits for.
  var variant: EdgeVariant?
  /// Why it went forward, or would have.
  var reason = CacheStatus.Forward.uriMiss
  /// Its answer may be about something that is not in the key, so nobody else is to get it.
  var isForItself = false
  /// How often it found that the answer it had waited for was for others.
  var detours = 0
  private(set) var hasBegun = false
  private(set) var isOver = false {
    didSet {
      if isOver && !oldValue { whenOver?(self) }
    }
  }
  private var body: EdgeBody?
  /// Bytes of the body that are passed over, and then that are sent.
  private var skipped: Int64 = 0
  private var left: Int64 = .max

  init(
    number: RequestNumber, request: HTTPRequestHead, content: ByteBuffer?, obeysRequests: Bool,
    receivedAt: Int64, arrivedAt: Instant, sink: any EdgeSink
  ) {
    self.number = number
    self.request = request
    self.content = content
    self.sink = sink
    self.arrivedAt = arrivedAt
    fields = EdgeRequestFields(
      request.headers, obeysRequests: obeysRequests, receivedAt: receivedAt)
  }

  var isHead: Bool { request.method == .HEAD }

  /// What the storing rules want to know of it.
  var ruleHead: RequestHead {
    RequestHead(
      method: request.method == .GET || request.method == .HEAD ? .read : .other,
      isAuthorized: fields.isAuthorized)
  }

  /// Sends a head and no body.
  func send(_ head: HTTPResponseHead) {
    if isOver { return }
    hasBegun = true
    answered = head
    sink.begin(head)
    end()
  }

  /// Sends a head and a part of a body as its bytes come.
  func send(_ head: HTTPResponseHead, _ body: EdgeBody, part: Range<Int64>?) {
    if isOver { return }
    hasBegun = true
    answered = head
    sink.begin(head)
    if let part {
      skipped = part.lowerBound
      left = part.upperBound - part.lowerBound
    }
    self.body = body
    body.join(self)
  }

  /// The client is gone.
  func leave() {
    if isOver { return }
    isOver = true
    body?.leave(self)
    body = nil
  }

  /// The client's connection takes more bytes, or no more for now.
  func readinessChanged() { body?.reconsider() }

  // MARK: Reading a body

  var isReady: Bool { sink.isWritable }

  func take(_ bytes: ByteBuffer) {
    if isOver { return }
    var bytes = bytes
    if skipped > 0 {
      let passed = min(skipped, Int64(bytes.readableBytes))
      bytes.moveReaderIndex(forwardBy: Int(passed))
      skipped -= passed
    }
    if Int64(bytes.readableBytes) > left {
      bytes.moveWriterIndex(to: bytes.readerIndex + Int(left))
    }
    if bytes.readableBytes == 0 { return }
    left -= left == .max ? 0 : Int64(bytes.readableBytes)
    sentBytes += Int64(bytes.readableBytes)
    sink.write(bytes)
    if left == 0 { end() }
  }

  func finish(isWhole: Bool) {
    if isOver { return }
    body = nil
    if isWhole {
      end()
    } else {
      isOver = true
      fetch = nil
      sink.abort()
    }
  }

  private func end() {
    isOver = true
    // It knows the exchange, too.
    fetch = nil
    if let body {
      self.body = nil
      body.leave(self)
    }
    sink.end()
  }
}
