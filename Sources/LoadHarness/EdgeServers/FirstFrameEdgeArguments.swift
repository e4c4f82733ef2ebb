import Scenario

/// The command line of `firstframe-live edge`, without the program and the verb.
struct FirstFrameEdgeArguments {
  let policy: EdgeServerPolicy
  let setup: EdgeServerSetup

  var words: [String] {
    var words = [
      "--origin", "http://\(setup.originHost):\(setup.originPort)", "--host", setup.address,
      "--port", "\(setup.port)", "--capacity", "\(setup.room)B", "--policy", policy.eviction,
    ]
    if policy.admission != .all { words += ["--admission", CacheWords.text(policy.admission)] }
    if let scenario = policy.scenario {
      words += ["--scenario", scenario] + policy.scenarioSettings.flatMap { ["--set", $0] }
    }
    if let certificate = policy.certificate {
      words += ["--certificate", certificate.chain, "--key", certificate.key]
    }
    if !policy.keysQueries { words.append("--ignore-query") }
    if policy.tellsServerData { words.append("--cmsd") }
    return words
  }
}
