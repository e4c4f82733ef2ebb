import MessageDelivery
import Models

/// The keys of the world `messages`.
enum MessagesTable {
  static let section = ObjectShape([
    Field("audience", .object(audience), default: "{}", "Who sends to whom, and when"),
    Field("network", .object(network), default: "{}", "Requests, transfers and connections"),
    Field("push", .object(push), default: "{}", "The push service"),
    Field("protocol", .object(messageProtocol), default: "{}", "The shipped machines' settings"),
    Field(
      "openGrace", .time(0...3_600_000_000_000), default: "2 s",
      "So long after an opening the screen must show what the service had then",
      source: "TBM-007: one round trip and the service's time; the tail of a round trip is 1.2 s"),
  ])

  static let audience = ObjectShape([
    Field(
      "groups", .integer(1...100_000), default: "20", "Groups of clients that send to each other"),
    Field("clients", .integer(2...32), default: "4", "Clients of a group"),
    Field(
      "duration", .time(1_000_000_000...2_592_000_000_000_000), default: "24 h",
      "Simulated time of a replication"),
    Field("opensPerDay", .real(RealRange(0, 10_000)), default: "20", "Openings by client and day"),
    Field(
      "sessionLength", .law(.time),
      default: "{kind: lognormal, median: 60 s, sigma: 1.0, clip: {min: 5 s, max: 60 min}}",
      "How long the app stays open", source: "assumed; TBM-045 asks for 30 s to 1 h"),
    Field(
      "sendsPerDay", .real(RealRange(0, 10_000)), default: "8", "Videos sent by client and day",
      source: "assumed; TBM-041: 4 in transit on average"),
    Field(
      "lookEvery", .time(100_000_000...3_600_000_000_000), default: "5 s",
      "Between two looks at what has come, while the app is open"),
    Field("neverViewed", .ratio, default: "0", "Videos that are never viewed", source: "TBM-062"),
    Field("killShare", .ratio, default: "0", "Sessions that end with the process killed"),
  ])

  static let network = ObjectShape([
    .oneWay,
    Field(
      "transfer", .law(.time),
      default: "{kind: lognormal, median: 1.2 s, sigma: 0.7, clip: {min: 0.2 s, max: 30 s}}",
      "A video into or out of the store, beyond the message",
      source: "assumed: 2 MB at 4 to 50 Mbps"),
    Field(
      "storeEvent", .law(.time), default: "{kind: uniform, min: 100 ms, max: 1.5 s}",
      "The store's word to the service; mediated uploads only"),
    Field(
      "loss", .ratio, default: "0",
      "Requests that never arrive, and as many answers; each is repeated after its time-out"),
    Field(
      "outagesPerDay", .real(RealRange(0, 10_000)), default: "6",
      "Times that a connection fails, by client and day",
      source: "parameters.md section 10: tunnels at 1/h while driving; the share is assumed"),
    .outageLength(longest: "1 h"),
  ])

  static let push = ObjectShape([
    Field(
      "delay", .law(.time),
      default: "{kind: lognormal, median: 0.6 s, sigma: 0.75, clip: {min: 50 ms, max: 10 min}}",
      "From the service to the device", source: "parameters.md section 9: APNs"),
    Field(
      "loss", .ratio, default: "3 %", "Pushes that never arrive",
      source: "parameters.md section 9: 3 % iOS, 8 % Android"),
    Field(
      "blocked", .ratio, default: "0", "Clients whose push channel is blocked",
      source: "TBM-047; parameters.md section 9: port-blocked Wi-Fi"),
    Field(
      "wakesPerHour", .integer(0...3600), default: "3",
      "Wakes of an app in the background, in an hour", source: "parameters.md section 9"),
  ])

  static let payloads = Choice<PushPayload>([
    .init("trigger", "the video that changed", value: .trigger),
    .init("pending", "all that wait, and the upload that changed", value: .pending),
    .init("full", "all that a poll would say", value: .full),
    .init("empty", "nothing: the client polls", value: .empty),
  ])

  static let addresses = Choice<AddressKind>([
    .init("names", "the video's name only", value: .names),
    .init("plain", "an address", value: .plain),
    .init("presigned", "an address with a signature", value: .presigned),
    .init("presigned-with-token", "and with a session's token", value: .presignedWithToken),
  ])

  static let cleanups = PluginFamily<@Sendable (ResolvedTree) -> CleanupRule>([
    .init("on-view", "As soon as a video is viewed") { _ in .onView },
    .init("on-acknowledgement", "When the sender has said that it knows of the view") { _ in
      .onAcknowledgement
    },
    .init("on-replacement", "When the next video between the two is registered") { _ in
      .onReplacement
    },
    .init("by-sender", "When the sender asks for it, after its next upload") { _ in .bySender },
    .init("by-recipient", "When the recipient asks for it, after the view") { _ in .byRecipient },
    .init(
      "after", "So long after the registration",
      [
        Field(
          "time", .time(1_000_000_000...31_536_000_000_000_000), default: "24 h", "How long")
      ]
    ) { .after($0.span("time")) },
  ])

