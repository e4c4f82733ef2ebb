import CachePolicy
import MediaUnits
import NIOCore
import NIOHTTP1

/// Requests to the origin and what comes of them.
extension EdgeCache {
  /// A machine wants a fetch, for a request or for nobody.
  func fetch(
    _ number: FetchNumber, _ variant: EdgeVariant, for exchange: EdgeExchange?,
    isConditional: Bool, at now: Instant
  ) {
    // One in the background has the fields of the request that found the copy stale.
    let source = exchange ?? variant.asked
    let validated = isConditional ? variant.answer.flatMap { $0.hasValidator ? $0 : nil } : nil
    guard let source else {
      tell(variant, .answered(number, .failed(.unreachable, repeatFor: .zero)), at: now)
      return
    }
    let fetch = EdgeFetch(
      cache: self, number: number, variant: variant, exchange: exchange,
      request: request(for: source, validating: validated, isWhole: true), content: nil,
      rules: source.ruleHead, selecting: source.request.headers, validated: validated,
      requestedAt: now)
    exchange?.fetch = fetch
    begin(fetch)
  }

  /// Sends a request forward for itself: past the machine, and with its own conditions unless a
  /// copy is validated for it.
  ///
  /// - Parameter variant: whose copy is validated and replaced; nil: nothing is stored.
  func forward(_ exchange: EdgeExchange, variant: EdgeVariant?, at now: Instant) {
    let validated = exchange.isHead ? nil : variant?.answer.flatMap { $0.hasValidator ? $0 : nil }
    let isStoring = variant != nil && !exchange.isHead
    let fetch = EdgeFetch(
      cache: self, number: nil, variant: isStoring ? variant : nil, exchange: exchange,
      request: request(for: exchange, validating: validated, isWhole: isStoring),
      content: exchange.content, rules: exchange.ruleHead,
      selecting: exchange.request.headers, validated: validated, requestedAt: now)
    exchange.fetch = fetch
    begin(fetch)
  }

  /// Asks again without a condition: the 304 spoke of another response.
  func refetch(_ old: EdgeFetch) {
    old.isReplaced = true
    var request = old.request
    request.headers.remove(name: "if-none-match")
    request.headers.remove(name: "if-modified-since")
    let fetch = EdgeFetch(
      cache: self, number: old.number, variant: old.variant, exchange: old.exchange,
      request: request, content: old.content, rules: old.rules, selecting: old.selecting,
      validated: nil, requestedAt: now)
    old.exchange?.fetch = fetch
    old.exchange = nil
    begin(fetch)
  }

  private func begin(_ fetch: EdgeFetch) {
    counters.originRequests += 1
    if fetch.validated != nil { counters.originConditional += 1 }
    if let number = fetch.number, let variant = fetch.variant {
      fetches[FetchKey(variant.handle, number)] = fetch
    }
    fetch.start()
  }

  /// The request as it goes to the origin.
  ///
  /// - Parameter isWhole: whether the answer is to be the whole response, whatever the client's
  ///   conditions and range.
  private func request(
    for exchange: EdgeExchange, validating copy: EdgeAnswer?, isWhole: Bool
  ) -> HTTPRequestHead {
    var fields = EdgeFields.endToEnd(exchange.request.headers, isAnswer: false)
    if isWhole {
      for (name, _) in exchange.request.headers
      where EdgeFields.withBytes(name, FieldRules.isClientCondition) {
        fields.remove(name: name)
      }
    }
    fields.remove(name: "expect")
    fields.replaceOrAdd(name: "Host", value: configuration.origin.authority)
    if let copy {
      if let tag = copy.tag {
        fields.replaceOrAdd(name: "If-None-Match", value: EdgeFields.text(tag))
      }
      if let modified = copy.fields.first(name: "last-modified"), copy.head.lastModified != nil {
        fields.replaceOrAdd(name: "If-Modified-Since", value: modified)
      }
    }
    fields.add(name: "Via", value: via)
    if let content = exchange.content {
      fields.replaceOrAdd(name: "Content-Length", value: String(content.readableBytes))
    }
    // NIO writes the method M-SEARCH without its hyphen.
    var method = exchange.request.method
    // The whole is asked for on account of a HEAD too, when its copy is renewed behind it.
    if isWhole { method = .GET }
    return HTTPRequestHead(
      version: .http1_1, method: method == .MSEARCH ? .RAW(value: "M-SEARCH") : method,
      uri: EdgeCache.path(exchange.request.uri), headers: fields)
  }

  // MARK: Answers

