import Models
import Studies

/// What the report on the terminal says of a run and `result.json` has no place for: the commands
/// as they were typed, what the app did in whole numbers, and how many viewers one stands for. The
/// run folder holds it, so that the report can be shown again from there.
struct RunNotes: RecordedObject {
  /// The file of a run folder that holds it.
  static let fileName = "notes.json"

  /// How to make the run again, in words.
  var run: [String] = []
  /// How to look at one of its sessions, without the session; nil where there is none to look at.
  var session: [String]?
  /// Requests of the whole audience for each simulated one; nil: all of it was simulated.
  var audienceFactor: Double?
  var client = NamedCounts()

  static let form = ResultForm<RunNotes>([
    ResultMember(
      "schema", "version of this format", .fixed(.integer(1)), \.schema
    ) { .integer(Int64($0)) },
    .fixed("kind", "what this document is", "firstframe.notes"),
    .texts("run", "the command that makes the run again, word by word", \.run),
    ResultMember(
      optional: "session", "the same of a look at one session; null: there is none",
      .optional(.list(.text(pattern: nil))), \.session
    ) { .array($0.map { .string($0) }) },
    .optionalNumber(
      "audienceFactor",
      "requests of the whole audience for each simulated one; null: all of it was simulated",
      \.audienceFactor),
    .counts("client", "what the app did, summed over the replications", clientCounts, \.client),
  ])

  private var schema = 1

  var commands: RunCommands { RunCommands(run: run, session: session) }
}

extension RunNotes {
  /// With words for reports as meanings; the memory of players is bytes.
  static let clientCounts = CountTable<FeedMeasures>([
    .count("pauses", "pauses") { $0.clientSide.pauses },
    .count("kills", "processes killed") { $0.clientSide.kills },
    .count("leftAtGate", "viewers left at the gate") {
      $0.swipes.reduce(0) { $0 + $1.leftAtGate }
    },
    .count("segmentErrors", "segments failed") { $0.clientSide.segmentErrors },
    .count("retryTaps", "taps on \"tap to retry\"") { $0.clientSide.retryTaps },
    .count("itemsGivenUp", "items given up") { $0.clientSide.itemsGivenUp },
    .count("offlineCuts", "times offline") { $0.clientSide.offlineCuts },
    .count("loops", "loops") { $0.clientSide.loops },
    .count("drafts", "drafts left") { $0.clientSide.drafts },
    .count("draftsRestored", "drafts found again") { $0.clientSide.draftsRestored },
    .count("poolSessions", "sessions that ended") { $0.clientSide.poolSessions },
    .count("poolMemory", "their players' largest memory, summed") { $0.clientSide.poolMemory },
  ])

  /// Of a run whose notes are not there.
  init(commands: RunCommands) {
    run = commands.run
    session = commands.session
  }

  init(_ result: StudyResult) {
    self.init(commands: RunCommands(result))
    audienceFactor = result.load?.factor
    client = RunNotes.clientCounts.counts(result.measures)
  }
}
