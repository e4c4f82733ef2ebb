extension AuditWorld {
  /// The table of the world, in the order of reports.
  public var mutants: [MutantClass] {
    switch self {
    case .feed: MutantClass.feed
    case .mixedFeed: MutantClass.mixedFeed
    case .messages: MutantClass.messages
    case .calls: MutantClass.calls
    case .services: MutantClass.services
    case .pipeline: MutantClass.pipeline
    }
  }

  /// The names of all worlds, each once.
  public static var names: [String] {
    var seen: Set<String> = []
    return allCases.flatMap(\.mutants).map(\.name).filter { seen.insert($0).inserted }
  }
}
