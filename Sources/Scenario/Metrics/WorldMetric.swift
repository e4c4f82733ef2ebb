/// One metric of a world other than the feed: what a budget may name, and what results hold.
public struct WorldMetric: Sendable, Hashable {
  /// What a metric's values are.
  public enum Kind: Sendable, Hashable {
    /// Milliseconds; over replications a percentile is that of all times together, mean and max are
    /// the means of the replications'.
    case time
    /// A share from 0 to 1; over replications the quotient of sums.
    case share
    /// A quotient without an upper bound; over replications the quotient of sums.
    case quotient
    /// A number; over replications the mean.
    case number
  }

  /// As a budget writes it: `metric{label=value}.stat`.
  public let reference: MetricReference
  public let kind: Kind
  /// One line without a full stop.
  public let summary: String
  /// What the samples behind a value are, in the plural.
  public let samples: String
  /// Whether more of it is worse.
  public let isWorseWhenHigher: Bool

  /// - Precondition: `name` is written `metric{label=value,…}.stat`.
  init(
    _ name: String, _ kind: Kind, _ summary: String, samples: String,
    isWorseWhenHigher: Bool = true
  ) {
    reference = WorldMetric.read(name)
    self.kind = kind
    self.summary = summary
    self.samples = samples
    self.isWorseWhenHigher = isWorseWhenHigher
  }

  /// What its values are in results.
  var unit: MetricReference.Unit {
    switch kind {
    case .time: .milliseconds
    case .share: .ratio
    case .quotient, .number: .number
    }
  }

  /// Stats of a time, in the order of results.
  public static let timeStats = ["mean", "p50", "p75", "p90", "p95", "p99", "max"]

  /// A time with its stats; `name` is written without one.
  static func times(_ name: String, _ summary: String, samples: String) -> [WorldMetric] {
    timeStats.map { WorldMetric("\(name).\($0)", .time, summary, samples: samples) }
  }

  private static func read(_ name: String) -> MetricReference {
    let metric = String(name.prefix { $0 != "{" && $0 != "." })
    var rest = name.dropFirst(metric.count)
    var labels: [MetricReference.Label] = []
    if rest.first == "{", let close = rest.firstIndex(of: "}") {
      for pair in rest[rest.index(after: rest.startIndex)..<close].split(separator: ",") {
        let sides = pair.split(separator: "=")
        precondition(sides.count == 2, "\(name) has labels with values")
        labels.append(.init(name: String(sides[0]), value: String(sides[1])))
      }
      rest = rest[rest.index(after: close)...]
    }
    precondition(rest.first == "." && rest.count > 1, "\(name) ends with a stat")
    return MetricReference(metric: metric, labels: labels, stat: String(rest.dropFirst()))
  }

  // MARK: All worlds

  /// By the text of the reference. A name that two worlds have means the same in both.
  static let all: [String: WorldMetric] = {
    var all: [String: WorldMetric] = [:]
    for metric in World.kinds.flatMap(\.metrics) where all[metric.reference.description] == nil {
      all[metric.reference.description] = metric
    }
    return all
  }()

  /// By the metric without labels and stat.
  private static let byName: [String: [WorldMetric]] = {
    Dictionary(grouping: all.values.sorted { $0.text < $1.text }) { $0.reference.metric }
  }()

  private var text: String { reference.description }

  static var names: [String] { byName.keys.sorted() }

  /// The metric that a reference names; nil: it is one of the feed's.
  public static func of(_ reference: MetricReference) -> WorldMetric? {
    byName[reference.metric] == nil ? nil : all[reference.description]
  }

  static func isName(_ metric: String) -> Bool { byName[metric] != nil }

  /// The reference as a world has it: with its only stat when none was written.
  static func checked(
    _ reference: MetricReference
  ) -> Result<MetricReference, MetricReference.Fault> {
    let known = byName[reference.metric] ?? []
    var wanted = reference
    let order = Set(reference.labels)
    let alike = known.filter { Set($0.reference.labels) == order }
    if wanted.stat.isEmpty, let only = alike.first, alike.count == 1 {
      return .success(only.reference)
    }
    wanted.labels = alike.first?.reference.labels ?? wanted.labels
    if let found = known.first(where: { $0.reference == wanted }) {
      return .success(found.reference)
    }
    let texts = (alike.isEmpty ? known : alike).map(\.text)
    return .failure(.init("one of \(texts.joined(separator: ", "))"))
  }
}
