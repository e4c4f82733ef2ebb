import CachePolicy
import MediaUnits
import NIOCore
import NIOHTTP1

/// One request of the edge to the origin.
final class EdgeFetch: OriginReceiver {
  unowned let cache: EdgeCache
  /// Of the variant's machine; nil for a request that goes past it.
  let number: FetchNumber?
  let variant: EdgeVariant?
  /// Who waits for it.
  var exchange: EdgeExchange?
  let request: HTTPRequestHead
  let content: ByteBuffer?
  let rules: RequestHead
  /// Whose fields a stored answer is found by.
  let selecting: HTTPHeaders
  /// The copy that is being validated.
  let validated: EdgeAnswer?
  let requestedAt: Instant
  /// The object had been asked for and was absent before this began.
  let wasMissed: Bool
  private(set) var answer: EdgeAnswer?
  /// Status of the origin's answer, even when a copy answers in its place.
  private(set) var status: UInt16?
  /// Whether the answer went into the store.
  var isStored = false
  var failure: OriginFailure?
  /// Bytes of its body that are here and not weighed yet.
  var floats: Int64 = 0
  /// Another fetch has taken its place.
  var isReplaced = false
  private var call: OriginCall?
  private var attempt = 1

  init(
    cache: EdgeCache, number: FetchNumber?, variant: EdgeVariant?, exchange: EdgeExchange?,
    request: HTTPRequestHead, content: ByteBuffer?, rules: RequestHead, selecting: HTTPHeaders,
    validated: EdgeAnswer?, requestedAt: Instant
  ) {
    self.cache = cache
    self.number = number
    self.variant = variant
    self.exchange = exchange
    self.request = request
    self.content = content
    self.rules = rules
    self.selecting = selecting
    self.validated = validated
    self.requestedAt = requestedAt
    wasMissed = variant?.wasMissed ?? false
  }

  func start() { call = cache.origin.send(request, content, to: self) }

  // MARK: From the origin

  func informed(_ head: HTTPResponseHead) {
    if let exchange, !exchange.hasBegun, !exchange.isOver { exchange.sink.inform(head) }
  }

  func began(_ head: HTTPResponseHead) {
    let now = cache.now
    status = UInt16(truncatingIfNeeded: Int(head.status.code))
    if let validated, head.status == .notModified {
      if EdgeFetch.isForAnother(head.headers, than: validated) {
        cache.refetch(self)
        return
      }
      answer = cache.confirmed(validated, by: head, fetch: self, at: now)
    } else {
      answer = cache.answer(head, fetch: self, at: now)
    }
    watchBody()
    cache.answered(self, at: now)
  }

  /// Whether a 304 speaks of another response than the one that was asked about (RFC 9111 section
  /// 4.3.4).
  private static func isForAnother(_ fields: HTTPHeaders, than stored: EdgeAnswer) -> Bool {
    guard let named = fields.first(name: "etag"), let tag = stored.tag else { return false }
    return EdgeFields.withBytes(named) { named in
      tag.withUnsafeBufferPointer { tag in
        !EntityTag.isWeak(named) && !EntityTag.isWeaklyEqual(named, tag)
      }
    }
  }

  private func watchBody() {
    guard let answer, answer.body.state == .coming, answer !== validated,
      answer.body !== validated?.body
    else { return }
    let body = answer.body
    body.whenPaused = { [weak self] isPaused in self?.call?.pause(isPaused) }
    body.whenLeft = { [weak self] in self?.call?.cancel() }
    body.whenDone = { [weak self] in
      guard let self else { return }
      self.cache.bodyDone(self)
    }
  }

  func received(_ bytes: ByteBuffer) {
    guard let answer, answer.body !== validated?.body else { return }
    answer.body.append(bytes)
    cache.grew(self, by: bytes.readableBytes)
  }

  func ended() {
    if let answer, answer.body !== validated?.body { answer.body.finish(isWhole: true) }
    call = nil
  }

  func failed(_ failure: OriginFailure) {
    if isReplaced { return }
    if let answer {
      if answer.body !== validated?.body { answer.body.finish(isWhole: false) }
      call = nil
      return
    }
    if attempt < cache.configuration.attempts
      && (request.method == .GET || request.method == .HEAD)
    {
      attempt += 1
      start()
      return
    }
    call = nil
    self.failure = failure
    cache.failed(self, failure, at: cache.now)
  }

  /// Nobody wants the answer.
  func cancel() {
    call?.cancel()
    call = nil
  }
}
