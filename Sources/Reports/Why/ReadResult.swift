import Foundation

/// What `firstframe why` needs of a `result.json`.
public struct ReadResult: Sendable, Decodable {
  public struct Scenario: Sendable, Decodable {
    public var name: String
    public var digest: String
  }

  public struct Metric: Sendable, Decodable {
    public var metric: String
    public var value: Double?
    public var unit: String
    public var values: [Double?]
    public var isLowerBound: Bool
  }

  public struct Budget: Sendable, Decodable {
    public var metric: String
    public var limit: String
    public var level: String
    public var verdict: String
    public var value: Double?
    public var reason: String
  }

  public struct Part: Sendable, Decodable {
    public var part: String
    public var nanoseconds: Int64
  }

  public struct Band: Sendable, Decodable {
    public var views: Int64
    public var totalNanoseconds: Int64
    public var parts: [Part]
  }

  public struct Breakdown: Sendable, Decodable {
    public var waited: Band
  }

  public struct Cohort: Sendable, Decodable {
    public var network: String
    public var device: String
    public var views: Int64
    public var started: Int64
    public var notStarted: Int64
    public var startupNanoseconds: Int64
    public var playedNanoseconds: Int64
    public var stalledNanoseconds: Int64

    public var name: String { "\(network), \(device)" }
  }

  public struct Late: Sendable, Decodable {
    public struct ByPart: Sendable, Decodable {
      public var part: String
      public var started: Int64
      public var startedWithEdgeMiss: Int64
      public var notStarted: Int64
      public var notStartedWithEdgeMiss: Int64
    }

    public var limitMilliseconds: Double
    public var byPart: [ByPart]
  }

  /// A world other than the feed's, and what its metrics mean.
  public struct World: Sendable, Decodable {
    public struct Meaning: Sendable, Decodable {
      public var metric: String
      public var meaning: String
    }

    public var name: String
    public var metrics: [Meaning]
  }

  public var schema: Int
  public var kind: String
  public var scenario: Scenario
  public var seed: UInt64
  public var verdict: String
  public var views: Int64
  public var budgets: [Budget]
  public var metrics: [Metric]
  public var startupBreakdown: Breakdown
  public var cohorts: [Cohort]
  public var lateStarts: Late
  /// nil for the feed.
  public var world: World?

  /// What was simulated, in words.
  public var subject: String { world.map { "the world \($0.name)" } ?? "the feed" }

  /// Whether two runs have the same metrics.
  ///
  /// - Throws: ``Rejected``, which names the other run.
  public func requireComparable(with other: ReadResult, at path: String) throws(Rejected) {
    if other.world?.name == world?.name { return }
    throw Rejected(
      path: path, expected: "a run of \(subject)", got: "one of \(other.subject)",
      isMissing: false)
  }

  /// Why a path is no result.
  public struct Rejected: Error, Sendable, CustomStringConvertible {
    public var path: String
    public var expected: String
    public var got: String
    public var isMissing: Bool
    public var description: String { "\(path): expected \(expected), got \(got)" }
  }

  /// Reads a run folder or its `result.json`.
  public static func load(_ path: String) throws(Rejected) -> ReadResult {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Rejected(
        path: path, expected: "a run folder or a result.json", got: "no such file",
        isMissing: true)
    }
    let file = isFolder.boolValue ? "\(path)/result.json" : path
    guard let data = FileManager.default.contents(atPath: file) else {
      throw Rejected(
        path: file, expected: "the result.json of a run", got: "no such file", isMissing: true)
    }
    do {
      let result = try JSONDecoder().decode(ReadResult.self, from: data)
      guard result.kind == "firstframe.result", result.schema == Int(ResultDocument.version) else {
        throw Rejected(
          path: file, expected: "a firstframe.result of version \(ResultDocument.version)",
          got: "\(result.kind) \(result.schema)", isMissing: false)
      }
      return result
    } catch let error as Rejected {
      throw error
    } catch {
      throw Rejected(
        path: file, expected: "a result.json of firstframe run", got: "something else",
        isMissing: false)
    }
  }
}
