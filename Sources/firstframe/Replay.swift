import ArgumentParser

/// `firstframe replay`
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Replay recorded requests.",
    discussion: """
      Example: firstframe replay cache access.log --policy sieve --capacity 10GiB
      """,
    subcommands: [ReplayCache.self])
}
