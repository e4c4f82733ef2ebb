import FeedPolicy
import ForeignPolicies
import MediaUnits

/// The families of prefetch, whose rows stand in their own files of `FeedPolicy`.
extension ScenarioTable {
  static let prefetchFamilies = PluginFamily<PrefetchKind>(
    shippedPrefetch + [externalPrefetch] + PolicyPackages.installed.prefetch.map { packaged($0) })

  /// The words of those that the program ships.
  static var shippedPrefetchWords: [String] {
    (shippedPrefetch + [externalPrefetch]).map(\.kind.word)
  }

  private static let shippedPrefetch: [PluginFamily<PrefetchKind>.Row] =
    PrefetchFamily.allCases.map { family in
      let row = family.row
      return .init(
        "\(row.word)", "\(row.summary)", row.settings.map { field($0) }, value: .family(family))
    }

  private static let externalPrefetch = PluginFamily<PrefetchKind>.Row(
    "external", "A process of yours decides, over its standard input and output", externalFields,
    value: .external)

  private static let externalFields = [
    commandField, timeoutField,
    Field(
      "itemsAhead", .integer(0...10), default: "3", "How many items ahead it may fetch",
      source: "VF-013; value assumed"),
    Field(
      "playedTwice", .ratio, default: "5 %",
      "Part of the sessions that are played to it a second time, and must be answered the same"),
    rungField,
  ]

  /// The keys of a process that is asked question by question.
  static let processFields = [
    commandField, timeoutField,
    Field(
      "playedTwice", .ratio, default: "5 %",
      "Part of the questions that are put a second time, and must be answered the same"),
  ]

  private static let commandField = Field(
    "command", .list(.text(), count: 1...64), default: .required,
    "The program and its arguments; it runs in the folder of the file that names it")

  private static let timeoutField = Field(
    "timeout", .time(1_000_000...3_600_000_000_000), default: "2 s",
    "Longest wait for an answer; at least 10 s for the first one")

  private static let rungField = Field(
    PrefetchKey.of(.rung).name, PrefetchKey.of(.rung).shape, default: "none",
    PrefetchKey.of(.rung).summary, source: "VF-026")

  /// A policy that the program was built with, whose parameters are its keys.
  private static func packaged(_ package: PrefetchPackage) -> PluginFamily<PrefetchKind>.Row {
    .init(
      package.row.word, package.row.summary, package.row.fields + [rungField],
      value: .packaged(package))
  }

  private static func field(_ setting: PrefetchSetting) -> Field {
    let key = PrefetchKey.of(setting.key)
    return Field(
      key.name, key.shape, default: .text("\(setting.preset)"), key.summary,
      source: "\(setting.source)")
  }
}

/// Who decides what is prefetched.
enum PrefetchKind: Sendable {
  /// The shipped policy, by a family of its rules.
  case family(PrefetchFamily)
  /// A process (docs/decisions/0043).
  case external
  /// A policy that this program was built with (docs/decisions/0044).
  case packaged(PrefetchPackage)
}

/// The key of a setting that families of prefetch have.
struct PrefetchKey: Sendable {
  /// The key.
  let name: String
  /// Its unit and range.
  let shape: Shape
  /// What it means, one line without a full stop.
  let summary: String
  /// Puts its value into the configuration.
  let set: @Sendable (inout PrefetchPolicy.Configuration, _ value: ResolvedTree) -> Void

  private init(
    _ name: String, _ shape: Shape, _ summary: String,
    set: @escaping @Sendable (inout PrefetchPolicy.Configuration, ResolvedTree) -> Void
  ) {
    self.name = name
    self.shape = shape
    self.summary = summary
    self.set = set
  }

  /// The key of a setting. A new setting is a line here and one in ``PrefetchSetting/Key``.
  static func of(_ key: PrefetchSetting.Key) -> PrefetchKey {
    switch key {
    case .headLength:
      span("headLength", "Media of the next item that is prefetched; 0 turns prefetch off") {
        $0.headLength = $1
      }
    case .furtherLength:
      span("furtherLength", "Media of items beyond the next one") { $0.furtherLength = $1 }
    case .previousLength:
      span("previousLength", "Media of the previous item") { $0.previousLength = $1 }
    case .near:
      span("near", "Media of the next item", ScenarioTable.positiveTimes) { $0.headLength = $1 }
    case .far: span("far", "Media of items beyond the next one") { $0.furtherLength = $1 }
    case .behind: span("behind", "Media of the previous item") { $0.previousLength = $1 }
    case .pauseBelowBuffer:
      span(
        "pauseBelowBuffer",
        "No prefetch starts while less than this is buffered of the current item"
      ) { $0.pauseBelowBuffer = $1 }
    case .itemsAhead: count("itemsAhead", "Items ahead that are considered") { $0.itemsAhead = $1 }
    case .concurrency: count("concurrency", "Prefetches at a time") { $0.concurrency = $1 }
    case .segments:
      count("segments", "Segments of each item") { $0.furtherLength = $0.segmentLength * Int64($1) }
    case .previousThreshold:
      PrefetchKey(
        "previousThreshold", .real(.nonNegative),
        "Throughput over bit rate from which the previous item is considered"
      ) { $0.previousThreshold = $1.real() }
    case .cover:
      PrefetchKey(
        "cover", .optional(.real(.positive)),
        "How many times slower than estimated the link may get: what is prefetched is only as long"
          + " as that asks for; none for the whole length"
      ) { $0.cover = $1.optionalReal() }
    case .leastWatched:
      PrefetchKey(
        "leastWatched", .ratio, "Least share of viewers who get to what is fetched"
      ) { $0.leastWatched = $1.ratio() }
    case .bufferCover:
      PrefetchKey(
        "bufferCover", .real(.positive),
        "Segments of the current item that are held ahead on a link twice as fast as the bit"
          + " rate, fewer on a faster one"
      ) { $0.bufferCover = $1.real() }
    case .suspendOnStall:
      PrefetchKey(
        "suspendOnStall", .boolean,
        "Whether prefetches in progress stop while the current item stalls"
      ) { $0.suspendsOnStall = $1.boolean() }
    case .rung: rung("The rung that is prefetched; none for the one that the rules choose")
    case .neighbourRung:
      rung("The rung that neighbours load; none for the one that the rules choose")
    }
  }

  private static func span(
    _ name: String, _ summary: String, _ range: ClosedRange<Int64> = ScenarioTable.times,
    set: @escaping @Sendable (inout PrefetchPolicy.Configuration, TimeSpan) -> Void
  ) -> PrefetchKey {
    PrefetchKey(name, .time(range), summary) { set(&$0, $1.span()) }
  }

  private static func count(
    _ name: String, _ summary: String,
    set: @escaping @Sendable (inout PrefetchPolicy.Configuration, Int) -> Void
  ) -> PrefetchKey {
    PrefetchKey(name, .integer(0...10), summary) { set(&$0, Int($1.integer())) }
  }

  /// The host's, not the machine's: ``ScenarioTable/policy`` reads it.
  private static func rung(_ summary: String) -> PrefetchKey {
    PrefetchKey("rung", .optional(.integer(0...7)), summary) { _, _ in }
  }
}