  /// What the cache makes of an answer with a body of its own.
  func answer(_ head: HTTPResponseHead, fetch: EdgeFetch, at now: Instant) -> EdgeAnswer {
    var fields = EdgeFields.endToEnd(head.headers, isAnswer: true)
    let timing = ResponseTiming(requestedAt: fetch.requestedAt, receivedAt: now, epoch: epoch)
    if !fields.contains(name: "date") {
      // RFC 9110 section 6.6.1: a recipient that stores it adds the time of receipt.
      fields.add(name: "Date", value: EdgeFields.text(HTTPDate.text(timing.receivedSeconds)))
    }
    let read = EdgeFields.head(
      UInt16(truncatingIfNeeded: Int(head.status.code)), head.headers,
      receivedAt: timing.receivedSeconds, isTargeted: configuration.obeysTargetedControl)
    let length = bodyLength(head, fetch.request.method)
    var stored: StoredResponse?
    if let variant = fetch.variant, !variant.isReleased, fetch.request.method == .GET,
      length ?? 0 <= largestKept
    {
      stored = configuration.store(read, request: fetch.rules, timing: timing)
      if let kept = stored, !isWorthKeeping(kept, fields, read) { stored = nil }
      if configuration.isCareful && fields.contains(name: "set-cookie") { stored = nil }
      if !variant.address.takes(EdgeFields.variant(fields)) { stored = nil }
    }
    return EdgeAnswer(
      status: head.status, fields: fields, head: read,
      body: EdgeBody(isKept: stored != nil || read.status >= 500 && length ?? .max < 65_536),
      length: length, stored: stored,
      initialAge: read.age.map { _ in CacheFreshness.initialAge(of: read, timing: timing) }
        ?? .zero)
  }

  var largestKept: Int64 { min(configuration.limits.largestObject, configuration.capacity) }

  /// Whether a copy could ever be of use: fresh, validated, or stale.
  private func isWorthKeeping(
    _ stored: StoredResponse, _ fields: HTTPHeaders, _ head: ResponseHead
  ) -> Bool {
    stored.lifetime > stored.initialAge || fields.contains(name: "etag")
      || head.lastModified != nil || stored.staleWhileRevalidate > .zero
      || stored.staleIfError > .zero
  }

  private func bodyLength(_ head: HTTPResponseHead, _ method: HTTPMethod) -> Int64? {
    if method == .HEAD || head.status == .noContent || head.status == .notModified { return 0 }
    if head.headers.contains(name: "transfer-encoding") { return nil }
    return head.headers.first(name: "content-length").flatMap { Int64($0) }
  }

  /// A copy with the fields of the 304 that confirms it.
  func confirmed(
    _ copy: EdgeAnswer, by head: HTTPResponseHead, fetch: EdgeFetch, at now: Instant
  ) -> EdgeAnswer {
    let timing = ResponseTiming(requestedAt: fetch.requestedAt, receivedAt: now, epoch: epoch)
    var fresh = EdgeFields.endToEnd(head.headers, isAnswer: true)
    if !fresh.contains(name: "date") {
      fresh.add(name: "Date", value: EdgeFields.text(HTTPDate.text(timing.receivedSeconds)))
    }
    let fields = EdgeFields.updated(copy.fields, by: fresh)
    // `Age` is not among the stored fields: only that of the 304 counts.
    var judged = fields
    for age in head.headers["age"] { judged.add(name: "age", value: age) }
    let read = EdgeFields.head(
      copy.head.status, judged, receivedAt: timing.receivedSeconds,
      isTargeted: configuration.obeysTargetedControl)
    return EdgeAnswer(
      status: copy.status, fields: fields, head: read, body: copy.body, length: copy.length,
      stored: configuration.store(read, request: fetch.rules, timing: timing),
      initialAge: .zero)
  }

  /// The head of an answer is here.
  func answered(_ fetch: EdgeFetch, at now: Instant) {
    guard let answer = fetch.answer else { return }
    guard let number = fetch.number, let variant = fetch.variant else {
      answeredPast(fetch, answer, at: now)
      return
    }
    let failure = OriginFailure(status: answer.head.status)
    var event = CollapsingMachine.Answer.uncacheable
    if let failure, answer.stored == nil || isCopyBetter(variant, failure, at: now) {
      variant.failure = answer
      event = .failed(failure, repeatFor: configuration.errorCaching)
    } else if let stored = answer.stored {
      event = .stored(stored)
    }
    tell(variant, .answered(number, event), at: now)
    ended(fetch, number, variant)
    // A body that nobody reads and nobody keeps is not waited for.
    if !fetch.isStored && answer.body !== fetch.validated?.body { releaseBody(fetch, answer) }
  }

  /// Whether a stale copy answers in place of an error, even one that could be stored.
  private func isCopyBetter(
    _ variant: EdgeVariant, _ failure: OriginFailure, at now: Instant
  ) -> Bool {
    guard let stored = variant.stored else { return false }
    return CacheFreshness.mayServe(
      stored, after: failure, at: now, rule: configuration.collapsing.staleOnFailure)
  }

