import MediaUnits
import NIOCore

/// A request under way. Confined to its event loop.
final class LiveExchange {
  /// Where it is. `queued` → `sent` → `headed` → `done`; a redirect or a retry leads from `sent`
  /// or `headed` back to `queued`; every state can lead to `done`.
  enum State {
    /// Waits for its connection.
    case queued
    /// On the wire.
    case sent
    /// The head of an answer was read.
    case headed
    /// Its last event was reported.
    case done
  }

  let request: LiveRequest
  /// Unlike the token never used twice.
  let serial: UInt64
  let startedAt: Instant
  unowned let slot: LiveSlot

  var state = State.queued
  /// Method, path and body as redirects have changed them.
  var method: String
  var path: String
  var body: [UInt8]?
  var redirects = 0
  var hasRetried = false
  /// The connection it is on; nil while it is queued.
  var link: LiveLink?
  /// The stream, over HTTP/2.
  var stream = 0
  var sentAt = Instant.zero
  /// The connection had carried another request before.
  var wasReused = false
  /// When the queue of deadlines looks at it next.
  var armedAt = Instant.distantFuture

  /// The announced length; nil without one.
  var announced: Int?
  /// The server said that it will close after the answer.
  var serverCloses = false
  /// Where the answer redirects to, to be followed at its end.
  var next: URIReference?
  var received = 0
  private var nextMark = 0
  private var kept: ByteBuffer?
  private var check: (any LiveBodyCheck)?

  init(_ request: LiveRequest, serial: UInt64, startedAt: Instant, slot: LiveSlot) {
    self.request = request
    self.serial = serial
    self.startedAt = startedAt
    self.slot = slot
    method = request.method
    path = LiveRequest.encoded(request.path)
    body = request.body
  }

  /// When something has to have happened.
  var deadline: Instant {
    let timeouts = request.timeouts
    let whole = startedAt.advanced(saturatingBy: timeouts.whole)
    if state == .sent { return min(whole, sentAt.advanced(saturatingBy: timeouts.firstByte)) }
    if state == .queued, let link = slot.link, link.phase == .opening {
      return min(whole, link.begunAt.advanced(saturatingBy: timeouts.connect))
    }
    return whole
  }

  /// Begins an answer.
  ///
  /// - Parameter isWhole: its body is the whole object, which a check can look at.
  func begin(announced: Int64?, serverCloses: Bool, isWhole: Bool) {
    state = .headed
    self.announced = announced.flatMap { Int(exactly: $0) }
    self.serverCloses = serverCloses
    received = 0
    if next == nil && isWhole { check = request.check?() }
  }

  /// Counts bytes of the body; keeps and checks them if asked to. Reports the marks that they pass.
  ///
  /// - Returns: why the request fails now, if it does.
  func take(_ buffer: ByteBuffer, report: (Int) -> Void) -> LiveFailure? {
    received += buffer.readableBytes
    if received > request.bound { return .bodyOverBound }
    if next != nil { return nil }
    if let announced, received > announced { return .wrongContentLength }
    if request.keepsBody {
      if kept == nil { kept = buffer } else { kept?.writeImmutableBuffer(buffer) }
    }
    if let check { buffer.withUnsafeReadableBytes { check.take($0) } }
    while nextMark < request.marks.count, request.marks[nextMark] <= received {
      report(request.marks[nextMark])
      nextMark += 1
    }
    return nil
  }

  /// The body that was kept.
  func takeBody() -> [UInt8]? {
    if !request.keepsBody { return nil }
    return kept.map { Array($0.readableBytesView) } ?? []
  }

  /// Whether the checked body is right.
  func isRight() -> Bool { check?.isRight() ?? true }

  /// Makes it wait again: for a redirect or for a second try.
  func requeue() {
    state = .queued
    link = nil
    stream = 0
    next = nil
    announced = nil
    serverCloses = false
    received = 0
    nextMark = 0
    kept = nil
    check = nil
  }
}
