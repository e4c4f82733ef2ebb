import Foundation
import Models
import ReferenceFiles
import Scenario
import Testing

/// Sabre's own outputs and decisions.
private enum Reference {
  static let film = ReferenceFiles.path("peers/film.json")
  static let network = SabreRequest.Source.network(ReferenceFiles.path("peers/network.json"))

  /// A request with Sabre's own options; `-ao` must be there to be on.
  static func request(
    _ options: [String], source: SabreRequest.Source = network
  ) throws -> SabreRequest {
    func value(_ flag: String) -> String? {
      options.firstIndex(of: flag).map { options[$0 + 1] }
    }
    var request = SabreRequest(
      movie: film, source: source, algorithm: try #require(value("-a")))
    request.avoidsOscillation = options.contains("-ao")
    request.isBasic = options.contains("-ab")
    request.abandons = !options.contains("-noa")
    request.keepsInsufficientBufferRule = !options.contains("-noibr")
    request.replacement = value("-r")
    if let seconds = value("-b") { request.buffer = try #require(Double(seconds)) }
    if let seconds = value("-ml") { request.movieLength = Double(seconds) }
    return request
  }

  /// The greatest difference between a row and what Sabre printed, over all result columns.
  static func difference(_ row: PeerRow, _ printed: [Double], _ columns: [String]) throws -> Double
  {
    var worst = 0.0
    for (name, value) in zip(SabreRequest.columns, row.values) {
      let index = try #require(columns.firstIndex(of: name))
      worst = max(worst, abs(try #require(value.real) - printed[index]))
    }
    return worst
  }
}

/// On four of the twenty traces; `make fidelity` has all of them.
@Suite struct SabreReferenceTests {
  @Test func `every option set on the example network gives what Sabre prints`() throws {
    let reference = try ReferenceFiles.object("peers/sabre.json")
    let columns = try #require(reference["columns"] as? [String])
    let sets = try #require(reference["example_movie_and_network"] as? [String: [Double]])
    #expect(sets.count >= 13)
    for (name, printed) in sets {
      // "bola (args: -a bola -ao)"
      let open = try #require(name.range(of: "(args: "))
      let options = name[open.upperBound...].dropLast().split(separator: " ").map(String.init)
      let table = try Reference.request(options).table()
      #expect(table.rows.map(\.names) == [["network"]])
      let difference = try Reference.difference(table.rows[0], printed, columns)
      #expect(difference < 1e-5, "\(name)")
    }
  }

  @Test func `every option set on every trace gives what Sabre prints`() throws {
    let reference = try ReferenceFiles.object("peers/sabre.json")
    let columns = try #require(reference["columns"] as? [String])
    let scenarios = try #require(reference["scenarios"] as? [String: [String: Any]])
    var rows = 0
    for (_, scenario) in scenarios {
      let common = try #require(scenario["args"] as? [String])
      let sets = try #require(scenario["algorithms"] as? [String: [String: Any]])
      for (name, set) in sets {
        let options = try #require(set["args"] as? [String])
        let printed = try #require(set["per_trace"] as? [String: [Double]])
        let table = try PeerInputs.unpacked { peers in
          try Reference.request(common + options, source: .traces(peers.table)).table()
        }
        #expect(table.rows.count == printed.count)
        for row in table.rows {
          let expected = try #require(printed[row.names[0]])
          let difference = try Reference.difference(row, expected, columns)
          #expect(difference < 1e-5, "\(name) on \(row.names[0])")
          rows += 1
        }
      }
    }
    #expect(rows == 28)
  }

  @Test(arguments: [
    ("bola_basic", ["-a", "bola", "-ab", "-ao"]), ("bola", ["-a", "bola", "-ao"]),
    ("bolae", ["-a", "bolae", "-ao"]), ("throughput", ["-a", "throughput", "-ao"]),
    ("dynamic", ["-a", "dynamic", "-ao"]), ("dynamicdash", ["-a", "dynamicdash", "-ao"]),
    ("throughput_noabandon", ["-a", "throughput", "-ao", "-noa"]),
  ])
  func `every download is the one Sabre makes`(name: String, options: [String]) throws {
    let file = try ReferenceFiles.object("peers/sabre_decisions.json")
    let decisions = try #require(file["decisions"] as? [String: [[Double]]])
    let expected = try #require(decisions[name])
    let input = try Reference.request(options).load()
    var session = SabreSession(
      input.movie, over: input.traces[0].network, options: input.options)
    var count = 0
    while let download = session.next() {
      let row = try #require(count < expected.count ? expected[count] : nil)
      #expect(Double(download.segment) == row[0] && Double(download.level) == row[1])
      // The times of the reference are rounded to whole milliseconds.
      #expect(abs(download.start - row[2]) <= 0.5 + 1e-6)
      #expect(abs(download.end - row[3]) <= 0.5 + 1e-6)
      #expect((download.isAbandoned ? 1 : 0) == row[4])
      count += 1
    }
    #expect(count == expected.count)
  }

  @Test func `avoiding oscillation is on unless it is told off`() throws {
    let plain = SabreRequest(
      movie: Reference.film, source: Reference.network, algorithm: "bola")
    #expect(try plain == Reference.request(["-a", "bola", "-ao"]))
    let off = try Reference.request(["-a", "bola"])
    #expect(try plain.table() != off.table())
  }
}
