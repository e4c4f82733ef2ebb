import Foundation
import Models
import Scenario
import SimulationKernel

/// What of a study is left to simulate, cut into shards that any machine can do: each by itself, in
/// any order, as often as one likes.
///
/// A plan is a document. It names the study's command, and of every shard the scenario with what is
/// set on top of it, the seed, the metrics and the replications. Its paths are those of the folder
/// in which it was made.
public struct ShardPlan: Sendable, Equatable, Codable {
  /// Of the form of the document.
  public static let version = 1
  /// The file of a plan's folder that holds it, and the folder of finished replications there.
  public static let fileName = "plan.json"
  public static let storeName = "shards"
  /// Replications of a series, counted from 0.
  static let mostReplications = 1 << 16

  /// A key that is set on top of a scenario's file.
  struct Setting: Sendable, Hashable, Codable {
    var option: String
    var key: String
    var value: String
  }

  /// A file, and what is set on top of it.
  struct Configuration: Sendable, Hashable, Codable {
    var name: String
    /// Empty: a protocol that is known by its name.
    var file: String
    /// Places of what is set, in order.
    var settings: [Int]
    var short: Bool
  }

  /// Replications that differ in their number alone.
  struct Series: Sendable, Equatable, Codable {
    /// ``ShardSubject/key``.
    var key: String
    /// The place of its configuration.
    var configuration: Int
    var modelVersion: Int
    /// A 64-bit number, which JSON's readers may round.
    var seed: String
    var metrics: [String]
    var keeps: ShardSubject.Kind
    var shuffleTies: String?
    var network: String?
    /// Of a search how many there are, from ``seed`` on.
    var seeds: String?
    /// Processor time of a replication; nil: not measured.
    var cpuSeconds: Double?
    var memoryBytes: Int64
  }

  /// Replications of a series that are done together.
  public struct Shard: Sendable, Equatable, Codable {
    public var index: Int
    /// The place of its series.
    public var series: Int
    public var first: Int
    public var count: Int
    /// Shards of one wave do not wait for each other; which a later one has follows from what the
    /// earlier ones found.
    public var wave: Int

    public var replications: Range<Int> { first..<(first + count) }
  }

  var schema = ShardPlan.version
  /// The verb and its arguments.
  public private(set) var command: [String]
  /// What configurations set, each once.
  private(set) var settings: [Setting] = []
  private(set) var configurations: [Configuration] = []
  private(set) var series: [Series] = []
  public private(set) var shards: [Shard] = []
  /// SHA-256 over everything else, so that a plan that was edited is noticed.
  fileprivate(set) var digest = ""

  public init(command: [String]) { self.command = command }

  // MARK: What is left to do

  /// Adds what a study asks for and the plan does not have, as a wave of its own.
  ///
  /// - Parameters:
  ///   - target: processor seconds that a shard is to take, where those of a replication are known.
  ///   - most: replications of a shard at most.
  ///   - cost: processor seconds of one replication of a subject; nil: not known.
  /// - Returns: the new shards; empty where the plan has all of it.
  @discardableResult
  public mutating func add(
    _ wanted: [WantedReplication], target: Double, most: Int,
    cost: (ShardSubject) -> Double?
  ) -> ArraySlice<Shard> {
    var tables = Tables(self)
    var known: Set<String> = []
    for shard in shards {
      for replication in shard.replications {
        known.insert(ShardFile.name(key(shard), replication))
      }
    }
    let wave = (shards.last?.wave ?? 0) + 1
    let before = shards.count
    for one in wanted where !known.contains(one.name) {
      let place: Int
      if let found = tables.series[one.subject.key] {
        place = found
      } else {
        place = series.count
        tables.series[one.subject.key] = place
        add(one.subject, cpuSeconds: cost(one.subject), &tables)
      }
      let seconds = series[place].cpuSeconds ?? .infinity
      let room = max(1, min(most, Int(min(target / seconds, 1e6))))
      if let last = shards.indices.last, last >= before, shards[last].series == place,
        shards[last].replications.upperBound == one.replication, shards[last].count < room
      {
        shards[last].count += 1
      } else {
        shards.append(
          Shard(
            index: shards.count, series: place, first: one.replication, count: 1, wave: wave))
      }
    }
    return shards[before...]
  }

