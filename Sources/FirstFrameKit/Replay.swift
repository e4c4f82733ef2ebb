import ArgumentParser

/// `firstframe replay`
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Replay recorded requests, recorded events of a policy, or a kept failure.",
    discussion: """
      Example: firstframe replay cache access.log --policy sieve --capacity 10GiB
               firstframe replay results/fuzz/messaging-literal-no-false-view.txt
      A file says itself what it holds: a failure that fuzz kept, or events of a policy.
      """,
    subcommands: [ReplayCache.self, ReplayPolicy.self, ReplayFailure.self],
    defaultSubcommand: ReplayPolicy.self)
}
