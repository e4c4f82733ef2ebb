import ArgumentParser

/// `firstframe replay`
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Replay recorded requests, or recorded events of a policy.",
    discussion: """
      Example: firstframe replay cache access.log --policy sieve --capacity 10GiB
      """,
    subcommands: [ReplayCache.self, ReplayPolicy.self], defaultSubcommand: ReplayPolicy.self)
}
