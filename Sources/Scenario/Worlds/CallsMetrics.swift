import CallSignalling
import Models

/// The metrics of the world `calls`.
enum CallsMetrics {
  typealias Row = WorldMetricRow<CallsPlan, CallsMeasures>

  static let rows: [Row] = [
    times, presence, races, outcomes, connected, failures, drops, paths, pool, quality, cost,
  ].flatMap { (part: [Row]) -> [Row] in part }

  static let headline = [
    "call_wait_ms.p50", "call_setup_ms.p95", "served_ratio.ratio", "connected_ratio.ratio",
    "dropped_ratio.ratio", "ghost_ms.p95", "unheard_ring_ratio.ratio", "false_expiry_ratio.ratio",
    "relay_blocked_ratio.ratio", "frame_rate.mean", "messages_per_user_second.rate",
  ]

  private static let times: [Row] = [
    .times("call_wait_ms", "From a wish for a call to the other's picture", samples: "wishes") {
      $0.waits
    },
    .times(
      "call_setup_ms", "From the accept to both pictures, as the server hears", samples: "calls"
    ) { $0.setups },
    .times(
      "failed_setup_ms", "From the accept to the end of calls that came to nothing",
      samples: "calls"
    ) { $0.failedSetups },
    .times(
      "busy_ms", "From a request to the word that the interpreter is busy", samples: "requests"
    ) { $0.busyTimes },
    .times(
      "presence_lag_ms{change=shown}",
      "From the server's making an interpreter available to a caller's seeing so"
    ) { $0.shown },
    .times(
      "presence_lag_ms{change=hidden}",
      "From the server's hiding an interpreter to a caller's seeing so"
    ) { $0.hidden },
    .times("ghost_ms", "How long an interpreter that was gone stayed in the lists") { $0.ghosts },
    .times("stuck_call_ms", "From one party's being gone to the end of its call or ring") {
      $0.stuck
    },
    .times(
      "lockout_ms", "From a new connection to having the name again that was had before"
    ) { $0.lockouts },
    .times("recovery_ms", "From the server's being back to a client's name") { $0.recoveries },
    .times("signalling_connect_ms", "To make a connection to the server") { $0.connects },
    .times("discovery_ms", "Until a client knows where the server is") { $0.discoveries },
    .times("first_local_frame_ms", "Until the own picture is on the screen") { $0.localFrames },
  ]

  private static let presence: [Row] = [
    .share(
      "false_expiry_ratio.ratio",
      "Expiries of clients that ran on a connection that lived, over outages of their networks",
      samples: "outages", \.falseExpiries, of: \.outages),
    perUser("false_expiries_per_user_hour.rate", "The same over users and hours", per: 3_600) {
      Double($0.falseExpiries)
    },
    .share(
      "unheard_ring_ratio.ratio", "Rings that nobody could hear, of all rings", samples: "rings",
      \.unheardRings, of: \.rings),
    .number(
      "ghost_rings.count",
      "Rings of interpreters whose connection the server knew to be gone, in a replication",
      samples: "rings", { Double($0.ghostRings) }, of: \.rings),
    .quotient(
      "unheard_ring_seconds_per_call.rate",
      "Seconds of rings that nobody could hear, over connected calls", samples: "calls",
      \.unheardRingTime.seconds, over: \.connected),
  ]

  private static let races: [Row] = [
    .share(
      "served_ratio.ratio", "Wishes that came to a call, of those for which a caller was free",
      samples: "wishes", isWorseWhenHigher: false, \.served, of: { $0.wishes - $0.withoutCaller }),
    .share(
      "nobody_listed_ratio.ratio", "Wishes that found an empty list", samples: "wishes",
      \.nobodyListed, of: { $0.wishes - $0.withoutCaller }),
    .share(
      "busy_ratio.ratio", "Requests that lost a race, of all requests", samples: "requests", \.busy,
      of: \.requests),
    .number(
      "double_rings.count",
      "Interpreters that got a second call while they had one, in a replication", samples: "rings",
      { Double($0.doubleRings) }, of: \.rings),
    .share(
      "late_accept_ratio.ratio", "Accepts that found their call over, of all accepts",
      samples: "calls", \.lateAccepts, of: { $0.accepted + $0.lateAccepts }),
    .quotient(
      "ring_seconds_per_call.rate", "Seconds of rings over connected calls", samples: "calls",
      \.ringTime.seconds, over: \.connected),
  ]

  private static let outcomes: [Row] = [
    outcome("accepted", isWorseWhenHigher: false) { $0.accepted },
    outcome("declined") { ended($0.ringEnds, .declined) },
    outcome("unanswered") { ended($0.ringEnds, .noAnswer) },
    outcome("cancelled") { ended($0.ringEnds, .hungUp) },
    outcome("lost") {
      ended($0.ringEnds, .disconnected, .expired, .lostByServer, .mediaFailed)
    },
  ]

  private static func outcome(
    _ outcome: String, isWorseWhenHigher: Bool = true,
    _ count: @escaping @Sendable (CallsMeasures) -> Int
  ) -> Row {
    .share(
      "ring_ratio{outcome=\(outcome)}.ratio", "Rings with this outcome, of all rings",
      samples: "rings", isWorseWhenHigher: isWorseWhenHigher, count
    ) { $0.rings }
  }

  /// Of counts by ``EndReason``, those of some.
  private static func ended(_ counts: [Int], _ reasons: EndReason...) -> Int {
    reasons.reduce(0) { $0 + counts[Int($1.rawValue)] }
  }

  private static let connected: [Row] = [
    .share(
      "connected_ratio.ratio", "Accepted calls in which both saw each other", samples: "calls",
      isWorseWhenHigher: false, \.connected, of: \.accepted)
  ]

