import CachePolicy
import Models

/// What a stand-in has answered, by class of object.
public struct StandinStats: Sendable, Equatable {
  public struct Class: Counters {
    public var requests: Int64 = 0
    /// 304.
    public var notModified: Int64 = 0
    /// 206.
    public var partial: Int64 = 0
    /// Status 400 and above, and answers that were broken off.
    public var errors: Int64 = 0
    /// Of bodies, as far as they were sent.
    public var bytes: Int64 = 0

    public init() {}
  }

  /// By the class's raw value.
  public var classes = [Class](repeating: Class(), count: AssetClass.allCases.count)
  /// Requests for what there is not.
  public var unknown: Int64 = 0
  /// Answers with a fault.
  public var faults: Int64 = 0
  /// Pages of the feed by source.
  public var rankedPages: Int64 = 0
  public var trendingPages: Int64 = 0
  /// Texts that are longer than the scenario says.
  public var oversized: Int64 = 0
  public var events = EventCounts()

  public init() {}

  public subscript(asset: AssetClass) -> Class {
    get { classes[Int(asset.rawValue)] }
    set { classes[Int(asset.rawValue)] = newValue }
  }

  /// Sum over the classes.
  public var total: Class { classes.reduce(into: Class()) { $0.add($1) } }

  /// `/stats`, schema 1.
  public var json: String {
    func text(_ part: Class) -> String {
      "{\"requests\":\(part.requests),\"notModified\":\(part.notModified),"
        + "\"partial\":\(part.partial),\"errors\":\(part.errors),\"bytes\":\(part.bytes)}"
    }
    let parts = StandinFault.classes.map { "\"\($0.0)\":\(text(self[$0.1]))" }
    return "{\"schema\":1,\"classes\":{" + parts.joined(separator: ",") + "},\"total\":"
      + text(total) + ",\"unknown\":\(unknown),\"faults\":\(faults),\"feed\":{\"ranked\":"
      + "\(rankedPages),\"trending\":\(trendingPages)},\"oversized\":\(oversized),\"events\":"
      + events.json + "}\n"
  }

  /// Lines for a person.
  public var text: String {
    let sum = total
    let rows = StandinFault.classes.compactMap { name, asset -> String? in
      let part = self[asset]
      if part.requests == 0 { return nil }
      return
        "  \(name): \(part.requests) requests, \(part.bytes) bytes, \(part.notModified) × 304, "
        + "\(part.errors) errors"
    }
    return
      ([
        "\(sum.requests) requests, \(sum.bytes) bytes, \(sum.errors) errors, \(faults) faults, "
          + "\(unknown) for what there is not"
      ] + rows + [
        "  events: \(events.posts) posts, \(events.accepted) events, \(events.duplicates) "
          + "duplicates, \(events.invalid) invalid, \(events.repeatedBatches) posts repeated, "
          + "\(events.refused) refused"
      ]).joined(separator: "\n")
  }
}

/// What came in at `/v1/events`.
public struct EventCounts: Sendable, Equatable {
  public var posts: Int64 = 0
  /// Events that had not come before.
  public var accepted: Int64 = 0
  /// Events whose `id` had come before.
  public var duplicates: Int64 = 0
  /// Events with an empty `id` or with numbers that cannot be; not accepted.
  public var invalid: Int64 = 0
  /// Posts whose `batch` had come before.
  public var repeatedBatches: Int64 = 0
  /// Posts that were malformed, too large or refused on purpose.
  public var refused: Int64 = 0
  /// Events by name, for names of SIG-050; others count as `other`.
  public var byName: [String: Int64] = [:]

  public init() {}

  var json: String {
    let names = byName.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    return "{\"posts\":\(posts),\"accepted\":\(accepted),\"duplicates\":\(duplicates),"
      + "\"invalid\":\(invalid),\"repeatedBatches\":\(repeatedBatches),\"refused\":\(refused),"
      + "\"byName\":{" + names.joined(separator: ",") + "}}"
  }
}
