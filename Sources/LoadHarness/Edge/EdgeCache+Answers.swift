import CachePolicy
import MediaUnits
import NIOCore
import NIOHTTP1
import Telemetry

/// What clients get.
extension EdgeCache {
  /// A machine has decided what a request is answered with.
  func answer(
    _ exchange: EdgeExchange, _ service: CollapsingMachine.Service, _ variant: EdgeVariant,
    at now: Instant
  ) {
    exchange.variant = nil
    switch service {
    case .fresh, .stale, .staleAfterFailure, .collapsed:
      guard variant.answer != nil, variant.matches(exchange.request.headers) else {
        // What it waited for varies by something in which it differs.
        exchange.detours += 1
        admit(exchange, at: now)
        return
      }
      switch service {
      case .fresh: counters.hits += 1
      case .collapsed: counters.collapsed += 1
      default: counters.staleHits += 1
      }
      serve(exchange, from: variant, outcome(exchange, service), at: now)
    case .fetched:
      guard let fetch = exchange.fetch, let answer = fetch.answer else {
        refuse(exchange, .badGateway)
        return
      }
      if fetch.validated?.body === answer.body {
        counters.revalidated += 1
      } else {
        counters.misses += 1
      }
      pass(exchange, fetch, answer, at: now)
    case .failed, .negative:
      if let failure = variant.failure {
        counters.errors += 1
        respond(
          exchange, failure,
          CacheStatus(
            .forwarded(exchange.reason), forwardStatus: exchange.fetch?.status,
            isCollapsed: exchange.fetch == nil), age: nil, at: now)
      } else {
        refuse(exchange, exchange.fetch?.failure == .timeout ? .gatewayTimeout : .badGateway)
      }
    }
  }

  private func outcome(
    _ exchange: EdgeExchange, _ service: CollapsingMachine.Service
  ) -> CacheStatus.Outcome {
    switch service {
    case .fresh, .stale: .hit
    // A copy that answers without a fetch of this request's own, after an earlier failure.
    case .staleAfterFailure: exchange.fetch == nil ? .hit : .forwarded(exchange.reason)
    default: .forwarded(exchange.reason)
    }
  }

  /// Answers from a variant's copy.
  func serve(
    _ exchange: EdgeExchange, from variant: EdgeVariant, _ outcome: CacheStatus.Outcome,
    at now: Instant
  ) {
    guard let answer = variant.answer, let stored = variant.stored else {
      refuse(exchange, .badGateway)
      return
    }
    use(variant, at: now)
    let status = CacheStatus(
      outcome, forwardStatus: exchange.fetch?.status,
      remaining: stored.lifetimeRemaining(at: now),
      isCollapsed: outcome != .hit && exchange.fetch == nil)
    respond(exchange, answer, status, age: stored.age(at: now), at: now)
  }

  /// Answers with what a fetch has brought.
  func pass(
    _ exchange: EdgeExchange, _ fetch: EdgeFetch, _ answer: EdgeAnswer, at now: Instant
  ) {
    let isStored = fetch.isStored
    let status = CacheStatus(
      .forwarded(exchange.reason), forwardStatus: fetch.status,
      remaining: isStored ? answer.stored?.lifetimeRemaining(at: now) : nil, isStored: isStored)
    let age = answer.head.age == nil ? nil : answer.stored?.age(at: now) ?? answer.initialAge
    if fetch.variant == nil {
      // The request's own conditions and range went to the origin.
      send(exchange, answer, answer.status, status, age: age, part: nil)
    } else {
      respond(exchange, answer, status, age: age, at: now)
    }
  }

  /// Answers with a response, with 304 when the client's copy is as good, or with a part of it.
  private func respond(
    _ exchange: EdgeExchange, _ answer: EdgeAnswer, _ status: CacheStatus, age: TimeSpan?,
    at now: Instant
  ) {
    if answer.status == .ok {
      if exchange.fields.conditions.isMet(tag: answer.tag, lastModified: answer.modified) {
        send(exchange, answer, .notModified, status, age: age, part: nil)
        return
      }
      let length = answer.length ?? (answer.body.state == .whole ? answer.body.count : nil)
      if let length, let range = exchange.fields.range, exchange.request.method == .GET,
        isRangeGood(exchange.fields.ifRange, answer)
      {
        switch EdgeFields.withBytes(range, { ByteRange.parse($0, length: length) }) {
        case .whole: break
        case .part(let part):
          send(exchange, answer, .partialContent, status, age: age, part: part, of: length)
          return
        case .unsatisfiable:
          send(exchange, answer, .rangeNotSatisfiable, status, age: age, part: nil, of: length)
          return
        }
      }
    }
    send(exchange, answer, answer.status, status, age: age, part: nil)
  }