  private static let failures: [Row] = [
    failure("offer-answer") { ended($0, .offerAnswerTimeout) },
    failure("ice") { ended($0, .iceTimeout) },
    failure("connecting") { ended($0, .connectingTimeout) },
    failure("other") {
      $0.reduce(0, +) - ended($0, .offerAnswerTimeout, .iceTimeout, .connectingTimeout)
    },
  ]

  private static func failure(
    _ reason: String, _ count: @escaping @Sendable ([Int]) -> Int
  ) -> Row {
    .share(
      "setup_failed_ratio{reason=\(reason)}.ratio",
      "Accepted calls that ended before that, by the one reason that was recorded",
      samples: "calls", { count($0.setupEnds) }, of: \.accepted)
  }

  private static let drops: [Row] = [
    drop("dropped_ratio", "Connected calls that nobody hung up, of all connected") {
      $0.reduce(0, +) - ended($0, .hungUp)
    },
    drop("dropped_ratio{reason=media}", "The same: the media failed") { ended($0, .mediaFailed) },
    drop("dropped_ratio{reason=signalling}", "The same: a connection to the server") {
      ended($0, .disconnected, .lostByServer)
    },
    drop("dropped_ratio{reason=expired}", "The same: a presence expired") { ended($0, .expired) },
  ]

  private static func drop(
    _ name: String, _ summary: String, _ count: @escaping @Sendable ([Int]) -> Int
  ) -> Row {
    .share("\(name).ratio", summary, samples: "calls", { count($0.talkEnds) }, of: \.connected)
  }

  private static let paths: [Row] = [
    path("direct", .direct, isWorseWhenHigher: false), path("udp", .relayUDP),
    path("tcp", .relayTCP), path("tls", .relayTLS),
  ]

  private static func path(
    _ name: String, _ path: MediaPath, isWorseWhenHigher: Bool = true
  ) -> Row {
    .share(
      "path_ratio{path=\(name)}.ratio", "Media connections that need this path",
      samples: "connections", isWorseWhenHigher: isWorseWhenHigher,
      { $0.paths[Int(path.rawValue)] }, of: { $0.paths.reduce(0, +) })
  }

  private static let pool: [Row] = [
    .share(
      "relayed_ratio.ratio", "Media connections that need a relay", samples: "connections",
      { $0.relayTaken + $0.relayBlocked }, of: { $0.paths.reduce(0, +) }),
    .share(
      "relay_blocked_ratio.ratio", "Of those, the ones that found no room", samples: "connections",
      \.relayBlocked, of: { $0.relayTaken + $0.relayBlocked }),
    .rate("relay_calls.mean", "Calls on the relays, on average over time", samples: "calls") {
      _, found in
      .quotient(
        found.relayTime.seconds, over: found.time.seconds, samples: Int64(found.relayTaken))
    },
  ]

  private static let quality: [Row] = [
    .quotient(
      "frame_rate.mean", "Pictures a second that arrived whole", samples: "seconds",
      isWorseWhenHigher: false, \.frames, over: \.seconds),
    .share(
      "illegible_ratio.ratio", "Seconds with fewer than 20 pictures, of all seconds",
      samples: "seconds", \.illegible, of: \.seconds),
    .share(
      "frozen_ratio.ratio", "Seconds without a picture, of all seconds", samples: "seconds",
      \.frozen, of: \.seconds),
    .share(
      "warned_ratio.ratio", "Seconds with the warning up, of all seconds", samples: "seconds",
      \.warned, of: \.seconds),
    .rate(
      "warnings_per_call_hour.rate", "Warnings over ends of calls and hours", samples: "seconds"
    ) { _, found in
      .quotient(
        Double(found.warnings), over: Double(found.seconds) / 3_600,
        samples: Int64(found.seconds))
    },
  ]

  private static let cost: [Row] = [
    perUser(
      "messages_per_user_second.rate", "Messages to the server, over users and seconds", per: 1
    ) { Double($0.messages) },
    perUser("heartbeats_per_user_second.rate", "Heartbeats, over users and seconds", per: 1) {
      Double($0.heartbeats)
    },
    .rate(
      "presence_messages_per_second.rate", "Messages about presence, over seconds",
      samples: "messages"
    ) { _, found in
      .quotient(
        Double(found.presenceMessages), over: found.time.seconds,
        samples: Int64(found.presenceMessages))
    },
    .planned(
      "registrations_per_second.max", "The most registrations within one second", samples: "users"
    ) { .number(Double($1.registrationsPeak), samples: Int64($0.users)) },
    perUser(
      "radio_seconds_per_hour.rate",
      "Time in which a radio was in use or in its tail of 10 s, over clients and hours",
      samples: "clients", per: 3_600
    ) { $0.radioTime.seconds },
    .rate(
      "statistics_lines_per_hour.rate", "Lines of statistics in the log, over hours",
      samples: "lines"
    ) { _, found in
      .quotient(
        Double(found.statisticsLines), over: found.time.seconds / 3_600,
        samples: Int64(found.statisticsLines))
    },
  ]

  /// Over users and spans of `unit` seconds.
  private static func perUser(
    _ name: String, _ summary: String, samples: String = "users", per unit: Double,
    _ value: @escaping @Sendable (CallsMeasures) -> Double
  ) -> Row {
    .rate(name, summary, samples: samples) { plan, found in
      .quotient(
        value(found), over: Double(plan.users) * found.time.seconds / unit,
        samples: Int64(plan.users))
    }
  }
}

extension CallsPlan {
  /// How the metrics are read, in the order of ``kind``'s.
  public static let metrics: [WorldMetricRow<CallsPlan, CallsMeasures>] = CallsMetrics.rows

  fileprivate var users: Int { Int(audience.callers) + Int(audience.interpreters) }
}
