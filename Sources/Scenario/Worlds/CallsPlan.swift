import CallSignalling
import MediaUnits
import Models

/// Callers, interpreters and a signalling server, as a scenario of the world `calls` has them.
public struct CallsPlan: SectionPlan {
  public var configuration: CallsConfiguration
  public var audience: CallsAudience

  /// The world's keys and metrics.
  public static let kind = WorldKind(
    name: "calls",
    summary: "Callers and interpreters, a signalling server, and relays for their media",
    table: CallsTable.section, metrics: CallsMetrics.rows.flatMap(\.metrics),
    headline: CallsMetrics.headline
  ) { tree, size, problems in
    .calls(CallsPlan(tree, size, problems: &problems))
  }

  private init(_ tree: ResolvedTree, _ size: WorldSize, problems: inout Problems) {
    var tables = LawTables()
    configuration = CallsPlan.configuration(tree, &tables)
    audience = CallsPlan.audience(tree, &tables)
    problems.add(tables.problems)
    let part = tree.at("audience")
    if audience.warmUp >= audience.duration {
      problems.add(
        part.problem(at: "warmUp", expected: "less than the duration"))
    }
    let mix = configuration.mix
    if mix.symmetric + mix.restricted > 1 {
      problems.add(
        tree.problem(at: "media.restricted", expected: "at most 100 % together with symmetric"))
    }
    let quality = tree.at("quality")
    if configuration.quality.narrowestUplink > configuration.quality.widestUplink {
      problems.add(
        quality.problem(at: "widestUplink", expected: "at least narrowestUplink"))
    }
    // The short form is shorter; the counting begins as early.
    let counted = max(audience.duration - audience.warmUp, .zero)
    audience.duration = audience.warmUp + counted.scaled(by: size.share)
  }

  private static func span(_ tree: ResolvedTree, _ key: String) -> TimeSpan {
    TimeSpan(nanoseconds: tree.time(key))
  }

  private static func audience(
    _ tree: ResolvedTree, _ tables: inout LawTables
  ) -> CallsAudience {
    var made = CallsAudience()
    let part = tree.at("audience")
    made.callers = UInt32(part.integer("callers"))
    made.interpreters = UInt32(part.integer("interpreters"))
    made.duration = span(part, "duration")
    made.warmUp = span(part, "warmUp")
    made.callsPerHour = part.real("callsPerHour")
    made.together = UInt32(part.integer("together"))
    made.togetherWithin = span(part, "togetherWithin")
    let trouble = tree.at("trouble")
    made.outagesPerHour = trouble.real("outagesPerHour")
    made.outageLength = DelayLaw(tables.table(trouble, "outageLength"))
    made.deadPerHour = trouble.real("deadPerHour")
    made.awayPerHour = trouble.real("awayPerHour")
    made.awayLength = DelayLaw(tables.table(trouble, "awayLength"))
    made.killsPerHour = trouble.real("killsPerHour")
    made.killLength = DelayLaw(tables.table(trouble, "killLength"))
    made.stopsPerHour = trouble.real("stopsPerHour")
    made.stopLength = DelayLaw(tables.table(trouble, "stopLength"))
    return made
  }

  private static func configuration(
    _ tree: ResolvedTree, _ tables: inout LawTables
  ) -> CallsConfiguration {
    var made = CallsConfiguration()
    (made.server, made.client) = machines(tree.at("protocol"))
    let network = tree.at("network")
    made.network = DelayLaw(tables.table(network, "oneWay"))
    made.connectRoundTrips = network.boolean("secure") ? 4 : 3
    made.discovery = DelayLaw(tables.table(network, "discovery"))
    made.discoveryDenied = network.ratio("discoveryDenied")
    made.addressTyping = DelayLaw(tables.table(network, "typing"))
    let users = tree.at("users")
    made.answering = DelayLaw(tables.table(users, "answering"))
    made.declines = users.ratio("declines")
    made.ignores = users.ratio("ignores")
    made.talking = DelayLaw(tables.table(users, "talking"))
    made.tries = Int(tree.integer("audience.tries"))
    made.retryAfter = DelayLaw(tables.table(tree, "audience.retryAfter"))
    let media = tree.at("media")
    made.mix = TranslationMix(
      symmetric: media.ratio("symmetric"), restricted: media.ratio("restricted"),
      blocksUDP: media.ratio("blocksUDP"), onlyTLS: media.ratio("onlyTLS"))
    made.relayCapacity = Int(media.integer("relays"))
    made.checking = DelayLaw(tables.table(media, "checking"))
    made.tcpExtra = DelayLaw(tables.table(media, "tcpExtra"))
    made.describing = DelayLaw(tables.table(media, "describing"))
    made.cameraStart = DelayLaw(tables.table(media, "cameraStart"))
    made.keyFrame = DelayLaw(tables.table(media, "keyFrame"))
    made.mediaTimeout = span(media, "timeout")
    made.quality = quality(tree.at("quality"), &tables)
    made.quality.monitors = ScenarioTable.monitors.value(tree, "protocol.quality")(
      tree.at("protocol.quality"))
    return made
  }

  private static func quality(_ part: ResolvedTree, _ tables: inout LawTables) -> CallQuality {
    var made = CallQuality()
    made.bitRate = Double(part.bitRate("bitRate"))
    made.narrowestUplink = Double(part.bitRate("narrowestUplink"))
    made.widestUplink = Double(part.bitRate("widestUplink"))
    made.loss = part.ratio("loss")
    made.spellsPerHour = part.real("spellsPerHour")
    made.spellLength = DelayLaw(tables.table(part, "spellLength"))
    made.spellLoss = part.ratio("spellLoss")
    made.repeats = part.boolean("repeats")
    made.redundancy = part.ratio("redundancy")
    made.slowShare = part.ratio("slowShare")
    made.slowFrameRate = part.real("slowFrameRate")
    made.hotAfter = span(part, "hotAfter")
    made.hotFrameRate = part.real("hotFrameRate")
    return made
  }

  private static func machines(
    _ part: ResolvedTree
  ) -> (CallServer.Configuration, CallClient.Configuration) {
    let clocks = part.at("timeouts")
    let timeouts = CallTimeouts(
      ring: span(clocks, "ring"), offerAnswer: span(clocks, "offerAnswer"),
      ice: span(clocks, "ice"), iceClock: CallsTable.iceClocks.value(clocks, "iceClock"),
      connecting: span(clocks, "connecting"))
    let server = CallServer.Configuration(
      presenceLife: span(part, "presenceLife"), timeouts: timeouts,
      departure: CallsTable.departures.value(part, "departure")(part.at("departure")),
      lock: CallsTable.locks.value(part, "lock"),
      returning: CallsTable.returns.value(part, "returning"),
      missLimit: Int(part.integer("missLimit")))
    let client = CallClient.Configuration(
      heartbeat: span(part, "heartbeat"), heartbeatJitter: part.ratio("heartbeatJitter"),
      timeouts: timeouts, signallingGrace: span(part, "signallingGrace"))
    return (server, client)
  }
}
