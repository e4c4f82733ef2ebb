import Models

/// What `firstframe peer sabre` is asked for, as written on the command line.
public struct SabreRequest: Sendable, Equatable {
  /// Where the network comes from.
  public enum Source: Sendable, Equatable {
    /// `--network`: a JSON file with one trace.
    case network(String)
    /// `--traces`: a CSV table with several.
    case traces(String)
  }

  /// `--movie`: a JSON file.
  public var movie: String
  /// `--network` or `--traces`.
  public var source: Source
  /// `--algorithm`: one of ``algorithmNames``.
  public var algorithm: String
  /// `--buffer`, seconds.
  public var buffer = 25.0
  /// Not `--no-osc`: Sabre's `-ao`, with which BOLA and BOLA-E do not go above what the throughput
  /// sustains. Sabre's own default is off; the published runs have it on, and so has this.
  public var avoidsOscillation = true
  /// `--basic`.
  public var isBasic = false
  /// Not `--no-abandon`.
  public var abandons = true
  /// `--replace`; `left` is the only kind.
  public var replacement: String?
  /// Not `--no-ibr`.
  public var keepsInsufficientBufferRule = true
  /// `--movie-length`, seconds.
  public var movieLength: Double?

  /// A request with the defaults of the options that are not named.
  public init(movie: String, source: Source, algorithm: String) {
    self.movie = movie
    self.source = source
    self.algorithm = algorithm
  }

  /// The words of `--algorithm`, Sabre's own.
  public static let algorithmNames = SabreAlgorithm.allCases.map(\.sabreName)

  /// The bounds of `--buffer` and `--movie-length`, seconds.
  private static let bufferRange = 1e-3...1e6
  private static let segmentLimit = 1e6
}

extension SabreAlgorithm {
  /// Sabre's word for the policy.
  public var sabreName: String {
    switch self {
    case .bola: "bola"
    case .bolaEnhanced: "bolae"
    case .throughput: "throughput"
    case .dynamic: "dynamic"
    case .dynamicDash: "dynamicdash"
    }
  }
}

extension SabreRequest {
  /// The result columns: Sabre's own names and units (seconds, kbit/s), then its start-up in ms.
  public static let columns = [
    "time average played bitrate", "total play time", "total rebuffer", "rebuffer ratio",
    "total rebuffer events", "total bitrate change", "total log bitrate change",
    "total played utility", "time average score", "startup_time_ms",
  ]

  /// Plays the film over every trace: one row for each, in the order of the file, called by the
  /// trace's name (with `--network` the file's, without its extension).
  /// - Throws: everything that is wrong with the options and the files, in one pass.
  public func table() throws(ScenarioRejected) -> PeerTable {
    let input = try load()
    var table = PeerTable(identity: ["trace"], columns: SabreRequest.columns)
    var problems = Problems()
    for trace in input.traces {
      let outcome = SabreSession.run(input.movie, over: trace.network, options: input.options)
      if !outcome.isComplete {
        problems.add(
          Problem(
            .inconsistent, at: .commandLine(option: "--algorithm", argument: algorithm),
            keyPath: TreePath().key(trace.name).description, expected: "a session that ends",
            got: "one that abandons a segment \(SabreSession.abandonmentLimit) times in a row"))
        continue
      }
      table.append(PeerRow(names: [trace.name], values: SabreRequest.cells(of: outcome)))
    }
    guard problems.isEmpty else { throw ScenarioRejected(problems) }
    return table
  }

  /// What the options and files come to: the film as long as wanted, the traces, the options.
  /// - Throws: everything that is wrong, in one pass.
  public func load() throws(ScenarioRejected) -> (
    movie: SabreMovie, traces: [SabreTrace], options: SabreOptions
  ) {
    var reader = SabreReader()
    let options = self.options(&reader.problems)
    var movie = reader.movie(at: self.movie)
    if let whole = movie { movie = lasting(whole, &reader.problems) }
    let traces: [SabreTrace]?
    switch source {
    case .network(let path):
      traces = reader.network(at: path).map {
        [SabreTrace(name: SabreRequest.stem(path), network: $0)]
      }
    case .traces(let path): traces = reader.traces(at: path)
    }
    guard reader.problems.isEmpty, let options, let movie, let traces else {
      throw ScenarioRejected(reader.problems)
    }
    return (movie, traces, options)
  }

  private func options(_ problems: inout Problems) -> SabreOptions? {
    let kind = SabreAlgorithm.allCases.first { $0.sabreName == algorithm }
    if kind == nil {
      problems.add(
        Problem(
          .unknownKind, at: .commandLine(option: "--algorithm", argument: algorithm),
          keyPath: "algorithm",
          expected: "one of \(SabreRequest.algorithmNames.joined(separator: ", "))",
          got: Excerpt.oneLine(algorithm),
          suggestion: Spelling.nearest(to: algorithm, in: SabreRequest.algorithmNames)))
    }
    if let replacement, replacement != "left" {
      problems.add(
        Problem(
          .wrongWord, at: .commandLine(option: "--replace", argument: replacement),
          keyPath: "replace", expected: "left", got: Excerpt.oneLine(replacement)))
    }
    if !SabreRequest.bufferRange.contains(buffer) {
      let text = PlainNumber.text(buffer)
      problems.add(
        Problem(
          .outOfRange, at: .commandLine(option: "--buffer", argument: text), keyPath: "buffer",
          expected: "a number of seconds from 0.001 to 1000000", got: text))
      return nil
    }
    guard let kind else { return nil }
    var options = SabreOptions(algorithm: kind, bufferLimit: 1000 * buffer)
    options.avoidsOscillation = avoidsOscillation
    options.isBasic = isBasic
    options.abandons = abandons
    options.replaces = replacement != nil
    options.keepsInsufficientBufferRule = keepsInsufficientBufferRule
    return options
  }

  private func lasting(_ movie: SabreMovie, _ problems: inout Problems) -> SabreMovie? {
    guard let movieLength else { return movie }
    let segments = 1000 * movieLength / movie.segmentDuration
    if segments > 0 && segments <= SabreRequest.segmentLimit {
      return movie.lasting(seconds: movieLength)
    }
    let text = PlainNumber.text(movieLength)
    problems.add(
      Problem(
        .outOfRange, at: .commandLine(option: "--movie-length", argument: text),
        keyPath: "movie-length", expected: "seconds for between 1 and a million segments",
        got: text))
    return nil
  }

  private static func stem(_ path: String) -> String {
    let name = path.split(separator: "/").last.map { String($0) } ?? path
    guard let point = name.lastIndex(of: "."), point > name.startIndex else { return name }
    return String(name[..<point])
  }

  private static func cells(of outcome: SabreOutcome) -> [PeerValue] {
    [
      .number(outcome.meanBitrate), .number(outcome.playTime / 1000),
      .number(outcome.stallTime / 1000), .number(outcome.stallRatio),
      .integer(Int64(outcome.stallEvents)), .number(outcome.bitrateChange),
      .number(outcome.logBitrateChange), .number(outcome.utility), .number(outcome.score),
      .number(outcome.startupTime),
    ]
  }
}