  /// Whether `If-Range` lets a range be sent: a strong tag or an exact date (RFC 9110 section
  /// 13.1.5).
  private func isRangeGood(_ condition: String?, _ answer: EdgeAnswer) -> Bool {
    guard let condition else { return true }
    return EdgeFields.withBytes(condition) { bytes in
      if let tag = answer.tag, tag.withUnsafeBufferPointer({ EntityTag.isStronglyEqual(bytes, $0) })
      {
        return true
      }
      guard let date = HTTPDate.parse(bytes, receivedAt: epoch) else { return false }
      return date == answer.head.lastModified
    }
  }

  private func send(
    _ exchange: EdgeExchange, _ answer: EdgeAnswer, _ code: HTTPResponseStatus,
    _ status: CacheStatus, age: TimeSpan?, part: Range<Int64>?, of length: Int64 = 0
  ) {
    var fields = answer.fields
    // Copied once, with room for what is added.
    fields.reserveCapacity(fields.count + 4)
    if code == .notModified || code == .rangeNotSatisfiable {
      for name in ["content-length", "content-encoding", "content-type", "content-range"] {
        fields.remove(name: name)
      }
    }
    if code == .rangeNotSatisfiable {
      fields.add(name: "Content-Range", value: "bytes */\(length)")
      fields.add(name: "Content-Length", value: "0")
    } else if let part {
      fields.replaceOrAdd(
        name: "Content-Range", value: "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)")
      fields.replaceOrAdd(name: "Content-Length", value: String(part.count))
    } else if code == answer.status, answer.length == nil, answer.body.state == .whole {
      fields.replaceOrAdd(name: "Content-Length", value: String(answer.body.count))
    }
    if let age { fields.add(name: "Age", value: String(age.wholeSteps(of: .seconds(1)))) }
    var text: [UInt8] = []
    status.write(name: nameBytes, into: &text)
    fields.add(name: "Cache-Status", value: EdgeFields.text(text))
    fields.add(name: "Via", value: via)
    if configuration.tellsServerData {
      // What others have said of an answer that was kept is not about this one.
      if status.outcome == .hit { fields.remove(name: "CMSD-Dynamic") }
      fields.add(name: "CMSD-Dynamic", value: CMSDWriter.text(hop(exchange, at: now)))
    }
    let head = HTTPResponseHead(version: .http1_1, status: code, headers: fields)
    let hasBody =
      !exchange.isHead && code != .notModified && code != .noContent
      && code != .rangeNotSatisfiable
    if hasBody {
      exchange.send(head, answer.body, part: part)
    } else {
      exchange.send(head)
    }
  }

  /// What the edge says of an answer.
  private func hop(_ exchange: EdgeExchange, at now: Instant) -> CMSDHop {
    var hop = CMSDHop(name: configuration.name)
    hop.responseDelay = (now - exchange.arrivedAt).seconds
    hop.suggestedBitrate = configuration.suggestedBitrate.map { Double($0.bitsPerSecond) }
    if let state = exchange.sink.connectionState() {
      hop.roundTrip = state.roundTrip.seconds
      hop.throughput = Double(state.throughput.bitsPerSecond)
    }
    return hop
  }

  /// Answers without anything from cache or origin.
  func refuse(_ exchange: EdgeExchange, _ code: HTTPResponseStatus) {
    counters.errors += 1
    let words = "\(code.code) \(code.reasonPhrase)\n"
    var text: [UInt8] = []
    CacheStatus(.forwarded(exchange.reason)).write(name: nameBytes, into: &text)
    let fields: HTTPHeaders = [
      "Content-Type": "text/plain", "Content-Length": String(words.utf8.count),
      "Cache-Control": "no-store", "Date": EdgeFields.text(HTTPDate.text(seconds(at: now))),
      "Cache-Status": EdgeFields.text(text),
    ]
    let head = HTTPResponseHead(version: .http1_1, status: code, headers: fields)
    if exchange.isHead {
      exchange.send(head)
    } else {
      exchange.send(head, EdgeBody(whole: ByteBuffer(string: words)), part: nil)
    }
  }
}
