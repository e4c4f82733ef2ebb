import Foundation
import Scenario

/// Our Sabre against what Sabre itself prints, over all of its traces.
enum SabreOutputs {
  private struct File: Decodable {
    struct Setting: Decodable {
      struct Algorithm: Decodable {
        var args: [String]
        var perTrace: [String: [Double]]

        enum CodingKeys: String, CodingKey {
          case args
          case perTrace = "per_trace"
        }
      }
      var traces: String
      var movie: String
      var args: [String]
      var algorithms: [String: Algorithm]
    }
    var columns: [String]
    var scenarios: [String: Setting]
  }

  /// Sabre prints six decimals.
  private static let tolerance = 1e-5

  static func family(_ reference: Reference) throws(ReferenceError) -> Family {
    let file = try reference.object("sabre/reference.json", of: File.self)
    var comparison = OutputComparison(tolerance: tolerance)
    for setting in file.scenarios.values {
      for (name, algorithm) in setting.algorithms {
        let options = setting.args + algorithm.args
        let table = try self.table(options, setting, in: "\(reference.folder)/sabre")
        if table.rows.count != algorithm.perTrace.count { comparison.add(.infinity, 0) }
        for row in table.rows {
          guard let printed = algorithm.perTrace[row.names[0]] else {
            throw ReferenceError("sabre/reference.json: expected \(row.names[0]) in \(name)")
          }
          for (column, value) in zip(SabreRequest.columns, row.values) {
            let place = file.columns.firstIndex(of: column) ?? 0
            comparison.add(value.real ?? .nan, printed[place])
          }
        }
      }
    }
    let lines = [comparison.line("our Sabre")]
    let gates = [comparison.gate("our Sabre")]
    return Family("sabre", []) { _ in
      FamilyReport("sabre", "outputs of Sabre, by option set and trace", lines, gates: gates)
    }
  }

  /// Our answer to Sabre's own options; `-ao` must be there to be on.
  private static func table(
    _ options: [String], _ setting: File.Setting, in folder: String
  ) throws(ReferenceError) -> PeerTable {
    func value(_ flag: String) -> String? {
      guard let place = options.firstIndex(of: flag), place + 1 < options.count else { return nil }
      return options[place + 1]
    }
    var request = SabreRequest(
      movie: "\(folder)/\(setting.movie)", source: .traces("\(folder)/\(setting.traces).csv"),
      algorithm: value("-a") ?? "")
    request.avoidsOscillation = options.contains("-ao")
    request.isBasic = options.contains("-ab")
    request.abandons = !options.contains("-noa")
    request.keepsInsufficientBufferRule = !options.contains("-noibr")
    request.replacement = value("-r")
    if let seconds = value("-b").flatMap({ Double($0) }) { request.buffer = seconds }
    request.movieLength = value("-ml").flatMap { Double($0) }
    do {
      return try request.table()
    } catch {
      throw ReferenceError("\(error)")
    }
  }
}

/// Numbers that must be equal but for their last printed decimals.
struct OutputComparison {
  let tolerance: Double
  private var errors: [Double] = []
  private var apart = 0

  init(tolerance: Double) { self.tolerance = tolerance }

  /// Notes a number against the peer's; the error is relative where the peer's is above 1.
  mutating func add(_ value: Double, _ truth: Double) {
    let difference = value - truth
    errors.append(difference / max(1, truth.magnitude))
    if !(difference.magnitude <= tolerance) { apart += 1 }
  }

  func line(_ name: String) -> FidelityLine? { FidelityLine(name, errors) }

  func gate(_ name: String) -> FidelityGate {
    FidelityGate("\(name), numbers that differ", Double(apart), atMost: 0, unit: .count)
  }
}
