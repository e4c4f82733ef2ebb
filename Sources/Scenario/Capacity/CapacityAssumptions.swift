import Foundation
import SimulationKernel
import Statistics

/// What a capacity plan takes for granted beside the scenario: how the audience is spread over the
/// day, what the services behind the feed do, and when each of them is too slow.
public struct CapacityAssumptions: Sendable {
  /// A pool of servers that answers requests.
  public struct Pool: Sendable {
    /// `ranker`, `api`, `ingest` or `transcoder`.
    public var name: String
    /// Closed forms with the law of service.
    public var formula: StationFormula
    /// The same law, to be drawn from.
    public var service: QuantileTable
    /// The law, for people.
    public var law: String
    /// Seconds that all but ``lateShare`` of the requests may take, their wait included.
    public var limit: Double
    public var lateShare: Double
    /// Requests that an instance works on at a time.
    public var perInstance: Int
    /// What asks it, and how often.
    public var demand: Demand
  }

  /// How often a pool of servers is asked.
  public enum Demand: Sendable, Hashable {
    /// Once for each page of the feed that a view takes.
    case pages
    /// So often for each view.
    case perView(Double)
    /// As often as the scenario's apps post events; where none of them do, so often a minute that
    /// a view is on the screen.
    case posts(perMinute: Double)
    /// So often for each user, a day.
    case perUserDay(Double)
  }

  public var sessionsPerUserDay: Double
  /// The busiest hour over the mean, and arrivals in its busiest minutes over that hour.
  public var peakToMean: Double
  public var burst: Double
  public var targetHitRatio: Double
  /// Requests per second that the origin answers.
  public var originLimit: Double
  /// Those that are asked for something: ranker, API and ingest, and the transcoder where there
  /// are uploads.
  public var pools: [Pool]
  public var callsPerUserDay: Double
  public var callLength: Double
  public var relayShare: Double
  public var callBlocking: Double
  /// Both directions, bits per second.
  public var callRate: Double
  public var callsPerInstance: Int
  /// Media of an upload, seconds.
  public var uploadLength: Double
  /// Uploads of a user a day.
  public var uploadsPerUserDay: Double
  /// Whether there is anything to relay.
  public var hasRelay: Bool { relayedCallsPerDay(users: 1) > 0 }

  /// Calls that the relay carries in a day of so many users.
  public func relayedCallsPerDay(users: Double) -> Double { users * callsPerUserDay * relayShare }
  /// Of the resolved file: key, value, where it comes from.
  public var rows: [(key: String, value: String, source: String)]
  public var digest: String

  /// Reads a file of assumptions; nil: the defaults.
  ///
  /// - Throws: ``ScenarioRejected`` with every problem in one pass.
  public static func load(
    _ path: String?, overrides: [Override] = []
  ) throws(ScenarioRejected) -> CapacityAssumptions {
    if let path {
      return try CapacityAssumptions(
        ScenarioFile.load(path, schema: schema, overrides: overrides))
    }
    return try CapacityAssumptions(
      ScenarioFile.parse(
        "version: 1\n", file: "assumptions", schema: schema, overrides: overrides))
  }

