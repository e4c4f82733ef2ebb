import CachePolicy
import Foundation
import MediaUnits
import Models
import Scenario
import SimulationKernel

/// A request for media as the player's own client saw it.
public struct MediaRequest: Sendable {
  public var session: UInt32
  public var asset: AssetClass
  /// Its path without a query, which may hold a secret; empty where the client does not tell it.
  public var path = ""
  /// Of the answer; nil where the client does not tell it.
  public var status: Int?
  /// When it went onto the wire, by the run's clock.
  public var sentAt: Instant
  /// From there to the answer's head, and to its last byte.
  public var firstByte, duration: TimeSpan
  /// Of the body.
  public var bytes: Int64
  /// How long the connection's TCP handshake took; nil where it was open before.
  public var handshake: TimeSpan?
  /// What the cache next to the player did; nil where nothing says.
  public var outcome: CacheOutcome?
}

/// What an app's telemetry and its client would have told of a live run: a table of its views, one
/// of its requests for media, and for each the mapping by which `firstframe calibrate` and
/// `backtest` read it.
public struct LiveTelemetry {
  /// The parts of a start that a column has, as `startup_ms{part=…}` names them; at most eight.
  private static let parts: [(column: String, parts: [StartupPart])] = [
    ("page_ms", [.launch, .feed]),
    ("connection_ms", [.nameLookup, .connect, .tls]),
    ("documents_ms", [.manifest, .playlists, .initSegment]),
    ("request_ms", [.queue, .ownQueue, .segmentWait]),
    ("transfer_ms", [.slowStart, .linkShare, .transfer]),
    ("decoder_ms", [.decoder, .mainThread]),
    ("first_decode_ms", [.firstDecode]),
    ("presentation_ms", [.presentation]),
  ]

  private let scenario: FeedStudy
  private let streams: RandomStreams
  private let epoch: Int64

  /// - Parameters:
  ///   - seed: of the run.
  ///   - epoch: nanoseconds since 1970 of the run's first instant.
  public init(_ scenario: FeedStudy, seed: UInt64, epoch: Int64) {
    self.scenario = scenario
    self.epoch = epoch
    streams = RandomStreams(seed: seed, replication: 0)
  }

  /// Writes the tables and mappings into a folder that is new or empty.
  ///
  /// - Throws: ``HarnessFailure`` when it cannot be written, or holds something.
  public func write(
    views: [ViewRecord], requests: [MediaRequest], to folder: String
  ) throws(HarnessFailure) {
    try EmptyFolder.make(folder)
    let files = [
      ("views.csv", self.views(views)), ("views.map.yaml", LiveTelemetry.viewsMap),
      ("requests.csv", self.requests(requests, of: views)),
      ("requests.map.yaml", LiveTelemetry.requestsMap),
    ]
    for (name, text) in files {
      do {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"), options: .atomic)
      } catch {
        throw HarnessFailure(.output, "\(folder)/\(name): expected to be written, got \(error)")
      }
    }
  }

  // MARK: Views

  /// A line for each view whose end is known; that of one that the run's end cut is not.
  func views(_ views: [ViewRecord]) -> String {
    var text =
      "time,session,item,title,clock,ready,ttff_ms,abandoned,dwell_ms,played_ms,stall_ms,"
      + "stalls,length_ms,network,device,"
      + LiveTelemetry.parts.map(\.column).joined(separator: ",") + "\n"
    var catalogue = scenario.configuration.catalogue
    for view in views.sorted(by: { ($0.settledAt, $0.session) < ($1.settledAt, $1.session) })
    where !view.flags.contains(.cut) {
      let length = withUnsafeMutablePointer(to: &catalogue) {
        Title(TitleID(view.title), catalogue: $0, streams: streams).duration
      }
      let isStarted = view.hasStarted
      var fields = [
        time(view.settledAt), String(view.session), String(view.item), String(view.title),
        view.flags.contains(.cold) ? "cold" : "swipe", view.flags.contains(.ready) ? "1" : "0",
        isStarted ? LiveTelemetry.milliseconds(view.ttff) : "", isStarted ? "0" : "1",
        LiveTelemetry.milliseconds(view.ttff + view.played + view.stalled),
        isStarted ? LiveTelemetry.milliseconds(view.played) : "",
        isStarted ? LiveTelemetry.milliseconds(view.stalled) : "",
        isStarted ? String(view.stalls) : "", LiveTelemetry.milliseconds(length),
        scenario.networks[Int(view.network)], scenario.devices[Int(view.device)],
      ]
      for (_, parts) in LiveTelemetry.parts {
        let sum = parts.reduce(TimeSpan.zero) { $0 + view.part($1) }
        fields.append(isStarted ? LiveTelemetry.milliseconds(sum) : "")
      }
      text += fields.joined(separator: ",") + "\n"
    }
    return text
  }

