import ArgumentParser
import Foundation
import Models
import Reports
import Scenario
import Studies

/// `firstframe replay cache`
struct ReplayCache: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "Say what caches would have missed of recorded requests.",
    discussion: """
      Example: firstframe replay cache requests.csv --policy lru --policy s3-fifo \
      --capacity 10GiB --capacity 5% --mrc

      Several files are joined in order; their times must not go back from one to the next, but \
      logs (cloudfront, common) are sorted by time. A file - is standard input. Compressed files \
      have to be unpacked: gunzip -c access.log.gz | firstframe replay cache -

      Formats:
      \(CacheTraceFormat.allCases.map { "  \($0.rawValue): \($0.summary)" }.joined(separator: "\n"))
      Without --format the end of the name tells .u32le, .rec17, .oracleGeneral and \
      .oracleGeneral.bin; the first line tells the others.

      Policies: \(CacheWords.policies)
      s3-fifo and w-tinylfu are as in libCacheSim, which sets w-tinylfu's sketch to next to nothing \
      at some capacities above 2 GB and stores nothing below 100 bytes; w-tinylfu:wide is free of \
      both. lookahead:REQUESTS is LRU that keeps what the next so many requests ask for, as \
      far as feeds that know their order could tell; belady knows all requests.

      Every policy is replayed at every capacity, from an empty cache. Same files and options, \
      same output, whatever the number of threads.
      Exit codes: 0 done, 64 usage, 65 bad data, 66 a file is missing, 73 cannot write.
      """)

  @Argument(help: ArgumentHelp("The trace files.", valueName: "trace"))
  var traces: [String]

  @Option(help: "The format of the files.", transform: { try ReplayOptions.format($0) })
  var format: CacheTraceFormat?

  @Option(
    help: ArgumentHelp(
      "Sizes for u32le: 2^k lines of bytes; line mix(id) mod 2^k, mix being SplitMix64.",
      valueName: "file"))
  var sizeTable: String?

  @Option(
    help: ArgumentHelp(
      "Logs: whether the query of a URL is part of what a cache knows it by: keep (the default) "
        + "or drop.", valueName: "mode"),
    transform: { try ReplayOptions.dropsQueries($0) })
  var query: Bool?

  @Flag(help: "Count every object as one; capacities are numbers of objects.")
  var unitSizes = false

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A policy; may be repeated. Default: lru, sieve, s3-fifo, w-tinylfu:wide.",
      valueName: "policy"))
  var policy: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A capacity such as 10GiB, 500MB, 1000000 (bytes) or 10% of the working set; may be "
        + "repeated. Default: 1%, 3%, 10%, 30%.", valueName: "capacity"))
  var capacity: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Which missed objects are stored: \(CacheWords.admissions) (bloom: from the second miss).",
      valueName: "rule"))
  var admission = "all"

  @Option(
    help: ArgumentHelp(
      "Lifetimes: ignore (the default), rfc9111 (fresh while age < ttl), reference (while age "
        + "<= ttl).",
      valueName: "mode"),
    transform: { try ReplayOptions.expiry($0) })
  var ttl: CacheExpiry = .ignore

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Two tiers: one such cache for each node of the trace.", valueName: "policy:capacity"))
  var edges: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The cache that the edges ask.", valueName: "policy:capacity"))
  var shield: String?

  @Option(
    help: ArgumentHelp(
      "What an edge's copy from the shield has left of its lifetime: inherited (the rest, the "
        + "default) or fresh (all).", valueName: "mode"),
    transform: { try ReplayOptions.age($0) })
  var age: CacheReplay.Age?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Replay this share of the objects, chosen by hash, on capacities scaled alike: an estimate.",
      valueName: "rate"),
    transform: { try ReplayOptions.rate($0) })
  var sample: Double?

  @Flag(help: "Also give the miss ratio as a function of the capacity.")
  var mrc = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --mrc: also estimate LRU's curve in one pass from this share of the objects, at least "
        + "\(ReplayPlan.leastShards) (SHARDS of fixed size).",
      valueName: "share"),
    transform: { try ReplayOptions.rate($0) })
  var shards: Double?

  @Option(
    help: ArgumentHelp("Write the points of the curves to a CSV file.", valueName: "file"))
  var mrcCsv: String?

  @Option(help: ArgumentHelp("Draw the curves into an SVG file.", valueName: "file"))
  var svg: String?

  @Flag(help: "Print the counts as JSON.")
  var json = false

  @OptionGroup var threads: ThreadOption

  func validate() throws {
    _ = try plan()
    if sizeTable != nil, let format, format != .u32le {
      throw ValidationError("--size-table: expected --format u32le, got \(format.rawValue)")
    }
  }

  /// What is asked for.
  private func plan() throws -> ReplayPlan {
    let isCurve = mrc || mrcCsv != nil || svg != nil
    var plan = ReplayPlan(
      kinds: try policy.map { try ReplayOptions.policy($0, option: "--policy") },
      capacities: try capacity.map {
        try ReplayOptions.capacity($0, option: "--capacity", unitSizes: unitSizes)
      },
      admission: try ReplayOptions.admission(admission), expiry: ttl, unitSizes: unitSizes,
      rate: sample, hasCurves: isCurve, shards: shards)
    if shards != nil && !(isCurve && plan.hasPlainLRU) {
      throw ValidationError(
        "--shards: expected --mrc beside it, and neither --ttl nor --admission, got another")
    }
    if plan.kinds.isEmpty { plan.kinds = ReplayPlan.usualKinds }
    if plan.capacities.isEmpty { plan.capacities = ReplayPlan.usualCapacities }
    guard let edges, let shield else {
      if edges != nil || shield != nil {
        throw ValidationError(
          edges == nil
            ? "--shield: expected --edges beside it, got none"
            : "--edges: expected --shield beside it, got none")
      }
      if age != nil { throw ValidationError("--age: expected it with --edges and --shield") }
      return plan
    }
    if !policy.isEmpty || !capacity.isEmpty || sample != nil || isCurve {
      throw ValidationError(
        "--edges: expected it without --policy, --capacity, --sample and --mrc, got both")
    }
    plan.tiers = ReplayPlan.Tiers(
      edge: try ReplayOptions.tier(edges, option: "--edges", unitSizes: unitSizes),
      shield: try ReplayOptions.tier(shield, option: "--shield", unitSizes: unitSizes),
      age: age ?? .inherited)
    return plan
  }

  func run() async throws {
    let plan = try plan()
    let progress = ReplayProgress()
    let loaded: CacheTraceRequest.Loaded
    do {
      loaded = try CacheTraceRequest(
        files: traces, format: format, sizeTable: sizeTable, dropsQueries: query == true
      ).load { progress.show(bytes: $0) }
    } catch {
      progress.clear()
      Console.note(error.description)
      throw ExitCode(error.isMissingFile ? ExitStatus.missingFile : ExitStatus.badData)
    }
    progress.clear()
    if sizeTable != nil && loaded.format != .u32le {
      Console.error("--size-table: expected a trace in u32le, got \(loaded.format.rawValue)")
      throw ExitCode(ExitStatus.usage)
    }
    if query != nil && !loaded.format.hasQueries {
      Console.error(
        "--query: expected a trace in cloudfront or common, got \(loaded.format.rawValue)")
      throw ExitCode(ExitStatus.usage)
    }
    let study = ReplayStudy(loaded.trace, plan: plan, threads: threads.count)
    if study.hasEmptySample {
      Console.error("--sample: expected a rate that leaves objects in the sample, got none")
      throw ExitCode(ExitStatus.usage)
    }
    for note in loaded.notes + study.remarks { Console.note("note: \(note)") }
    let result = await study.run { progress.show(finished: $0, of: $1) }
    progress.clear()
    if let mrcCsv { try write(ReplayCurveText.csv(result.curves), to: mrcCsv) }
    if let svg { try write(ReplayCurveChart.svg(result), to: svg) }
    try emit(json ? ReplayDocument.json(result).text() : ReplayReport.text(result))
  }

  private func write(_ text: String, to path: String) throws {
    do throws(RunFolder.WriteError) {
      try RunFolder.writeFile(text, to: path)
    } catch {
      Console.error(error.description)
      throw ExitCode(ExitStatus.cannotWrite)
    }
  }
}
