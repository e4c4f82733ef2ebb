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
    for request in recording.requestsInOrder {
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
      add(
        request.steps.map { (SessionTrace.name($0.step, of: request), $0.until) },
        from: request.sentAt, track: lane, category: "wait")
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

  /// What a request waited for, in words.
  static func name(_ step: RequestStep, of request: RequestRecord) -> String {
    let name = SessionWork.request(step).words
    return step == .behindEdge && request.reason != .none
      ? "\(name): \(request.reason.name)" : name
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
