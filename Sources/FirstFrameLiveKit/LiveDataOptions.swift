import ArgumentParser
import LoadHarness

/// What players and servers of a live run tell each other.
struct LiveDataOptions: ParsableArguments {
  @Option(
    name: .customLong("cmcd"),
    help: ArgumentHelp(
      "How requests for media tell of their player (CTA-5004): headers, query or off. A cache that "
        + "has queries in its keys takes query for another object each time.",
      valueName: "way"))
  var way = ClientDataOptions.Way.off

  @Option(
    name: .customLong("cmcd-version"),
    help: ArgumentHelp("Of CMCD: 1 (CTA-5004) or 2 (CTA-5004-A) (default: 1).", valueName: "n"))
  var askedVersion: Int?

  @Flag(
    help: ArgumentHelp(
      "Let the servers that the run starts say of their answers what they know (CMSD, CTA-5006), "
        + "and report it. What other servers say is reported without it."))
  var cmsd = false

  var clientData: ClientDataOptions { ClientDataOptions(way: way, version: askedVersion ?? 1) }

  /// As reports have it; none when off.
  var words: [String] {
    [clientData.words, cmsd ? "CMSD" : ""].filter { !$0.isEmpty }
  }

  func validate() throws {
    if let askedVersion, !(1...2).contains(askedVersion) {
      throw ValidationError("--cmcd-version: expected 1 or 2, got \(askedVersion)")
    }
    if askedVersion != nil && way == .off {
      throw ValidationError("--cmcd-version: expected --cmcd headers or query with it, got off")
    }
  }

  /// A browser sends its requests itself.
  func check(_ client: LiveForm.Client) throws {
    if client == .model { return }
    if way != .off {
      throw ValidationError(
        "--cmcd \(way.rawValue): expected --client model with it, got \(client.rawValue)")
    }
    if cmsd {
      throw ValidationError("--cmsd: expected --client model with it, got \(client.rawValue)")
    }
  }
}

extension ClientDataOptions.Way: ExpressibleByArgument {}