  /// Where things stand in the plan, for look-ups.
  private struct Tables {
    var settings: [Setting: Int] = [:]
    var configurations: [Configuration: Int] = [:]
    var series: [String: Int] = [:]

    init(_ plan: ShardPlan) {
      for (place, setting) in plan.settings.enumerated() { settings[setting] = place }
      for (place, row) in plan.configurations.enumerated() { configurations[row] = place }
      for (place, row) in plan.series.enumerated() { series[row.key] = place }
    }
  }

  private mutating func add(
    _ subject: ShardSubject, cpuSeconds: Double?, _ tables: inout Tables
  ) {
    guard let memory = subject.memoryBytes else {
      preconditionFailure("what is planned has an estimate of its memory")
    }
    var own: [Int] = []
    for override in subject.source.overrides {
      let setting = Setting(
        option: override.option, key: override.keyPath, value: override.value ?? "")
      let place = tables.settings[setting] ?? settings.count
      if place == settings.count {
        tables.settings[setting] = place
        settings.append(setting)
      }
      own.append(place)
    }
    let configuration = Configuration(
      name: subject.source.name, file: subject.source.file, settings: own,
      short: subject.source.isShort)
    let place = tables.configurations[configuration] ?? configurations.count
    if place == configurations.count {
      tables.configurations[configuration] = place
      configurations.append(configuration)
    }
    series.append(
      Series(
        key: subject.key, configuration: place, modelVersion: subject.modelVersion,
        seed: "\(subject.seed)", metrics: subject.metrics.map(\.description),
        keeps: subject.kind, shuffleTies: subject.shuffleTies.map { "\($0)" },
        network: subject.network.map { "\($0)" }, seeds: subject.seeds.map { "\($0)" },
        cpuSeconds: cpuSeconds, memoryBytes: memory))
  }

  /// The numbers of the shards that have replications which are asked for, ascending.
  public func shards(of wanted: [WantedReplication]) -> [Int] {
    var places: [String: Int] = [:]
    for (place, row) in series.enumerated() { places[row.key] = place }
    var asked: [Int: Set<Int>] = [:]
    for one in wanted {
      guard let place = places[one.subject.key] else { continue }
      asked[place, default: []].insert(one.replication)
    }
    return shards.filter { shard in
      asked[shard.series].map { $0.contains { shard.replications.contains($0) } } ?? false
    }.map(\.index)
  }

  /// Processor seconds that a shard is expected to take; nil: not measured.
  public func cpuSeconds(_ shard: Shard) -> Double? {
    series[shard.series].cpuSeconds.map { $0 * Double(shard.count) }
  }

  /// Bytes that a shard is expected to need.
  public func memoryBytes(_ shard: Shard) -> Int64 { series[shard.series].memoryBytes }

  /// What a shard is of, in a few words.
  public func label(_ shard: Shard) -> String {
    let row = configurations[series[shard.series].configuration]
    // What all share says nothing of one.
    let own = row.settings.filter { place in
      !configurations.allSatisfy { $0.settings.contains(place) }
    }
    return row.name + own.map { " \(settings[$0].key)=\(settings[$0].value)" }.joined()
  }

  /// The key of a shard's series.
  public func key(_ shard: Shard) -> String { series[shard.series].key }

  // MARK: From a plan to what is simulated

