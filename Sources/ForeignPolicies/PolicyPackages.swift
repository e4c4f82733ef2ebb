import Synchronization

/// The policies that this program brings along beside the shipped ones.
public enum PolicyPackages {
  private struct State {
    var prefetch: [PrefetchPackage] = []
    var bitrate: [BitratePackage] = []
    var isTaken = false
  }
  private static let state = Mutex(State())

  /// Words that are taken.
  public struct Shipped {
    public var prefetch: [String]
    public var bitrate: [String]

    public init(prefetch: [String], bitrate: [String]) {
      self.prefetch = prefetch
      self.bitrate = bitrate
    }
  }

  /// Makes them kinds of `policy.prefetch` and of `policy.abr`, before anything reads a scenario.
  ///
  /// - Returns: what is wrong with them, one text for each; where there is anything none of them is
  ///   a kind.
  public static func install(
    _ prefetch: [PrefetchPackage], _ bitrate: [BitratePackage], shipped: Shipped
  ) -> [String] {
    let faults =
      faults(prefetch.map(\.row), of: "policy.prefetch", shipped.prefetch, ["kind", "rung"])
      + faults(bitrate.map(\.row), of: "policy.abr", shipped.bitrate, ["kind"])
    if faults.isEmpty {
      state.withLock { state in
        precondition(!state.isTaken, "policies are installed before a scenario is read")
        state.prefetch = prefetch
        state.bitrate = bitrate
      }
    }
    return faults
  }

  private static func faults(
    _ rows: [PackageRow], of key: String, _ shipped: [String], _ reserved: Set<String>
  ) -> [String] {
    var faults: [String] = []
    var words = Set(shipped)
    for row in rows {
      let place = "policy package \(row.word): "
      faults += row.faults(reserved: reserved).map { place + $0 }
      if !words.insert(row.word).inserted {
        faults.append(place + "expected a word that is no other kind of \(key), got it")
      }
    }
    return faults
  }

  /// Those for prefetch that are installed; none is from now on.
  public static func prefetch() -> [PrefetchPackage] { taken().prefetch }

  /// Those for the rendition.
  public static func bitrate() -> [BitratePackage] { taken().bitrate }

  private static func taken() -> State {
    state.withLock { state in
      state.isTaken = true
      return state
    }
  }
}
