import ArgumentParser
import Foundation
import Reports
import Scenario
import Statistics
import Studies

/// `firstframe match`
struct Match: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "match",
    abstract: "Fit keys of a scenario by simulation, until it predicts what was observed.",
    discussion: """
      Example: firstframe match my-feed.yaml --observed week.csv --map columns.yaml \\
                 --fit 'network.access[0].sessionRate.median=1..60 Mbps' --output fitted.yaml

      For keys that no column tells, such as a link's rate where transfers are short: calibrate \
      what columns tell first. The scenario is predicted with the same seeds again and again, and \
      the keys moved until percentiles of the time to the first frame, who left, stalls, watch \
      time, bytes and hit ratios are those that were observed, by network where both sides have \
      its words; docs/reference/backtest.md. What its policies chose to fetch is on both sides. \
      Ranges begin above zero; the search begins in their middle, of logarithms.

      --output gets the scenario with the keys found; each has its interval in a remark. A key \
      that these views do not tell says so, and ends the command with 13; so does a search that \
      did not come to rest.

      Exit codes: 0 all keys are told, 13 one is not, or too little data; 64 usage, 65 files that \
      cannot be used, 66 a file is missing, 70 too many predicted views, 73 cannot write.
      """)

  @Argument(help: "The scenario file.")
  var file: String

  @OptionGroup var files: ObservedOptions

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "A key and where its value is looked for; repeatable, at most 8.", valueName: "key=low..high")
  )
  var fit: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Replications of each prediction, 8...64. Default: 16.", valueName: "n"),
    transform: { try Bounds.whole($0, in: 8...64) })
  var replications: Int64?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Write the fitted scenario here.", valueName: "file.yaml"))
  var output: String?

  @Flag(help: "Print the report as JSON.")
  var json = false

  @OptionGroup var options: ScenarioOptions
  @OptionGroup var flags: StudyFlags

  /// More keys than this no such metrics tell apart.
  private static let mostKeys = 8

  func validate() throws {
    let keys = try keys()
    if keys.isEmpty { throw ValidationError("--fit: expected a key and its range, got none") }
    if keys.count > Self.mostKeys {
      throw ValidationError("--fit: expected at most \(Self.mostKeys) keys, got \(keys.count)")
    }
    for (place, key) in keys.enumerated()
    where keys[..<place].contains(where: { $0.key == key.key }) {
      throw ValidationError("--fit: expected each key once, got \(key.key) twice")
    }
    if files.observed.isEmpty {
      throw ValidationError("--observed: expected files with views, got logs alone")
    }
  }

  private func keys() throws -> [MatchedKey] {
    try fit.map { text in
      guard let key = MatchedKey(text) else {
        throw ValidationError(
          "--fit: expected key=low..high with 0 < low < high and one unit behind, such as "
            + "'network.access[0].sessionRate.median=1..60 Mbps', got \(text)")
      }
      return key
    }
  }

  func run() async throws {
    try await Failures.reported {
      do {
        try await match()
      } catch let error as StatisticsError {
        Console.error(error.description)
        throw ExitCode(ExitStatus.invalid)
      }
    }
  }

  private func match() async throws {
    let keys = try keys()
    // A key that cannot be set to the ends of its range, or changes nothing, is known before files
    // are read.
    for key in keys {
      let ends = try [key.range.lowerBound, key.range.upperBound].map {
        try study([key.setting($0)])
      }
      if ends[0].digest == ends[1].digest {
        throw ValidationError("--fit: expected a key that changes the scenario, got \(key.key)")
      }
    }
    let observed = try files.read()
    let count = Int(replications ?? 16)
    var runs = 0
    let matching = try await Matching.fit(
      keys.map { ($0, ($0.range.lowerBound * $0.range.upperBound).squareRoot()) },
      observed: observed,
      expect: { beside in
        guard let store = PlannedStudy.store else { return }
        for settings in beside {
          BacktestPrediction.ask(for: try study(settings), replications: count, store)
        }
      }
    ) { settings in
      runs += 1
      if !flags.quiet {
        let values = settings.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
        Console.note("prediction \(runs): \(values)")
      }
      return try await BacktestPrediction.views(
        try study(settings), replications: count, parts: observed.parts,
        beginsWithPlay: observed.beginsWithPlay, threads: flags.threads.count,
        pilots: flags.kept.pilots, shards: PlannedStudy.store)
    }
    let fitted = try study(matching.settings)
    let report = MatchingReport(
      matching, scenario: fitted.name, replications: count, notes: observed.notes)
    if let output {
      let text = report.fragment(
        fitted.scenario.resolvedText,
        command: ShellText.command(
          [Program.name] + (PlannedStudy.words ?? Array(CommandLine.arguments.dropFirst()))))
      try RunFolder.writeFile(text, to: output)
    }
    try emit(report.output(json: json))
    if !report.isTold { throw ExitCode(ExitStatus.invalid) }
  }

  /// A scenario of full-screen items with keys set, beneath what `--set` says.
  private func study(_ settings: [Variant.Setting]) throws -> FeedStudy {
    let scenario = try StudyScenario.load(
      file,
      overrides: settings.map {
        Override(option: "--fit", keyPath: $0.key, value: $0.value)
      } + options.overrides + flags.seed.overrides, short: options.short)
    return try ObservedOptions.feed(of: scenario, file: file)
  }
}

extension MatchingReport {
  fileprivate func output(json isJSON: Bool) -> String {
    isJSON ? json() : text(color: Console.hasColor(STDOUT_FILENO))
  }
}