  /// What a shard's replications depend on, from the files as they are here.
  ///
  /// - Throws: ``ScenarioRejected`` when the scenario cannot be loaded; ``DocumentRejected`` when
  ///   it is not the plan's, or the plan is of another model version.
  public func subject(_ shard: Shard, path: String) throws -> OpenedSubject {
    let row = series[shard.series]
    let configuration = configurations[row.configuration]
    let opened = try OpenedSubject(
      ShardSubject.Source(
        name: configuration.name, file: configuration.file,
        overrides: configuration.settings.map { place in
          let setting = settings[place]
          return Override(option: setting.option, keyPath: setting.key, value: setting.value)
        }, isShort: configuration.short)
    ) { scenario in
      let version = scenario.map { ModelVersion.of($0) } ?? ModelVersion.current
      if version != row.modelVersion {
        throw DocumentRejected(
          path: path, expected: "shards of model version \(version), which this program has",
          got: "\(row.modelVersion): the plan was made by another version of the program")
      }
      return try subject(row, scenario, shard: shard, path: path)
    }
    if opened.key != row.key {
      throw DocumentRejected(
        path: configuration.file.isEmpty ? path : configuration.file,
        expected: "the scenario of the plan (\(row.key.prefix(8))), its data files included",
        got: "another one (\(opened.key.prefix(8))): it was changed after the plan was made")
    }
    return opened
  }

  private func subject(
    _ row: Series, _ scenario: StudyScenario?, shard: Shard, path: String
  ) throws -> ShardSubject {
    let network = row.network.flatMap { name in NetworkModel.allCases.first { "\($0)" == name } }
    guard let seed = UInt64(row.seed), (network == nil) == (row.network == nil) else {
      throw DocumentRejected(
        path: path, expected: "a seed and a network model in series[\(shard.series)]",
        got: "\(row.seed), \(row.network ?? "none")")
    }
    guard row.keeps == .seeds else {
      guard let scenario else {
        throw DocumentRejected(
          path: path, expected: "a file in the configuration of series[\(shard.series)]",
          got: "none")
      }
      let metrics = try row.metrics.map { text -> MetricReference in
        switch MetricReference.parse(text) {
        case .success(let metric): return metric
        case .failure(let fault):
          throw DocumentRejected(path: path, expected: fault.expected, got: text)
        }
      }
      return ShardSubject(
        scenario, seed: seed, metrics: metrics, kind: row.keeps,
        shuffleTies: row.shuffleTies.flatMap { UInt64($0) }, network: network)
    }
    guard let count = row.seeds.flatMap({ UInt64($0) }), count > 0, count <= .max - seed else {
      throw DocumentRejected(
        path: path, expected: "how many seeds series[\(shard.series)] has",
        got: row.seeds ?? "nothing")
    }
    return ShardSubject(
      search: configurations[row.configuration].name, scenario, seeds: seed..<(seed + count))
  }

  // MARK: The document

  /// The document, the same bytes for the same plan.
  public func text() -> String {
    var plain = self
    plain.digest = plain.ownDigest
    var writer = PlanWriter()
    writer.add(plain)
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }

  /// What ``digest`` has to be.
  private var ownDigest: String {
    var plain = self
    plain.digest = ""
    var writer = PlanWriter()
    writer.add(plain)
    return SHA256.text(of: writer.bytes)
  }

  /// Reads a plan.
  ///
  /// - Throws: ``DocumentRejected`` for a file that is none, of another form, or edited.
  public static func load(_ path: String) throws -> ShardPlan {
    let data = try DocumentRejected.bytes(of: path, expected: "a plan of firstframe plan")
    struct Form: Decodable { var schema: Int }
    let form = try DocumentRejected.decode(Form.self, from: data, path: path)
    if form.schema != version {
      throw DocumentRejected(
        path, member: "schema", of: data, expected: "\(version)", got: "\(form.schema)")
    }
    let plan = try DocumentRejected.decode(ShardPlan.self, from: data, path: path)
    guard plan.digest == plan.ownDigest, plan.isSound
    else {
      throw DocumentRejected(
        path: path, expected: "a plan as firstframe plan has written it",
        got: "one that was edited; make it again")
    }
    return plan
  }

  private var isSound: Bool {
    series.allSatisfy { configurations.indices.contains($0.configuration) }
      && configurations.allSatisfy { $0.settings.allSatisfy { settings.indices.contains($0) } }
      && shards.enumerated().allSatisfy { place, shard in
        shard.index == place && series.indices.contains(shard.series) && shard.first >= 0
          && shard.count >= 1 && shard.first + shard.count <= ShardPlan.mostReplications
      }
  }
}