  private static var viewsMap: String {
    """
    # What a column of views.csv is.
    version: 1
    columns:
      time: {column: time, unit: epoch_us}
      session: session
      item: item
      title: title
      ttff: {column: ttff_ms, unit: ms}
      clock: clock
      ready: ready
      abandoned: abandoned
      dwell: {column: dwell_ms, unit: ms}
      played: {column: played_ms, unit: ms}
      stall: {column: stall_ms, unit: ms}
      stalls: stalls
      titleLength: {column: length_ms, unit: ms}
      network: network
      device: device
      startPart:

    """
      + parts.map { column, parts in
        "    - {column: \(column), unit: ms, key: "
          + parts.map { "\($0.name)" }.joined(separator: "+") + "}\n"
      }.joined() + "ignore: []\n"
  }

  // MARK: Requests

  /// - Parameter views: say of which network a session is; one without a view is of none.
  func requests(_ requests: [MediaRequest], of views: [ViewRecord]) -> String {
    var text =
      "time,session,path,status,bytes,first_byte_ms,duration_ms,handshake_ms,cache,network\n"
    let networks = Dictionary(views.map { ($0.session, $0.network) }) { first, _ in first }
    let all = requests.sorted {
      ($0.sentAt, $0.session, $0.path) < ($1.sentAt, $1.session, $1.path)
    }
    for request in all {
      let fields = [
        time(request.sentAt), String(request.session), LiveTelemetry.quoted(request.path),
        request.status.map { String($0) } ?? "", String(request.bytes),
        LiveTelemetry.milliseconds(request.firstByte),
        LiveTelemetry.milliseconds(request.duration),
        request.handshake.map(LiveTelemetry.milliseconds) ?? "",
        request.outcome.map(LiveTelemetry.word) ?? "",
        networks[request.session].map { scenario.networks[Int($0)] } ?? "",
      ]
      text += fields.joined(separator: ",") + "\n"
    }
    return text
  }

  private static let requestsMap = """
    # What a column of requests.csv is.
    version: 1
    columns:
      time: {column: time, unit: epoch_us}
      session: session
      url: path
      status: status
      bytes: {column: bytes, unit: B}
      firstByte: {column: first_byte_ms, unit: ms}
      duration: {column: duration_ms, unit: ms}
      roundTrip: {column: handshake_ms, unit: ms}
      cache: cache
      network: network
    ignore: []

    """

  /// What a cache did, in words that logs have.
  private static func word(_ outcome: CacheOutcome) -> String {
    switch outcome {
    case .hit: "HIT"
    case .staleHit: "STALE"
    case .revalidated: "REVALIDATED"
    case .collapsed: "edge;fwd=miss;collapsed"
    case .miss: "MISS"
    case .bypass: "BYPASS"
    case .error: "ERROR"
    }
  }

  // MARK: Fields

  /// Microseconds since 1970.
  private func time(_ at: Instant) -> String {
    String((epoch + (at - Instant.zero).nanoseconds) / 1_000)
  }

  /// Empty for a span that cannot be: what a browser's clock says of it is no time.
  private static func milliseconds(_ span: TimeSpan) -> String {
    span < .zero ? "" : decimal(span.nanoseconds)
  }

  /// A field as RFC 4180 has it.
  private static func quoted(_ text: String) -> String {
    if !text.contains(where: { ",\"\r\n".contains($0) }) { return text }
    return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }

  private static func decimal(_ nanoseconds: Int64) -> String {
    let micros = nanoseconds / 1_000
    let rest = String(micros % 1_000)
    return "\(micros / 1_000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
  }
}