  private func releaseBody(_ fetch: EdgeFetch, _ answer: EdgeAnswer) {
    if fetch.variant?.failure === answer && configuration.errorCaching > .zero { return }
    answer.body.stopKeeping()
  }

  /// An answer that no machine waits for: a request that goes past the cache, or one that wanted
  /// validation.
  private func answeredPast(_ fetch: EdgeFetch, _ answer: EdgeAnswer, at now: Instant) {
    if let variant = fetch.variant, answer.stored != nil, variant.machine == nil {
      put(fetch, into: variant)
      settle(variant, fetch, at: now)
    }
    invalidate(fetch, answer, at: now)
    guard let exchange = fetch.exchange else { return }
    if exchange.reason == .request || fetch.request.method == .GET {
      counters.misses += 1
    } else {
      counters.bypassed += 1
    }
    pass(exchange, fetch, answer, at: now)
    if !fetch.isStored && answer.body !== fetch.validated?.body { answer.body.stopKeeping() }
  }

  /// Invalidation after an unsafe request: its own address and those that the answer names, if they
  /// are at the same host.
  private func invalidate(_ fetch: EdgeFetch, _ answer: EdgeAnswer, at now: Instant) {
    let isDone = EdgeFields.withBytes(fetch.request.method.rawValue) {
      CacheInvalidation.invalidates(method: $0, status: answer.head.status)
    }
    if !isDone { return }
    invalidate(key(fetch.request.uri), at: now)
    for name in ["location", "content-location"] {
      guard let target = answer.fields.first(name: name),
        let path = EdgeTarget.path(
          of: target, from: fetch.request.uri,
          hosts: [configuration.origin.authority, fetch.selecting.first(name: "host") ?? ""])
      else { continue }
      invalidate(key(path), at: now)
    }
  }

  /// There is no answer.
  func failed(_ fetch: EdgeFetch, _ failure: OriginFailure, at now: Instant) {
    counters.originFailures += 1
    guard let number = fetch.number, let variant = fetch.variant else {
      if let exchange = fetch.exchange { failPast(exchange, fetch, failure, at: now) }
      return
    }
    variant.failure = nil
    tell(
      variant, .answered(number, .failed(failure, repeatFor: configuration.errorCaching)),
      at: now)
    ended(fetch, number, variant)
  }

  /// A machine knows what came of a fetch; its number may belong to another one by now.
  private func ended(_ fetch: EdgeFetch, _ number: FetchNumber, _ variant: EdgeVariant) {
    let key = FetchKey(variant.handle, number)
    if fetches[key] === fetch { fetches[key] = nil }
  }

  private func failPast(
    _ exchange: EdgeExchange, _ fetch: EdgeFetch, _ failure: OriginFailure, at now: Instant
  ) {
    if let variant = fetch.variant, let stored = variant.stored,
      CacheFreshness.mayServe(
        stored, after: failure, at: now, rule: configuration.collapsing.staleOnFailure),
      !exchange.fields.directives.noCache
    {
      counters.staleHits += 1
      serve(exchange, from: variant, .forwarded(exchange.reason), at: now)
      return
    }
    refuse(exchange, failure == .timeout ? .gatewayTimeout : .badGateway)
  }

  // MARK: Bodies

  /// A body is whole or lost.
  func bodyDone(_ fetch: EdgeFetch) {
    guard let answer = fetch.answer else { return }
    counters.originBytes += answer.body.count
    sink(fetch)
    guard let variant = fetch.variant, variant.answer === answer else { return }
    let isShort = answer.length.map { $0 != answer.body.count } ?? false
    if answer.body.state == .lost || isShort {
      discard(variant, at: now)
    } else {
      settle(variant, fetch, at: now)
    }
  }

  /// Bytes have come for a body that is kept.
  func grew(_ fetch: EdgeFetch, by bytes: Int) {
    guard let answer = fetch.answer, answer.body.isKept else { return }
    if answer.body.count > largestKept { return outgrown(fetch) }
    // One of known length is weighed when its head comes.
    if answer.length != nil { return }
    fetch.floats += Int64(bytes)
    floating += Int64(bytes)
    if configuration.weighing == .memory && floating > mostFloating { outgrown(fetch) }
  }

  /// Bytes that bodies of unknown length may have together before they are weighed.
  private var mostFloating: Int64 { max(1 << 20, configuration.capacity / 10) }

  private func sink(_ fetch: EdgeFetch) {
    floating -= fetch.floats
    fetch.floats = 0
  }

  /// A body has become larger than anything that is kept.
  func outgrown(_ fetch: EdgeFetch) {
    guard let answer = fetch.answer else { return }
    sink(fetch)
    if let variant = fetch.variant, variant.answer === answer {
      discard(variant, at: now)
    } else {
      answer.body.stopKeeping()
    }
  }
}
