/// The metrics of the world `calls`.
enum CallsMetrics {
  static let all: [WorldMetric] = [
    times, presence, races, outcomes, connected, failures, drops, paths, pool, quality, cost,
  ].flatMap { (part: [WorldMetric]) -> [WorldMetric] in part }

  static let headline = [
    "call_wait_ms.p50", "call_setup_ms.p95", "served_ratio.ratio", "connected_ratio.ratio",
    "dropped_ratio.ratio", "ghost_ms.p95", "unheard_ring_ratio.ratio", "false_expiry_ratio.ratio",
    "relay_blocked_ratio.ratio", "frame_rate.mean", "messages_per_user_second.rate",
  ]

  private static let times: [WorldMetric] = timed.flatMap { (name, summary) -> [WorldMetric] in
    WorldMetric.times(name, summary)
  }

  private static let timed: [(String, String)] = [
    ("call_wait_ms", "From a wish for a call to the other's picture"),
    ("call_setup_ms", "From the accept to both pictures, as the server hears"),
    ("failed_setup_ms", "From the accept to the end of calls that came to nothing"),
    ("busy_ms", "From a request to the word that the interpreter is busy"),
    (
      "presence_lag_ms{change=shown}",
      "From the server's making an interpreter available to a caller's seeing so"
    ),
    (
      "presence_lag_ms{change=hidden}",
      "From the server's hiding an interpreter to a caller's seeing so"
    ),
    ("ghost_ms", "How long an interpreter that was gone stayed in the lists"),
    ("stuck_call_ms", "From one party's being gone to the end of its call or ring"),
    ("lockout_ms", "From a new connection to having the name again that was had before"),
    ("recovery_ms", "From the server's being back to a client's name"),
    ("signalling_connect_ms", "To make a connection to the server"),
    ("discovery_ms", "Until a client knows where the server is"),
    ("first_local_frame_ms", "Until the own picture is on the screen"),
  ]

  private static let presence: [WorldMetric] = [
    WorldMetric(
      "false_expiry_ratio.ratio", .share,
      "Expiries of clients that ran on a connection that lived, over outages of their networks"),
    WorldMetric(
      "false_expiries_per_user_hour.rate", .quotient, "The same over users and hours"),
    WorldMetric(
      "unheard_ring_ratio.ratio", .share, "Rings that nobody could hear, of all rings"),
    WorldMetric(
      "ghost_rings.count", .number,
      "Rings of interpreters whose connection the server knew to be gone, in a replication"),
    WorldMetric(
      "unheard_ring_seconds_per_call.rate", .quotient,
      "Seconds of rings that nobody could hear, over connected calls"),
  ]

  private static let races: [WorldMetric] = [
    WorldMetric(
      "served_ratio.ratio", .share,
      "Wishes that came to a call, of those for which a caller was free",
      isWorseWhenHigher: false),
    WorldMetric("nobody_listed_ratio.ratio", .share, "Wishes that found an empty list"),
    WorldMetric("busy_ratio.ratio", .share, "Requests that lost a race, of all requests"),
    WorldMetric(
      "double_rings.count", .number,
      "Interpreters that got a second call while they had one, in a replication"),
    WorldMetric(
      "late_accept_ratio.ratio", .share, "Accepts that found their call over, of all accepts"),
    WorldMetric("ring_seconds_per_call.rate", .quotient, "Seconds of rings over connected calls"),
  ]

  private static let outcomes: [WorldMetric] = [
    "accepted", "declined", "unanswered", "cancelled", "lost",
  ].map { (outcome: String) -> WorldMetric in
    WorldMetric(
      "ring_ratio{outcome=\(outcome)}.ratio", .share, "Rings with this outcome, of all rings",
      isWorseWhenHigher: outcome != "accepted")
  }

  private static let connected: [WorldMetric] = [
    WorldMetric(
      "connected_ratio.ratio", .share, "Accepted calls in which both saw each other",
      isWorseWhenHigher: false)
  ]

  private static let failures: [WorldMetric] = [
    "offer-answer", "ice", "connecting", "other",
  ].map { (reason: String) -> WorldMetric in
    WorldMetric(
      "setup_failed_ratio{reason=\(reason)}.ratio", .share,
      "Accepted calls that ended before that, by the one reason that was recorded")
  }

  private static let drops: [WorldMetric] = [
    WorldMetric(
      "dropped_ratio.ratio", .share, "Connected calls that nobody hung up, of all connected"),
    WorldMetric("dropped_ratio{reason=media}.ratio", .share, "The same: the media failed"),
    WorldMetric(
      "dropped_ratio{reason=signalling}.ratio", .share, "The same: a connection to the server"),
    WorldMetric("dropped_ratio{reason=expired}.ratio", .share, "The same: a presence expired"),
  ]

  private static let paths: [WorldMetric] = [
    "direct", "udp", "tcp", "tls",
  ].map { (path: String) -> WorldMetric in
    WorldMetric(
      "path_ratio{path=\(path)}.ratio", .share, "Media connections that need this path",
      isWorseWhenHigher: path != "direct")
  }

  private static let pool: [WorldMetric] = [
    WorldMetric("relayed_ratio.ratio", .share, "Media connections that need a relay"),
    WorldMetric("relay_blocked_ratio.ratio", .share, "Of those, the ones that found no room"),
    WorldMetric(
      "relay_calls.mean", .quotient, "Calls on the relays, on average over time"),
  ]

  private static let quality: [WorldMetric] = [
    WorldMetric(
      "frame_rate.mean", .quotient, "Pictures a second that arrived whole",
      isWorseWhenHigher: false),
    WorldMetric(
      "illegible_ratio.ratio", .share, "Seconds with fewer than 20 pictures, of all seconds"),
    WorldMetric("frozen_ratio.ratio", .share, "Seconds without a picture, of all seconds"),
    WorldMetric("warned_ratio.ratio", .share, "Seconds with the warning up, of all seconds"),
    WorldMetric("warnings_per_call_hour.rate", .quotient, "Warnings over ends of calls and hours"),
  ]

  private static let cost: [WorldMetric] = [
    WorldMetric(
      "messages_per_user_second.rate", .quotient, "Messages to the server, over users and seconds"),
    WorldMetric(
      "heartbeats_per_user_second.rate", .quotient, "Heartbeats, over users and seconds"),
    WorldMetric(
      "presence_messages_per_second.rate", .quotient, "Messages about presence, over seconds"),
    WorldMetric(
      "registrations_per_second.max", .number, "The most registrations within one second"),
    WorldMetric(
      "radio_seconds_per_hour.rate", .quotient,
      "Time in which a radio was in use or in its tail of 10 s, over clients and hours"),
    WorldMetric(
      "statistics_lines_per_hour.rate", .quotient, "Lines of statistics in the log, over hours"),
  ]
}