  static let identities = Choice<StatusIdentity>([
    .init("video", "the video that a report names", value: .video),
    .init("pair", "the last one between the two: a known fault", value: .pair),
  ])

  static let uploads = Choice<UploadSequence>([
    .init("direct", "into the store, then tell the service", value: .direct),
    .init("announced", "announce, into the store, tell the service", value: .announced),
    .init("mediated", "announce, into the store, which tells the service", value: .mediated),
    .init("proxied", "through the service", value: .proxied),
  ])

  static let missing = Choice<MissingRule>([
    .init("viewed", "it was viewed: a known fault", value: .viewed),
    .init("nothing", "nothing", value: .nothing),
    .init(
      "viewed-if-newer", "it was viewed, if the packet is as new as the registration",
      value: .viewedIfNewer),
  ])

  static let pushRules = Choice<PollMachine.PushRule>([
    .init("nothing", "nothing but what the push carries", value: .nothing),
    .init("poll", "a poll at once", value: .poll),
    .init("after-downloads", "a poll when the downloads are done", value: .afterDownloads),
    .init(
      "both", "a poll at once and another when the downloads are done", value: .both),
  ])

  static let messageProtocol = ObjectShape(server + clients)

  private static let server = [
    Field(
      "payload", .word(payloads.words), default: "full", "What a push carries", source: "OQ-01"),
    Field(
      "addresses", .word(addresses.words), default: "names",
      "How a packet names what is to be downloaded", source: "TBM-015"),
    Field(
      "states", .integer(3...5), default: "4",
      "States kept apart: uploaded, downloaded, viewed; notified; received", source: "OQ-07"),
    Field(
      "cleanup", .kinds(cleanups.kinds), default: "{kind: on-replacement}",
      "When the service forgets a video",
      source: "OQ-04"),
    Field(
      "perPoll", .integer(0...1000), default: "0", "Videos in one packet; 0 for all of them",
      source: "OQ-03"),
    Field(
      "replaces", .boolean, default: "true",
      "Whether a new video takes the place of the one before", source: "TBM-034"),
    Field(
      "identity", .word(identities.words), default: "video", "What a report is about",
      source: "TBM-055"),
    Field(
      "keepsPackets", .boolean, default: "false",
      "Whether packets are kept ready instead of computed for each poll", source: "TBM-042"),
    Field(
      "sweepPeriod", .time(0...2_592_000_000_000_000), default: "1 h",
      "Between two sweeps for videos that nobody registered; 0 for none", source: "TBM-049"),
    Field(
      "strayAge", .time(0...2_592_000_000_000_000), default: "10 min",
      "How long such a video must have lain there", source: "TBM-049"),
  ]

  private static let clients = [
    Field(
      "upload", .word(uploads.words), default: "direct", "The requests of an upload",
      source: "OQ-06"),
    Field(
      "missing", .word(missing.words), default: "viewed-if-newer",
      "What it means that a packet leaves an upload out",
      source: "OQ-05"),
    Field(
      "polls", .kinds(ScenarioTable.polls.kinds), default: "{kind: timer}",
      "Who decides when a client polls",
      source: "TBM-011", isSaidAtDefault: false),
    Field(
      "pollsAtStart", .boolean, default: "true",
      "Whether opening the app or a new connection polls", source: "TBM-011, TBM-043"),
    Field(
      "onPush", .word(pushRules.words), default: "poll", "What follows a push", source: "TBM-016"),
    Field(
      "pollsAfterDownload", .boolean, default: "false",
      "Whether the end of a download polls", source: "TBM-012"),
    Field(
      "trackedInterval", .time(0...86_400_000_000_000), default: "30 s",
      "Timer A: wait for the next poll while something is in transit; 0 for none",
      source: "OQ-02"),
    Field(
      "idleInterval", .time(0...86_400_000_000_000), default: "10 min",
      "Timer B: the same when nothing is; 0 for none", source: "OQ-02"),
    Field(
      "backgroundFactor", .integer(0...1000), default: "0",
      "How much longer both are in the background; 0 for no timer there", source: "TBM-046"),
    Field(
      "runsInBackground", .boolean, default: "false",
      "Whether an app in the background keeps its connection", source: "TBM-046"),
    Field(
      "knowsNames", .boolean, default: "true",
      "Whether recipients tell videos apart by their names", source: "TBM-020"),
    Field(
      "keepsReports", .boolean, default: "true",
      "Whether reports that were not heard are kept over a restart", source: "TBM-051"),
    Field(
      "reportsAllAtStart", .boolean, default: "false",
      "Whether everything in the list is reported again at a start", source: "TBM-052"),
  ]
}
