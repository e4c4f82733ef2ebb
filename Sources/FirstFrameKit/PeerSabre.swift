import ArgumentParser
import Scenario

/// `firstframe peer sabre`
struct PeerSabre: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sabre",
    abstract: "Sabre (Spiteri, Sitaraman, Sparacio 2018): one film over traces.",
    discussion: """
      Example: firstframe peer sabre --movie movie.json --traces 3Glogs.csv --algorithm bolae \
      --buffer 25 --json
      Exit codes: 0 done, 64 usage, 65 bad data, 66 a file is missing, 73 cannot write.
      """)

  @Option(help: ArgumentHelp("The film, Sabre's JSON.", valueName: "file"))
  var movie: String

  @Option(help: ArgumentHelp("The network, Sabre's JSON; this or --traces.", valueName: "file"))
  var network: String?

  @Option(
    help: ArgumentHelp(
      "Several networks: trace,duration_ms,bandwidth_kbps,latency_ms.", valueName: "csv"))
  var traces: String?

  @Option(
    help: ArgumentHelp(
      "\(SabreRequest.algorithmNames.joined(separator: ", ")).", valueName: "name"))
  var algorithm: String

  @Option(parsing: .unconditional, help: ArgumentHelp("The buffer, seconds.", valueName: "s"))
  var buffer = 25.0

  @Flag(help: "BOLA without its adjustments for short films (Sabre's -ab).")
  var basic = false

  @Flag(help: "Never abandon a download (Sabre's -noa).")
  var noAbandon = false

  @Option(help: ArgumentHelp("Replace buffered segments: left.", valueName: "kind"))
  var replace: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Repeat the film to this length, seconds.", valueName: "s"))
  var movieLength: Double?

  @Flag(
    inversion: .prefixedNo,
    help: "BOLA and BOLA-E do not go above what the throughput sustains (Sabre's -ao).")
  var osc = true

  @Flag(
    inversion: .prefixedNo,
    help: "BOLA-E's rule for an insufficient buffer (off: Sabre's -noibr).")
  var ibr = true

  @OptionGroup var output: PeerOutput

  func validate() throws {
    if (network == nil) == (traces == nil) {
      let got = network == nil ? "neither" : "both"
      throw ValidationError("expected one of --network and --traces, got \(got)")
    }
    if !SabreRequest.algorithmNames.contains(algorithm) {
      let names = SabreRequest.algorithmNames.joined(separator: ", ")
      throw ValidationError("--algorithm: expected one of \(names), got \(algorithm)")
    }
    if let replace, replace != "left" {
      throw ValidationError("--replace: expected left, got \(replace)")
    }
    if !buffer.isFinite || buffer <= 0 {
      throw ValidationError("--buffer: expected seconds above 0, got \(buffer)")
    }
    if let movieLength, !movieLength.isFinite || movieLength <= 0 {
      throw ValidationError("--movie-length: expected seconds above 0, got \(movieLength)")
    }
  }

  func run() throws {
    let source: SabreRequest.Source
    if let network { source = .network(network) } else { source = .traces(traces ?? "") }
    var request = SabreRequest(movie: movie, source: source, algorithm: algorithm)
    request.buffer = buffer
    request.avoidsOscillation = osc
    request.isBasic = basic
    request.abandons = !noAbandon
    request.replacement = replace
    request.keepsInsufficientBufferRule = ibr
    request.movieLength = movieLength
    let asked = request
    try output.show { () throws(ScenarioRejected) in try asked.table() }
  }
}
