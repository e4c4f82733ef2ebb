import MediaUnits
import MessageDelivery
import Models

/// Clients that send each other videos, as a scenario of the world `messages` has them.
public struct MessagesPlan: SectionPlan {
  public var configuration: MessagingConfiguration
  public var audience: MessagingAudience
  /// Groups of one replication.
  public var groups: Int

  /// The world's keys and metrics.
  public static let kind = WorldKind(
    name: "messages",
    summary: "Clients that send each other videos through a store, a service and a push service",
    table: MessagesTable.section, metrics: MessagesMetrics.rows.flatMap(\.metrics),
    headline: MessagesMetrics.headline
  ) { tree, size, problems in
    .messages(MessagesPlan(tree, size, problems: &problems))
  }

  private init(_ tree: ResolvedTree, _ size: WorldSize, problems: inout Problems) {
    var tables = LawTables()
    configuration = MessagesPlan.configuration(tree, &tables)
    audience = MessagesPlan.audience(tree, &tables)
    groups = size.count(tree.integer("audience.groups"))
    problems.add(tables.problems)
    let part = tree.at("protocol")
    if configuration.polls == nil && part.integer("perPoll") > 0 && part.word("payload") == "full"
      && part.word("onPush") == "nothing" && !part.boolean("pollsAtStart")
    {
      problems.add(
        part.problem(
          at: "perPoll", expected: "0, when nothing polls for what a packet leaves out"))
    }
  }

  private static func audience(
    _ tree: ResolvedTree, _ tables: inout LawTables
  ) -> MessagingAudience {
    let part = tree.at("audience")
    var audience = MessagingAudience()
    audience.clients = UInt32(part.integer("clients"))
    audience.duration = TimeSpan(nanoseconds: part.time("duration"))
    audience.opensPerDay = part.real("opensPerDay")
    audience.sessionLength = tables.table(part, "sessionLength")
    audience.sendsPerDay = part.real("sendsPerDay")
    audience.lookEvery = TimeSpan(nanoseconds: part.time("lookEvery"))
    audience.killShare = part.ratio("killShare")
    let network = tree.at("network")
    audience.outagesPerDay = network.real("outagesPerDay")
    audience.outageLength = tables.table(network, "outageLength")
    audience.blockedShare = tree.ratio("push.blocked")
    return audience
  }

  private static func configuration(
    _ tree: ResolvedTree, _ tables: inout LawTables
  ) -> MessagingConfiguration {
    let part = tree.at("protocol")
    var made = MessagingConfiguration()
    made.network = DelayLaw(tables.table(tree, "network.oneWay"))
    made.transfer = DelayLaw(tables.table(tree, "network.transfer"))
    made.storeEvent = DelayLaw(tables.table(tree, "network.storeEvent"))
    made.requestLoss = tree.ratio("network.loss")
    made.push = DelayLaw(tables.table(tree, "push.delay"))
    made.pushLoss = tree.ratio("push.loss")
    made.wakesPerHour = Int(tree.integer("push.wakesPerHour"))
    made.runsInBackground = part.boolean("runsInBackground")
    made.neverViewed = tree.ratio("audience.neverViewed")
    made.openGrace = TimeSpan(nanoseconds: tree.time("openGrace"))
    let cleanup = MessagesTable.cleanups.value(part, "cleanup")(part.at("cleanup"))
    made.sender = SenderMachine.Configuration(
      sequence: MessagesTable.uploads.value(part, "upload"),
      missing: MessagesTable.missing.value(part, "missing"),
      acknowledges: cleanup == .onAcknowledgement, deletesPrevious: cleanup == .bySender,
      replaces: part.boolean("replaces"))
    made.receiver = ReceiverMachine.Configuration(
      lattice: lattice(part), knowsNames: part.boolean("knowsNames"),
      keepsReports: part.boolean("keepsReports"),
      reportsAllAtStart: part.boolean("reportsAllAtStart"),
      deletesViewed: cleanup == .byRecipient)
    made.poll = PollMachine.Configuration(
      pollsAtStart: part.boolean("pollsAtStart"),
      onPush: MessagesTable.pushRules.value(part, "onPush"),
      pollsAfterDownload: part.boolean("pollsAfterDownload"),
      trackedInterval: TimeSpan(nanoseconds: part.time("trackedInterval")),
      idleInterval: TimeSpan(nanoseconds: part.time("idleInterval")),
      backgroundFactor: part.integer("backgroundFactor"))
    made.polls = ScenarioTable.polls.value(part, "polls")(part.at("polls"))
    made.server = MessageServer.Configuration(
      lattice: lattice(part), cleanup: cleanup,
      payload: MessagesTable.payloads.value(part, "payload"),
      addresses: MessagesTable.addresses.value(part, "addresses"),
      downloadsPerPacket: Int(part.integer("perPoll")), replaces: part.boolean("replaces"),
      identity: MessagesTable.identities.value(part, "identity"),
      keepsPackets: part.boolean("keepsPackets"),
      sweepPeriod: TimeSpan(nanoseconds: part.time("sweepPeriod")),
      strayAge: TimeSpan(nanoseconds: part.time("strayAge")))
    return made
  }

  private static func lattice(_ part: ResolvedTree) -> StatusLattice {
    StatusLattice(rawValue: UInt8(part.integer("states"))) ?? .four
  }
}
