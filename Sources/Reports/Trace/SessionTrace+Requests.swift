import CachePolicy
import MediaUnits
import Models
import Scenario

/// Requests and connections: who waits for what, and who answers.
extension SessionTrace {
  /// One track for as many requests as are under way at once; a request takes the first that is
  /// free.
  mutating func addRequests() {
    var free: [Instant] = []
    for request in SessionTrace.inOrder(recording.requests) {
      var lane = free.firstIndex { $0 <= request.sentAt } ?? free.count
      if lane == free.count {
        tracks.append(Track(number: Track.requests + lane, name: "requests \(lane + 1)"))
        free.append(request.endedAt)
      } else {
        free[lane] = request.endedAt
      }
      lane += Track.requests
      var name = TraceFigures.name(request)
      if let item = request.item { name += ", item \(item)" }
      add(
        Slice(
          track: lane, name: name, category: request.isPrefetch ? "prefetch" : "request",
          begin: request.sentAt, end: request.endedAt, arguments: arguments(of: request)))
      add(SessionTrace.steps(of: request), from: request.sentAt, track: lane, category: "wait")
      if request.outcome != .completed {
        add(Mark(track: lane, name: SessionTrace.text(request.outcome), at: request.endedAt))
      }
      if request.segment != nil, let rung = request.rung {
        samples.append(
          Sample(
            counter: Counter.rung, series: "rung", at: request.sentAt, value: Double(rung)))
      }
    }
  }

  /// By when they were sent; of two that were sent at once the one that ended first.
  static func inOrder(_ requests: [RequestRecord]) -> [RequestRecord] {
    requests.enumerated().sorted {
      $0.element.sentAt != $1.element.sentAt
        ? $0.element.sentAt < $1.element.sentAt : $0.offset < $1.offset
    }.map(\.element)
  }

  static func text(_ outcome: RequestRecord.Outcome) -> String {
    switch outcome {
    case .completed: "completed"
    case .failed: "error"
    case .unresolved: "no such host"
    case .cancelled: "cancelled"
    case .repeated: "connection lost"
    }
  }

  /// Who answered a request; nil for nobody.
  static func answerer(_ request: RequestRecord) -> String? {
    if request.isFromDisk { return "device" }
    if request.asset == .feed { return request.outcome == .completed ? "feed API" : nil }
    if request.tier != .none { return "\(request.tier.name)" }
    // Edges that hold everything answer without looking.
    return request.outcome == .completed ? "edge" : nil
  }

  /// What a request waited for, one after the other; the last step that began lasts to the end.
  static func steps(of request: RequestRecord) -> [(name: String, until: Instant)] {
    if request.isFromDisk { return [] }
    let isFeed = request.asset == .feed
    var behind = "behind the edge"
    if request.reason != .none { behind += ": \(request.reason.name)" }
    let times: [(name: String, until: Instant?)] = [
      ("waits for a connection", request.dispatchedAt),
      ("connection", request.readyAt),
      ("to the edge", request.edgeAt),
      (behind, request.edgeAt.map { $0 + request.upstreamWait }),
      (
        isFeed ? "feed API" : request.edgeAt == nil ? "answer" : "from the edge",
        request.firstByteAt
      ),
      ("slow start, recovery", request.joinedAt),
      ("transfer", request.endedAt),
    ]
    // A step that was not reached took the time that was left; one before a later step is unknown.
    let reached = times.dropLast().lastIndex { $0.until != nil } ?? -1
    var steps: [(name: String, until: Instant)] = []
    for (index, step) in times.enumerated() {
      if index > reached {
        let isAnswer = isFeed && reached == 1
        steps.append((isAnswer ? times[4].name : step.name, request.endedAt))
        break
      }
      if let until = step.until { steps.append((step.name, min(until, request.endedAt))) }
    }
    return steps
  }

  private func arguments(of request: RequestRecord) -> [JSONText.Member] {
    var arguments: [JSONText.Member] = [
      .init("class", .string(MetricReference.classes[Int(request.asset.rawValue)]))
    ]
    if let item = request.item { arguments.append(.init("item", .integer(Int64(item)))) }
    if let segment = request.segment {
      arguments.append(.init("segment", .integer(Int64(segment))))
    }
    if let rung = request.rung { arguments.append(.init("rung", .integer(Int64(rung)))) }
    arguments.append(.init("bytes", .integer(request.bytes)))
    arguments.append(.init("outcome", .string(SessionTrace.text(request.outcome))))
    if let answerer = SessionTrace.answerer(request) {
      arguments.append(.init("answered_by", .string(answerer)))
    }
    if request.reason != .none {
      arguments.append(.init("why_not_a_hit", .string("\(request.reason.name)")))
      arguments.append(
        .init("behind_the_edge_ms", .number(request.upstreamWait.milliseconds)))
    }
    for (holds, name) in [
      (request.isPrefetch, "prefetch"), (request.isFromDisk, "from_disk"),
      (request.isConditional, "revalidation"),
    ] where holds {
      arguments.append(.init(name, true))
    }
    if request.retries > 0 {
      arguments.append(.init("retry", .integer(Int64(request.retries))))
    }
    return arguments
  }

  // MARK: Connections

  /// Connections while they are opened, a track for each place at a host.
  mutating func addConnections() {
    for isFeed in [false, true] {
      let base = isFeed ? Track.feedConnections : Track.edgeConnections
      let all = recording.connections.filter { $0.isFeed == isFeed }
      for place in Set(all.map(\.place)).sorted() {
        let host = isFeed ? "feed API" : "edge"
        tracks.append(Track(number: base + place, name: "connection \(place + 1), \(host)"))
        // One that is opened again was lost before.
        var limit = end
        for connection in all.reversed() where connection.place == place {
          add(connection, track: base + place, limit: limit)
          limit = min(limit, connection.openedAt)
        }
      }
    }
  }

  private mutating func add(
    _ connection: SessionRecording.Connection, track: Int, limit: Instant
  ) {
    add(
      Slice(
        track: track, name: "opens connection \(connection.serial)", category: "connection",
        begin: connection.openedAt, end: min(connection.readyAt, limit)))
    add(
      [
        ("name look-up", min(connection.nameAt, limit)),
        ("connect", min(connection.connectedAt, limit)),
        ("TLS", min(connection.readyAt, limit)),
      ], from: connection.openedAt, track: track, category: "connection")
  }
}