  private init(_ file: ScenarioFile) throws(ScenarioRejected) {
    let tree = file.tree
    var problems = Problems()
    func pool(
      _ name: String, _ demand: Demand
    ) -> Pool? {
      let spec = tree.law("\(name).service")
      do {
        let slow = name == "ranker" ? tree.ratio("ranker.slowShare") : 0
        let mixed: LawSpec =
          slow > 0
          ? .mixture([
            LawSpec.Part(weight: 1 - slow, law: spec),
            LawSpec.Part(weight: slow, law: CapacityAssumptions.slower(spec, by: 8)),
          ]) : spec
        let law = try LawTables.law(mixed)
        return Pool(
          name: name, formula: try StationFormula(law), service: try LawTables.build(mixed),
          law: law.describe(),
          limit: Double(tree.time("\(name).limit")) / 1e9,
          lateShare: tree.ratio("\(name).lateShare"),
          perInstance: Int(tree.integer("\(name).perInstance")), demand: demand)
      } catch {
        problems.add(
          tree.problem(
            at: "\(name).service", expected: "a law of times that are not negative",
            got: "\(error)"))
        return nil
      }
    }
    let posts =
      tree.isNone("ingest.postsPerView")
      ? Demand.posts(perMinute: tree.real("ingest.postsPerMinute"))
      : .perView(tree.real("ingest.postsPerView"))
    let uploads = tree.real("transcoder.uploadsPerUserDay")
    pools = [pool("ranker", .pages), pool("api", .pages), pool("ingest", posts)].compactMap { $0 }
    // Read even where nobody uploads: a law that is none is a mistake all the same.
    let transcoder = pool("transcoder", .perUserDay(uploads))
    if uploads > 0, let transcoder { pools.append(transcoder) }
    sessionsPerUserDay = tree.real("sessionsPerUserDay")
    peakToMean = tree.real("peakToMean")
    burst = tree.real("burst")
    targetHitRatio = tree.ratio("targetHitRatio")
    originLimit = tree.real("originRequestsPerSecond")
    callsPerUserDay = tree.real("calls.perUserDay")
    callLength = Double(tree.time("calls.length")) / 1e9
    relayShare = tree.ratio("calls.relayShare")
    callBlocking = tree.ratio("calls.blocking")
    callRate = Double(tree.bitRate("calls.rate"))
    callsPerInstance = Int(tree.integer("calls.perInstance"))
    uploadLength = Double(tree.time("transcoder.length")) / 1e9
    uploadsPerUserDay = uploads
    rows = []
    let text = file.resolvedText
    digest = Digest.digest8(text)
    if !problems.isEmpty { throw ScenarioRejected(problems) }
    rows = CapacityAssumptions.rows(tree)
  }

  /// A law whose times are all longer by a factor.
  private static func slower(_ spec: LawSpec, by factor: Double) -> LawSpec {
    switch spec {
    case .constant(let value): .constant(value * factor)
    case .uniform(let min, let max): .uniform(min: min * factor, max: max * factor)
    case .exponential(let mean): .exponential(mean: mean * factor)
    case .lognormal(let median, let sigma): .lognormal(median: median * factor, sigma: sigma)
    case .weibull(let shape, let scale): .weibull(shape: shape, scale: scale * factor)
    case .gamma(let shape, let scale): .gamma(shape: shape, scale: scale * factor)
    case .mixture(let parts):
      .mixture(
        parts.map { LawSpec.Part(weight: $0.weight, law: slower($0.law, by: factor)) })
    default: spec
    }
  }

  private static func rows(
    _ tree: ResolvedTree
  ) -> [(key: String, value: String, source: String)] {
    var rows: [(key: String, value: String, source: String)] = []
    func walk(_ object: ObjectShape, _ prefix: String) {
      for field in object.fields where field.name != "version" {
        let key = prefix + field.name
        if case .object(let inner) = field.shape {
          walk(inner, key + ".")
        } else {
          rows.append((key, tree.plainText(key, field.shape), field.source + ": " + field.summary))
        }
      }
    }
    walk(schema.root, "")
    return rows
  }
}

extension ResolvedTree {
  /// A value for people.
  fileprivate func plainText(_ key: String, _ shape: Shape) -> String {
    switch shape {
    case .time: "\(Double(time(key)) / 1e9) s"
    case .ratio: "\(ratio(key))"
    case .integer: "\(integer(key))"
    case .real: "\(real(key))"
    case .optional(let inner): isNone(key) ? "none" : plainText(key, inner)
    case .bitRate: "\(Double(bitRate(key)) / 1e6) Mbps"
    case .law: (try? LawTables.law(law(key)).describe()) ?? "a law"
    default: ""
    }
  }
}
