import FeedPolicy
import Synchronization

/// The policies that a program brings along beside the shipped ones.
public struct PolicyPackages: Sendable {
  public var prefetch: [PrefetchPackage] = []
  public var victim: [VictimPackage] = []
  public var bitrate: [BitratePackage] = []
  public var release: [ReleasePackage] = []
  public var gate: [GatePackage] = []
  public var retry: [RetryPackage] = []
  public var admission: [AdmissionPackage] = []
  public var lifetime: [LifetimePackage] = []
  public var eviction: [EvictionPackage] = []
  public var polls: [PollPackage] = []
  public var quality: [QualityPackage] = []

  /// None.
  public init() {}

  /// The places of a scenario at which a policy may stand.
  public enum Place: Sendable, CaseIterable {
    case prefetch, victim, bitrate, release, gate, retry, admission, lifetime, eviction
    case polls, quality

    /// The key that its kinds are of.
    public var key: String {
      switch self {
      case .prefetch: "policy.prefetch"
      case .victim: "policy.pool.victim"
      case .bitrate: "policy.abr"
      case .release: "policy.startupCap.release"
      case .gate: "client.gate"
      case .retry: "client.retry"
      case .admission: "cdn.edge.admission"
      case .lifetime: "cdn.edge.ttl"
      case .eviction: "cdn.edge"
      case .polls: "messages.protocol.polls"
      case .quality: "calls.protocol.quality"
      }
    }
  }

  /// What the table of keys needs of the policies at a place.
  public func rows(_ place: Place) -> [PackageRow] {
    switch place {
    case .prefetch: prefetch.map(\.row)
    case .victim: victim.map(\.row)
    case .bitrate: bitrate.map(\.row)
    case .release: release.map(\.row)
    case .gate: gate.map(\.row)
    case .retry: retry.map(\.row)
    case .admission: admission.map(\.row)
    case .lifetime: lifetime.map(\.row)
    case .eviction: eviction.map(\.row)
    case .polls: polls.map(\.row)
    case .quality: quality.map(\.row)
    }
  }

  /// What is taken at a place: the words of the shipped kinds, and the keys that all of them have.
  public struct Taken: Sendable {
    public var words: [String]
    public var keys: Set<String>

    public init(words: [String], keys: Set<String>) {
      self.words = words
      self.keys = keys
    }
  }

  private struct State {
    var packages = PolicyPackages()
    var isTaken = false
  }
  private static let state = Mutex(State())

  /// Makes them kinds of scenarios' keys, before anything reads a scenario.
  ///
  /// - Returns: what is wrong with them, one text for each; where there is anything none of them is
  ///   a kind.
  public static func install(
    _ packages: PolicyPackages, taken: (Place) -> Taken
  ) -> [String] {
    let faults = Place.allCases.flatMap { place in
      Self.faults(packages.rows(place), of: place.key, taken(place))
    }
    if faults.isEmpty {
      state.withLock { state in
        precondition(!state.isTaken, "policies are installed before a scenario is read")
        state.packages = packages
      }
    }
    return faults
  }

  private static func faults(_ rows: [PackageRow], of key: String, _ taken: Taken) -> [String] {
    var faults: [String] = []
    var words = Set(taken.words)
    for row in rows {
      let place = "policy package \(row.word): "
      faults += row.faults(reserved: taken.keys).map { place + $0 }
      if !words.insert(row.word).inserted {
        faults.append(place + "expected a word that is no other kind of \(key), got it")
      }
      if PolicyLog.machines.contains(where: { "\($0)" == row.word }) {
        faults.append(place + "expected a word that is no machine of policies' logs, got it")
      }
    }
    return faults
  }

  /// Those that are installed; none is from now on.
  public static var installed: PolicyPackages {
    state.withLock { state in
      state.isTaken = true
      return state.packages
    }
  }
}
