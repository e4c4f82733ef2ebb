import CacheModel
import ModelBasics

/// What viewers had of one of several providers.
public struct ProviderMeasures: Sendable {
  public struct Counts: Counters {
    /// Requests sent to it, a request that is sent anew each time, and those that failed there.
    public var requests: Int64 = 0
    public var failures: Int64 = 0
    /// Bytes of its answers that came whole.
    public var bytes: Int64 = 0

    public init() {}
  }

  public var counts = Counts()
  /// What its edges have answered.
  public var edge = TierCounters()

  public init() {}
}

/// Several providers and how viewers went from one to another; nothing where there is one.
public struct ProvidersMeasures: Sendable {
  public struct Switching: Counters {
    /// Sessions that changed the provider of their requests, each time.
    public var switches: Int64 = 0
    /// Requests that failed and were asked of another provider at once.
    public var failovers: Int64 = 0
    /// Requests sent elsewhere to measure a provider.
    public var probes: Int64 = 0
    /// Copies sent to a second provider because the first byte was late, and those of them whose
    /// own first byte came first.
    public var hedges: Int64 = 0
    public var hedgesWon: Int64 = 0
    /// Views of whose item a request failed while it was on the screen, and those of them that had
    /// a first frame.
    public var troubledViews: Int64 = 0
    public var rescuedViews: Int64 = 0
    /// All views but those that the run's end cut before their frame.
    public var views: Int64 = 0

    public init() {}
  }

  public var switching = Switching()
  /// In the order of the scenario.
  public var each: [ProviderMeasures] = []

  public init() {}

  init(count: Int) { each = (0..<count).map { _ in ProviderMeasures() } }

  mutating func add(_ other: ProvidersMeasures) {
    switching.add(other.switching)
    while each.count < other.each.count { each.append(ProviderMeasures()) }
    for place in other.each.indices {
      each[place].counts.add(other.each[place].counts)
      each[place].edge.add(other.each[place].edge)
    }
  }
}
